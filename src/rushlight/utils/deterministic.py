"""`torch.utils.deterministic`: what else `use_deterministic_algorithms(True)` does."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from rushlight.core.determinism import DETERMINISM

if TYPE_CHECKING:
    fill_uninitialized_memory: bool


class Deterministic(ModuleType):
    """The module, whose one name can be set."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether fresh tensors of undefined values are filled."""
        return DETERMINISM.fill

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if type(mode) is not bool:
            raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
        DETERMINISM.fill = mode


sys.modules[__name__].__class__ = Deterministic
