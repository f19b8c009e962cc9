"""The types of restricted Python: numbers as the machine has them, pointers, functions, and variables for types.

A type is also a cast, in plain Python as in machine code: `uint8(300)` is 44.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np


class Type:
    """A type: of `kind` i, u, f, b (bool), m (mask), p (pointer), c (function) or v (nothing), `bits` wide.

    `memory` is its LLVM name where it is stored, and `size` its bytes there; `register` is its name in a computation.
    What is loaded from a type narrower than float32 is `loaded` as float32, and rounded where it is stored: half types
    are made for storing. A vector has so many `lanes` of its `element`; a vector of booleans is loaded as a mask. There
    is one object for each type.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        bits: int = 0,
        memory: str = "",
        element: Any = None,
        parameters: tuple[Type, ...] = (),
        returns: Any = None,
        lanes: int = 0,
    ):
        self.name, self.kind, self.bits, self.memory, self.size = name, kind, bits, memory, bits // 8
        self.element, self.parameters, self.returns, self.lanes = element, parameters, returns, lanes
        self.loaded: Type = self
        if kind == "f" and bits == 16:
            self.loaded = vector_of(float32, lanes) if lanes else float32
        elif kind == "b" and lanes:
            self.loaded = mask_of(lanes)
        self.register = "i1" if kind == "b" else self.loaded.memory

    def __repr__(self):
        return self.name

    @property
    def single(self) -> Type:
        """What is in a lane."""
        return self.element if self.lanes else self

    @property
    def suffix(self) -> str:
        """How names of LLVM's intrinsics end that are for it."""
        single = f"{'f' if self.kind == 'f' else 'i'}{self.bits}"
        return f"v{self.lanes}{single}" if self.lanes else single

    @property
    def numpy(self) -> np.dtype:
        return NUMPY[self.name.partition(" x ")[0]]

    @property
    def ctypes(self) -> Any:
        """As an argument or result of a call from Python."""
        if self.kind in "pc":
            return ctypes.c_void_p
        return None if self.kind == "v" else np.ctypeslib.as_ctypes_type(self.numpy)

    def __call__(self, value):
        """The cast in plain Python: whole numbers wrap round and stay Python's, others are NumPy's."""
        if self.kind == "p":
            return value.view(self.element.numpy)
        if isinstance(value, np.ndarray):
            return value.astype(self.numpy)
        if self.kind == "b":
            return bool(value)
        if self.kind not in "iu":
            return self.numpy.type(value)
        wrapped = int(value) & ((1 << self.bits) - 1)
        return wrapped - (1 << self.bits) if self.kind == "i" and wrapped >> (self.bits - 1) else wrapped


void = Type("void", "v", 0, "void")
boolean = Type("boolean", "b", 8, "i8")
int8, int16, int32, int64 = (Type(f"int{bits}", "i", bits, f"i{bits}") for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Type(f"uint{bits}", "u", bits, f"i{bits}") for bits in (8, 16, 32, 64))
float32 = Type("float32", "f", 32, "float")
float64 = Type("float64", "f", 64, "double")
float16 = Type("float16", "f", 16, "half")
bfloat16 = Type("bfloat16", "f", 16, "i16")

NUMBERS = (boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64)
NUMPY = {each.name: np.dtype(each.name) for each in NUMBERS if each not in (boolean, bfloat16)}
NUMPY |= {"boolean": np.dtype(bool), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
OF_NUMPY = {NUMPY[each.name]: each for each in NUMBERS}


@cache
def pointer(element) -> Type:
    """The address of elements one behind the other; in plain Python an array."""
    return Type(f"pointer({element})", "p", 64, "ptr", element=element)


def function(*parameters, returns: Type = void) -> Type:
    """The address of a function."""
    return function_of(parameters, returns)


@cache
def function_of(parameters: tuple, returns: Type) -> Type:
    inside = ", ".join(map(str, parameters))
    return Type(f"function({inside}) -> {returns}", "c", 64, "ptr", parameters=parameters, returns=returns)


@cache
def vector_of(kind: Type, lanes: int) -> Type:
    """So many numbers in a register, or in several; of no lanes, one number."""
    if not lanes:
        return kind
    return Type(f"{kind} x {lanes}", kind.kind, kind.bits, f"<{lanes} x {kind.memory}>", kind, lanes=lanes)


@cache
def mask_of(lanes: int) -> Type:
    """What a comparison of vectors gives: whether it is so, lane by lane."""
    return Type(f"mask x {lanes}", "m", 1, f"<{lanes} x i1>", lanes=lanes)


class Element:
    """A variable for a type: a function that has one is compiled once for every type that it is called with.

    In plain Python a cast to it leaves the value alone.
    """

    kind = "?"

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return self.name

    def __call__(self, value):
        return value


def resolved(declared, bound: dict) -> Type:
    """A declared type with the variables in it replaced by what they are bound to."""
    if isinstance(declared, Element):
        return bound[declared]
    if declared.kind == "p":
        return pointer(resolved(declared.element, bound))
    if declared.kind == "c":
        return function(
            *(resolved(each, bound) for each in declared.parameters), returns=resolved(declared.returns, bound)
        )
    return declared


def variables(declared) -> list[Element]:
    """The variables in a declared type, in order."""
    if isinstance(declared, Element):
        return [declared]
    inside = (*declared.parameters, declared.element, declared.returns)
    return [found for each in inside if each is not None for found in variables(each)]


def bind(declared, given: Type, bound: dict) -> None:
    """Finds what the variables of a declared type stand for, given the type of an argument."""
    if isinstance(declared, Element):
        bound.setdefault(declared, given)
    elif declared.kind == given.kind == "p":
        bind(declared.element, given.element, bound)
