"""`torch.special`: special functions, element by element."""

from rushlight._generated.names_of_special import *  # noqa: F403
from rushlight._generated.names_of_special import __all__ as __all__
