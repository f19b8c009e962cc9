"""Reading by `x[index]`.

An index of integers, slices, `...` and None is one view. Index arrays come second: they read a copy of that view, as
`index` does, whose gradient adds up what was read twice.
"""

from __future__ import annotations

from operator import index as as_integer

import numpy as np

from rushlight.arrays.index_items import ALL, END, Selection, is_plain, one_step
from rushlight.arrays.index_items import simple as simple_index
from rushlight.arrays.indexing import FEW, indexed_without_numbers, nonzero_indices
from rushlight.arrays.meta import MetaArray
from rushlight.core.device import moved
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.tensor import PLAIN_TYPES, Tensor, wrap
from rushlight.core.traced import STACK, TRACED, RecordedArray
from rushlight.declarations.checks import getitem as checks
from rushlight.declarations.declare import OPS, Direct, composite, face, linear
from rushlight.declarations.dtype_rules import INT64
from rushlight.declarations.shapes import wrap_dim
from rushlight.declarations.traced_index import Rows, TracedIndex, has_traced, without_levels

READ = (INT64, np.dtype(np.bool_))  # the dtypes of index tensors that NumPy indexes alike

# ---- x[index] without index arrays: views


@linear(view=True)
class select:
    """The slice at position `index` along `dim`."""

    def forward(xp, input: Tensor, dim, index: int):
        return xp.select(input, dim, index)

    def d_input(F, g, input_shape, dim, index):
        return F.putitem(g, input_shape, (ALL,) * wrap_dim(dim, len(input_shape)) + (index, ...))

    samples = lambda r: [(r(4, 3), 0, 1), (r(4, 3), -1, -1), (r(3), 0, 2)]


@linear(internal=True, view=True)
class slice_view:
    """Every `step`-th slice from `start` up to `end` along `dim`."""

    def forward(xp, input: Tensor, dim, start, end, step):
        return xp.sliced(input, dim, start, end, step)

    def d_input(F, g, input_shape, dim, start, end, step):
        return F.putitem(g, input_shape, (ALL,) * dim + (slice(start, end, step), ...))

    samples = lambda r: [(r(4, 3), 0, 1, 4, 2), (r(4, 3), 1, 0, END, 1), (r(3, 2), 0, 1, 1, 1), (r(4), 0, -3, -1, 1)]


face(slice_view, node="SliceBackward0")


@linear(internal=True, view=True)
class getitem_view:
    """The part that a tuple of integers, slices and Nones selects; it ends in `...`, so that the result is an array."""

    def forward(xp, input: Tensor, index):
        return input[index]

    def d_input(F, g, input_shape, index):
        return F.putitem(g, input_shape, index)

    samples = lambda r: [
        (r(4, 3), (1, ...)), (r(4, 3), (slice(0, 4, 2), None, -1, ...)), (r(3), (...,)), (r(3, 2), (slice(1, 1), ...)),
    ]  # fmt: skip


face(getitem_view, node="AliasBackward0")


@linear(internal=True, exact=True)
class putitem:
    """Zeros of `shape` with `input` in the part that an index selects."""

    def forward(xp, input: Tensor, shape, index):
        return xp.part_of_zeros(input, shape, index)

    def d_input(F, g, index):
        return F.getitem_view(g, index)

    def batch(F, b, input, shape, index):
        return F.putitem(input, (b.size, *shape), (ALL, *index))

    samples = lambda r: [(r(3), (4, 3), (1, ...)), (r(2, 1), (4, 3), (slice(0, 4, 2), None, -1, ...))]


face(
    putitem, node="SelectBackwardBackward0 if len(index) > 1 and isinstance(index[-2], int) else SliceBackwardBackward0"
)


@composite(samples=lambda r: [(r(4, 3), 0, 1, 2), (r(4, 3), -1, 0, 3), (r(3), 0, 3, 0)])
def narrow(F, input, dim, start: Tensor | int, length):
    """The `length` slices from `start` on along `dim`."""
    checks.check_narrow_input(input, start)
    dim, start, length = wrap_dim(dim, input.ndim), as_integer(start), as_integer(length)
    size = input.shape[dim]
    checks.check_narrow_range(start, length, size)
    start += size if start < 0 else 0
    checks.check_narrow_end(start, length, size)
    return F.slice_view(input, dim, start, start + length, 1)


face(narrow, method_names={"dim": "dimension"})


def step_of(index) -> tuple:
    """The view operation that `x[index]` is, as (function, arguments), for a number or a slice."""
    if type(index) is int:
        return OPS["select"].function, (0, index)
    return OPS["slice_view"].function, (0, index.start or 0, END if index.stop is None else index.stop, index.step or 1)


Tensor._step_of = staticmethod(step_of)


@composite(
    samples=lambda r: [
        (r(4, 3), 1),
        (r(4, 3), (slice(None), 2)),
        (r(4, 3), (slice(1, 4, 2), None)),
        (r(4, 3), ...),
        (r(4, 3), r.integers(4, 2)),
        (r(4, 3), r.booleans(4, 3)),
        (r(4, 3), (r.integers(4, 2), r.integers(3, 2, 1))),
    ]
)
def getitem(F, input, index):
    """`input[index]`: views for integers, slices, `...` and None; a copy for index arrays, lists and masks."""
    kind = type(index)
    try:
        if kind is int:
            return F.select(input, 0, index)
        if kind is slice and is_plain(index):
            stop = END if index.stop is None else index.stop
            return F.slice_view(input, 0, index.start or 0, stop, index.step or 1)
        if index is None:
            return F.unsqueeze(input, 0)
        if kind is Tensor and is_position(index._array) and input._array.ndim:
            return F.select(input, 0, index._array.item())
        if kind is tuple and len(index) == 2 and (step := one_step(*index)) is not None and input._array.ndim:
            if step[0] == "getitem_view" and input.requires_grad:
                return F.select(F.select(input, 0, index[0]), 0, index[1])
            return getattr(F, step[0])(input, *step[1:])
        if kind is tuple and len(index) == 2 and type(index[1]) is int and is_one_list(index[0]):
            return F.getitem(F.select(input, 1, index[1]), index[0])
        basic = simple_index(input.ndim, index)
        if basic is not None:
            return viewed(F, input, basic)
    except IndexError:
        pass  # the code below meets the error again and explains it
    if type(input._array) in TRACED and (levels := STACK.get()) and levels[0].array_type is RecordedArray:
        index = lists_as_constants(levels[0], index)
    if has_traced(index) and has_traced(index := without_levels(index)):
        return read_traced(F, input, index)
    indices = indices_of(input, index)
    if indices is not None:
        return F.index(input, indices)
    view, indices = located(F, input, index)
    return view if indices is None else F.index(view, indices)


face(
    getitem,
    spaces=(),
    method="__getitem__",
    direct=(
        Direct("type(index) is int", "select", {"dim": "0"}, "input_array[_key := (index, ...)]", step="_key"),
        Direct(
            "type(index) is slice and ((step := index.step) is None or type(step) is int and step > 0) "
            "and type(start := index.start) in BOUND and type(end := index.stop) in BOUND",
            "slice_view",
            {"dim": "0", "start": "start or 0", "end": f"{END} if end is None else end", "step": "step or 1"},
            "input_array[index]",
            step="(index, ...)",
        ),
    ),
)


def lists_as_constants(level, index):
    """An index with tensors for its lists of integers, which are constants of a trace: arrays may be anything."""
    if type(index) is tuple:
        return tuple([lists_as_constants(level, each) if type(each) is list else each for each in index])
    is_constant = type(index) is list and has_integers_only(index)
    return level.constant(wrap(np.array(index, np.int64))) if is_constant else index


def has_integers_only(index: list) -> bool:
    """Whether a list has integers in it, or such lists of one length, and is not empty."""
    if index and all([type(each) is list for each in index]):
        return len(set(map(len, index))) == 1 and all(map(has_integers_only, index))
    return bool(index) and all([type(each) is int for each in index])


def viewed(F, input, index: tuple):
    """The view of a basic index that ends in `...`: step by step where the steps are recorded, else at once."""
    if len(index) > 2 and not input.requires_grad and None not in index:
        return F.getitem_view(input, index)
    dim, start = 0, input
    for item in index[:-1]:
        if item is None:
            input, dim = F.unsqueeze(input, dim), dim + 1
        elif type(item) is int:
            input = F.select(input, dim, item)
        else:
            if item != ALL or len(index) == 2:
                input = F.slice_view(
                    input, dim, item.start or 0, END if item.stop is None else item.stop, item.step or 1
                )
            dim += 1
    return F.getitem_view(input, index) if input is start else input


@composite(samples=lambda r: [(r(3, 2),), (r(),)])
def backwards(F, input):
    """A copy with the order along the first dimension reversed."""
    return F.flip(input, (0,)) if input.ndim else input


face(backwards, spaces=(), method="__reversed__")


@composite(samples=lambda r: [(r(2, 3), 0.5), (r.integers(2, 4), 1)])
def contains(F, input, element):
    """Whether any element equals `element`, a number or a tensor that broadcasts."""
    checks.check_element(element)
    return bool(F.any(F.eq(input, element)).item())


face(contains, spaces=(), method="__contains__")


@composite
def iterate(F, input):
    """An iterator over the slices along the first dimension."""
    checks.check_iterable(input)
    return iter(F.unbind(input, 0))


face(iterate, spaces=(), method="__iter__")


def located(F, input, index, reads: bool = True) -> tuple:
    """The view that the basic part of an index selects, and the index arrays to apply to it, None if there are none."""
    selection = Selection(input.ndim, index, copies=input.requires_grad)
    if reads:
        selection.check_known()
    view = _viewed(F, input, selection)
    selection.check_masks(tuple(view.shape))
    return view, on_the_device_of(input, selection.indices) or None


def _viewed(F, input, selection):
    """Returns the view of a basic index; `input` itself if index arrays follow and the basic part is all of it."""
    if selection.indices and not any(each != ALL for each in selection.basic):
        return input
    try:
        return viewed(F, input, (*selection.basic, ...))
    except IndexError:
        raise selection.out_of_bounds(tuple(input.shape)) from None


def on_the_device_of(input, indices) -> tuple:
    """Index arrays on the device of what they index; what its language makes is of a base of the tensors' class."""
    kind = type(beneath(input._array))
    return tuple(
        each if each is None or issubclass(kind, type(each)) else moved(each, input.device) for each in indices
    )


def read_traced(F, input, index):
    """`input[index]` for an index with tensors that differ between the samples of a vmap."""
    traced = TracedIndex(F, index)
    view, indices = located(F, input, traced.shown)
    if (arrays := traced.arrays_of(indices)) is not None:
        return F.index(view, arrays)
    return Rows(F, view, traced.tensors_of(indices)).read()


def is_position(array) -> bool:
    """Whether the array of an index tensor is one position."""
    return type(array) is np.ndarray and not array.ndim and array.dtype == INT64


def is_whole(item) -> bool:
    """Whether an item of an index is `:`."""
    return type(item) is slice and item.start is item.stop is item.step is None


def is_one_list(index) -> bool:
    """Whether an index is a tensor of positions in one dimension."""
    return type(index) in PLAIN_TYPES and index._array.ndim == 1 and index._array.dtype == INT64


def positions_in(index):
    """The array of an index tensor that means the same to NumPy."""
    array = index._array
    return array if array.ndim and type(array) is np.ndarray and array.dtype in READ else None


def indices_of(input, index) -> tuple | None:
    """The index arrays of `x[i]`, `x[mask]`, `x[i, j]` and `x[:, i]`, None for a whole dimension; None for another."""
    if type(index) is tuple:
        return indices_in(input, index)
    positions = positions_in(index) if type(index) in PLAIN_TYPES else None
    if positions is None or type(input._array) is not np.ndarray or not input.ndim:
        return None
    if positions.dtype == INT64:
        return (positions.copy() if input.requires_grad else positions,)
    if positions.shape != input._array.shape:
        return None
    return tuple(nonzero_indices(positions)) if positions.size >= FEW else positions.nonzero()


def indices_in(input, index: tuple) -> tuple | None:
    """The same of a tuple, which may begin with `...` or end in whole dimensions."""
    if not index or len(index) > input.ndim or type(input._array) is not np.ndarray:
        return None
    if index[0] is ...:
        index = (*(ALL,) * (input.ndim - len(index) + 1), *index[1:])
    while len(index) > 1 and is_whole(index[-1]):
        index = index[:-1]
    if type(index[-1]) not in PLAIN_TYPES:
        return None
    copied, results = input.requires_grad, []
    for item in index:
        if type(item) is slice:
            if item != ALL:
                return None
            results.append(None)
            continue
        positions = positions_in(item) if type(item) in PLAIN_TYPES else None
        if positions is None or positions.dtype != INT64:
            return None
        results.append(positions.copy() if copied else positions)
    return tuple(results)


# ---- index arrays


def indexed_rank(indices) -> int:
    """Returns how many dimensions index arrays have together."""
    return max([each.ndim for each in indices if each is not None], default=0)


def comes_first(indices) -> bool:
    """Whether the dimensions of index arrays come first in the result, because whole dimensions part the arrays."""
    positions = [at for at, each in enumerate(indices) if each is not None]
    return bool(positions) and positions[-1] - positions[0] >= len(positions)


@linear(internal=True, exact=True, freed_arguments=("indices",))
class index:
    """The elements at index arrays, None for a whole dimension; new dimensions are placed by NumPy's rules."""

    def forward(xp, input: Tensor, indices):
        return xp.indexed(input, indices)

    def shape(input, indices):
        return indexed_without_numbers(input, indices)

    def d_input(F, g, input_shape, indices):
        return F.placed_at(g, input_shape, indices)

    def batch(F, b, input, indices):
        result = F.index(input, (None, *indices))
        return F.movedim(result, indexed_rank(indices), 0) if comes_first(indices) else result

    samples = lambda r: [
        (r(4, 3), (np.array([0, 0, 2]),)), (r(4, 3), (None, np.array([[0], [-1]]))),
        (r(4, 3, 2), (np.array([0, 0]), None, np.array([1, 1]))), (r(4, 3), (np.array([1, 1]), np.array([[2], [0]]))),
    ]  # fmt: skip


@linear(internal=True, freed_arguments=("indices",))
class placed_at:
    """Zeros of `shape` with `input` added where index arrays say: the transpose of `index`."""

    def forward(xp, input: Tensor, shape, indices):
        return xp.placed_at(input, shape, indices)

    def shape(input, shape, indices):
        return MetaArray(shape, input.dtype)

    def d_input(F, g, indices):
        return F.index(g, indices)

    def batch(F, b, input, shape, indices):
        input = F.movedim(input, 0, indexed_rank(indices)) if comes_first(indices) else input
        return F.placed_at(input, (b.size, *shape), (None, *indices))

    samples = lambda r: [(r(3, 3), (4, 3), (np.array([0, 0, 2]),)), (r(4, 2, 1), (4, 3), (None, np.array([[0], [-1]])))]


face(placed_at, node="IndexBackwardBackward0")
