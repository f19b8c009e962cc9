"""`torch.fx.passes.infra`: passes as classes, and a manager that runs them."""

from rushlight.fx.passes.infra import pass_base as pass_base
from rushlight.fx.passes.infra import pass_manager as pass_manager
