"""Reading, writing and adding at positions: gather, scatter, rows of a table and their gradients.

Lines are what lies along one dimension of an array (before, length, after). A position out of range is noticed in
`wrong` and read as 0: NumPy's version then says what is wrong. Where positions may repeat, one thread has all that
goes to an element, in order: the result never depends on threads.
"""

from __future__ import annotations

import numpy as np

from rushlight.arrays.indexing import is_rare
from rushlight.core.policy import GRAIN, LARGE, PICKED
from rushlight.kernels.arguments import divided, is_large, packed, word_of
from rushlight.lower.language import clear, copy, offset
from rushlight.lower.native import OF_NUMPY, Element, int64, native, pointer, uint64
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
I = Element("I")  # noqa: E741


# ---- reading


@native(inlined=True)
def within(position: int64, length: int64, wrong: pointer(int64)) -> int64:
    """The position, counted from the end if it is negative and `wrong[1]` allows that; 0 if it is not there."""
    if uint64(position) < uint64(length):
        return position
    if wrong[1] != 0 and -length <= position < 0:
        return position + length
    wrong[0] = 1
    return 0


@native
def gather_lines(out: pointer(T), array: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
                 many: int64, begin: int64, end: int64):  # fmt: skip
    i, line = begin, begin // many
    while i < end:
        stop = min(end, (line + 1) * many)
        source = offset(array, line * length)
        for k in range(i, stop):
            out[k] = source[within(int64(index[k]), length, wrong)]
        i = stop
        line += 1


@native
def gather_planes(out: pointer(T), array: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
                  many: int64, after: int64, begin: int64, end: int64):  # fmt: skip
    i, line = begin, begin // after
    while i < end:
        stop = min(end, (line + 1) * after)
        source = offset(array, line // many * length * after)
        to, where = offset(out, line * after), offset(index, line * after)
        for k in range(i - line * after, stop - line * after):
            to[k] = source[within(int64(where[k]), length, wrong) * after + k]
        i = stop
        line += 1


@native(light=True)
def gather_all(out: pointer(T), array: pointer(T), index: pointer(I), wrong: pointer(int64), before: int64,
               length: int64, many: int64, after: int64, grain: int64):  # fmt: skip
    if after == 1:
        parallel_for(gather_lines, before * many, grain, out, array, index, wrong, length, many)
    else:
        parallel_for(gather_planes, before * many * after, grain, out, array, index, wrong, length, many, after)


def along(array, dim, index):
    """(before, length, length of the index, after) if an index has an array's shape but along `dim`, else None."""
    dim %= max(array.ndim, 1)
    if not array.ndim or index.ndim != array.ndim or not array.size:
        return None
    if index.shape[:dim] != array.shape[:dim] or index.shape[dim + 1 :] != array.shape[dim + 1 :]:
        return None
    before, length, after = divided(array.shape, dim)
    return before, length, index.shape[dim], after


@kernel_of("gather", sized=2, least=PICKED)
def gather(input, dim, index):
    if not is_large(input, index) or word_of(input) is None or is_rare(input, index.size):
        return None
    sizes = along(input, dim, index)
    if sizes is None:
        return None
    out, wrong = np.empty(index.shape, input.dtype), np.zeros(2, np.int64)
    kernel = gather_all.machine(word_of(input), OF_NUMPY[index.dtype])
    kernel(out, packed(input), packed(index), wrong, *sizes, GRAIN)
    return None if wrong[0] else out


@native
def take_single(out: pointer(T), array: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
                many: int64, begin: int64, end: int64):  # fmt: skip
    i, line = begin, begin // many
    while i < end:
        stop = min(end, (line + 1) * many)
        source, to = offset(array, line * length), offset(out, line * many)
        for k in range(i - line * many, stop - line * many):
            to[k] = source[within(int64(index[k]), length, wrong)]
        i = stop
        line += 1


@native
def take_rows(out: pointer(T), array: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
              many: int64, after: int64, begin: int64, end: int64):  # fmt: skip
    for i in range(begin, end):
        line = i // many
        position = within(int64(index[i - line * many]), length, wrong)
        copy(offset(out, i * after), offset(array, (line * length + position) * after), after)


@native(light=True)
def take_all(out: pointer(T), array: pointer(T), index: pointer(I), wrong: pointer(int64), before: int64,
             length: int64, many: int64, after: int64, grain: int64):  # fmt: skip
    if after == 1:
        parallel_for(take_single, before * many, grain, out, array, index, wrong, length, many)
    else:
        parallel_for(take_rows, before * many, max(1, grain // after), out, array, index, wrong, length, many, after)


def taken(array, index, dim: int, negative: bool):
    """The slices that positions name along a dimension, as `numpy.take` gives them; None if one is not there."""
    if array.size < LARGE and index.size < LARGE:
        return None
    if not array.ndim or not array.size or index.dtype.char not in "ilq" or word_of(array) is None:
        return None
    dim %= array.ndim
    before, length, after = divided(array.shape, dim)
    out = np.empty((*array.shape[:dim], *index.shape, *array.shape[dim + 1 :]), array.dtype)
    if out.size < LARGE or is_rare(array, out.size):
        return None
    wrong = np.array([0, negative], np.int64)
    kernel = take_all.machine(word_of(array), OF_NUMPY[index.dtype])
    kernel(out, packed(array), packed(index), wrong, before, length, index.size, after, GRAIN)
    return None if wrong[0] else out


@kernel_of("index_select", sized=None)
def index_select(array, dim, index):
    if type(array) is not np.ndarray or index.ndim != 1:
        return None
    return taken(array, index, dim, False) if -array.ndim <= dim < array.ndim else None


@kernel_of("take_indices", sized=None)
def take_indices(array, indices):
    if len(indices) == 1:  # as `x[index]` most often is
        return taken(array, indices[0], 0, True) if type(array) is np.ndarray else None
    places = [at for at, each in enumerate(indices) if each is not None]
    if len(places) != 1 or type(array) is not np.ndarray:
        return None
    return taken(array, indices[places[0]], places[0], True)


@kernel_of("rows_of", sized=None)
def rows_of(table, indices):
    return taken(table, indices, 0, False) if type(table) is np.ndarray else None


# ---- writing


@native
def copied(out: pointer(T), array: pointer(T), begin: int64, end: int64):
    copy(offset(out, begin), offset(array, begin), end - begin)


@native(inlined=True)
def written(value: T, there: T) -> T:
    return value


@native(inlined=True)
def added(value: T, there: T) -> T:
    return there + value


def placing(combine):
    """The kernel that combines each number with what is where its position says, in `out` or a copy of the array."""

    @native
    def place_lines(out: pointer(T), source: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
                    many: int64, begin: int64, end: int64):  # fmt: skip
        for line in range(begin, end):
            to = offset(out, line * length)
            for k in range(line * many, line * many + many):
                at = within(int64(index[k]), length, wrong)
                to[at] = combine(source[k], to[at])

    @native
    def place_columns(out: pointer(T), source: pointer(T), index: pointer(I), wrong: pointer(int64), length: int64,
                      many: int64, after: int64, begin: int64, end: int64):  # fmt: skip
        i = begin
        while i < end:  # a run of columns of one block (length, after)
            block = i // after
            stop = min(end, (block + 1) * after)
            to = offset(out, (block * length - block) * after)
            for row in range(many):
                start = (block * many + row) * after - block * after
                given, where = offset(source, start), offset(index, start)
                for k in range(i, stop):
                    at = within(int64(where[k]), length, wrong) * after + k
                    to[at] = combine(given[k], to[at])
            i = stop

    @native(light=True)
    def place_at_all(out: pointer(T), array: pointer(T), copies: int64, source: pointer(T), index: pointer(I),
                     wrong: pointer(int64), before: int64, length: int64, many: int64, after: int64,
                     grain: int64):  # fmt: skip
        if copies != 0:
            parallel_for(copied, before * length * after, grain, out, array)
        if after == 1:
            parallel_for(place_lines, before, max(1, grain // max(many, 1)), out, source, index, wrong, length, many)
        else:
            columns = max(16, grain // max(many, 1))
            parallel_for(place_columns, before * after, columns, out, source, index, wrong, length, many, after)

    return place_at_all


scatter_all, add_all = placing(written), placing(added)


@native
def placed_rows(out: pointer(T), index: pointer(int64), values: pointer(T), step: int64, length: int64, many: int64,
                begin: int64, end: int64):  # fmt: skip
    clear(offset(out, begin * length), (end - begin) * length)
    for k in range(begin * many, end * many):
        out[index[k]] = values[k * step]


@native(light=True)
def place_all(out: pointer(T), index: pointer(int64), values: pointer(T), step: int64, rows: int64, length: int64,
              many: int64, grain: int64):  # fmt: skip
    parallel_for(placed_rows, rows, max(1, grain // length), out, index, values, step, length, many)


@kernel_of("placed", sized=None)
def placed(size, at, values, dtype):
    if size < LARGE or dtype.char not in "fd" or values.dtype != dtype:
        return None
    out, rows = np.empty(size, dtype), len(at)
    kernel = place_all.machine(OF_NUMPY[dtype])
    kernel(out, packed(at), packed(np.asarray(values)), values.ndim > 0, rows, size // rows, at.size // rows, GRAIN)
    return out
