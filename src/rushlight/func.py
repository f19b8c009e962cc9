"""`torch.func`: modules as functions of their parameters. Transforms are not implemented yet.

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
    """Calls `module(*args, **kwargs)` with other tensors for its parameters and buffers, by dotted name.

    `parameter_and_buffer_dicts` is a dictionary, or several with disjoint names. `tie_weights` replaces tensors that
    the module has under several names under all of them; `strict` requires exactly the module's names.

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
