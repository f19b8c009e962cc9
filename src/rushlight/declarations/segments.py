"""Reductions of segments: neighbours along a dimension, as many in each as a tensor says."""

from __future__ import annotations

import math

from rushlight.declarations.checks import segments as checks
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype, refuse
from rushlight.declarations.shapes import wrap_dim

SAMPLES = lambda r: [
    *((r.distinct(6, 2), how, {"lengths": r.integers(1, 1) + 6}) for how in ("sum", "mean", "max", "min", "prod")),
    (r.distinct(2, 3), "max", {"lengths": r.integers(1, 2, 1) + 3, "axis": 1}),
    (r(4), "mean", {"offsets": r.integers(1, 1) + 4, "initial": 2.0}),
]


@composite(samples=SAMPLES)
def segment_reduce(
    F,
    data,
    reduce,
    *,
    lengths=None,
    indices=None,
    offsets=None,
    axis: int = 0,
    unsafe=False,
    initial: Number = None,
):
    """Segments of `data` along `axis`, given by lengths or bounds, reduced by sum, mean, max, min or prod.

    `lengths` and `offsets` may have the leading dimensions of `data`: then each row has segments of its own.
    """
    axis = wrap_dim(axis, data.ndim)
    checks.check_segmented(reduce, lengths, indices, offsets)
    checks.check_axis(data, axis, lengths if offsets is None else offsets, offsets is not None)
    if offsets is None:
        checks.check_lengths(data, axis, lengths, unsafe)
        starts = F.cumsum(lengths, -1) - lengths
    else:
        starts, lengths = offsets[..., :-1], F.diff(offsets)
        checks.check_bounds(lengths)
    segment, position = numbered(F, starts, lengths, data.shape[axis])
    elements = F.reshape(data, (math.prod(data.shape[: axis + 1]), *data.shape[axis + 1 :]))
    result = F.segments_reduced(F.index_select(elements, 0, position), segment, lengths.numel(), reduce, initial)
    return F.reshape(result, (*data.shape[:axis], lengths.shape[-1], *data.shape[axis + 1 :]))


face(segment_reduce, aliases=("_segment_reduce",), method=None)


def numbered(F, starts, lengths, length: int):
    """For each element that a segment has: the number of the segment, and the position among the rows, flattened."""
    count = lengths.numel()
    numbers = F.arange_of(starts, count, 1)
    rows = numbers // max(lengths.shape[-1], 1) * length  # where the row of each segment begins
    first, lengths = F.reshape(starts, (-1,)) + rows, F.reshape(lengths, (-1,))
    segment = F.repeat_interleave(numbers, lengths)
    before = F.cumsum(lengths, 0) - lengths  # how many elements earlier segments have
    return segment, F.arange_of(segment, segment.shape[0], 1) + F.index_select(first - before, 0, segment)


@op(internal=True)
class segments_reduced:
    """Slices of `data` with the same number in `segment`, reduced to the slice with that number."""

    def forward(xp, data: Tensor, segment: Constant, count, reduce, initial):
        refuse(data, "biuc", "_segment_reduce_cpu")
        return xp.segments_reduced(data, segment, count, reduce, initial)

    def d_data(F, g, data, segment, out, reduce, initial):
        return Segments(F, segment, g, data, out).gradient(reduce, initial)

    samples = lambda r: [
        (r(4, 2), r.integers(3, 4), 3, "sum", None), (r.distinct(4, 2), r.integers(3, 4), 3, "max", -9.0),
        (r.distinct(4, 2), r.integers(3, 4), 3, "min", 9.0),
        (r.distinct(4, 2), r.integers(3, 4), 3, "prod", 2.0), (r(4), r.integers(3, 4), 3, "mean", 1.0),
    ]  # fmt: skip


class Segments:
    """The gradient of a reduction of segments: g and `out` have a slice for each, `data` one for each element."""

    def __init__(self, F, segment, g, data, out):
        shape = (-1,) + (1,) * (data.ndim - 1)
        self.F, self.index = F, F.expand(F.reshape(segment, shape), tuple(data.shape))
        self.g, self.data, self.out = g, data, out

    def of_own(self, value):
        """What the segment of each element has."""
        return self.F.gather(value, 0, self.index)

    def counts(self, condition):
        """How many elements of each segment fulfil a condition."""
        F = self.F
        return F.scatter_add(F.zeros_of(self.out), 0, self.index, F.cast(condition, raw_dtype(self.out)))

    def gradient(self, reduce, initial):
        F = self.F
        if reduce == "sum":
            return self.of_own(self.g)
        if reduce == "mean":
            return self.of_own(self.g / F.clamp(self.counts(F.eq(self.index, self.index)), 1))
        if reduce == "prod":
            return self.of_factors(1 if initial is None else initial)
        won = F.logical_or(F.eq(self.data, self.of_own(self.out)), F.isnan(self.data))
        return F.cast(won, raw_dtype(self.g)) * self.of_own(self.g / F.clamp(self.counts(won), 1))

    def of_factors(self, initial):
        """The product of the others, also for a factor that is 0 or NaN."""
        F, data = self.F, self.data
        missing, zero = F.isnan(data), F.eq(data, 0)
        holes, zeros = self.of_own(self.counts(missing)), self.of_own(self.counts(zero))
        lone = F.logical_or(
            F.logical_and(missing, F.eq(holes, 1)),
            F.logical_and(zero, F.logical_and(F.eq(zeros, 1), F.eq(holes, 0))),
        )
        without = F.scatter_reduce(
            F.zeros_of(self.out) + initial, 0, self.index, F.choose(lone, 1, data), "prod", include_self=True
        )
        rest = self.of_own(self.g * self.out) / F.choose(F.logical_or(missing, zero), 1, data)
        return F.choose(lone, self.of_own(self.g * without), rest)
