"""`torch._inductor.config`: settings of PyTorch's compiler. They can be set, and change nothing here."""

from rushlight._inductor.settings import ALIASES, SETTINGS
from rushlight.utils._config_module import install

install(__name__, SETTINGS, ALIASES)
