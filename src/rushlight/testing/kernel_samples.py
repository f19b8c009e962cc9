"""Every elementwise kernel that the declarations' samples lead to: its formula and arguments."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.tables import raw, xp
from rushlight.declarations.checks.arithmetic import no_derivative
from rushlight.declarations.declare import OPERANDS, OPS
from rushlight.dispatch import lazy_modules
from rushlight.lower import elementwise, trace
from rushlight.lower.conversions import BFLOAT16
from rushlight.testing.declared import cases

lazy_modules.load_all()

ELEMENTWISE = [op for _, op in sorted(OPS.items()) if op.pointwise and op.samples and op.function]
FLOAT32, FLOAT64, FLOAT16 = (np.dtype(x) for x in ("float32", "float64", "float16"))
# The dtype of arrays, and the dtype of the computation.
DTYPES = {FLOAT32: FLOAT32, FLOAT64: FLOAT64, FLOAT16: FLOAT32, BFLOAT16: FLOAT32}
# NaN, infinities, zeros, denormals, kinks at integers, large angles, what overflows when squared.
POINTS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 1e-10, *range(-7, 8), 0.3, -0.3, 2.5, -2.5, 60.5, -60.5, 1e5,
          -3e7, 1e30, -1e30]  # fmt: skip


class Sample(NamedTuple):
    """The formula of a kernel and its arguments: arrays by axes of their own, which are broadcast."""

    name: str
    formula: elementwise.Formula
    built_in: frozenset
    values: dict[str, Any]
    dtype: np.dtype  # of the computation
    rounded: tuple[np.dtype, ...] | None


def points(dtype: np.dtype) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.array(POINTS).astype(dtype)


def arguments(op, case, dtype: np.dtype) -> dict[str, Any]:
    """Returns arguments by name from a sample, with an array of points for each floating tensor."""
    result: dict[str, Any] = {}
    axis = 0
    for number, x in enumerate(op.arguments):
        value = case.keywords.get(x.name, x.default)
        if number < len(case.arguments):
            value = case.arguments[number]
        if x.role in OPERANDS and hasattr(value, "_array"):
            value = value.detach()._array
            if value.dtype.kind == "f" and not value.ndim:
                value = value.astype(dtype)
            elif value.dtype.kind == "f":
                shape = [1, 1, 1]
                shape[axis], axis = len(POINTS), axis + 1
                value = points(dtype).reshape(shape)
            elif value.dtype == bool:
                value = np.arange(len(POINTS)) % 3 == 0
        elif x.role in OPERANDS and isinstance(value, int | float):
            value = np.asarray(value).astype(dtype)  # as the generated functions pass them
        result[x.name] = value
    return result


def derivative_arguments(op, values: dict[str, Any], dtype: np.dtype) -> tuple[list[str], dict[str, Any]]:
    """Returns the names of the derivatives with respect to arrays, and what their formulas ask for."""
    names = [x for x, function in op.derivatives.items() if np.ndim(values[x]) and function is not no_derivative]
    positional = [values[x.name] for x in op.arguments if not x.keyword_only]
    keywords = {x.name: values[x.name] for x in op.arguments if x.keyword_only}
    wide = [x.astype(np.float32) if getattr(x, "dtype", None) in (FLOAT16, BFLOAT16) else x for x in positional]
    if not names:
        return [], {}
    out = np.asarray(op.forward(raw if op.composite else xp, *wide, **keywords))
    if out.dtype.kind != "f":
        return [], {}
    known = {**values, "out": out.astype(dtype), "g": np.full(out.shape, 0.75, dtype)}
    asked = {name for x in names for name in op.asks[x]}
    return names, {name: value for name, value in known.items() if name in asked}


def samples(op, dtype: np.dtype) -> Iterator[Sample]:
    """Yields the results and the sets of derivatives of a declaration."""
    built_in = elementwise.built_in(trace.formula_of(op).__code__.co_names)
    work = DTYPES[dtype]
    for case in cases(op):
        values = arguments(op, case, dtype)
        rounded = None if work == dtype else (dtype,)
        yield Sample(op.name, elementwise.result_of(op), built_in, values, work, rounded)
        with np.errstate(all="ignore"):
            names, known = derivative_arguments(op, values, dtype)
        if names:
            several = None if rounded is None else rounded * len(names)
            yield Sample(
                f"{op.name}_backward {' '.join(names)}",
                elementwise.derivatives_of(op, names),
                built_in,
                known,
                work,
                several,
            )


def repeated(values: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments with arrays of one shape, contiguous."""
    arrays = [x for x in values.values() if isinstance(x, np.ndarray) and x.ndim]
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    return {name: np.ascontiguousarray(np.broadcast_to(x, shape)) if isinstance(x, np.ndarray) and x.ndim else x
            for name, x in values.items()}  # fmt: skip
