"""`torch.export.Dim`: the dimensions of inputs that may have other sizes, and how a program names them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from inspect import signature
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.utils._pytree import tree_flatten

UNLIMITED = (1 << 63) - 1


class Hint(Enum):
    """What a program says of a dimension without a name."""

    AUTO = "AUTO"
    DYNAMIC = "DYNAMIC"
    STATIC = "STATIC"

    def __repr__(self) -> str:
        return f"Dim.{self.name}"


class Dim:
    """A size of an input that may be another in later calls: a name, and bounds, both included.

    The same Dim in two places says that the sizes are equal. `2 * dim + 1` is a size that follows from another.
    `Dim.AUTO` lets the export find out whether a size may change, `Dim.DYNAMIC` says that it must, `Dim.STATIC` that it
    never does.

    >>> import rushlight as torch
    >>> batch = torch.export.Dim("batch", min=2, max=64)
    >>> batch, batch.min, batch.max
    (Dim('batch', min=2, max=64), 2, 64)
    """

    AUTO = Hint.AUTO
    DYNAMIC = Hint.DYNAMIC
    STATIC = Hint.STATIC

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None):
        self.min, self.max = 0 if min is None else min, UNLIMITED if max is None else max
        if self.max <= self.min:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__ = name
        self.root, self.times, self.plus = self, 1, 0

    def __repr__(self) -> str:
        bounds = [f", min={self.min}"] * (self.min > 0) + [f", max={self.max}"] * (self.max < UNLIMITED)
        return f"Dim('{self.__name__}'{''.join(bounds)})"

    def __mul__(self, other: int) -> Dim:
        return self._derived(other, 0, f"{other}*{self.__name__}")

    def __add__(self, other: int) -> Dim:
        return self._derived(1, other, f"{self.__name__} + {other}")

    def __sub__(self, other: int) -> Dim:
        return self._derived(1, -other, f"{self.__name__} - {other}")

    __rmul__, __radd__ = __mul__, __add__

    def _derived(self, times: int, plus: int, name: str) -> Dim:
        """Returns the size `times * self + plus`."""
        if type(times) is not int or type(plus) is not int or times < 1:
            raise NotImplementedError(f"Attempted to derive {name}, where a positive integer was expected.")
        made = object.__new__(Dim)
        made.__name__, made.root = name, self.root
        made.times, made.plus = self.times * times, self.plus * times + plus
        made.min, made.max = self.min * times + plus, min(self.max * times + plus, UNLIMITED)
        return made


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Returns a Dim for each name.

    >>> import rushlight as torch
    >>> torch.export.dims("batch", "length")
    (Dim('batch'), Dim('length'))
    """
    return tuple([Dim(name, min=min, max=max) for name in names])


class UserError(RuntimeError):
    """A program asked for what an export cannot do."""


UserError.__module__ = "torch._dynamo.exc"


def arguments_by_name(forward: Any, args: tuple, kwargs: dict) -> dict[str, Any]:
    """Returns the arguments of a call by the names of parameters, in their order; `*args` are one argument."""
    bound = signature(forward).bind(*args, **kwargs)
    result: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is kind.VAR_POSITIONAL:
            result[name] = tuple(value)
        elif kind is kind.VAR_KEYWORD:
            result |= value
        else:
            result[name] = value
    return result


def in_order_of_leaves(by_name: dict[str, Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what belongs to arguments in the order in which a call passes them: those by position come first."""
    names = [*[name for name in by_name if name not in kwargs], *kwargs]
    return {name: by_name[name] for name in names}


def specified(forward: Any, args: tuple, kwargs: dict, dynamic_shapes: Any) -> list[dict[int, Any]]:
    """Returns what the program says about the dimensions of each flat input: {dimension: Dim, hint, string or number}.

    Raises UserError if `dynamic_shapes` has another structure than the arguments.
    """
    if not dynamic_shapes:
        return [{} for _ in tree_flatten((args, kwargs))[0]]
    by_name = arguments_by_name(forward, args, kwargs)
    if isinstance(dynamic_shapes, Mapping):
        if unknown := set(dynamic_shapes) - set(by_name):
            raise UserError(
                "When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names "
                f"{list(by_name)} of `inputs`, but here they are {list(dynamic_shapes)}. (Unknown: {sorted(unknown)})"
            )
        said = {name: dynamic_shapes.get(name) for name in by_name}
    else:
        if len(dynamic_shapes) != len(by_name):
            raise UserError(
                "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `inputs` has "
                f"{len(by_name)} elements, but `dynamic_shapes` has {len(dynamic_shapes)} elements"
            )
        said = dict(zip(by_name, dynamic_shapes, strict=True))
    return [each for name, spec in in_order_of_leaves(said, kwargs).items() for each in of_value(by_name[name], spec)]


def of_value(value: Any, spec: Any) -> list[dict[int, Any]]:
    """Returns what it says about the dimensions of the leaves in one argument."""
    if isinstance(value, Tensor):
        return [of_tensor(value, spec)]
    leaves, _ = tree_flatten(value)
    if spec is None:
        return [{} for _ in leaves]
    if isinstance(value, Mapping) and isinstance(spec, Mapping):
        return [result for name, each in value.items() for result in of_value(each, spec.get(name))]
    if isinstance(value, list | tuple) and isinstance(spec, list | tuple) and len(value) == len(spec):
        return [result for each, its in zip(value, spec, strict=True) for result in of_value(each, its)]
    raise UserError(
        "Detected mismatch between the structure of `inputs` and `dynamic_shapes`: "
        f"{type(value).__name__} and {type(spec).__name__}"
    )


def of_tensor(tensor: Tensor, spec: Any) -> dict[int, Any]:
    """Returns what it says about the dimensions of a tensor; sizes that are fixed are left out."""
    if spec is None:
        return {}
    if isinstance(spec, list | tuple):
        if len(spec) != tensor.ndim:
            raise UserError(f"Expected dynamic shape spec {spec} to have length {tensor.ndim}, one for each dimension")
        spec = dict(enumerate(spec))
    if not isinstance(spec, Mapping):
        raise UserError(
            f"Expected dynamic shape spec {spec} to be a dict, a list or a tuple: `dynamic_shapes` has one of them "
            "for each tensor"
        )
    result = {}
    for dimension, said in spec.items():
        if not -tensor.ndim <= dimension < tensor.ndim:
            raise noted(
                UserError(f"Dimension {dimension} of dynamic shape spec is out of range: the input has {tensor.ndim}"),
                "Count dimensions from 0.",
            )
        if isinstance(said, int) and not isinstance(said, bool) and said != tensor.shape[dimension]:
            raise UserError(f"Static shape constraint of {said} does not match input size of {tensor.shape[dimension]}")
        if isinstance(said, Dim | str) or said in (Hint.AUTO, Hint.DYNAMIC):
            result[dimension % tensor.ndim] = said
    return result
