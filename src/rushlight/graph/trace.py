"""A trace: the operators that a function called, in order, as data. `recording.py` makes one.

A tensor is a number: an input, a constant (a tensor that did not come from an input), or the result of a step. Sizes,
strides and dtypes of all of them are known. Writes to memory are steps; a view shares the memory of its operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Ref(NamedTuple):
    """A tensor of a trace."""

    number: int

    def __repr__(self):
        return f"t{self.number}"


class Array(NamedTuple):
    """The raw array of a tensor of a trace, for an argument that is no tensor: index arrays, statistics."""

    number: int

    def __repr__(self):
        return f"t{self.number}.array"


class Left(NamedTuple):
    """A new object of a class, in which the operator leaves raw arrays: attributes, and the numbers of the arrays.

    The numbers are results of the step, after those of the operator.
    """

    kind: type
    arrays: tuple[tuple[str, int], ...]


class Meta(NamedTuple):
    """What is known of a tensor: sizes, strides in bytes, and NumPy's dtype."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype


class Step:
    """A call of an operator: `values` are its arguments by name, with a `Ref` for each tensor, also in lists.

    `results` are its results, and the arrays that it left in an object (`Left`). A step with `op` None is a write: the
    elements of `values["source"]` are copied to `values["target"]`, and the step has no results. `write_name` is the
    operator that computed the source, for errors.
    """

    __slots__ = ("op", "results", "values", "write_name")

    def __init__(self, op, values: dict[str, Any], results: tuple[int, ...], write_name: str = ""):
        self.op, self.values, self.results, self.write_name = op, values, results, write_name

    def __repr__(self):
        arguments = ", ".join([f"{name}={value!r}" for name, value in self.values.items()])
        results = ", ".join([f"t{number}" for number in self.results])
        return f"{results} = {self.op.name}({arguments})" if self.op else f"write({arguments})"

    @property
    def draws(self) -> bool:
        """Whether the step draws random numbers: then it is made once, and in its place among the others that do."""
        return self.op is not None and self.op.name in DRAWS

    def with_values(self, values: dict[str, Any]) -> Step:
        """Returns the step with other arguments."""
        return Step(self.op, values, self.results, self.write_name)

    def written(self) -> list[int]:
        """Returns the tensors to whose memory the step writes."""
        if self.op is None:
            return [self.values["target"].number]
        if self.op.name in WRITING and self.values["training"]:
            return [value.number for name in WRITING[self.op.name] if type(value := self.values[name]) is Ref]
        return []

    def operands(self) -> list[int]:
        """Returns the numbers of the tensors that the step reads (of a write also the target)."""
        numbers: list[int] = []
        for value in self.values.values():
            if type(value) in REFERENCES:
                numbers.append(value.number)
            elif type(value) in (tuple, list):
                numbers += [each.number for each in value if type(each) in REFERENCES]
        return numbers


REFERENCES = (Ref, Array)
DRAWS = frozenset(("dropout_mask", "kept_mask"))


class UpdateOp:
    """What an `Update` has instead of a declaration: a function of a tuple of arrays."""

    name, kind, view, multi_output = "update", "update", False, False

    def __init__(self, function: Callable[[tuple], None]):
        self.function = function


class Update(Step):
    """A step that writes to the first of the arrays that it gets: an optimizer's, by its own kernels."""

    __slots__ = ("count",)

    def __init__(self, op: UpdateOp, arrays: tuple[Array, ...], count: int):
        super().__init__(op, {"arrays": arrays}, ())
        self.count = count

    def with_values(self, values: dict[str, Any]) -> Update:
        return Update(self.op, values["arrays"], self.count)

    def written(self) -> list[int]:
        return [array.number for array in self.values["arrays"][: self.count]]


# Operators that write to operands in training, without a count of the write.
WRITING = {"native_batch_normalization": ("running_mean", "running_var")}


class Trace:
    """The steps of a function, its inputs, constants and outputs.

    `outputs` has a number for each tensor that the function returned, None for an undefined gradient. The first `owned`
    of them, None for all, are in memory that no other output or input has, unless the function made them so. The others
    are values that are kept: they may share memory with each other.
    """

    def __init__(self):
        self.steps: list[Step] = []
        self.metas: list[Meta] = []
        self.inputs: list[int] = []
        self.constants: dict[int, Any] = {}
        self.outputs: list[int | None] = []
        self.owned: int | None = None
        self.views: dict[int, int] = {}  # a view -> the tensor whose memory it shares

    def add(self, array) -> int:
        """Enters a tensor with the shape, strides and dtype of an array; returns its number."""
        self.metas.append(Meta(array.shape, array.strides, array.dtype))
        return len(self.metas) - 1

    def base_of(self, number: int) -> int:
        """Returns the tensor that owns the memory of a tensor."""
        while number in self.views:
            number = self.views[number]
        return number

    def __repr__(self):
        head = ", ".join([f"t{number}" for number in self.inputs])
        lines = "".join([f"    {step!r}\n" for step in self.steps])
        return f"trace({head}):\n{lines}    return {self.outputs}"
