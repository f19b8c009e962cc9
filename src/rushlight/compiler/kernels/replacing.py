"""How a kernel comes to stand in for a function of the array language: by name, and only where it is large.

A replacement has the signature of the function that it replaces. It gives None for what it has no kernel for: few
elements, another kind of array, a rare dtype, a mistake that NumPy's version is to explain.
"""

from __future__ import annotations

import functools
import importlib
import sys

import numpy as np

from rushlight.compiler.machine_types import OF_NUMPY, Type, uint8, uint16, uint32, uint64

LARGE = 1 << 15  # elements from which on a kernel is worth its call
GRAIN = 1 << 14  # elements that are worth a thread

WORDS = {1: uint8, 2: uint16, 4: uint32, 8: uint64}
FAMILIES = ("indexing", "moving", "reducing", "running", "sorting")
USERS = ("rushlight._generated.functions", "rushlight._generated.raw", "rushlight.core.formats")

replacements: dict[tuple[str, str], object] = {}


def replaces(file: str, *names: str):
    """Enters a function as what large calls of the functions of these names are given to: of a file in `arrays`."""

    def enter(function):
        for name in names:
            replacements[file, name] = function
        return function

    return enter


def either(machine, plain):
    """The function that tries the kernel first."""

    @functools.wraps(plain)
    def call(*arguments, **options):
        found = machine(*arguments, **options)
        return plain(*arguments, **options) if found is None else found

    return call


def attach() -> None:
    """Puts every kernel in the place of what it replaces: in the array language, and where that is bound already."""
    for family in FAMILIES:
        importlib.import_module(f"rushlight.compiler.kernels.{family}")
    for (file, name), machine in replacements.items():
        module = importlib.import_module(f"rushlight.{file}" if "." in file else f"rushlight.arrays.{file}")
        plain = getattr(module, name)
        if not hasattr(plain, "__wrapped__"):
            rebind(plain, either(machine, plain))


def rebind(plain, better) -> None:
    """Every module of the array language, and every generated one, that knows the old function knows the new one."""
    for title, module in list(sys.modules.items()):
        if title in USERS or title.startswith("rushlight.arrays."):
            for name, value in list(vars(module).items()):
                if value is plain:
                    setattr(module, name, better)


# ---- what a kernel asks of arrays


def is_large(*arrays) -> bool:
    """Whether the last of several arrays is large, and all are NumPy's own."""
    return arrays[-1].size >= LARGE and all([type(each) is np.ndarray for each in arrays])


def word_of(array) -> Type | None:
    """The type of words in which elements are moved, whatever they mean."""
    return WORDS.get(array.itemsize)


def number_of(array) -> Type | None:
    """The type of elements that are computed with."""
    return OF_NUMPY.get(array.dtype)


def packed(array):
    """The array itself, or a copy without gaps."""
    return array if array.flags.c_contiguous and array.flags.aligned else np.ascontiguousarray(array)


def divided(shape, dim: int) -> tuple[int, int, int]:
    """(elements before, length, elements after) of a dimension."""
    before = after = 1
    for each in shape[:dim]:
        before *= each
    for each in shape[dim + 1 :]:
        after *= each
    return before, shape[dim], after
