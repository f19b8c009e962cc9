"""The types of restricted Python: machine numbers, pointers, functions, and type variables.

A type is also a cast, in plain Python and in machine code: `uint8(300)` is 44.
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
    Half precision is `loaded` as float32 and rounded when stored. A vector has `lanes` of its `element`; a vector of
    bools is loaded as a mask. There is one object per type.
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
        """The type of a lane."""
        return self.element if self.lanes else self

    @property
    def suffix(self) -> str:
        """The suffix of LLVM's intrinsics for it."""
        single = f"{'f' if self.kind == 'f' else 'i'}{self.bits}"
        return f"v{self.lanes}{single}" if self.lanes else single

    @property
    def numpy(self) -> np.dtype:
        return NUMPY[self.name.partition(" x ")[0]]

    @property
    def ctypes(self) -> Any:
        """The ctypes type of an argument or result."""
        if self.kind in "pc":
            return ctypes.c_void_p
        return None if self.kind == "v" else np.ctypeslib.as_ctypes_type(self.numpy)

    def __call__(self, value):
        """Casts in plain Python: integers wrap and stay Python's, others are NumPy's."""
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
    """Returns the type of a pointer to elements; in plain Python an array."""
    return Type(f"pointer({element})", "p", 64, "ptr", element=element)


def function(*parameters, returns: Type = void) -> Type:
    """Returns the type of a function's address."""
    return function_of(parameters, returns)


@cache
def function_of(parameters: tuple, returns: Type) -> Type:
    parameter_names = ", ".join(map(str, parameters))
    return Type(f"function({parameter_names}) -> {returns}", "c", 64, "ptr", parameters=parameters, returns=returns)


@cache
def vector_of(element: Type, lanes: int) -> Type:
    """Returns a vector type; without lanes, the scalar type."""
    if not lanes:
        return element
    return Type(
        f"{element} x {lanes}", element.kind, element.bits, f"<{lanes} x {element.memory}>", element, lanes=lanes
    )


@cache
def mask_of(lanes: int) -> Type:
    """Returns the type of a comparison of vectors: one bit per lane."""
    return Type(f"mask x {lanes}", "m", 1, f"<{lanes} x i1>", lanes=lanes)


class Element:
    """A type variable: a function that uses one is compiled for each type it is called with.

    In plain Python a cast to it returns the value unchanged.
    """

    kind = "?"

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return self.name

    def __call__(self, value):
        return value


def substitute(declared, bound: dict) -> Type:
    """Returns a declared type with its type variables replaced."""
    if isinstance(declared, Element):
        return bound[declared]
    if declared.kind == "p":
        return pointer(substitute(declared.element, bound))
    if declared.kind == "c":
        return function(
            *(substitute(t, bound) for t in declared.parameters), returns=substitute(declared.returns, bound)
        )
    return declared


def variables(declared) -> list[Element]:
    """Returns the type variables in a declared type, in order."""
    if isinstance(declared, Element):
        return [declared]
    parts = (*declared.parameters, declared.element, declared.returns)
    return [variable for part in parts if part is not None for variable in variables(part)]


def bind(declared, actual: Type, bound: dict) -> None:
    """Binds the type variables of a declared type, given an argument's type."""
    if isinstance(declared, Element):
        bound.setdefault(declared, actual)
    elif declared.kind == actual.kind == "p":
        bind(declared.element, actual.element, bound)
