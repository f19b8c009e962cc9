"""`torch.func`: a module as a function of its parameters. Its transforms of functions are not here yet.

See https://docs.pytorch.org/docs/stable/func.html.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rushlight.nn.modules.module import Module
from rushlight.nn.utils.stateless import _functional_call

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """`module(*args, **kwargs)` with other tensors, by dotted name, in the place of its parameters and buffers.

    `parameter_and_buffer_dicts` is a dictionary, or several that have no name in common. With `tie_weights` tensors
    that the module has under several names are replaced under all of them; with `strict` every one must be given, and
    no other.

    >>> import rushlight as torch
    >>> double = {"weight": torch.tensor([[2.0]])}
    >>> torch.func.functional_call(torch.nn.Linear(1, 1, bias=False), double, torch.tensor([3.0]))
    tensor([6.])
    """
    tensors = _merged(parameter_and_buffer_dicts)
    return _functional_call(module, tensors, args, kwargs, tie_weights=tie_weights, strict=strict)


def _merged(dicts) -> dict:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(arg, dict) for arg in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [name for name, count in Counter(name for arg in dicts for name in arg).items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for arg in dicts for name, tensor in arg.items()}
