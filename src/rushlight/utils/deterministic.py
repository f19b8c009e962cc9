"""`torch.utils.deterministic`: a further setting of `use_deterministic_algorithms(True)`."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from rushlight.core.determinism import DETERMINISM, set_fill

if TYPE_CHECKING:
    fill_uninitialized_memory: bool


class Deterministic(ModuleType):
    """The module, with one settable name."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether new tensors with undefined values are filled."""
        return DETERMINISM.fill

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        set_fill(mode)


sys.modules[__name__].__class__ = Deterministic
