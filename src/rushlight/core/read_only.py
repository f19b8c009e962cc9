"""Values that programs share, such as dtypes and devices: their attributes are set once, when they are made."""

from __future__ import annotations

from typing import Any, NoReturn

set_attribute = object.__setattr__


class ReadOnly:
    """Refuses assignments to attributes, in the words that PyTorch has for its types in C.

    Reading costs as much as without it: there is no `__getattr__`.
    """

    __slots__ = ()

    def _set(self, **values: Any) -> None:
        """Sets attributes, for the type itself."""
        for name, value in values.items():
            set_attribute(self, name, value)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        if hasattr(self, name):
            raise AttributeError(f"attribute '{name}' of 'torch.{type(self).__name__}' objects is not writable")
        raise AttributeError(f"'torch.{type(self).__name__}' object has no attribute '{name}'")
