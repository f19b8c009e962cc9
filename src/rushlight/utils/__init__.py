"""torch.utils: data loading, checkpointing, DLPack capsules and hook handles under PyTorch's module names."""

from typing import Any

from rushlight.autograd.swapping import swap_tensors
from rushlight.utils import _python_dispatch as _python_dispatch
from rushlight.utils import _pytree as _pytree
from rushlight.utils import checkpoint, data, deterministic, dlpack, hooks

__all__ = ["checkpoint", "data", "deterministic", "dlpack", "hooks", "set_module", "swap_tensors"]


def set_module(obj: Any, mod: str) -> None:
    """Sets the `__module__` of a class or function. Raises TypeError if `mod` is not a str."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
