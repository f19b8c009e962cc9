"""Kernels of array functions: registered by name, and called for large arrays only.

A kernel has the signature of the function in the table `xp` that it takes over from. It returns None for arguments that
it does not take (a rare dtype, another kind of array, a mistake): then the plain function runs, and explains mistakes.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.core.policy import LARGE, Warmup

# The modules of `kernels` that register some, imported when the compiler is loaded.
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


class Kernel(NamedTuple):
    """A kernel of an array function, and which argument's size says whether a call is large."""

    function: Callable
    sized: int | None
    least: int

    def __call__(self, *arguments, **options):
        return self.function(*arguments, **options)


KERNELS: dict[str, Kernel] = {}


def kernel_of(name: str, sized: int | None = 0, least: int = LARGE):
    """Registers a function as the kernel of `xp.NAME`.

    A call is large if the argument number `sized` has at least `least` elements; with None, the kernel decides itself.
    """

    def register(function):
        KERNELS[name] = Kernel(function, sized, least)
        return function

    return register


def load_all() -> None:
    """Imports every module that registers kernels."""
    for family in FAMILIES:
        importlib.import_module(f"rushlight.kernels.{family}")


# Written out for each function: one that takes any arguments costs a small call 150 ns more.
CALL = """
def call{heading}:
    if {is_large}:
        result = kernel({arguments})
        if result is not None:
            return result
    return plain({arguments})
"""


def large_calls(kernel: Kernel, plain: Callable) -> Callable:
    """The function that calls a kernel where a call is large, and the plain function otherwise."""
    signature = inspect.signature(kernel.function)
    names = list(signature.parameters)
    passed = [f"{name}={name}" if signature.parameters[name].kind.name == "KEYWORD_ONLY" else name for name in names]
    is_large = "True"
    if kernel.sized is not None:
        size = f"{names[kernel.sized]}.size"
        is_large = f"{size} >= {kernel.least} and (warmup.over or warmup.pays_off({size}))"
    space: dict[str, Any] = {"kernel": kernel.function, "plain": plain, "warmup": Warmup(passes=4)}
    text = CALL.format(heading=signature, is_large=is_large, arguments=", ".join(passed))
    exec(compile(text, __file__, "exec"), space)  # under our file's name: what explains an error looks for the program
    return functools.update_wrapper(space["call"], plain)
