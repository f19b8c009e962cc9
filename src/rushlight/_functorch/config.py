"""`torch._functorch.config`: settings of PyTorch's derivatives of graphs. They can be set, and change nothing here."""

from rushlight._functorch.settings import SETTINGS
from rushlight.utils._config_module import install

install(__name__, SETTINGS)
