"""`scatter`, with assignment, addition and reductions.

An index that repeats a vector (expanded, as graph programs do) selects slices, which are combined whole: each index is
read once. One thread handles all updates of an element in order, so results do not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.inplace_scatter import number_of as number_for
from rushlight.arrays.scatter import identity
from rushlight.core.policy import GRAIN, OVERWRITTEN, PLACED
from rushlight.kernels.arguments import is_large, number_of, packed, word_of
from rushlight.kernels.gather import add_all, index_sizes, scatter_all, scattering
from rushlight.kernels.index_add import ADDED, FLOATS, ORDERED, index_reduce, scatter_rows, scatter_slices
from rushlight.kernels.reduce import times
from rushlight.lower.language import larger, smaller
from rushlight.lower.native import OF_NUMPY, Element, int64, native, pointer, uint64
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
I = Element("I")  # noqa: E741


COMBINED = {"amax": scattering(larger), "amin": scattering(smaller), "prod": scattering(times)}


@kernel_of("scatter", sized=2, least=PLACED)
def scatter(input, dim, index, source, reduce=None, include_self=True):
    sizes = index_sizes(input, dim, index) if is_large(input, source, index) and source.shape == index.shape else None
    if sizes is None:
        return None
    adds = reduce in ("sum", "add") and include_self
    if reduce in COMBINED or adds:
        result = scatter_slices_of(input, dim % input.ndim, index, source, "sum" if adds else reduce, include_self)
        if result is not None:
            return result
    if reduce in COMBINED:
        return scatter_reduce(input, dim, index, source, reduce, include_self, sizes)
    dtype = number_of(input) if adds else word_of(input)
    if dtype is None or not (adds or reduce is None) or (adds and dtype.bits < 32):
        return None
    out, wrong = np.empty(input.shape, input.dtype), np.zeros(2, np.int64)
    kernel = (add_all if adds else scatter_all).machine(dtype, OF_NUMPY[index.dtype])
    kernel(out, packed(input), True, packed(source), packed(index), wrong, *sizes, GRAIN)
    return None if wrong[0] else out


def scatter_reduce(input, dim, index, source, reduce, include_self, sizes):
    dtype = number_of(input)
    if dtype not in (ORDERED if reduce != "prod" else FLOATS) or source.dtype != input.dtype:
        return None
    if include_self:
        start = packed(input)
    else:
        start = scatter(input, dim, index, np.full(index.shape, identity(reduce, input.dtype), input.dtype))
    if start is None:
        return None
    out, wrong = np.empty(input.shape, input.dtype), np.zeros(2, np.int64)
    kernel = COMBINED[reduce].machine(dtype, OF_NUMPY[index.dtype])
    kernel(out, start, True, packed(source), packed(index), wrong, *sizes, GRAIN)
    return None if wrong[0] else out


def scatter_slices_of(input, dim: int, index, source, reduce, include_self):
    """Scatters by slices where the index is an expanded vector; None where it is not."""
    others = [d for d in range(index.ndim) if d != dim]
    if not others or any([index.strides[d] and index.shape[d] > 1 for d in others]):
        return None
    vector = index[tuple([slice(None) if d == dim else 0 for d in range(index.ndim)])]
    if reduce != "sum":
        return index_reduce(input, dim, vector, source, reduce, include_self)
    if number_of(input) not in ADDED or source.dtype != input.dtype:
        return None
    if not 0 <= vector.min() <= vector.max() < input.shape[dim]:
        return None
    if dim:
        return scatter_slices(input, input.shape, dim, vector, source, False)
    result = scatter_rows(input.reshape(len(input), -1), len(input), vector, source.reshape(vector.size, -1))
    return None if result is None else result.reshape(input.shape)


# ---- in place; the array has no autograd history


@native
def check_range(index: pointer(I), wrong: pointer(int64), length: int64, begin: int64, end: int64):
    most = uint64(0)  # as unsigned, negative indices are the largest
    for k in range(begin, end):
        most = max(most, uint64(int64(index[k])))
    if most >= uint64(length):
        wrong[0] = 1


@native
def check_indices(index: pointer(I), wrong: pointer(int64), count: int64, length: int64, grain: int64):
    """Sets `wrong` if an index is out of range, before anything is written."""
    parallel_for(check_range, count, grain, index, wrong, length)


@kernel_of("scatter_into", sized=2, least=OVERWRITTEN)
def scatter_into(array, dim, index, source=None, value=None, reduce=None):
    values = source if value is None else value
    if reduce is not None or word_of(array) is None:
        return None
    if type(values) is not np.ndarray or not values.ndim:
        values = np.full(index.shape, number_for(array, values), array.dtype)
    return scatter_in_place(scatter_all, word_of(array), array, dim, index, values)


@kernel_of("scatter_reduce_into", sized=2, least=OVERWRITTEN)
def scatter_reduce_into(array, dim, index, source, reduce, include_self=True):
    if reduce != "sum" or number_of(array) not in ADDED or 0 in index.strides:
        return None
    return scatter_in_place(add_all, number_of(array), array, dim, index, source)


def scatter_in_place(kernel, dtype, array, dim: int, index, source):
    """Scatters into the array and returns True; returns None, with nothing written, if an index is out of range."""
    if type(dim) is not int or not -array.ndim <= dim < array.ndim:
        return None
    sizes = index_sizes(array, dim, index)
    if sizes is None or source.dtype is not array.dtype or source.shape != index.shape:
        return None
    index, wrong, index_dtype = packed(index), np.zeros(2, np.int64), OF_NUMPY[index.dtype]
    check_indices.machine(index_dtype)(index, wrong, index.size, array.shape[dim], GRAIN)
    if wrong[0]:
        return None
    kernel.machine(dtype, index_dtype)(array, array, False, packed(source), index, wrong, *sizes, GRAIN)
    return True
