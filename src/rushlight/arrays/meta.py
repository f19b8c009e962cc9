"""Arrays without numbers: a shape, strides and a dtype, on which the array language works out results.

Views are taken of an array that only looks as large as it claims and is never read. Universal functions follow NumPy's
broadcasting. What has no rule here says so with `NoRule`, and the general path then tries the kernel on zeros, if they
are few.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.lib.stride_tricks import as_strided

from rushlight.core.marked_dtypes import marked
from rushlight.core.strides import contiguous_strides


class NoRule(NotImplementedError):
    """A function has no shape rule for arrays without numbers."""


class MetaArray(NDArrayOperatorsMixin):
    """An array of which everything is known but its numbers."""

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
        if name.startswith("_"):
            raise AttributeError(name)
        raise NoRule(f"the attribute {name}")

    def __getitem__(self, index) -> MetaArray:
        if not _is_basic(index):
            raise NoRule("indexing with arrays")
        return of(hollow(self)[index if isinstance(index, tuple) else (index,)], keep=True)

    def __setitem__(self, index, value) -> None:
        """Writing to numbers that are not there changes nothing."""

    def reshape(self, *shape, copy=None) -> MetaArray:
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return reshaped(self, tuple(shape), copy)

    def transpose(self, *axes) -> MetaArray:
        return of(hollow(self).transpose(*axes))

    def astype(self, dtype, copy=True) -> MetaArray:
        return MetaArray(self.shape, dtype)

    def copy(self, order="C") -> MetaArray:
        return MetaArray(self.shape, self.dtype)

    def fill(self, value) -> None:
        """Filling numbers that are not there changes nothing."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if method == "reduce":
            return _reduced(ufunc, inputs, keywords)
        if method != "__call__":
            raise NoRule(f"{ufunc.__name__}.{method}")
        keywords.pop("out", None)
        arrays = [each if isinstance(each, MetaArray) else np.asarray(each) for each in inputs]
        kinds = ufunc(*[_sample(each) for each in inputs])
        shape = _product_shape(arrays) if ufunc is np.matmul else np.broadcast_shapes(*(each.shape for each in arrays))
        results = tuple(MetaArray(shape, each.dtype) for each in (kinds if isinstance(kinds, tuple) else (kinds,)))
        return results if isinstance(kinds, tuple) else results[0]

    def __array_function__(self, function, types, arguments, keywords):
        rule = RULES.get(function)
        if rule is None:
            raise NoRule(function.__name__)
        return rule(*arguments, **keywords)


def _sample(value):
    """Something small of the same dtype, to ask NumPy for the dtype of a result."""
    if isinstance(value, (bool, int, float, complex)):
        return value
    return np.ones((1,) * max(value.ndim, 1), value.dtype)


def hollow(array: MetaArray) -> np.ndarray:
    """A NumPy array of the same shape and strides that must not be read."""
    return as_strided(np.empty(1, array.dtype), array.shape, array.strides)


def of(array: np.ndarray, keep: bool = True) -> MetaArray:
    """What remains of an array without its numbers."""
    return MetaArray(array.shape, array.dtype, array.strides if keep else None)


def _is_basic(index) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(each is None or each is Ellipsis or isinstance(each, (int, slice)) for each in parts)


def reshaped(array: MetaArray, shape: tuple, copy=None) -> MetaArray:
    """The same number of elements in another shape, a view if it can be."""
    known = int(np.prod([each for each in shape if each != -1], dtype=object))
    if -1 in shape:
        shape = tuple(array.size // max(known, 1) if each == -1 else each for each in shape)
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
    return MetaArray(_kept(array.shape, axis, keepdims), dtype)


def _kept(shape: tuple, axis, keepdims: bool) -> tuple:
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = {each % max(len(shape), 1) for each in axes}
    if keepdims:
        return tuple(1 if i in axes else length for i, length in enumerate(shape))
    return tuple(length for i, length in enumerate(shape) if i not in axes)


def _product_shape(arrays) -> tuple:
    a, b = (each.shape for each in arrays)
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
    length = sum(each.shape[axis] for each in arrays)
    kind = np.result_type(*(each.dtype for each in arrays))
    return MetaArray((*first.shape[:axis], length, *first.shape[axis + 1 :]), kind)


def _chosen(condition, one, other) -> MetaArray:
    shape = np.broadcast_shapes(*(np.shape(each) if not isinstance(each, MetaArray) else each.shape
                                  for each in (condition, one, other)))  # fmt: skip
    return MetaArray(shape, np.result_type(*(getattr(each, "dtype", each) for each in (one, other))))


RULES = {
    np.reshape: lambda array, shape, *, copy=None: reshaped(array, tuple(np.atleast_1d(shape)), copy),
    np.copy: lambda array, order="K", subok=False: array.copy(),
    np.copyto: lambda target, source, casting="same_kind", where=True: None,  # there are no numbers to write
    np.where: _chosen,
    np.concatenate: _joined,
    np.broadcast_to: lambda array, shape, subok=False: of(np.broadcast_to(hollow(array), shape)),
    **{each: _view(each) for each in (np.transpose, np.swapaxes, np.squeeze, np.expand_dims, np.moveaxis, np.diagonal)},
    **{each: _filled for each in (np.zeros_like, np.ones_like, np.empty_like, np.full_like)},
}


def empty(shape: tuple, dtype) -> MetaArray:
    """A fresh array without numbers."""
    return MetaArray(shape, dtype)


def from_cpu(array, place) -> MetaArray:
    """What remains of an array of the CPU."""
    return MetaArray(array.shape, array.dtype, array.strides)


def to_cpu(array):
    """Nothing can be copied from where nothing is."""
    raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def adopt(array) -> MetaArray:
    """A result of a kernel that ran on zeros."""
    return (
        array
        if isinstance(array, MetaArray)
        else MetaArray(np.shape(array), array.dtype, getattr(array, "strides", None))
    )


# Beyond this many elements a kernel is not tried on zeros.
FEW = 1 << 22


def zeros(array: MetaArray) -> np.ndarray:
    """Zeros in the place of an array without numbers. Raises NotImplementedError if they would be many."""
    if array.size > FEW:
        raise NotImplementedError(f"this operator has no shape rule, and {array.size} zeros are too many to try it on")
    return np.zeros(array.shape, array.dtype)
