"""Looking rows up in a table: one by one, or the sums, means and maxima of bags of rows."""

from __future__ import annotations

import math
import warnings

import numpy as np

from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.core.traced import TRACED
from rushlight.declarations.batches import apart, folded, front, fronts, unfolded
from rushlight.declarations.checks import embedding as checks
from rushlight.declarations.declare import composite, face, linear, multilinear, op
from rushlight.declarations.dtype_rules import INT64, raw_dtype

# ---- rows


@linear(exact=True)
class embedding:
    """The rows of `weight` that `indices` name. The row `padding_idx` gets no gradient; `sparse` is without effect."""

    def forward(xp, weight: Tensor, indices: Constant, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
        checks.check_embedding(weight, indices)
        return xp.rows_of(weight, indices)

    def d_weight(F, g, weight_shape, indices, padding_idx, scale_grad_by_freq):
        return F.embedding_gradient(g, indices, weight_shape[0], padding_idx, scale_grad_by_freq)

    def batch(F, b, weight, indices, padding_idx, scale_grad_by_freq, sparse):
        if "weight" not in b.batched:
            if scale_grad_by_freq:
                return NotImplemented
            return F.embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)
        if scale_grad_by_freq and padding_idx >= 0:
            return NotImplemented
        indices = front(F, b, "indices", indices)
        if scale_grad_by_freq:
            positions = apart(F, b, indices, weight.shape[1])
            return F.embedding(folded(F, weight), positions, -1, True)
        shape = (b.size, math.prod(indices.shape[1:]), weight.shape[2])
        positions = F.reshape(indices, (*shape[:2], 1))
        elements = F.gather(weight, 1, F.expand(positions, shape))
        if padding_idx >= 0:
            elements = F.where(F.eq(positions, padding_idx), elements.detach(), elements)
        return F.reshape(elements, (*indices.shape, shape[2]))

    samples = lambda r: [(r(5, 3), r.integers(5, 2, 2)), (r(5, 3), r.integers(5, 4), 1), (r(5, 2), r.integers(5))]


face(embedding, method=None, out=False)


@linear(internal=True)
class embedding_gradient:
    """The transpose of `embedding`: rows are added where they were looked up."""

    def forward(xp, input: Tensor, indices: Constant, rows, padding_idx, scale_grad_by_freq):
        return xp.embedding_gradient(input, indices, rows, padding_idx, scale_grad_by_freq)

    def d_input(F, g, indices, padding_idx, scale_grad_by_freq):
        return F.embedding_again(g, indices, padding_idx, scale_grad_by_freq)

    def batch(F, b, input, indices, rows, padding_idx, scale_grad_by_freq):
        input, indices = fronts(F, b, input=input, indices=indices)
        if padding_idx >= 0:
            input = F.fill_mask_with_number(input, F.unsqueeze(F.eq(indices, padding_idx), -1), 0)
        result = F.embedding_gradient(input, apart(F, b, indices, rows), b.size * rows, -1, scale_grad_by_freq)
        return unfolded(F, result, b.size)

    samples = lambda r: [(r(4, 3), r.integers(5, 4), 5, -1, False), (r(4, 3), r.integers(5, 4), 5, 1, True)]


face(embedding_gradient, node="EmbeddingDenseBackward0")


@linear(internal=True)
class embedding_again:
    """The transpose of `embedding_gradient`: rows looked up, `padding_idx` as zeros, over how often they occur."""

    def forward(xp, input: Tensor, indices: Constant, padding_idx, scale_grad_by_freq):
        return xp.embedding_again(input, indices, padding_idx, scale_grad_by_freq)

    def d_input(F, g, input_shape, indices, padding_idx, scale_grad_by_freq):
        return F.embedding_gradient(g, indices, input_shape[0], padding_idx, scale_grad_by_freq)

    def batch(F, b, input, indices, padding_idx, scale_grad_by_freq):
        input, indices = fronts(F, b, input=input, indices=indices)
        result = F.embedding_again(folded(F, input), apart(F, b, indices, input.shape[1]), -1, scale_grad_by_freq)
        if padding_idx >= 0:
            result = F.fill_mask_with_number(result, F.unsqueeze(F.eq(indices, padding_idx), -1), 0)
        return result

    samples = lambda r: [(r(5, 3), r.integers(5, 4), -1, False), (r(5, 3), r.integers(5, 4), 1, True)]


@composite(
    samples=lambda r: [
        (r(5, 3).detach(), r.integers(5, 4), 1.0, 2.0),
        (r(5, 3).detach(), r.integers(5, 2, 2), 0.5, 1.0),
    ]
)
def embedding_renorm_(F, input, indices, max_norm, norm_type):
    """Scales the rows of a table that are looked up, in place, to a norm of at most `max_norm`."""
    if type(indices._array) in TRACED or type(input._array) in TRACED:
        return input.copy_(renormed(F, input, indices, max_norm, norm_type))
    rows = F.cast(F.unique(indices), INT64)
    checks.check_selected_rows(input, rows)
    result = F.index_select(input, 0, rows)
    norms = F.linalg_vector_norm(result, norm_type, 1, True)
    return F.index_copy_(input, 0, rows, F.where(norms > max_norm, result * (max_norm / (norms + 1e-7)), result))


face(embedding_renorm_, method=None, out=False)


def renormed(F, input, indices, max_norm, norm_type):
    """The same table inside a transform, where the rows that are looked up are marked, for their number is unknown."""
    marks = F.index_fill(F.new_zeros_of(input.detach(), (input.shape[0],)), 0, F.reshape(indices, (-1,)), 1)
    norms = F.linalg_vector_norm(input, norm_type, 1, True)
    scaled = F.logical_and(norms > max_norm, F.unsqueeze(marks, 1) == 1)
    return F.where(scaled, input * (max_norm / (norms + 1e-7)), input)


# ---- bags of rows


@multilinear(internal=True)
class bag_sums:
    """The sums of the rows `indices` of a table, times their factors, over each of `count` bags."""

    def forward(
        xp, weight: Tensor, factors: Tensor, indices: Constant, bags: Constant, count, padding_idx, scale_grad_by_freq
    ):
        checks.check_rows_beside_padding(weight, indices, padding_idx)
        return xp.bag_sums(weight, factors, indices, bags, count)

    def d_weight(F, g, weight_shape, factors, indices, bags, padding_idx, scale_grad_by_freq):
        rows = F.embedding(g, bags) * F.unsqueeze(factors, 1)
        return F.embedding_gradient(rows, indices, weight_shape[0], padding_idx, scale_grad_by_freq)

    def d_factors(F, g, weight, indices, bags):
        return F.sum(F.embedding(g, bags) * F.embedding(weight, indices), 1)

    def batch(F, b, weight, factors, indices, bags, count, padding_idx, scale_grad_by_freq):
        if padding_idx >= 0 or scale_grad_by_freq:
            return NotImplemented
        weight, factors, indices, bags = fronts(F, b, weight=weight, factors=factors, indices=indices, bags=bags)
        positions, owners = apart(F, b, indices, weight.shape[1]), apart(F, b, bags, count)
        total = F.bag_sums(
            folded(F, weight), folded(F, factors), folded(F, positions), folded(F, owners), b.size * count, -1, False
        )
        return unfolded(F, total, b.size)

    samples = lambda r: [(r(5, 3), r(4), r.integers(5, 4), r.integers(2, 4), 2, -1, False)]


face(bag_sums, node="EmbeddingBagBackward0")


@composite(samples=lambda r: [
    (r(5, 3), r.integers(5, 4), r.integers(2, 2) * 0, False, mode) for mode in (0, 1, 2)
])  # fmt: skip
def embedding_bag(
    F, weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
    include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """(sums, means or maxima of the rows of each bag; the bag of each row; the sizes of the bags; where maxima stood).

    A bag begins at each of `offsets`; `mode` is 0 for sums, 1 for means, 2 for maxima. Rows `padding_idx` do not count.
    """
    bags, count, padding = located(F, weight, indices, offsets, include_last_offset, padding_idx)
    if not count:
        bags, indices, per_sample_weights = no_rows(F, bags, indices, per_sample_weights)
    if mode:
        counted = indices != padding
        sizes = F.index_add(F.new_zeros_of(bags, (count,)), 0, bags, F.cast(counted, raw_dtype(bags)))
    if mode == 2:
        result, positions = bag_maxima(F, weight, indices, bags, counted, count)
        return result, bags, sizes, F.clamp(positions, 0)
    sums = bag_totals(F, weight, indices, bags, count, padding, mode, scale_grad_by_freq, per_sample_weights)
    if mode == 1:
        return sums, bags, sizes, F.clone(sizes)
    zeros = F.new_zeros_of(bags, tuple(offsets.shape))
    return sums, bags if padding_idx is not None else F.new_zeros_of(bags, (0,)), zeros, F.clone(zeros)


face(embedding_bag, method=None, out=False)


def located(F, weight, indices, offsets, include_last_offset, padding_idx) -> tuple:
    """The bag of each row, how many bags there are, and the row that does not count, -1 for none."""
    checks.check_bags(weight, indices, offsets, include_last_offset)
    count = offsets.shape[0] - bool(include_last_offset)
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        given = f"{-rows} through {rows - 1}, but got {padding_idx}"
        raise RuntimeError(f"padding_idx must be within the number of embeddings, {given}")
    padding = -1 if padding_idx is None else padding_idx % rows
    return F.bag_of_each(offsets, indices.shape[0], count), count, padding


def no_rows(F, *tensors) -> list:
    """The tensors without their rows, which are in no bag."""
    return [None if each is None else F.narrow(each, 0, 0, 0) for each in tensors]


def bag_totals(F, weight, indices, bags, count, padding, mode, scale_grad_by_freq, per_sample_weights):
    """The sums of each bag's rows, or with `mode` 1 their means."""
    factors = F.bag_factors(indices, bags, padding, count, mode == 1, raw_dtype(weight))
    if per_sample_weights is not None:
        if raw_dtype(per_sample_weights) != raw_dtype(weight):
            dtypes = [SCALAR_NAMES[BY_NUMPY[raw_dtype(each)]] for each in (weight, per_sample_weights)]
            raise RuntimeError(
                "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
                f"'per_sample_weights'; but type torch.{dtypes[0]}Tensor does not equal torch.{dtypes[1]}Tensor (while "
                "checking arguments for embedding_bag)"
            )
        factors = factors * per_sample_weights
    return F.bag_sums(weight, factors, indices, bags, count, padding, scale_grad_by_freq)


def bag_maxima(F, weight, indices, bags, counted, count):
    """The maxima of each bag's rows, 0 for an empty bag, and which rows hold them."""
    positions = F.bag_winners(weight, indices, bags, counted, count)
    result = F.gather(weight, 0, F.clamp(positions, 0))
    return F.where(positions >= 0, result, F.zeros_of(result)), positions


@op(internal=True, exact=True)
class bag_of_each:
    """The number of the bag that each of `length` rows is in."""

    def forward(xp, offsets: Tensor, length, count):
        return xp.bag_of_each(offsets, length, count)

    def batch(F, b, offsets, length, count):
        positions = F.expand(F.arange_of(offsets, length, 1), (b.size, length))
        begins = F.narrow(offsets, 1, 0, count)
        return F.search(begins, positions, True, INT64) - 1

    samples = lambda r: [(r.integers(1, 3), 4, 3)]


@op(internal=True, exact=True)
class bag_factors:
    """Returns the factors of the rows of each bag before they are summed."""

    def forward(xp, indices: Tensor, bags: Constant, padding, count, mean, kind):
        return xp.bag_factors(indices, bags, padding, count, mean, kind)

    def batch(F, b, indices, bags, padding, count, mean, kind):
        indices, bags = fronts(F, b, indices=indices, bags=bags)
        bags = folded(F, apart(F, b, bags, count))
        return unfolded(F, F.bag_factors(folded(F, indices), bags, padding, b.size * count, mean, kind), b.size)

    samples = lambda r: [(r.integers(5, 4), r.integers(2, 4), -1, 2, True, np.dtype(np.float32))]


@linear(internal=True)
class bag_winners:
    """For each bag and column the row of the table with the largest element, -1 for an empty bag."""

    def forward(xp, weight: Constant, indices: Constant, bags: Constant, counted: Constant, count):
        return xp.bag_winners(weight, indices, bags, counted, count)

    def batch(F, b, weight, indices, bags, counted, count):
        weight, indices, bags, counted = fronts(F, b, weight=weight, indices=indices, bags=bags, counted=counted)
        rows = weight.shape[1]
        positions, owners = (folded(F, apart(F, b, each, length)) for each, length in ((indices, rows), (bags, count)))
        elements = unfolded(
            F, F.bag_winners(folded(F, weight), positions, owners, folded(F, counted), b.size * count), b.size
        )
        starts = F.reshape(F.arange_of(elements, b.size, rows), (b.size, 1, 1))
        return F.where(elements >= 0, elements - starts, elements)


def in_new_order(input, weight) -> tuple:
    """Returns (input, weight), exchanged with a warning if they come in the order of PyTorch's old signature."""
    if not (raw_dtype(weight).char in "lq" and raw_dtype(input).kind in "fV"):
        return input, weight
    warnings.warn(
        "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
        "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
        stacklevel=5,
    )
    return weight, input


@composite(internal=True)
def bags_of_embeddings(
    F, input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """`torch.nn.functional.embedding_bag`: sums, means or maxima of bags of rows of a table.

    A bag is a row of a 2-D `input`, or begins at each of `offsets` in a 1-D one.
    """
    input, weight = in_new_order(input, weight)
    checks.check_bag_arguments(input, weight, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights)
    if input.ndim == 2:
        rows, length = input.shape
        offsets = F.arange_of(input, rows, length)
        input, include_last_offset = F.reshape(input, (rows * length,)), False
        per_sample_weights = None if per_sample_weights is None else F.reshape(per_sample_weights, (rows * length,))
    if max_norm is not None:
        F.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    number = ("sum", "mean", "max").index(mode)
    if number < 2:
        bags, count, padding = located(F, weight, input, offsets, include_last_offset, padding_idx)
        if not count:
            bags, input, per_sample_weights = no_rows(F, bags, input, per_sample_weights)
        return bag_totals(F, weight, input, bags, count, padding, number, scale_grad_by_freq, per_sample_weights)
    return F.embedding_bag(
        weight, input, offsets, scale_grad_by_freq, number, sparse, per_sample_weights, include_last_offset, padding_idx
    )[0]


@linear(internal=True)
class arange_of:
    """`count` multiples of a step in the dtype of `input`."""

    def forward(xp, input: Tensor, count, step):
        return xp.astype(xp.arange(count) * step, input.dtype)

    def batch(F, b, input, count, step):
        steps = F.arange_of(input, count, step)
        return F.expand(steps, (b.size, count))


# ---- indicators


@composite(samples=lambda r: [(r.integers(3, 2, 2),), (r.integers(3, 2), 4)])
def one_hot(F, tensor: Tensor, num_classes=-1):
    """A 1 at the index that each integer gives, in a new last dimension of zeros.

    Raises RuntimeError for negative numbers, or numbers beyond `num_classes`.
    """
    checks.check_one_hot(tensor)
    if 0 in tensor.shape:
        checks.check_one_hot_num_classes(num_classes)
        return F.new_zeros_of(tensor, (*tensor.shape, num_classes))
    return F.ones_at(tensor, num_classes)


face(one_hot, spaces=("nn.functional",))


@op(internal=True, exact=True)
class ones_at:
    """A 1 at the index that each integer gives, among `count` zeros."""

    def forward(xp, positions: Tensor, count):
        return xp.ones_at(positions, count)

    def batch(F, b, positions, count):
        checks.check_batch_of_classes(count)
        return F.ones_at(positions, count)
