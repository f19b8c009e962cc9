"""Reading at positions that tensors name, along a dimension, in the flattened tensor or by a mask; and finding them."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.index_items import no_positions
from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.dtype import int32 as INT32
from rushlight.core.dtype import int64 as INT64
from rushlight.core.shape_queries import check_layout
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import TRACED, every_sample
from rushlight.core.warn_once import warn_once
from rushlight.declarations import results
from rushlight.declarations.batches import behind, flat, from_front, front, fronts, named_slices, rank_of, rows
from rushlight.declarations.checks import index as checks
from rushlight.declarations.declare import composite, face, linear, op
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.promote import result_type
from rushlight.declarations.shapes import broadcast, wrap_dim

# ---- along a dimension


@linear(exact=True)
class gather:
    """The elements that `index` names along `dim`: `out[i][j] = input[index[i][j]][j]` for `dim=0`."""

    def forward(xp, input: Tensor, dim, index: Constant, *, sparse_grad=False):
        if index.size == 0:
            return xp.zeros_like(input, shape=index.shape)
        xp.check_index("gather", index)
        xp.check_gather(input, dim, index)
        return xp.gather(input, dim, index)

    def d_input(F, g, input_shape, dim, index):
        return F.scatter_add(F.new_zeros_of(g, input_shape), dim, index, g)

    def batch(F, b, input, dim, index, sparse_grad):
        dim = behind(dim, rank_of(b, "input", input))
        input, index = fronts(F, b, input=input, index=index)
        return F.reshape(F.gather(rows(F, input), dim, rows(F, index)), tuple(index.shape))

    samples = lambda r: [
        (r(3, 4), 0, r.integers(3, 2, 4)), (r(3, 4), -1, r.integers(4, 2, 2)), (r(), 0, r.integers(1)),
        (r(5), 0, r.integers(5, 0)), (r(2, 3, 4), 1, r.integers(3, 2, 1, 3)),
    ]  # fmt: skip


face(gather, overlap="none", out_same_dtype=True)


@composite(
    samples=lambda r: [
        (r(3, 4), r.integers(3, 2, 4), 0),
        (r(3, 4), r.integers(4, 3, 1), -1),
        (r(3, 4), r.integers(12, 5)),
    ]
)
def take_along_dim(F, input, indices, dim: int = None):
    """The elements of `input` at `indices` along `dim`, both broadcast; of the flattened tensor without `dim`."""
    checks.check_take_along_dim_dtype(indices)
    if dim is None:
        return F.gather(F.reshape(input, (-1,)), 0, F.reshape(indices, (-1,)))
    checks.check_take_along_dim_ranks(input, indices)
    dim = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return F.gather(input, dim, indices)
    indices = F.remainder(indices, input.shape[dim]) if input.shape[dim] else indices
    input, indices = broadcast_except(F, dim, input, indices)
    return F.gather(input, dim, indices)


face(take_along_dim, out=True, overlap="none", out_same_dtype=True)


def broadcast_except(F, dim: int, *tensors) -> list:
    """Returns tensors broadcast to each other in all dimensions but `dim`."""
    shapes = [list(tensor.shape) for tensor in tensors]
    others = [shape[:dim] + shape[dim + 1 :] for shape in shapes]
    if others.count(others[0]) == len(others):
        return list(tensors)
    rest = broadcast([[*shape[:dim], 1, *shape[dim + 1 :]] for shape in shapes])
    wanted = [[*rest[:dim], shape[dim], *rest[dim + 1 :]] for shape in shapes]
    return [
        tensor if shape == full else F.expand(tensor, tuple(full))
        for tensor, shape, full in zip(tensors, shapes, wanted, strict=True)
    ]


@linear(exact=True)
class index_select:
    """The slices along `dim` at the positions that a vector names."""

    def forward(xp, input: Tensor, dim, index: Constant):
        xp.check_index("index_select", index, "int32 or int64 for index")
        return xp.index_select(input, dim, index)

    def d_input(F, g, input_shape, dim, index):
        return F.index_add(F.new_zeros_of(g, input_shape), dim, index, g)

    def batch(F, b, input, dim, index):
        rank = rank_of(b, "input", input)
        at = wrap_dim(dim, rank)
        if "index" not in b.batched:
            result = F.index_select(rows(F, input), at + 1, index)
            return result if rank else F.reshape(result, (b.size,))
        index = rows(F, index)
        if not rank:
            return F.reshape(F.gather(rows(F, front(F, b, "input", input)), 1, index), (b.size,))
        if "input" not in b.batched:
            elements = F.index_select(input, at, F.reshape(index, (-1,)))
            return F.movedim(F.reshape(elements, (*input.shape[:at], *index.shape, *input.shape[at + 1 :])), at, 0)
        shape = (*input.shape[: at + 1], index.shape[1], *input.shape[at + 2 :])
        return F.gather(input, at + 1, named_slices(F, index, at + 1, shape))

    samples = lambda r: [
        (r(3, 4), 0, r.integers(3, 5)), (r(3, 4), -1, r.integers(4)), (r(), 0, r.integers(1, 1)),
        (r(3), 0, r.integers(3, 0)),
    ]  # fmt: skip


face(index_select, overlap="none", out_same_dtype="index_select(): self and result must have the same scalar type")


OTHER_TAKE = "take(): self and out expected to have the same dtype, but got self.dtype = {result} and out.dtype = {out}"


@linear(exact=True)
class take:
    """The elements at positions in the flattened `input`, in the shape of `index`."""

    def forward(xp, input: Tensor, index: Constant):
        checks.check_take(xp, input, index)
        return xp.take(input, index)

    def d_input(F, g, input_shape, index):
        return F.put(F.new_zeros_of(g, input_shape), index, g, True)

    def batch(F, b, input, index):
        if "input" not in b.batched:
            return F.take(input, index)
        index = front(F, b, "index", index)
        positions = from_front(F, flat(F, index), math.prod(input.shape[1:]))
        return F.reshape(F.gather(flat(F, input), 1, positions), tuple(index.shape))

    samples = lambda r: [
        (r(3, 4), r.integers(12, 2, 3)),
        (r(3), r.integers(3, 5) - 3),
        (r(), r.integers(1)),
        (r(3), r.integers(3, 0)),
    ]


face(take, method_names={"index": "indices"}, overlap="none", out_same_dtype=OTHER_TAKE)


# ---- masks


@linear(exact=True)
class masked_select:
    """The elements at which `mask` holds, in one dimension."""

    shape = results.data_dependent("masked_select")

    def forward(xp, input: Tensor, mask: Constant):
        checks.check_mask_dtype(mask)
        if input.shape != mask.shape:
            broadcast((input.shape, mask.shape))
        return xp.masked_select(input, mask)

    def d_input(F, g, input_shape, mask):
        shape = broadcast((input_shape, mask.shape))
        return F.fit(F.masked_scatter(F.new_zeros_of(g, shape), mask, g), input_shape, raw_dtype(g))

    samples = lambda r: [
        (r(3, 4), r.booleans(3, 4)), (r(3, 4), r.booleans(4)), (r(3, 1), r.booleans(2, 1, 4)), (r(), r.booleans()),
    ]  # fmt: skip


face(masked_select, overlap="none", out_same_dtype="masked_select(): self and result must have the same scalar type")


@op(exact=True)
class nonzero_rows:
    """The positions of the elements that are not zero, one row each."""

    def shape(input):
        raise no_positions()

    def forward(xp, input: Tensor):
        return xp.nonzero(input)

    samples = lambda r: [(r.booleans(3, 4),), (r.integers(2, 5),), (r.booleans(),), (r.booleans(0, 2),)]


face(nonzero_rows, spaces=(), method=None)


@composite(
    samples=lambda r: [(r(2, 3),), (r.booleans(3, 2),), (r.booleans(3, 2), {"as_tuple": True}), (r(0, 2),), (r(),)]
)
def nonzero(F, input, *, as_tuple=False):
    """The positions of the elements that are not zero: one row each, or with `as_tuple` one vector per dimension."""
    if not as_tuple:
        return F.nonzero_rows(input)
    return F.unbind(F.nonzero_rows(input if input.ndim else F.unsqueeze(input, 0)), 1)


face(
    nonzero,
    out=True,
    out_same_dtype="nonzero: Expected out tensor to have scalar type Long but got scalar type{out}",
    refuses_several="nonzero does not support the out kwarg when as_tuple is True",
)


@composite(samples=lambda r: [(r(2, 3),), (r.booleans(3, 2),), (r(),), (r(0, 2),)])
def argwhere(F, input):
    """The positions of the elements that are not zero, one row each."""
    if type(input._array) in TRACED:
        counts = set(every_sample(F.count_nonzero(input)).reshape(-1).tolist())
        if len(counts) == 1:
            return F.nonzero_static(input, size=counts.pop())
    return F.nonzero_rows(input)


@composite(
    samples=lambda r: [
        (r.booleans(3, 2), {"size": 4}),
        (r.booleans(5), {"size": 2, "fill_value": 7}),
        (r(), {"size": 1}),
    ]
)
def nonzero_static(F, input, *, size: int, fill_value: int = -1):
    """The first `size` positions of elements that are not zero; rows of `fill_value` where there are fewer."""
    checks.check_nonzero_static_size(size)
    if type(input._array) in TRACED:
        return first_positions(F, input, size, fill_value)
    positions = F.nonzero_rows(input)
    missing = size - positions.shape[0]
    return F.constant_pad_nd(positions, (0, 0, 0, missing), fill_value)


face(
    nonzero_static,
    out=True,
    out_same_dtype="nonzero_static: Expected out tensor to have scalar type Long but got scalar type{out}",
)


def first_positions(F, input, size: int, fill_value: int):
    """`nonzero_static` by operators that compute with batches."""
    if not input.numel():
        return F.new_zeros_of(input, (size, input.ndim)).to(INT64) + fill_value
    elements = F.reshape(F.ne(input, 0), (-1,))
    order = F.argsort(elements, 0, True, stable=True)[:size]
    order = F.constant_pad_nd(order, (0, size - order.shape[0]))
    columns = F.unravel_index(order, tuple(input.shape)) if input.ndim else ()
    rows = F.stack(columns, 1) if columns else F.new_zeros_of(order, (size, 0))
    count = F.unsqueeze(F.lt(wrap(np.arange(size)), F.sum(elements)), 1)
    return F.where(count, rows, fill_value)


# ---- sorted boundaries


@op
class search:
    """Where each value would go among sorted ones, by rows along the last dimension."""

    def forward(xp, sorted_sequence: Constant, values: Constant, right=False, kind=None):
        checks.check_search_dtypes(sorted_sequence, values)
        return xp.search(sorted_sequence, values, right, kind or np.int64)

    def batch(F, b, sorted_sequence, values, right, kind):
        if sorted_sequence.ndim == 1:
            return F.search(sorted_sequence, values, right, kind)
        sorted_sequence, values = fronts(F, b, sorted_sequence=sorted_sequence, values=values)
        if sorted_sequence.ndim > 2:
            return F.search(sorted_sequence, values, right, kind)
        return F.reshape(F.search(sorted_sequence, flat(F, values), right, kind), tuple(values.shape))

    samples = lambda r: [
        (r(5).sort()[0], r(2, 3)),
        (r(2, 4).sort()[0], r(2, 3), True),
        (r(5).sort()[0], r()),
        (r(0), r(3)),
    ]


face(search, spaces=(), method=None)


def other_positions(result, out) -> str:
    """PyTorch's complaint about an `out=` that positions do not fit."""
    return (
        "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
        f"whether out_int32 flag is True, but we got output tensor's dtype {SCALAR_NAMES[out]} and out_int32 flag is "
        f"{result is INT32}"
    )


@composite(
    samples=lambda r: [
        (r(4).sort()[0].detach(), r(2, 3)),
        (r(4).sort()[0].detach(), r(3), {"right": True}),
        (r(4).sort()[0], 0.5),
        (r(4).sort()[0].detach(), r(3), {"side": "right"}),
    ]
)
def searchsorted(F, sorted_sequence, input: Tensor | Number, *, out_int32=False, right=False, side=None, sorter=None):
    """Where the values of `input` keep `sorted_sequence` sorted: before equal ones, or after them with `right`."""
    checks.check_search_side(right, side)
    values = input if isinstance(input, Tensor) else wrap(np.asarray(input, None if type(input) is float else np.int64))
    checks.check_search(sorted_sequence, values)
    _warn_of_copies(("boundary tensor", sorted_sequence), ("input value tensor", values), ("sorter tensor", sorter))
    if sorter is not None:
        checks.check_sorter(sorted_sequence, sorter)
        sorted_sequence = F.gather(sorted_sequence, -1, sorter)
    if sorted_sequence.dtype is not values.dtype:
        common = result_type([(each.dtype, each.dim()) for each in (sorted_sequence, values)]).numpy
        sorted_sequence, values = F.cast(sorted_sequence, common), F.cast(values, common)
    return F.search(sorted_sequence, values, right or side == "right", np.dtype(np.int32 if out_int32 else np.int64))


face(searchsorted, method=None, documented_names={"input": "values"}, out=True, out_same_dtype=other_positions)


def _warn_of_copies(*given: tuple) -> None:
    """Warns, as PyTorch does, of what is copied because it is not contiguous."""
    for name, each in given:
        if each is not None and not each.is_contiguous():
            warn_once(
                f"torch.searchsorted(): {name} is non-contiguous, this will lower the performance due to extra data "
                f"copy when converting non-contiguous tensor to contiguous, please use contiguous {name} if possible. "
                "This message will only appear once per program."
            )


@composite(
    samples=lambda r: [
        (r(2, 3), r(4).sort()[0].detach()),
        (r(3), r(4).sort()[0].detach(), {"right": True}),
        (0.5, r(3).sort()[0]),
    ]
)
def bucketize(F, input: Tensor | Number, boundaries, *, out_int32=False, right=False):
    """The bucket between `boundaries` that each value falls into."""
    checks.check_boundaries(boundaries)
    return F.searchsorted(boundaries, input, out_int32=out_int32, right=right)


face(bucketize, method=None, out=True, out_same_dtype=other_positions)


# ---- positions as such


@composite(samples=lambda r: [(3, 4), (3, 2, -1), (0, 2)])
def tril_indices(F, row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    """The positions of the lower triangle of a matrix: a row of row numbers over a row of column numbers."""
    check_layout("tril_indices", layout)
    return _triangle(False, "tril_indices", row, col, offset, dtype, device)


face(tril_indices, method=None)


@composite(samples=lambda r: [(3, 4), (3, 2, -1), (0, 2)])
def triu_indices(F, row, col, offset=0, *, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False):
    """The positions of the upper triangle of a matrix: a row of row numbers over a row of column numbers."""
    check_layout("triu_indices", layout)
    return _triangle(True, "triu_indices", row, col, offset, dtype, device)


face(triu_indices, method=None)


def size_of_triangle(row: int, col: int, offset: int, is_upper: bool) -> int:
    """How many positions the lower or the upper triangle of a matrix has.

    >>> size_of_triangle(3, 4, 0, False), size_of_triangle(3, 4, 0, True), size_of_triangle(3, 2, -1, False)
    (6, 9, 3)
    """
    if is_upper:
        return row * col - size_of_triangle(row, col, offset - 1, False)
    # Row r has r + 1 + offset elements, at most all columns: sums of 1, 2, ... up to the last row
    return sum_up_to(row + offset) - sum_up_to(offset) - sum_up_to(row + offset - col) + sum_up_to(offset - col)


def sum_up_to(number: int) -> int:
    return number * (number + 1) // 2 if number > 0 else 0


def _triangle(is_upper: bool, name: str, row: int, col: int, offset: int, dtype, device):
    if row < 0 or col < 0:
        which, value = ("row", row) if row < 0 else ("col", col)
        raise RuntimeError(f"{which} must be non-negative, got{value}")
    kind = dtype or INT64
    if kind not in (INT64, INT32):
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_NAMES[kind]}'")
    check_size_fits((2, size_of_triangle(row, col, offset, is_upper)), kind.numpy.itemsize)
    rows = np.arange(row)
    beside = rows + (max(-row, min(offset, col)) + (not is_upper))
    corner = np.minimum(np.maximum(beside, 0), col)  # where each row crosses the diagonal; `clip` takes thrice as long
    counts, first = (col - corner, corner) if is_upper else (corner, 0)
    below = rows.repeat(counts)
    positions = np.empty((2, below.size), kind.numpy)
    positions[0] = below
    positions[1] = np.arange(positions.shape[1])
    positions[1] -= (counts.cumsum() - counts - first).astype(kind.numpy, copy=False).repeat(counts)
    result = wrap(positions)
    return result if device is None else result.to(device)


@composite(samples=lambda r: [(r.integers(12, 3), (3, 4)), (r.integers(12), (3, 4))])
def unravel_index(F, indices, shape: object):
    """The coordinates, one tensor per dimension of `shape`, of positions in a flattened tensor."""
    checks.check_unravel_index_dtype(indices)
    shape = checks.unravel_index_shape(shape)
    results, step = [], 1
    indices = F.cast(indices, np.dtype(np.int64))
    for length in reversed(shape):
        results.append(F.remainder(F.floor_divide(indices, step), length))
        step *= length
    return tuple(reversed(results))


face(unravel_index, method=None)
