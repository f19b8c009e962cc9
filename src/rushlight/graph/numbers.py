"""Python numbers that may be others when the program runs: rates that schedulers change, counters of steps.

The function that is recorded computes with `RecordedNumber`s. Their arithmetic becomes a text, which runs before the
program: the same operations of Python in the same order, so that the results are the same. A number that meets a tensor
becomes a 0-d tensor of the tensor's dtype, an input of the trace. A comparison is a condition: if its result differs,
the trace is for other numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import RecordedArray, Untraceable

PLAIN = (int, float, bool)
REAL = {np.dtype(kind): np.dtype(real).type for kind, real in (("f4", "f4"), ("f8", "f8"), ("c8", "f4"), ("c16", "f8"))}


class Numbers:
    """The numbers of one recording: inputs, what is computed from them, and where they enter the trace."""

    def __init__(self, level):
        self.level = level
        self.inputs: list[RecordedNumber] = []
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}
        self.constants: dict[tuple[type, str], str] = {}  # type and text of a constant -> its name
        self.computations: dict[str, RecordedNumber] = {}  # text of a computation -> its result
        self.conditions: set[str] = set()
        self.entered: dict[tuple[str, type], Tensor] = {}  # name and dtype of a number -> its tensor

    def input(self, value) -> RecordedNumber:
        """Returns a number that is an input."""
        number = RecordedNumber(self, value, f"i{len(self.inputs)}")
        self.inputs.append(number)
        return number

    def text(self, value) -> str:
        """Returns the text of an operand. Raises Untraceable if it is neither a number of this recording nor plain."""
        if type(value) is RecordedNumber and value.numbers is self:
            return value.name
        if type(value) not in PLAIN:
            raise Untraceable(f"a number of a step meets {type(value).__name__}")
        name = self.constants.setdefault((type(value), repr(value)), f"c{len(self.constants)}")
        self.names[name] = value
        return name

    def computed(self, pattern: str, value, *operands) -> RecordedNumber:
        """Returns a number that is computed from others; `pattern` has a place for each operand."""
        text = pattern.format(*map(self.text, operands))
        if (number := self.computations.get(text)) is None:
            number = self.computations[text] = RecordedNumber(self, value, f"n{len(self.lines)}")
            self.lines.append(f"    {number.name} = {text}")
        return number

    def condition(self, pattern: str, value: bool, *operands) -> bool:
        """Returns a bool that is the same whenever the trace is used."""
        text = pattern.format(*map(self.text, operands))
        if text not in self.conditions:
            self.conditions.add(text)
            self.lines.append(f"    if ({text}) is not {value}:\n        return None")
        return value

    def tensor(self, number: RecordedNumber, dtype) -> Tensor:
        """Returns a number as a 0-d tensor of the trace. Raises Untraceable for half precision and integers."""
        if (kind := REAL.get(dtype)) is None:
            raise Untraceable(f"a number of a step meets a tensor of {dtype}")
        key = number.name, kind
        if (tensor := self.entered.get(key)) is None:
            array = np.array(number.value, kind)
            self.level.trace.inputs.append(place := self.level.trace.add(array))
            tensor = self.entered[key] = wrap(RecordedArray(self.level, wrap(array), place))
        return tensor

    def program(self, results: Sequence) -> Callable:
        """Returns the function from the inputs to the 0-d arrays that enter the trace, and the numbers `results`.

        It returns None if a condition does not hold.
        """
        arguments = ", ".join([number.name for number in self.inputs])
        entered = ", ".join([f"array({name}, {kind.__name__})" for name, kind in self.entered])
        returned = ", ".join(map(self.text, results))
        names = {**self.names, "array": np.array, "float32": np.float32, "float64": np.float64}
        lines = [f"def numbers({arguments}):", *self.lines, f"    return [{entered}], [{returned}]"]
        exec(compile("\n".join(lines) + "\n", "<numbers>", "exec"), names)  # noqa: S102
        return names["numbers"]


class RecordedNumber:
    """A Python number of a recording: its `value` now, and the `name` under which it is computed later."""

    __slots__ = ("name", "numbers", "value")
    __array_ufunc__ = None

    def __init__(self, numbers: Numbers, value, name: str):
        self.numbers, self.value, self.name = numbers, value, name

    def combined(self, sign: str, function: Callable, other, reflected: bool):
        """Returns the result of a binary operator with a number or a tensor."""
        if isinstance(other, Tensor):
            own = self.numbers.tensor(self, np.dtype(other._array.dtype))
            return function(other, own) if reflected else function(own, other)
        value = other.value if type(other) is RecordedNumber else other
        if reflected:
            return self.numbers.computed(f"{{}} {sign} {{}}", function(value, self.value), other, self)
        return self.numbers.computed(f"{{}} {sign} {{}}", function(self.value, value), self, other)

    def compared(self, sign: str, function: Callable, other) -> bool:
        """Returns the result of a comparison, which is a condition of the trace."""
        value = other.value if type(other) is RecordedNumber else other
        return self.numbers.condition(f"{{}} {sign} {{}}", function(self.value, value), self, other)

    def rounded(self, kind: type) -> RecordedNumber:
        """Returns the number rounded to a NumPy type, as a Python number."""
        self.numbers.names[kind.__name__] = kind
        return self.numbers.computed(f"{kind.__name__}({{}}).item()", kind(self.value).item(), self)

    def __neg__(self):
        return self.numbers.computed("-{}", -self.value, self)

    def __abs__(self):
        return self.numbers.computed("abs({})", abs(self.value), self)

    def __bool__(self):
        return self.numbers.condition("bool({})", bool(self.value), self)

    def __float__(self):
        raise Untraceable("a number of a step is read")

    __int__ = __index__ = __float__
    __hash__ = None  # type: ignore[assignment]


def binary(sign: str, function: Callable) -> tuple[Callable, Callable]:
    """Returns the methods of an operator, and of it with the operands exchanged."""
    return (
        lambda number, other: number.combined(sign, function, other, False),
        lambda number, other: number.combined(sign, function, other, True),
    )


def comparison(sign: str, function: Callable) -> Callable:
    """Returns the method of a comparison."""
    return lambda number, other: number.compared(sign, function, other)


for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**")):
    for method, function in zip(("", "r"), binary(sign, getattr(operator, name)), strict=True):
        setattr(RecordedNumber, f"__{method}{name}__", function)
for name, sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    setattr(RecordedNumber, f"__{name}__", comparison(sign, getattr(operator, name)))
