"""`torch.special`: special functions, element by element."""

from rushlight._generated.names_of_special import *  # noqa: F403
