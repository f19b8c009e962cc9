"""Arrays without data: a shape, strides and a dtype, for which the array language computes the metadata of results.

Views are taken of an array that only appears to have the shape and is never read. Ufuncs follow NumPy's broadcasting. A
function without a rule raises `NoRule`; the general path then runs the kernel on zeros, if the array is small.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.lib.stride_tricks import as_strided

from rushlight.core.marked_dtypes import marked
from rushlight.core.strides import contiguous_strides


class NoRule(NotImplementedError):
    """A function has no shape rule for arrays without data."""


class NoAttribute(NoRule, AttributeError):
    """The array language asked for an attribute of an array that has none, or a caller whether it has one."""


# Attributes that code reads of an array to find out whether it belongs to a transform; see `core/traced.py`.
OF_TRACED = frozenset(("level", "value", "tangent", "shown", "layout", "text", "check_branch"))


class MetaArray(NDArrayOperatorsMixin):
    """An array with all metadata but no data."""

    __slots__ = ("dtype", "shape", "strides")

    def __init__(self, shape: tuple, dtype, strides: tuple | None = None):
        self.shape = tuple(shape)
        self.dtype = marked(np.dtype(dtype))
        steps = contiguous_strides(self.shape)
        self.strides = tuple(step * self.dtype.itemsize for step in steps) if strides is None else tuple(strides)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def base(self):
        return None

    @property
    def flags(self):
        return hollow(self).flags

    @property
    def T(self) -> MetaArray:
        return of(hollow(self).T)

    @property
    def real(self) -> MetaArray:
        return MetaArray(self.shape, np.empty(0, self.dtype).real.dtype)

    imag = real

    def __getattr__(self, name: str):
        if name.startswith("_") or name in OF_TRACED:
            raise AttributeError(name)
        raise NoAttribute(f"the attribute {name}")

    def __getitem__(self, index) -> MetaArray:
        if not _is_basic(index):
            raise NoRule("indexing with arrays")
        return of(hollow(self)[index if isinstance(index, tuple) else (index,)], keep=True)

    def __setitem__(self, index, value) -> None:
        """Does nothing: there is no data."""

    def reshape(self, *shape, copy=None) -> MetaArray:
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return reshaped(self, tuple(shape), copy)

    def transpose(self, *axes) -> MetaArray:
        return of(hollow(self).transpose(*axes))

    def swapaxes(self, first: int, second: int) -> MetaArray:
        return of(hollow(self).swapaxes(first, second))

    def squeeze(self, axis=None) -> MetaArray:
        return of(hollow(self).squeeze(axis))

    def diagonal(self, *where) -> MetaArray:
        return of(hollow(self).diagonal(*where))

    def view(self, dtype) -> MetaArray:
        return of(hollow(self).view(dtype))

    def astype(self, dtype, copy=True) -> MetaArray:
        return MetaArray(self.shape, dtype)

    def copy(self, order="C") -> MetaArray:
        return MetaArray(self.shape, self.dtype)

    def fill(self, value) -> None:
        """Does nothing: there is no data."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if method == "reduce":
            return _reduced(ufunc, inputs, keywords)
        if method != "__call__":
            raise NoRule(f"{ufunc.__name__}.{method}")
        keywords.pop("out", None)
        arrays = [x if isinstance(x, MetaArray) else np.asarray(x) for x in inputs]
        samples = ufunc(*[_sample(x) for x in inputs])
        shape = _product_shape(arrays) if ufunc is np.matmul else np.broadcast_shapes(*(x.shape for x in arrays))
        results = tuple(MetaArray(shape, x.dtype) for x in (samples if isinstance(samples, tuple) else (samples,)))
        return results if isinstance(samples, tuple) else results[0]

    def __array_function__(self, function, types, arguments, keywords):
        rule = RULES.get(function)
        if rule is None:
            raise NoRule(function.__name__)
        return rule(*arguments, **keywords)


def _sample(value):
    """Returns a small array of the same dtype, to find the dtype of a result."""
    if isinstance(value, (bool, int, float, complex)):
        return value
    return np.ones((1,) * max(value.ndim, 1), value.dtype)


def hollow(array: MetaArray) -> np.ndarray:
    """Returns a NumPy array of the same shape and strides, which must not be read."""
    return as_strided(np.empty(1, array.dtype), array.shape, array.strides)


def of(array: np.ndarray, keep: bool = True) -> MetaArray:
    """Returns the metadata of an array."""
    return MetaArray(array.shape, array.dtype, array.strides if keep else None)


def _is_basic(index) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or part is Ellipsis or isinstance(part, (int, slice)) for part in parts)


def reshaped(array: MetaArray, shape: tuple, copy=None) -> MetaArray:
    """Reshapes an array; the result is a view if possible."""
    known = int(np.prod([length for length in shape if length != -1], dtype=object))
    if -1 in shape:
        shape = tuple(array.size // max(known, 1) if length == -1 else length for length in shape)
    if int(np.prod(shape, dtype=object)) != array.size:
        raise ValueError(f"cannot reshape array of size {array.size} into shape {shape}")
    try:
        return of(np.reshape(hollow(array), shape, copy=False))
    except ValueError:
        if copy is False:
            raise
        return MetaArray(shape, array.dtype)


def _reduced(ufunc, inputs, keywords) -> MetaArray:
    array, *rest = inputs
    axis = rest[0] if rest else keywords.get("axis", 0)
    dtype = (rest[1] if len(rest) > 1 else keywords.get("dtype")) or ufunc.reduce(np.ones(1, array.dtype)).dtype
    keepdims = rest[3] if len(rest) > 3 else keywords.get("keepdims", False)
    return MetaArray(kept(array.shape, axis, keepdims), dtype)


def kept(shape: tuple, axis, keepdims: bool) -> tuple:
    """Returns the shape after a reduction along some dimensions, None for all."""
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = {dim % max(len(shape), 1) for dim in axes}
    if keepdims:
        return tuple(1 if i in axes else length for i, length in enumerate(shape))
    return tuple(length for i, length in enumerate(shape) if i not in axes)


def _product_shape(arrays) -> tuple:
    a, b = (array.shape for array in arrays)
    left, right = (a if len(a) > 1 else (1, *a)), (b if len(b) > 1 else (*b, 1))
    if left[-1] != right[-2]:
        raise ValueError(f"matmul: mismatch of {left[-1]} and {right[-2]}")
    shape = (*np.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1])
    shape = shape if len(a) > 1 else (*shape[:-2], shape[-1])
    return shape if len(b) > 1 else shape[:-1]


def _view(function):
    return lambda array, *arguments, **keywords: of(function(hollow(array), *arguments, **keywords))


def _filled(array, *arguments, dtype=None, shape=None, **keywords) -> MetaArray:
    return MetaArray(array.shape if shape is None else shape, dtype or array.dtype)


def _joined(arrays, axis=0, **keywords) -> MetaArray:
    first, *rest = arrays
    axis %= first.ndim
    length = sum(array.shape[axis] for array in arrays)
    dtype = np.result_type(*(array.dtype for array in arrays))
    return MetaArray((*first.shape[:axis], length, *first.shape[axis + 1 :]), dtype)


def _chosen(condition, one, other) -> MetaArray:
    shape = np.broadcast_shapes(*(np.shape(x) if not isinstance(x, MetaArray) else x.shape
                                  for x in (condition, one, other)))  # fmt: skip
    return MetaArray(shape, np.result_type(*(getattr(x, "dtype", x) for x in (one, other))))


RULES = {
    np.reshape: lambda array, shape, *, copy=None: reshaped(array, tuple(np.atleast_1d(shape)), copy),
    np.copy: lambda array, order="K", subok=False: array.copy(),
    np.copyto: lambda target, source, casting="same_kind", where=True: None,  # no data to write
    np.where: _chosen,
    np.concatenate: _joined,
    np.broadcast_to: lambda array, shape, subok=False: of(np.broadcast_to(hollow(array), shape)),
    **{
        function: _view(function)
        for function in (np.transpose, np.swapaxes, np.squeeze, np.expand_dims, np.moveaxis, np.diagonal)
    },
    **{function: _filled for function in (np.zeros_like, np.ones_like, np.empty_like, np.full_like)},
}


def empty(shape: tuple, dtype) -> MetaArray:
    """Returns a new array without data."""
    return MetaArray(shape, dtype)


def from_cpu(array, place) -> MetaArray:
    """Returns the metadata of a CPU array."""
    return MetaArray(array.shape, array.dtype, array.strides)


def to_cpu(array):
    """Raises NotImplementedError: there is no data to copy."""
    raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def adopt(array) -> MetaArray:
    """Converts the result of a kernel that ran on zeros."""
    return (
        array
        if isinstance(array, MetaArray)
        else MetaArray(np.shape(array), array.dtype, getattr(array, "strides", None))
    )


# Above this many elements, kernels are not run on zeros.
FEW = 1 << 22


def zeros(array: MetaArray) -> np.ndarray:
    """Returns zeros instead of an array without data. Raises NotImplementedError if the array is too large."""
    if array.size > FEW:
        raise NotImplementedError(f"this operator has no shape rule, and {array.size} zeros are too many to try it on")
    return np.zeros(array.shape, array.dtype)
