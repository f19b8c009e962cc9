"""How a kernel comes to stand in for a function of the array language: by name, and only where it is large.

A replacement has the signature of the function that it replaces. It gives None for what it has no kernel for: few
elements, another kind of array, a rare dtype, a mistake that NumPy's version is to explain.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.arrays import cpu
from rushlight.lower.machine_types import OF_NUMPY, Type, uint8, uint16, uint32, uint64
from rushlight.lower.sizes import LARGE, PLACED, Patience

WORDS = {1: uint8, 2: uint16, 4: uint32, 8: uint64}
FAMILIES = (
    "bit_shift",
    "concat",
    "copies",
    "ctc",
    "distances",
    "extremes",
    "gather",
    "gemm_half",
    "grid_sample",
    "histogram",
    "index_add",
    "integer_division",
    "nll",
    "pad",
    "random_fill",
    "reduce",
    "rejection",
    "resample",
    "scan",
    "scatter",
    "searchsorted",
    "softmax_columns",
    "sort",
)
USERS = (
    "rushlight._generated.",
    "rushlight.arrays.",
    "rushlight.core.formats",
    "rushlight.core.generator",
    "rushlight.dispatch.",
)

replacements: dict[tuple[str, str], Replacement] = {}


class Replacement(NamedTuple):
    """A function with kernels, and which of its arguments says by its size whether it is worth asking."""

    function: Callable
    sized: int | None
    least: int

    def __call__(self, *arguments, **options):
        return self.function(*arguments, **options)


def replaces(file: str, name: str, sized: int | None = 0, least: int = LARGE):
    """Enters a function as what large calls of a function of that name are given to: of a file in `arrays`.

    Whether a call is large is said by the size of the argument `sized`, which is to be `least`; if that is None, by the
    function itself.
    """

    def enter(function):
        replacements[file, name] = Replacement(function, sized, least)
        return function

    return enter


# Written out for each function: what takes any arguments costs a small call 150 ns more.
CALL = """
def call{heading}:
    if {is_large}:
        found = machine({inside})
        if found is not None:
            return found
    return plain({inside})
"""


def either(machine: Replacement, plain):
    """The function that asks for a kernel where a call is large."""
    signature = inspect.signature(machine.function)
    names = list(signature.parameters)
    given = [f"{each}={each}" if signature.parameters[each].kind.name == "KEYWORD_ONLY" else each for each in names]
    is_large = "True"
    if machine.sized is not None:
        size = f"{names[machine.sized]}.size"
        is_large = f"{size} >= {machine.least} and (patience.over or patience.ends({size}))"
    space: dict[str, Any] = {"machine": machine.function, "plain": plain, "patience": Patience(passes=4)}
    text = CALL.format(heading=signature, is_large=is_large, inside=", ".join(given))
    exec(compile(text, __file__, "exec"), space)  # under our file's name: what explains an error looks for the program
    call = functools.update_wrapper(space["call"], plain)
    call.stands_for = plain
    return call


def attach() -> None:
    """Puts every kernel in the place of what it replaces: in the array language, and where that is bound already."""
    for family in FAMILIES:
        importlib.import_module(f"rushlight.kernels.{family}")
    better = {}
    for (file, name), machine in replacements.items():
        plain = getattr(
            importlib.import_module(f"rushlight.{file}" if "." in file else f"rushlight.arrays.{file}"), name
        )
        if not hasattr(plain, "stands_for"):
            better[id(plain)] = either(machine, plain)
    for title, module in list(sys.modules.items()):
        if title.startswith(USERS):
            rebind(vars(module), better)


def rebind(names: dict, better: dict[int, Callable]) -> None:
    """Gives a module the new functions for the old ones that it knows."""
    for name, value in list(names.items()):
        if id(value) in better:
            names[name] = better[id(value)]


# ---- what a kernel asks of arrays


def is_large(*arrays) -> bool:
    """Whether the last of several arrays is large, and all are NumPy's own."""
    return arrays[-1].size >= PLACED and all([type(each) is np.ndarray for each in arrays])


def word_of(array) -> Type | None:
    """The type of words in which elements are moved, whatever they mean."""
    return WORDS.get(array.itemsize)


def number_of(array) -> Type | None:
    """The type of elements that are computed with."""
    return OF_NUMPY.get(array.dtype)


def packed(array):
    """The array itself, or a copy without gaps: of what is turned or repeats itself by the kernels of copies."""
    return array if array.flags.c_contiguous and array.flags.aligned else cpu.ascontiguousarray(array)


def divided(shape, dim: int) -> tuple[int, int, int]:
    """(elements before, length, elements after) of a dimension."""
    before = after = 1
    for each in shape[:dim]:
        before *= each
    for each in shape[dim + 1 :]:
        after *= each
    return before, shape[dim], after
