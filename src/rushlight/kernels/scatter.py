"""`scatter`: writing, adding and combining at the positions that an index names along a dimension.

An index that repeats a vector, as programs on graphs expand it, names slices: these are taken as such, and each number
of the vector is read once. One thread has all that goes to an element, in order: the result never depends on threads.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.inplace_scatter import number_of as number_for
from rushlight.arrays.scatter import identity
from rushlight.core.policy import GRAIN, OVERWRITTEN, PLACED
from rushlight.kernels.arguments import is_large, number_of, packed, word_of
from rushlight.kernels.gather import add_all, along, placing, scatter_all
from rushlight.kernels.index_add import ADDED, FLOATS, ORDERED, index_reduce, rows_added, slices_added
from rushlight.kernels.reduce import times
from rushlight.lower.language import larger, smaller
from rushlight.lower.native import OF_NUMPY, Element, int64, native, pointer, uint64
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
I = Element("I")  # noqa: E741


COMBINED = {"amax": placing(larger), "amin": placing(smaller), "prod": placing(times)}


@kernel_of("scatter", sized=2, least=PLACED)
def scatter(input, dim, index, source, reduce=None, include_self=True):
    sizes = along(input, dim, index) if is_large(input, source, index) and source.shape == index.shape else None
    if sizes is None:
        return None
    adds = reduce in ("sum", "add") and include_self
    if reduce in COMBINED or adds:
        found = of_slices(input, dim % input.ndim, index, source, "sum" if adds else reduce, include_self)
        if found is not None:
            return found
    if reduce in COMBINED:
        return combined(input, dim, index, source, reduce, include_self, sizes)
    kind = number_of(input) if adds else word_of(input)
    if kind is None or not (adds or reduce is None) or (adds and kind.bits < 32):
        return None
    out, wrong = np.empty(input.shape, input.dtype), np.zeros(2, np.int64)
    kernel = (add_all if adds else scatter_all).machine(kind, OF_NUMPY[index.dtype])
    kernel(out, packed(input), True, packed(source), packed(index), wrong, *sizes, GRAIN)
    return None if wrong[0] else out


def combined(input, dim, index, source, reduce, include_self, sizes):
    kind = number_of(input)
    if kind not in (ORDERED if reduce != "prod" else FLOATS) or source.dtype != input.dtype:
        return None
    if include_self:
        given = packed(input)
    else:
        given = scatter(input, dim, index, np.full(index.shape, identity(reduce, input.dtype), input.dtype))
    if given is None:
        return None
    out, wrong = np.empty(input.shape, input.dtype), np.zeros(2, np.int64)
    kernel = COMBINED[reduce].machine(kind, OF_NUMPY[index.dtype])
    kernel(out, given, True, packed(source), packed(index), wrong, *sizes, GRAIN)
    return None if wrong[0] else out


def of_slices(input, dim: int, index, source, reduce, include_self):
    """The same where the index repeats a vector; None where it does not."""
    others = [at for at in range(index.ndim) if at != dim]
    if not others or any([index.strides[at] and index.shape[at] > 1 for at in others]):
        return None
    vector = index[tuple([slice(None) if at == dim else 0 for at in range(index.ndim)])]
    if reduce != "sum":
        return index_reduce(input, dim, vector, source, reduce, include_self)
    if number_of(input) not in ADDED or source.dtype != input.dtype:
        return None
    if not 0 <= vector.min() <= vector.max() < input.shape[dim]:
        return None
    if dim:
        return slices_added(input, input.shape, dim, vector, source, False)
    found = rows_added(input.reshape(len(input), -1), len(input), vector, source.reshape(vector.size, -1))
    return None if found is None else found.reshape(input.shape)


# ---- in place, where the array is no tensor's of a history and the index is known to fit


@native
def look_at_some(index: pointer(I), wrong: pointer(int64), length: int64, begin: int64, end: int64):
    most = uint64(0)  # seen as unsigned, negative positions are the largest
    for k in range(begin, end):
        most = max(most, uint64(int64(index[k])))
    if most >= uint64(length):
        wrong[0] = 1


@native
def look_at_all(index: pointer(I), wrong: pointer(int64), count: int64, length: int64, grain: int64):
    """Notes in `wrong` whether a position is not there: once something is written it is too late."""
    parallel_for(look_at_some, count, grain, index, wrong, length)


@kernel_of("scatter_into", sized=2, least=OVERWRITTEN)
def scatter_into(array, dim, index, source=None, value=None, reduce=None):
    given = source if value is None else value
    if reduce is not None or word_of(array) is None:
        return None
    if type(given) is not np.ndarray or not given.ndim:
        given = np.full(index.shape, number_for(array, given), array.dtype)
    return overwritten(scatter_all, word_of(array), array, dim, index, given)


@kernel_of("scatter_reduce_into", sized=2, least=OVERWRITTEN)
def scatter_reduce_into(array, dim, index, source, reduce, include_self=True):
    if reduce != "sum" or number_of(array) not in ADDED or 0 in index.strides:
        return None
    return overwritten(add_all, number_of(array), array, dim, index, source)


def overwritten(kernel, kind, array, dim: int, index, source):
    """True where the kernel has written to the array; None, and nothing, for a position that is not there."""
    if type(dim) is not int or not -array.ndim <= dim < array.ndim:
        return None
    sizes = along(array, dim, index)
    if sizes is None or source.dtype is not array.dtype or source.shape != index.shape:
        return None
    index, wrong, places = packed(index), np.zeros(2, np.int64), OF_NUMPY[index.dtype]
    look_at_all.machine(places)(index, wrong, index.size, array.shape[dim], GRAIN)
    if wrong[0]:
        return None
    kernel.machine(kind, places)(array, array, False, packed(source), index, wrong, *sizes, GRAIN)
    return True
