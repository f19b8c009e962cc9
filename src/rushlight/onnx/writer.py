"""Writes nodes of an ONNX graph: values, constants, and sizes that are only known at run time."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from rushlight.core.origin import Place
from rushlight.export.sizes import Formula, Varying, each_run, power_of, solved

INT64, BOOL = np.dtype(np.int64), np.dtype(bool)
Shape = tuple  # of numbers, which may be Varying


class Refused(Exception):
    """A call that is not written as ONNX: the reason."""


OPERATORS: dict[str, Callable] = {}  # of Python, on values: `array_language.py` enters them


class Value:
    """A tensor of the graph: its name, NumPy's dtype, and its sizes, None if nothing needs them."""

    __array_ufunc__ = None  # so that NumPy's numbers leave operators to this class
    __hash__ = object.__hash__

    # Operators of Python write nodes; they are set below.
    __add__: Any
    __sub__: Any
    __mul__: Any
    __truediv__: Any
    __floordiv__: Any
    __and__: Any
    __neg__: Any
    __lt__: Any

    def __init__(self, writer: Writer, name: str, dtype: Any, shape: Shape | None = None):
        self.writer, self.name, self.dtype = writer, name, np.dtype(dtype)
        self.shape: Any = shape

    def __repr__(self):
        return f"<{self.name}: {self.dtype}{self.shape}>"

    @property
    def ndim(self) -> int:
        if self.shape is None:
            raise Refused("the number of dimensions of an intermediate value is not known")
        return len(self.shape)

    @property
    def size(self) -> Any:
        return math.prod(self.shape) if self.shape is not None else None

    def __bool__(self):
        raise Refused("a formula decides by elements")


def operated(name: str, flipped: bool = False) -> Callable:
    """Returns the special method of an operator."""

    def method(self, *other):
        return OPERATORS[name](*other, self) if flipped else OPERATORS[name](self, *other)

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    setattr(Value, f"__{_name}__", operated(_name))
    setattr(Value, f"__r{_name}__", operated(_name, flipped=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "invert"):
    setattr(Value, f"__{_name}__", operated(_name))


class Writer:
    """A graph that is being written."""

    def __init__(self, opset: int):
        self.opset = opset
        self.nodes: list[Any] = []
        self.initializers: dict[str, np.ndarray] = {}
        self.constants: dict[Any, str] = {}
        self.names: set[str] = set()
        self.sizes: dict[tuple[int, ...], tuple[Value, int]] = {}  # values in the runs -> the dimension that has them
        self.written_sizes: dict[Any, Value] = {}
        self.runs = 1
        self.place: Place | None = None  # the line of the program of the call that is being written
        self.scope = ""  # its name
        self.domains: set[str] = set()  # of custom operators

    # ---- names and nodes

    def unique(self, wish: str) -> str:
        """Returns a name that is not taken."""
        name, number = wish, 0
        while name in self.names:
            number += 1
            name = f"{wish}_{number}"
        self.names.add(name)
        return name

    def nodes_of(
        self, kind: str, inputs: list[Value | None], outputs: int, *, domain: str = "", **settings
    ) -> list[str]:
        """Adds a node; returns the names of its results."""
        helper = import_module("onnx.helper")
        names = [self.unique(f"{self.scope or kind.lower()}") for _ in range(outputs)]
        names_of_inputs = ["" if each is None else each.name for each in inputs]
        while names_of_inputs and not names_of_inputs[-1]:
            names_of_inputs.pop()
        node = helper.make_node(
            kind, names_of_inputs, names, name=f"node_{names[0]}", domain=domain or None,
            **{name: value for name, value in settings.items() if value is not None},
        )  # fmt: skip
        if self.place is not None and self.place.line:
            entry = node.metadata_props.add()
            entry.key, entry.value = "pkg.torch.onnx.stack_trace", f'File "{self.place.file}", line {self.place.line}'
        self.nodes.append(node)
        return names

    def op(self, kind: str, *inputs: Value | None, dtype: Any = None, shape: Shape | None = None, **settings) -> Value:
        """Adds a node with one result, which has the first operand's dtype unless another is given."""
        first = next((each for each in inputs if each is not None), None)
        result_dtype = dtype if dtype is not None else first.dtype if first is not None else None
        return Value(self, self.nodes_of(kind, list(inputs), 1, **settings)[0], result_dtype, shape)

    # ---- constants

    def constant(self, array: Any, dtype: Any = None, name: str = "") -> Value:
        """Returns a constant; equal small ones are one."""
        array = np.ascontiguousarray(np.asarray(array, dtype)).reshape(np.shape(array))
        key = (array.dtype, array.shape, array.tobytes()) if array.nbytes <= 4096 and not name else None
        if key is None or key not in self.constants:
            made = self.unique(name or "constant")
            self.initializers[made] = array
            if key is None:
                return Value(self, made, array.dtype, array.shape)
            self.constants[key] = made
        return Value(self, self.constants[key], array.dtype, array.shape)

    def ints(self, values: Any) -> Value:
        """Returns a vector of integers, some of which may depend on sizes."""
        values = tuple(values)
        if not any([type(value) is Varying for value in values]):
            return self.constant(np.asarray(values, np.int64).reshape(len(values)))
        parts = [
            self.size_of(value) if type(value) is Varying else self.constant([int(value)], INT64) for value in values
        ]
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=0, shape=(len(values),))

    def scalar(self, number: Any, dtype: Any) -> Value:
        """Returns a 0-d constant of a dtype for a number, which may depend on sizes."""
        if isinstance(number, Value):
            return self.cast(number, dtype)
        if type(number) is Varying:
            return self.cast(self.squeezed(self.number_of(number)), dtype)
        with np.errstate(all="ignore"):
            if isinstance(number, complex):
                raise Refused("complex numbers")
            return self.constant(np.asarray(number).astype(dtype))

    def squeezed(self, vector: Value) -> Value:
        """Returns a vector of one element as a 0-d tensor."""
        return self.op("Squeeze", vector, self.constant([0], INT64), shape=())

    # ---- sizes

    def show(self, value: Value) -> None:
        """Enters the sizes of a tensor that may change, so that others can follow from them."""
        for dimension, size in enumerate(value.shape or ()):
            if type(size) is Varying:
                self.sizes.setdefault(size.values, (value, dimension))

    def size_of(self, number: Varying) -> Value:
        """Returns a vector of one integer that depends on sizes. Raises Refused if no formula gives it."""
        if number.values not in self.written_sizes:
            formula = solved(number.values, self.sizes)
            if formula is None:
                raise Refused(f"a number, {number.values[0]} in the example, depends on sizes, and no formula gives it")
            self.written_sizes[number.values] = self.computed(formula)
        return self.written_sizes[number.values]

    def computed(self, formula: Formula) -> Value:
        """Writes a formula of sizes."""
        scope, self.scope = self.scope, "size"
        parts = [
            self.op("Shape", value, dtype=INT64, shape=(1,), start=at, end=at + 1) for value, at in formula.factors
        ]
        result = parts[0]
        for part in parts[1:]:
            result = self.op("Mul", result, part, shape=(1,))
        for kind, number, neutral in (("Mul", formula.times, 1), ("Add", formula.plus, 0), ("Div", formula.over, 1)):
            if number != neutral:
                result = self.op(kind, result, self.constant([number], INT64), shape=(1,))
        self.scope = scope
        return result

    def number_of(self, number: Varying) -> Value:
        """Returns a vector of one number that depends on sizes: an integer, its root, or 1 divided by one of these."""
        if all([type(value) is int for value in number.values]):
            return self.size_of(number)
        power = power_of(number.values)
        if power is None:
            raise Refused(f"a number, {number.values[0]} in the example, depends on sizes, and no formula gives it")
        result = self.cast(self.size_of(Varying(power[0])), np.float64)
        result = self.op("Sqrt", result, shape=(1,)) if abs(power[1]) == 0.5 else result
        return self.op("Reciprocal", result, shape=(1,)) if power[1] < 0 else result

    # ---- conversions that every operator needs

    def cast(self, value: Value, dtype: Any) -> Value:
        """Returns a value in a dtype."""
        dtype = np.dtype(dtype)
        if value.dtype == dtype:
            return value
        if value.name in self.initializers and value.size == 1 and dtype.kind in "biuf":
            with np.errstate(all="ignore"):
                return self.constant(self.initializers[value.name].astype(dtype))
        return self.op("Cast", value, to=onnx_dtype(dtype), dtype=dtype, shape=value.shape)

    def reshape(self, value: Value, shape: Shape) -> Value:
        """Returns a value in another shape."""
        shape = tuple(shape)
        if value.shape is not None and len(value.shape) == len(shape) and same(value.shape, shape):
            return value
        changing = [at for at, size in enumerate(shape) if type(size) is Varying]
        if len(changing) == 1 and 0 not in [size for size in shape if type(size) is int]:
            sizes = self.constant([-1 if at in changing else size for at, size in enumerate(shape)], INT64)
        else:
            sizes = self.ints(shape)
        empty = any([type(size) is int and size == 0 for size in shape])
        return self.op("Reshape", value, sizes, shape=shape, allowzero=1 if empty else None)

    def flat(self, value: Value) -> Value:
        """Returns the elements as a vector."""
        if value.shape is not None and len(value.shape) == 1:
            return value
        shape = None if value.shape is None else (math.prod(value.shape),)
        return (
            self.op("Reshape", value, self.constant([-1], INT64), shape=shape)
            if value.size
            else self.reshape(value, (0,))
        )

    def expand(self, value: Value, shape: Shape) -> Value:
        """Returns a value broadcast to a shape."""
        if value.shape is not None and len(value.shape) == len(shape) and same(value.shape, shape):
            return value
        return self.op("Expand", value, self.ints(shape), shape=tuple(shape))

    def filled(self, shape: Shape, number: Any, dtype: Any) -> Value:
        """Returns a tensor of equal elements."""
        if not any([type(size) is Varying for size in shape]) and math.prod(shape) <= 4096:
            return self.constant(np.full(shape, number, dtype))
        return self.expand(self.scalar(number, dtype), tuple(shape))

    def transpose(self, value: Value, order: Any) -> Value:
        """Returns a value with its dimensions in another order."""
        order = [int(each) for each in order]
        if order == sorted(order):
            return value
        shape = None if value.shape is None else tuple([value.shape[each] for each in order])
        return self.op("Transpose", value, perm=order, shape=shape)

    def range_of(self, count: Any) -> Value:
        """Returns the vector 0, 1, ... of a length that may depend on sizes."""
        if type(count) is not Varying:
            return self.constant(np.arange(count, dtype=np.int64))
        zero, one = self.constant(np.int64(0)), self.constant(np.int64(1))
        return self.op("Range", zero, self.squeezed(self.size_of(count)), one, shape=(count,))

    def positions(self, shape: Shape) -> Value:
        """Returns a tensor of a shape whose elements are their positions in memory."""
        return self.reshape(self.range_of(math.prod(shape)), shape)


def same(one: Shape, other: Shape) -> bool:
    """Whether two shapes are equal in all runs."""
    count = next((len(size.values) for size in (*one, *other) if type(size) is Varying), 1)
    return all([each_run(a, count) == each_run(b, count) for a, b in zip(one, other, strict=True)])


def onnx_dtype(dtype: Any) -> int:
    """Returns ONNX's number of a dtype. Raises Refused if it has none."""
    try:
        return import_module("onnx.helper").np_dtype_to_tensor_dtype(np.dtype(dtype))
    except (KeyError, ValueError):
        raise Refused(f"the dtype {dtype}") from None
