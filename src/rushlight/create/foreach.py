"""Functions of the root that take lists of tensors: `torch._foreach_add_(parameters, gradients, alpha=-0.1)`.

Each calls the method of its name on every tensor of the first list, with the elements at the same index of the other
lists. A number or 0-d tensor is used for all. Names that end in `_` write in place and return the list.
https://docs.pytorch.org/docs/stable/torch.html#foreach-operations
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.dispatch.message import no_form, type_name

WITH_INPLACE = (
    "abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf erfc exp expm1 floor frac lerp "
    "lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan "
    "tanh trunc"
).split()
METHODS = {name: name for name in ("clone", "copy_", "max", "mm", "norm", "zero_", *WITH_INPLACE)}
METHODS |= {f"{name}_": f"{name}_" for name in WITH_INPLACE}
# The other operand may be a number.
METHODS |= {"maximum": "clamp_min", "maximum_": "clamp_min_", "minimum": "clamp_max", "minimum_": "clamp_max_"}
NAMES = tuple(f"_foreach_{name}" for name in METHODS)


def __getattr__(name: str) -> Callable:
    """Makes a function when its name is first used."""
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function: Any = partial(for_each, name)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{METHODS[name.removeprefix('_foreach_')]}` of each tensor of a list."
    return globals().setdefault(name, function)


def for_each(name: str, self: Any, *operands: Any, **keywords: Any) -> Any:
    """Runs the function `name`."""
    method = METHODS[name.removeprefix("_foreach_")]
    if method == "pow" and isinstance(self, int | float | complex):
        tensors = operands[0]
        return tuple(self**exponent for exponent in tensors)
    check_list(name, self, operands)
    if keywords and operands and isinstance(operands[0], int | float | complex):
        raise no_form(name, (self, *operands, *keywords.values()))
    if method.startswith("addc") and len(operands) == 3:
        first, second, values = operands
        values = values.tolist() if isinstance(values, Tensor) else values
        rows = zip(self, *(spread(operand, len(self)) for operand in (first, second, values)), strict=True)
        result = [getattr(tensor, method)(*row, value=value) for tensor, *row, value in rows]
    else:
        rows = zip(self, *(spread(operand, len(self)) for operand in operands), strict=True)
        result = [getattr(tensor, method)(*row, **keywords) for tensor, *row in rows]
    return self if method.endswith("_") else tuple(result)


def check_list(name: str, tensors: Any, operands: tuple) -> None:
    if not isinstance(tensors, list | tuple):
        raise no_form(name, (tensors, *operands))
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {index} in argument 0, but got {type_name(tensor)}")


def spread(operand: Any, count: int) -> Any:
    """Returns a list with an operand for each of `count` tensors."""
    if isinstance(operand, Tensor) and operand.dim() != 0:
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {operand.dim()} dimensions and {operand.numel()} elements."
        )
    if not isinstance(operand, list | tuple):
        return [operand] * count
    if len(operand) != count:
        if operand and not isinstance(operand[0], Tensor):
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(operand)}")
    return operand
