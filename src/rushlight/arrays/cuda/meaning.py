"""What `numpy` means in the second reading: CuPy's functions, and NumPy's where CuPy has none for the device.

`Meaning(cupy)` has a name of NumPy's by the first of: its own, below, for what CuPy has not or takes otherwise; a ufunc
of CuPy's, with NumPy's keywords; CuPy's. What none has raises AttributeError; `tests/cuda/test_names.py` tests that the
files ask for nothing of the kind.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from rushlight.arrays.cuda.solvers import Solvers
from rushlight.arrays.cuda.ufuncs import Ufunc

# NumPy's own, which are no arrays of numbers or make none.
FROM_NUMPY = frozenset(
    ("errstate", "exceptions", "ndindex", "generic", "void", "integer", "min_scalar_type",
     "broadcast_shapes", "random", "character", "flexible", "dtypes", "array_api", "complexfloating", "uintp")
)  # fmt: skip


class IsArray(type):
    """The class of arrays: what CuPy makes and its subclasses are instances."""

    cupy: Any

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.cupy.ndarray)

    def __call__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        """Makes an array on the memory of another, as NumPy's class does; all in bytes."""
        cupy = cls.cupy
        if buffer is None:
            return cupy.empty(shape, dtype, order or "C")
        return window(cupy, buffer, shape, dtype, offset, strides)


def window(cupy: Any, buffer: Any, shape: Any, dtype: Any, offset: int, strides: Any) -> Any:
    """Views memory from a place on: bytes of a contiguous array, in another shape, dtype and strides."""
    shape, dtype = (shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype)
    flat = buffer.reshape(-1, copy=False)
    if strides is None:
        steps, strides = dtype.itemsize, []
        for length in reversed(shape):
            strides.insert(0, steps)
            steps *= length
    size = dtype.itemsize
    if flat.dtype != dtype:
        if offset % flat.itemsize:
            flat = flat.view(np.uint8)
        flat = flat[offset // flat.itemsize :]
        flat, offset = flat[: len(flat) * flat.itemsize // size * size // flat.itemsize].view(dtype), 0
    if offset % size:
        raise ValueError("the offset is not at an element")
    if needed(shape, strides, size) + offset > flat.size * size:
        raise TypeError("buffer is too small for requested array")
    return cupy.lib.stride_tricks.as_strided(flat[offset // size :], shape, tuple(strides))


def needed(shape: tuple, strides: Any, size: int) -> int:
    """Returns the bytes from the first element to the end of the last."""
    if 0 in shape:
        return 0
    return sum(step * (length - 1) for step, length in zip(strides, shape, strict=True)) + size


class Meaning:
    """The names of NumPy's, for arrays of a CuPy, real or fake."""

    def __init__(self, cupy: Any, cupyx: Any):
        self.cupy = cupy
        self.special = cupyx.scipy.special
        self.ndarray = IsArray("ndarray", (), {})
        IsArray.cupy = cupy
        self.newaxis = None
        self.longdouble, self.clongdouble = np.float64, np.complex128  # the widest that a GPU has
        self.linalg = Linear(cupy, cupyx)
        self.fft = Transforms(cupy)
        self.lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=self.as_strided))

    def __getattr__(self, name: str) -> Any:
        value = self.looked_up(name)
        setattr(self, name, value)
        return value

    def looked_up(self, name: str) -> Any:
        on_cpu = getattr(np, name, None)
        if name in FROM_NUMPY or isinstance(on_cpu, type):
            return getattr(np, name)
        value = getattr(self.cupy, name)
        if isinstance(on_cpu, np.ufunc) and isinstance(value, self.cupy.ufunc):
            return Ufunc(value, on_cpu, self.cupy)
        return value

    def within(self, name: str) -> Any:
        """Returns a module of NumPy's by its whole name."""
        if name == "numpy._core.umath":
            return SimpleNamespace(clip=self.between)
        return self.linalg if name == "numpy.linalg" else self.lib.stride_tricks

    # ---- making arrays

    def array(self, object, dtype=None, *, copy=True, order="K", ndmin=0, subok=False):
        return self.cupy.array(object, dtype, copy=copy, order=order, ndmin=ndmin)

    def asarray(self, a, dtype=None, order=None, *, copy=None):
        return self.cupy.asarray(a, dtype, order)

    asanyarray = asarray

    def empty(self, shape, dtype=float, order="C"):
        return self.cupy.empty(shape, dtype, order)

    def copy(self, a, order="K", subok=False):
        return self.cupy.asarray(a).copy(order)

    def as_strided(self, x, shape=None, strides=None, subok=False, writeable=True):
        return self.cupy.lib.stride_tricks.as_strided(x, shape, strides)

    def broadcast_to(self, array, shape, subok=False):
        array = self.cupy.asarray(array)
        return self.cupy.broadcast_to(array, (shape,) if isinstance(shape, int) else tuple(shape))

    def fromiter(self, iter, dtype, count=-1):
        return self.cupy.asarray(np.fromiter(iter, dtype, count))

    # ---- what CuPy has not

    def between(self, array, low, high, out=None):
        """NumPy's inner function of `clip`."""
        result = self.minimum(self.maximum(array, low), high)
        if out is None or out is Ellipsis:
            return result
        out[...] = result
        return out

    def vecdot(self, x1, x2, axis=-1, out=None):
        return self.cupy.sum(self.cupy.conj(x1) * x2, axis=axis)

    def vecmat(self, x1, x2):
        return self.cupy.matmul(self.cupy.conj(x1)[..., None, :], x2)[..., 0, :]

    def matvec(self, x1, x2):
        return self.cupy.matmul(x1, x2[..., None])[..., 0]

    def count_nonzero(self, a, axis=None, *, keepdims=False):
        counted = self.cupy.count_nonzero(a, axis=axis)
        return self.expand_dims(counted, axis) if keepdims and axis is not None else counted

    def clip(self, a, a_min=None, a_max=None, out=None):
        result = a if a_min is None else self.maximum(a, a_min)
        result = result if a_max is None else self.minimum(result, a_max)
        if out is None or out is Ellipsis:
            return result
        out[...] = result
        return out

    def putmask(self, a, mask, values):
        self.cupy.putmask(a, mask, values)

    def copyto(self, dst, src, casting="same_kind", where=True):
        source = self.cupy.asarray(src) if isinstance(src, np.ndarray) else src
        self.cupy.copyto(dst, source, casting=casting, where=None if where is True else self.cupy.asarray(where))

    def matmul(self, x1, x2, out=None, **named):
        result = self.cupy.matmul(x1, x2)
        if out is None or out is Ellipsis:
            return result
        out[...] = result
        return out

    def where(self, condition, *values):
        condition = self.cupy.asarray(condition)
        return self.cupy.where(condition, *values)

    def sort(self, a, axis=-1, kind=None):
        if axis is None or not a.ndim:
            a, axis = a.reshape(-1), -1 if axis is None else a.shape
        return self.cupy.sort(a, axis) if axis != () else a.reshape(()).copy()

    def argsort(self, a, axis=-1, kind=None):
        return self.cupy.argsort(a, axis) if a.ndim else self.cupy.zeros((), np.intp)

    def isscalar(self, element):
        return np.isscalar(element)

    def result_type(self, *arrays_and_dtypes):
        kinds = [x.dtype if isinstance(x, self.cupy.ndarray) else x for x in arrays_and_dtypes]
        return np.result_type(*kinds)

    def shape(self, a):
        return a.shape if hasattr(a, "shape") else np.shape(a)

    def ndim(self, a):
        return a.ndim if hasattr(a, "ndim") else np.ndim(a)


class Linear:
    """`numpy.linalg` by CuPy's, with NumPy's errors, and LAPACK's routines."""

    LinAlgError = np.linalg.LinAlgError

    def __init__(self, cupy: Any, cupyx: Any):
        self.cupy, self.cupyx, self.solvers = cupy, cupyx, Solvers(cupy)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cupy.linalg, name)

    def checked(self) -> Any:
        """In the block, CuPy waits for what its functions report, and raises LinAlgError."""
        return self.cupyx.errstate(linalg="raise")


class Transforms:
    """`numpy.fft` by CuPy's."""

    def __init__(self, cupy: Any):
        self.cupy = cupy

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cupy.fft, name)
