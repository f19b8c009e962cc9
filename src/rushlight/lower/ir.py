"""Formulas as typed expressions: the result of tracing, and the input of code generation.

A `Trace` holds each expression once (hash consing), so that common subexpressions are computed once. A `Value` is one
expression; it has an array's operators, so that a declaration's text runs on it unchanged.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

F32, F64, HALF, I8, I16, I32, I64, BIT = "float", "double", "half", "i8", "i16", "i32", "i64", "i1"
FLOATS = (F32, F64)  # types of the computation
DTYPES: dict[str, np.dtype] = {F32: np.dtype(np.float32), F64: np.dtype(np.float64), BIT: np.dtype(np.bool_)}
TYPES = {dtype: type for type, dtype in DTYPES.items()}
WIDTHS = {HALF: 16, F32: 32, F64: 64}
BITS = {F32: I32, F64: I64, I32: F32, I64: F64}
FOLDED = {"fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b}
LEFT = {"fadd": -0.0, "fsub": 0.0, "fmul": 1.0, "fdiv": 1.0}  # x op this is x, for every x


class Untraceable(Exception):
    """Raised where a formula needs a value that is only known at run time, or calls an unknown function."""


class Trace:
    """The expressions of one kernel. `scales` says whether its machine may have instructions that scale by powers of
    two.
    """

    def __init__(self, scales: bool = True):
        self.scales = scales
        self.values: dict[tuple, Value] = {}
        self.others: set[Value] = set()  # numbers known to differ from 1

    def value(self, op: str, type: str, *args, literal: Any = None) -> Value:
        """Returns the expression; equal expressions are one object."""
        sign = math.copysign(1, literal) if isinstance(literal, float) else None  # -0.0 equals 0.0
        key = (op, type, tuple(x.number for x in args), literal, sign)
        expression = self.values.get(key)
        if expression is None:
            expression = self.values[key] = Value(self, len(self.values), op, type, args, literal)
        return expression

    def operand(self, number: int, type: str) -> Value:
        """Returns an argument of the kernel."""
        return self.value("operand", type, literal=number)

    def constant(self, number, type: str) -> Value:
        """Returns a number, rounded to the type."""
        if type in FLOATS:
            with np.errstate(over="ignore"):
                number = float(DTYPES[type].type(number))
        return self.value("constant", type, literal=number)


class Value:
    """One expression: an operation, its type and its arguments."""

    __slots__ = ("args", "literal", "number", "op", "trace", "type")
    __array_ufunc__ = None  # NumPy's scalars defer to our operators
    __hash__ = object.__hash__

    def __init__(self, trace: Trace, number: int, op: str, type: str, args: tuple, literal):
        self.trace, self.number, self.op = trace, number, op
        self.type, self.args, self.literal = type, args, literal

    def __repr__(self):
        return f"<{self.type} {self.op} {self.literal if self.literal is not None else ''}{list(self.args) or ''}>"

    @property
    def dtype(self) -> np.dtype:
        return DTYPES[self.type]

    def astype(self, dtype) -> Value:
        return cast(self, TYPES[np.dtype(dtype)])

    def __bool__(self):
        """Only a comparison of a number with 1 can be decided while tracing."""
        if self.op == "fcmp" and self.literal in ("oeq", "une") and self.args[0] in self.trace.others:
            if self.args[1].op == "constant" and self.args[1].literal == 1:
                return self.literal == "une"
        raise Untraceable("a formula asks whether an element is true")

    def __index__(self):
        raise Untraceable("a formula asks for a whole number")

    def __float__(self):
        raise Untraceable("a formula asks for a number")

    def __iter__(self):
        raise Untraceable("a formula takes an element apart")

    def __getattr__(self, name):
        raise Untraceable(f"a formula asks for .{name}")

    def __add__(self, other):
        return binary("fadd", self, other)

    def __radd__(self, other):
        return binary("fadd", other, self)

    def __sub__(self, other):
        return binary("fsub", self, other)

    def __rsub__(self, other):
        return binary("fsub", other, self)

    def __mul__(self, other):
        return binary("fmul", self, other)

    def __rmul__(self, other):
        return binary("fmul", other, self)

    def __truediv__(self, other):
        return binary("fdiv", self, other)

    def __rtruediv__(self, other):
        return binary("fdiv", other, self)

    def __neg__(self):
        return self.trace.value("fneg", self.type, self)

    def __lt__(self, other):
        return compare("olt", self, other)

    def __le__(self, other):
        return compare("ole", self, other)

    def __gt__(self, other):
        return compare("ogt", self, other)

    def __ge__(self, other):
        return compare("oge", self, other)

    def __eq__(self, other):
        return compare("oeq", self, other)

    def __ne__(self, other):
        return compare("une", self, other)

    def __and__(self, other):
        return bitwise("and", self, other)

    def __or__(self, other):
        return bitwise("or", self, other)

    def __xor__(self, other):
        return bitwise("xor", self, other)

    def __invert__(self):
        return bitwise("xor", self, self.trace.constant(1, BIT))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


# ---- combining operands


def promote(*operands) -> list[Value]:
    """Returns operands in one floating type: numbers take that of the values, bools become 0 and 1."""
    values = [x for x in operands if isinstance(x, Value)]
    trace = values[0].trace
    types = {x.type for x in values if x.type != BIT}
    if not types:
        raise Untraceable("arithmetic of truth values")
    if len(types) > 1:
        raise Untraceable(f"operands of several types: {sorted(types)}")
    (type,) = types
    return [cast(x, type) if isinstance(x, Value) else constant_like(trace, x, type) for x in operands]


def constant_like(trace: Trace, number, type: str) -> Value:
    """Returns a constant from a number or a 0-d array."""
    if isinstance(number, np.ndarray | np.generic):
        number = number.item()
    if not isinstance(number, bool | int | float):
        raise Untraceable(f"{number!r} in a formula")
    return trace.constant(number, type)


def binary(op: str, left, right) -> Value:
    """Returns an arithmetic operation; folds constants and neutral elements."""
    if not all(isinstance(x, Value | bool | int | float | np.ndarray | np.generic) for x in (left, right)):
        return NotImplemented
    left, right = promote(left, right)
    if right.op == "constant":
        if left.op == "constant" and op in FOLDED and math.isfinite(left.literal) and math.isfinite(right.literal):
            return left.trace.constant(FOLDED[op](left.literal, right.literal), left.type)
        if same_number(right.literal, LEFT[op]):
            return left
    if op == "fmul" and left.op == "constant" and left.literal == 1:
        return right
    return left.trace.value(op, left.type, left, right)


def same_number(a: float, b: float) -> bool:
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def compare(how: str, left, right) -> Value:
    """Returns a comparison of floats: "olt" is false for NaN, "une" true."""
    left, right = promote(left, right)
    return left.trace.value("fcmp", BIT, left, right, literal=how)


def bitwise(op: str, left: Value, right) -> Value:
    """Returns a bitwise operation of bools or integers."""
    if not isinstance(right, Value):
        right = left.trace.constant(int(right), left.type)
    if left.type in FLOATS or left.type != right.type:
        raise Untraceable(f"{op} of {left.type} and {right.type}")
    return left.trace.value(op, left.type, left, right)


def where(condition, yes, no, type: str | None = None) -> Value:
    """Returns `yes` where the condition holds, else `no`; `type` is needed where both are numbers."""
    if not isinstance(condition, Value):
        raise Untraceable("a choice that is made before")
    if type:
        yes, no = (x if isinstance(x, Value) else condition.trace.constant(x, type) for x in (yes, no))
    if not any(isinstance(x, Value) for x in (yes, no)):
        raise Untraceable("a choice between numbers of unknown type")
    values = [x for x in (yes, no) if isinstance(x, Value)]
    if all(x.type in (BIT, I32, I64) for x in values):
        type = values[0].type
        if any(isinstance(x, float) or (type == BIT and not isinstance(x, Value | bool)) for x in (yes, no)):
            raise Untraceable("a choice between integers, or bools, and a number of another type")
        yes, no = (x if isinstance(x, Value) else condition.trace.constant(x, type) for x in (yes, no))
    else:
        yes, no = promote(yes, no)
    if condition.type != BIT:
        condition = condition != 0
    return yes if yes is no else condition.trace.value("select", yes.type, condition, yes, no)


# ---- other primitives


def cast(value: Value, type: str) -> Value:
    """Converts to another type; a float is true where it is not 0."""
    if value.type == type:
        return value
    if type == BIT:
        return value != 0
    if value.type in WIDTHS and type in WIDTHS:
        return value.trace.value("fpext" if WIDTHS[type] > WIDTHS[value.type] else "fptrunc", type, value)
    if value.type == BIT:
        return value.trace.value("uitofp" if type in FLOATS else "zext", type, value)
    if type in FLOATS:
        return value.trace.value("sitofp", type, value)
    if value.type in WIDTHS:
        return value.trace.value("fptosi", type, value)  # undefined outside of the type's range
    return value.trace.value("sext" if type == I64 else "trunc", type, value)


def unary(op: str, value: Value) -> Value:
    """Returns an LLVM intrinsic: sqrt, fabs, floor, ceil, trunc, roundeven."""
    return value.trace.value("intrinsic", value.type, value, literal=op)


def fma(a, b, c) -> Value:
    """Returns `a * b + c`, rounded once."""
    a, b, c = promote(a, b, c)
    return a.trace.value("intrinsic", a.type, a, b, c, literal="fma")


def copysign(size, sign) -> Value:
    """Returns a number with the magnitude of one operand and the sign of the other."""
    size, sign = promote(size, sign)
    return size.trace.value("intrinsic", size.type, size, sign, literal="copysign")


def bits(value: Value) -> Value:
    """Returns the bits of a float as an integer, and back."""
    return value.trace.value("bitcast", BITS[value.type], value)


def integer(op: str, left: Value, right) -> Value:
    """Returns add, sub, shl, lshr, ashr, and, or of integers."""
    if not isinstance(right, Value):
        right = left.trace.constant(right, left.type)
    return left.trace.value(op, left.type, left, right)


def ldexp(value: Value, exponent: Value) -> Value:
    """Returns `value * 2**exponent`, rounded once."""
    return value.trace.value("ldexp", value.type, value, cast(exponent, I32))


def library(name: str, *values: Value) -> Value:
    """Returns a call of a C library function, element by element: accurate, not vectorized."""
    return values[0].trace.value("call", values[0].type, *values, literal=name)


def rarely(condition: Value, usual: Value, otherwise: Value) -> Value:
    """Returns `usual`, or `otherwise` where the condition holds; `otherwise` is only computed for vectors where it
    does.
    """
    return usual.trace.value("rarely", usual.type, condition, usual, otherwise)


def same(value: Value, number: int) -> Value:
    """Returns whether an integer equals a constant."""
    return value.trace.value("icmp", BIT, value, value.trace.constant(number, value.type), literal="eq")


def reduce(how: str, value: Value) -> Value:
    """Returns the "sum" or the "max" over a row of `value`."""
    return value.trace.value("reduce", value.type, value, literal=how)


def is_nan(value: Value) -> Value:
    return value.trace.value("fcmp", BIT, value, value, literal="uno")
