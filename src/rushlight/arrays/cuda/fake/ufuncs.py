"""The ufuncs of the fake CuPy: the loops, methods and keywords that CuPy has, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import ndarray
from rushlight.arrays.cuda.fake.launch import arrays_in, cells_of, launch, write

SCALARS = (bool, int, float, complex)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
SCATTERED = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum, "minimum": np.minimum,
             "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}  # fmt: skip


class ufunc:
    """A ufunc of CuPy's, computed by a function of NumPy's or SciPy's."""

    def __init__(self, name: str, function: Callable, nin: int, nout: int, types: list[str], methods: frozenset):
        self.__name__ = self.name = name
        self.function, self.nin, self.nout, self.types, self.methods = function, nin, nout, types, methods
        self.nargs = nin + nout
        self.loops = [tuple(dtypes_of(part) for part in loop.split("->")) for loop in types]
        self.chosen: dict[tuple, Any] = {}  # the loop, by the dtypes of the operands

    def __call__(self, *args, out=None, dtype=None, casting="same_kind", **wrong):
        if wrong:
            raise TypeError(f"Wrong arguments {wrong}")
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(f"Wrong number of arguments for {self.name}")
        operands, outs = args[: self.nin], args[self.nin :]
        if outs and out is not None:
            raise ValueError("Cannot specify 'out' as both a positional and keyword argument")
        outs = outs or (() if out is None else out if isinstance(out, tuple) else (out,))
        for operand in operands:
            if not isinstance(operand, (ndarray, np.generic, *SCALARS)):
                raise TypeError(f"Unsupported type {type(operand)}")
        for each in outs:
            if not isinstance(each, ndarray):
                raise TypeError(f"return arrays must be of ArrayType, not {type(each)}")
        inputs, results = self.loop(operands, dtype)

        def run(*values):
            values = [value if hold is None else np.asarray(value).astype(hold, copy=False) for value, hold in
                      zip(values, inputs, strict=True)]  # fmt: skip
            computed = self.function(*values)
            if self.nout == 1:
                return np.asarray(computed).astype(results[0], "C", copy=False)
            return tuple(np.asarray(x).astype(kind, "C", copy=False) for x, kind in zip(computed, results, strict=True))

        if not outs:
            return launch(run, operands, {})
        return self.written(run, operands, outs, casting)

    def written(self, run, operands, outs, casting):
        result = launch(run, operands, {})
        parts = result if isinstance(result, tuple) else (result,)
        for each, part in zip(outs, parts, strict=True):
            if not np.can_cast(part.dtype, each.dtype, casting):
                raise TypeError(
                    f"output (typecode '{part.dtype.char}') could not be coerced to provided output parameter "
                    f"(typecode '{each.dtype.char}') according to the casting rule '{casting}'"
                )
            if np.broadcast_shapes(part.shape, each.shape) != each.shape:
                raise ValueError("Out shape is mismatched")
            write(lambda each=each, part=part: np.copyto(each.cells, part.cells, casting="unsafe"), each)
        return outs[0] if len(outs) == 1 else outs

    def loop(self, operands, dtype) -> tuple[list, list]:
        """Chooses the loop as CuPy does: the first one that all operands can be cast to."""
        if dtype is not None:
            wanted = np.dtype(dtype)
            for inputs, results in self.loops:
                if results[0] == wanted:
                    return inputs, results
            raise TypeError(f"No matching signature found: {self.name}")
        typed = [x.dtype for x in operands if isinstance(x, (ndarray, np.generic))]
        weak = [x for x in operands if not isinstance(x, (ndarray, np.generic))]
        if not weak:
            kinds = tuple(typed)
        elif typed:
            common = np.result_type(*typed, *weak)
            kinds = tuple(x.dtype if isinstance(x, (ndarray, np.generic)) else common for x in operands)
        else:
            kinds = tuple(np.asarray(x).dtype for x in operands)
        if (chosen := self.chosen.get(kinds)) is None:
            chosen = self.chosen[kinds] = self.first(kinds)
        return chosen

    def first(self, kinds: tuple) -> tuple[list, list]:
        for inputs, results in self.loops:
            if all(np.can_cast(x, kind, "safe") for x, kind in zip(kinds, inputs, strict=True)):
                return inputs, results
        names = ", ".join(x.name for x in kinds)
        raise TypeError(f"Wrong type ({names}) of arguments for cupy_{self.name}")

    # ---- methods

    def missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"`cupy_{self.name}.{method}` is not supported yet")

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        if "reduce" not in self.methods:
            raise self.missing("reduce")
        return launch(self.function.reduce, (array, axis, dtype), {"keepdims": keepdims})  # type: ignore[attr-defined]

    def accumulate(self, array, axis=0, dtype=None, out=None):
        if "accumulate" not in self.methods:
            raise self.missing("accumulate")
        return launch(self.function.accumulate, (array, axis, dtype), {})  # type: ignore[attr-defined]

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        if "reduceat" not in self.methods:
            raise self.missing("reduceat")
        return launch(self.function.reduceat, (array, indices, axis, dtype), {})  # type: ignore[attr-defined]

    def outer(self, A, B, **kwargs):
        return launch(self.function.outer, (A, B), kwargs)  # type: ignore[attr-defined]

    def at(self, a, indices, b=None):
        if "at" not in self.methods:
            raise self.missing("at")
        scatter(self.name, a, indices, b)


def dtypes_of(codes: str) -> list[np.dtype]:
    """Returns the dtypes of a loop by their codes; NumPy does not know that of bfloat16."""
    return [BFLOAT16 if code == "E" else np.dtype(code) for code in codes]


# CuPy's atomic operations are for these dtypes.
ATOMIC = {"add": "iIqQlLefdFDE", "maximum": "iIqQlLefd", "minimum": "iIqQlLefd"}


def scatter(name: str, array: ndarray, indices: Any, values: Any) -> None:
    """What `cupyx.scatter_add` and similar functions do: duplicate indices accumulate.

    Raises TypeError for a dtype without an atomic operation.
    """
    if not isinstance(array, ndarray):
        raise AttributeError(f"'{type(array).__name__}' object has no attribute '_scatter_op'")
    if array.dtype.char not in ATOMIC.get(name, "iIqQlL"):
        raise TypeError(f"cupyx.scatter_{name} does not support dtype {array.dtype}")
    if isinstance(values, np.ndarray):
        raise TypeError(f"Unsupported type {type(values)}")
    streams.read([each.cells for each in arrays_in((indices, values))])
    write(lambda: SCATTERED[name].at(array.cells, cells_of(indices), cells_of(values)), array)
