"""NumPy's ufuncs over CuPy's: the keywords, reductions and scans that CuPy's ufuncs do not have.

Operands that are all numbers are computed by NumPy, on the CPU: no kernel runs for them. A reduction that CuPy has as a
function calls that, another one is computed from halves, and a scan by doubling: log2(n) kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Ufunc:
    """A ufunc of NumPy's, on arrays of the device."""

    def __init__(self, ufunc: Any, on_cpu: np.ufunc, cupy: Any):
        self.ufunc, self.on_cpu, self.cupy = ufunc, on_cpu, cupy
        self.array = cupy.ndarray
        self.identity = on_cpu.identity
        self.nin, self.nout, self.types, self.__name__ = on_cpu.nin, on_cpu.nout, on_cpu.types, on_cpu.__name__

    def __call__(self, *operands, out=None, where=True, dtype=None, casting=None, order="K", subok=True):
        if out is not None:
            out = out[0] if type(out) is tuple and len(out) == 1 else None if out is Ellipsis else out
        if not any(isinstance(x, self.array) for x in operands[: self.nin]):
            return self._of_numbers(operands, out, dtype)
        named: dict[str, Any] = {} if dtype is None else {"dtype": dtype}
        if where is not True:
            result = self.ufunc(*operands, **named)
            if out is None:
                return result
            self.cupy.copyto(out, result, casting="unsafe", where=where)
            return out
        if out is not None:
            named["out"] = out
        if casting is not None:
            named["casting"] = casting
        return self.ufunc(*operands, **named)

    def _of_numbers(self, operands, out, dtype):
        result = self.on_cpu(*operands, dtype=dtype)
        if out is None:
            return result
        out[...] = result
        return out

    # ---- reductions

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        array = self.cupy.asarray(array)
        if where is not True:
            raise NotImplementedError(f"{self.__name__}.reduce(where=)")
        if self.on_cpu in FUNCTIONS:
            result = self._by_function(FUNCTIONS[self.on_cpu], array, axis, dtype, keepdims, initial)
        else:
            result = self._pairwise(array if dtype is None else array.astype(dtype), axis, keepdims)
        if out is None or out is Ellipsis:
            return result
        out[...] = result
        return out

    def _by_function(self, name, array, axis, dtype, keepdims, initial):
        reduced = getattr(self.cupy, name)
        axes = tuple(range(array.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        empty = not array.size and any(array.shape[each] == 0 for each in axes) if array.ndim else False
        if initial is not None and empty:
            result = self.cupy.full(self.shape_of(array, axes, keepdims), initial, dtype or array.dtype)
        elif axis == ():
            result = reduced(array[None], axis=0, **({} if dtype is None else {"dtype": dtype}))
        elif array.ndim == 0:
            result = reduced(array) if dtype is None else reduced(array, dtype=dtype)
        else:
            result = reduced(array, axis=axis, keepdims=keepdims, **({} if dtype is None else {"dtype": dtype}))
        if initial is not None and not empty:
            result = self.ufunc(result, initial)
        return result

    @staticmethod
    def shape_of(array, axes: tuple, keepdims: bool) -> tuple:
        """The shape of a reduced array."""
        chosen = {axis % array.ndim for axis in axes} if array.ndim else set()
        sizes = [None if dim in chosen else length for dim, length in enumerate(array.shape)]
        return tuple(1 if x is None else x for x in sizes if keepdims or x is not None)

    def _pairwise(self, array, axis, keepdims):
        axes = tuple(range(array.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(each % array.ndim for each in axes)
        for each in axes:
            parts = self.cupy.moveaxis(array, each, 0)
            if not len(parts):
                shape = (1, *parts.shape[1:])
                parts = self.cupy.full(shape, self.on_cpu.identity, array.dtype)
            while (length := len(parts)) > 1:
                half = length // 2
                joined = self.ufunc(parts[:half], parts[half : 2 * half])
                parts = self.cupy.concatenate([joined, parts[2 * half :]]) if length % 2 else joined
            array = self.cupy.moveaxis(parts, 0, each)
        return array.reshape(self.shape_of(array, axes, keepdims)) if axes else array

    def accumulate(self, array, axis=0, dtype=None, out=None):
        if self.on_cpu is np.add:
            result = self.cupy.cumsum(array, axis=axis, dtype=dtype)
        elif self.on_cpu is np.multiply:
            result = self.cupy.cumprod(array, axis=axis, dtype=dtype)
        else:
            result = array.copy() if dtype is None else array.astype(dtype)
            if self.nin == 2 and result.dtype != bool and self.on_cpu in LOGICAL:
                result = result.astype(bool)
            parts, step = self.cupy.moveaxis(result, axis, 0), 1
            while step < len(parts):
                parts[step:] = self.ufunc(parts[step:], parts[:-step])
                step *= 2
        if out is None or out is Ellipsis:
            return result
        out[...] = result
        return out

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        return self.ufunc.reduceat(array, indices, axis=axis, dtype=dtype)

    def outer(self, first, second):
        first, second = self.cupy.asarray(first), self.cupy.asarray(second)
        return self.ufunc(first.reshape(first.shape + (1,) * second.ndim), second)

    def at(self, array, indices, values=None) -> None:
        """Changes elements in place; elements that are named several times are changed several times."""
        try:
            self.ufunc.at(array, indices, values)
        except (TypeError, NotImplementedError):
            self._at_on_cpu(array, indices, values)

    def _at_on_cpu(self, array, indices, values) -> None:
        """The same for dtypes without an atomic operation, on the CPU: none of them has gradients."""
        asnumpy = self.cupy.asnumpy
        copy = asnumpy(array)
        parts = tuple(map(self._index, indices)) if isinstance(indices, tuple) else self._index(indices)
        self.on_cpu.at(copy, parts, asnumpy(values) if isinstance(values, self.array) else values)
        array[...] = self.cupy.asarray(copy)

    def _index(self, index):
        return self.cupy.asnumpy(index) if isinstance(index, self.array) else index


# Reductions that CuPy has as functions.
FUNCTIONS = {
    np.add: "sum", np.multiply: "prod", np.minimum: "amin", np.maximum: "amax", np.logical_or: "any",
    np.logical_and: "all",
}  # fmt: skip
LOGICAL = (np.logical_or, np.logical_and, np.logical_xor)
