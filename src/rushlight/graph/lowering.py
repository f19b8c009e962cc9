"""Lowers a trace to a function of arrays: one builtin function if it is small, else kernels and calls of operators.

This is the one place where kernels take over steps: `small.py` and `nests.py` plug in here.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import BuiltinFunctionType
from typing import Any

from rushlight.core.policy import SMALL_PROGRAM
from rushlight.graph.program import Program
from rushlight.graph.simplify import simplify
from rushlight.graph.small import compile_small
from rushlight.graph.small_parts import small_parts
from rushlight.graph.trace import Trace
from rushlight.lower import llvm

WEIGHTS = {"affine": ("mat2",), "mm": ("mat2",), "embedding": ("weight",)}  # operands of products and of lookups
IN_PARTS = "in_parts"  # the attribute of a function whose steps are small programs, but for some
FAULT = "torch.compile made no kernels of a function, which is a fault of rushlight; please report it"


def lower(trace: Trace, options: Mapping[str, Any] | None = None) -> Callable[..., Sequence]:
    """Returns the function of a trace from arrays to arrays; `options` are those of `torch.compile`.

    With `{"kernels": False}` it calls one operator for each step.
    """
    return lower_simple(simplify(trace), options)


def lower_simple(trace: Trace, options: Mapping[str, Any] | None = None) -> Callable[..., Sequence]:
    """Returns the same of a trace that is simplified already."""
    if has_kernels(options):
        try:
            return lower_to_kernels(trace)
        except Exception as error:  # noqa: BLE001  a fault of ours: the program goes on without kernels, and says so
            warnings.warn(f"{FAULT}: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)
    return Program(trace).run


def lower_to_kernels(trace: Trace) -> Callable[..., Sequence]:
    """Returns the function of a trace, by kernels as far as there are any."""
    if largest(trace) <= SMALL_PROGRAM:
        if (small := compile_small(trace)) is not None:
            return small
        if (parts := small_parts(trace)) is not None:
            run = Program(trace, parts).run
            vars(run)[IN_PARTS] = True
            return run
    nests = import_module("rushlight.graph.nests")  # its kernels need llvmlite from their import on
    return Program(trace, nests.fuse(trace)).run


def is_small(program: Callable) -> bool:
    """Whether a function that `lower` returned is machine code, but for some steps."""
    return type(program) is BuiltinFunctionType or IN_PARTS in vars(program)


def largest(trace: Trace) -> int:
    """Returns how many elements the largest tensor has that steps read or make.

    Matrices of products do not count, nor tables in which rows are looked up: the BLAS computes large products.
    """
    numbers: set[int] = set()
    for step in trace.steps:
        if step.op is None or not step.op.view:
            weights = [step.values[name] for name in WEIGHTS.get(step.op.name if step.op else "", ())]
            numbers.update(step.results, {*step.operands()} - {each.number for each in weights})
    return max([math.prod(trace.metas[number].shape) for number in numbers], default=0)


def has_kernels(options: Mapping[str, Any] | None) -> bool:
    """Whether kernels can be compiled, and are wanted."""
    return (options or {}).get("kernels") is not False and llvm.is_available()
