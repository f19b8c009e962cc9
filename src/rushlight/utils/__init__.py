"""torch.utils: data loading, checkpointing, DLPack capsules and hook handles under PyTorch's addresses."""

from typing import Any

from rushlight.utils import _python_dispatch as _python_dispatch
from rushlight.utils import _pytree as _pytree
from rushlight.utils import checkpoint, data, deterministic, dlpack, hooks
from rushlight.utils.swapping import swap_tensors

__all__ = ["checkpoint", "data", "deterministic", "dlpack", "hooks", "set_module", "swap_tensors"]


def set_module(obj: Any, mod: str) -> None:
    """Says of a class or function in which module it is. Raises TypeError if `mod` is no text."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
