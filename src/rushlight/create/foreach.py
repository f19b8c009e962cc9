"""Functions of the root that take lists of tensors: `torch._foreach_add_(parameters, gradients, alpha=-0.1)`.

Each calls the method of its name on every tensor of the first list, with the elements at the same index of the other
lists. A number or 0-d tensor is used for all. Names that end in `_` write in place and return the list.
https://docs.pytorch.org/docs/stable/torch.html#foreach-operations
"""

from __future__ import annotations

import math
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
# Which operand may be a list of numbers, where it is not the first; a list without elements counts as one of numbers.
SCALARS_AT = {"lerp": 1, "addcdiv": 2, "addcmul": 2, "copy": None, "mm": None}
# The names of operands in their order, by function, and what the operand is called in other forms.
OPERANDS = {**dict.fromkeys(("addcdiv", "addcmul"), ("tensor1", "tensor2", "scalars")), "lerp": ("tensors1", "weights")}
ALSO_CALLED = {"other": ("scalar", "scalars", "exponent", "tensor", "src"), "weights": ("weight",)}
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
    if keywords:
        operands = (*operands, *by_name(name.removeprefix("_foreach_"), len(operands), keywords))
    if method == "pow" and isinstance(self, int | float | complex):
        tensors = operands[0]
        return tuple(self**exponent for exponent in tensors)
    check_list(name, self, operands)
    if keywords and operands and isinstance(operands[0], int | float | complex):
        raise no_form(name, (self, *operands, *keywords.values()))
    if method.startswith("addc") and len(operands) == 3:
        first, second, values = operands
        values = numbers_of(values, len(self)) if isinstance(values, Tensor) else values
        lists = (spread(operand, len(self), operand is values) for operand in (first, second, values))
        result = [getattr(tensor, method)(*row, value=value) for tensor, *row, value in zip(self, *lists, strict=True)]
    elif method == "norm":
        result = norms(self, *operands, **keywords)
    else:
        at = SCALARS_AT.get(method.removesuffix("_"), 0)
        lists = (spread(operand, len(self), index == at) for index, operand in enumerate(operands))
        rows = zip(self, *lists, strict=True)
        result = [getattr(tensor, method)(*row, **keywords) for tensor, *row in rows]
    return self if method.endswith("_") else tuple(result)


def by_name(name: str, count: int, keywords: dict[str, Any]) -> list[Any]:
    """Takes the operands behind the first `count` from the keywords."""
    taken = []
    for operand in OPERANDS.get(name.removesuffix("_"), ("other",))[count:]:
        known = next((each for each in (operand, *ALSO_CALLED.get(operand, ())) if each in keywords), None)
        if known is None:
            break
        taken.append(keywords.pop(known))
    return taken


def numbers_of(values: Tensor, count: int) -> list[Any]:
    """Returns the numbers in a tensor, one for each of `count` tensors."""
    if values.dim() != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {values.dim()} instead.")
    if len(values) != count:
        raise RuntimeError(
            f"Expected length of scalars to match input of length {count} but got {len(values)} instead."
        )
    return values.tolist()


def check_list(name: str, tensors: Any, operands: tuple) -> None:
    if not isinstance(tensors, list | tuple):
        raise no_form(name, (tensors, *operands))
    if not tensors:
        other = next((each for each in operands if isinstance(each, list | tuple) and each), None)
        if other is not None and isinstance(other[0], Tensor):
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got 0 and {len(other)}")
        raise RuntimeError("Tensor list must have at least one tensor.")
    for index, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {index} in argument 0, but got {type_name(tensor)}")


def norms(tensors: Any, ord: Any = 2, dtype: Any = None) -> list[Tensor]:
    """Returns the norm of each tensor, in a dtype."""
    if ord == math.inf and not all(tensor.numel() for tensor in tensors):
        raise RuntimeError(
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an "
            "identity"
        )
    return [tensor.norm(ord, dtype=dtype) for tensor in tensors]


def spread(operand: Any, count: int, numbers: bool) -> Any:
    """Returns a list with an operand for each of `count` tensors; `numbers` tells whether a list may have numbers."""
    if isinstance(operand, Tensor) and operand.dim() != 0:
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {operand.dim()} dimensions and {operand.numel()} elements."
        )
    if not isinstance(operand, list | tuple):
        return [operand] * count
    if len(operand) != count:
        if not isinstance(operand[0], Tensor) if operand else numbers:
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(operand)}")
    return operand
