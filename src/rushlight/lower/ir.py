"""Formulas as typed expressions: what tracing makes and what emission reads.

A `Trace` holds every expression once, so that what two formulas share is computed once. A `Value` is one of them; it
has the operators of an array, so that a declaration's text runs on it as it stands.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

F32, F64, HALF, I8, I16, I32, I64, BIT = "float", "double", "half", "i8", "i16", "i32", "i64", "i1"
FLOATS = (F32, F64)  # what is computed in
DTYPES: dict[str, np.dtype] = {F32: np.dtype(np.float32), F64: np.dtype(np.float64), BIT: np.dtype(np.bool_)}
TYPES = {dtype: type for type, dtype in DTYPES.items()}
WIDTHS = {HALF: 16, F32: 32, F64: 64}
BITS = {F32: I32, F64: I64, I32: F32, I64: F64}
FOLDED = {"fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b}
LEFT = {"fadd": -0.0, "fsub": 0.0, "fmul": 1.0, "fdiv": 1.0}  # x op this is x, for every x


class Untraceable(Exception):
    """A formula does what cannot be known without values: it looks at one, or asks for a function not known here."""


class Trace:
    """The expressions of one kernel."""

    def __init__(self):
        self.values: dict[tuple, Value] = {}
        self.others: set[Value] = set()  # numbers that are known not to be 1

    def value(self, op: str, type: str, *args, literal: Any = None) -> Value:
        """The expression, the same object for the same expression."""
        sign = math.copysign(1, literal) if isinstance(literal, float) else None  # -0.0 is equal to 0.0
        key = (op, type, tuple(each.number for each in args), literal, sign)
        found = self.values.get(key)
        if found is None:
            found = self.values[key] = Value(self, len(self.values), op, type, args, literal)
        return found

    def operand(self, number: int, type: str) -> Value:
        """An argument of the kernel."""
        return self.value("operand", type, literal=number)

    def constant(self, number, type: str) -> Value:
        """A number, rounded to the type."""
        if type in FLOATS:
            with np.errstate(over="ignore"):
                number = float(DTYPES[type].type(number))
        return self.value("constant", type, literal=number)


class Value:
    """One expression: an operation, its type and its arguments."""

    __slots__ = ("args", "literal", "number", "op", "trace", "type")
    __array_ufunc__ = None  # NumPy's scalars leave operators to us
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
        """Only whether a number is 1 can be known: where it is, there is less to do."""
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


# ---- how operands come together


def together(*operands) -> list[Value]:
    """Operands in one floating type: numbers take that of the values, truth values become 0 and 1."""
    values = [each for each in operands if isinstance(each, Value)]
    trace = values[0].trace
    types = {each.type for each in values if each.type != BIT}
    if not types:
        raise Untraceable("arithmetic of truth values")
    if len(types) > 1:
        raise Untraceable(f"operands of several types: {sorted(types)}")
    (type,) = types
    return [cast(each, type) if isinstance(each, Value) else constant_like(trace, each, type) for each in operands]


def constant_like(trace: Trace, number, type: str) -> Value:
    """A number beside values; an array without dimensions counts as one."""
    if isinstance(number, np.ndarray | np.generic):
        number = number.item()
    if not isinstance(number, bool | int | float):
        raise Untraceable(f"{number!r} in a formula")
    return trace.constant(number, type)


def binary(op: str, left, right) -> Value:
    """An arithmetic operation; with numbers on both sides, or one that changes nothing, there is nothing to compute."""
    if not all(isinstance(each, Value | bool | int | float | np.ndarray | np.generic) for each in (left, right)):
        return NotImplemented
    left, right = together(left, right)
    if right.op == "constant":
        if left.op == "constant" and op in FOLDED and math.isfinite(left.literal) and math.isfinite(right.literal):
            return left.trace.constant(FOLDED[op](left.literal, right.literal), left.type)
        if same_number(right.literal, LEFT[op]):
            return left
    if op == "fmul" and left.op == "constant" and left.literal == 1:
        return right
    return left.trace.value(op, left.type, left, right)


def same_number(one: float, other: float) -> bool:
    return one == other and math.copysign(1, one) == math.copysign(1, other)


def compare(how: str, left, right) -> Value:
    """A comparison of floating-point numbers: "olt" is false where one is NaN, "une" true."""
    left, right = together(left, right)
    return left.trace.value("fcmp", BIT, left, right, literal=how)


def bitwise(op: str, left: Value, right) -> Value:
    """Of truth values or whole numbers."""
    if not isinstance(right, Value):
        right = left.trace.constant(int(right), left.type)
    if left.type in FLOATS or left.type != right.type:
        raise Untraceable(f"{op} of {left.type} and {right.type}")
    return left.trace.value(op, left.type, left, right)


def where(condition, yes, no, type: str | None = None) -> Value:
    """`yes` where the condition holds, `no` elsewhere; the type needs to be given where both are numbers."""
    if not isinstance(condition, Value):
        raise Untraceable("a choice that is made before")
    if type:
        yes, no = (each if isinstance(each, Value) else condition.trace.constant(each, type) for each in (yes, no))
    if not any(isinstance(each, Value) for each in (yes, no)):
        raise Untraceable("a choice between numbers of unknown type")
    values = [each for each in (yes, no) if isinstance(each, Value)]
    if all(each.type in (BIT, I32, I64) for each in values):
        type = values[0].type
        yes, no = (each if isinstance(each, Value) else condition.trace.constant(each, type) for each in (yes, no))
    else:
        yes, no = together(yes, no)
    if condition.type != BIT:
        condition = condition != 0
    return yes if yes is no else condition.trace.value("select", yes.type, condition, yes, no)


# ---- other primitives


def cast(value: Value, type: str) -> Value:
    """To another type; a floating-point number is true where it is not 0."""
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
    """One of LLVM's intrinsics: sqrt, fabs, floor, ceil, trunc, roundeven."""
    return value.trace.value("intrinsic", value.type, value, literal=op)


def fma(a, b, c) -> Value:
    """`a * b + c`, rounded once."""
    a, b, c = together(a, b, c)
    return a.trace.value("intrinsic", a.type, a, b, c, literal="fma")


def copysign(size, sign) -> Value:
    """A number of that size and that sign."""
    size, sign = together(size, sign)
    return size.trace.value("intrinsic", size.type, size, sign, literal="copysign")


def bits(value: Value) -> Value:
    """The bits of a floating-point number as a whole number, and back."""
    return value.trace.value("bitcast", BITS[value.type], value)


def integer(op: str, left: Value, right) -> Value:
    """add, sub, shl, lshr, ashr, and, or of whole numbers."""
    if not isinstance(right, Value):
        right = left.trace.constant(right, left.type)
    return left.trace.value(op, left.type, left, right)


def ldexp(value: Value, exponent: Value) -> Value:
    """`value * 2**exponent`, rounded once."""
    return value.trace.value("ldexp", value.type, value, cast(exponent, I32))


def library(name: str, *values: Value) -> Value:
    """A function of the C library, element by element: right, and not vectorised."""
    return values[0].trace.value("call", values[0].type, *values, literal=name)


def rarely(condition: Value, usual: Value, otherwise: Value) -> Value:
    """`usual`, and `otherwise` where the condition holds: where that is nowhere in a block, nobody computes it."""
    return usual.trace.value("rarely", usual.type, condition, usual, otherwise)


def same(value: Value, number: int) -> Value:
    """Whether a whole number is that one."""
    return value.trace.value("icmp", BIT, value, value.trace.constant(number, value.type), literal="eq")


def reduce(how: str, value: Value) -> Value:
    """The "sum" or the "max" of a row, of which `value` is an element."""
    return value.trace.value("reduce", value.type, value, literal=how)


def is_nan(value: Value) -> Value:
    return value.trace.value("fcmp", BIT, value, value, literal="uno")
