"""Kernels of elementwise declarations: the result of one, or all its derivatives, as one ufunc for both precisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rushlight.compiler import ir, llvm, loops, ufunc
from rushlight.compiler.ir import F32, F64, Trace, Value

Formula = Callable[[Trace, str], tuple[list[Value], list[Value]]]  # of a trace and a type: operands and results


def compiled(name: str, formula: Formula) -> np.ufunc:
    """The ufunc of a formula for float32 and float64."""
    architecture = llvm.host().triple.partition("-")[0]
    parts, kinds = [], []
    for type in (F32, F64):
        operands, results = formula(Trace(), type)
        parts.append(loops.ufunc_loop(symbol(type), operands, results, architecture))
        kinds.append([ir.DTYPES[each.type] for each in (*operands, *results)])
    found = llvm.build(loops.module(parts, architecture), symbol(F32), symbol(F64))
    addresses = [found[symbol(type)] for type in (F32, F64)]
    return ufunc.ufunc(name, list(zip(addresses, kinds, strict=True)), len(operands))


def symbol(type: str) -> str:
    return f"kernel.{type}"


def distinct(values: Sequence[Value]) -> list[Value]:
    """Values without repetitions."""
    return list(dict.fromkeys(values))
