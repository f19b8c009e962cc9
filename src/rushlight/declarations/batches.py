"""What the `batch` clauses of declarations share: the batch in front of operands, among channels, or folded.

B is the batch: `b.size` is its size, `b.batched` has the names of the operands that have it, as dimension 0. A clause
may return NotImplemented for a call that it does not take: the samples are then computed one after the other.
"""

from __future__ import annotations

import math

from rushlight.declarations.reduction import reduction_name
from rushlight.declarations.shapes import wrap_dim


def front(F, b, name: str, value):
    """Returns an operand with the batch in front, expanded if it has none."""
    return value if name in b.batched else F.expand(value, (b.size, *value.shape))


def fronts(F, b, **operands) -> list:
    """The same of several operands."""
    return [front(F, b, name, value) for name, value in operands.items()]


def rank_of(b, name: str, value) -> int:
    """Returns the number of dimensions that the sample of an operand has."""
    return value.ndim - (name in b.batched)


def shape_of(b, name: str, value) -> tuple:
    """Returns the shape of the sample of an operand."""
    return tuple(value.shape)[name in b.batched :]


def behind(dim: int, rank: int) -> int:
    """Returns where a dimension of a sample is behind the batch."""
    return wrap_dim(dim, rank) + 1


def rows(F, value):
    """Returns a batch of numbers as a batch of vectors of one element, any other batch as it is."""
    return F.unsqueeze(value, 1) if value.ndim == 1 else value


def folded(F, value):
    """(B, N, ...) as (B * N, ...)."""
    size, length, *rest = value.shape
    return F.reshape(value, (size * length, *rest))


def unfolded(F, value, size: int):
    """(B * N, ...) as (B, N, ...)."""
    length, *rest = value.shape
    return F.reshape(value, (size, length // size if size else 0, *rest))


def flat(F, value):
    """(B, ...) as (B, N)."""
    return F.reshape(value, (value.shape[0], math.prod(value.shape[1:])))


def aligned(F, b, rank: int, name: str, value):
    """Returns an operand with its batch in front of `rank` dimensions, so that it broadcasts with others like it."""
    return padded(F, value, rank) if name in b.batched else value


def padded(F, value, rank: int):
    """Returns a batch with 1s behind the batch, so that samples have a rank."""
    size, *rest = value.shape
    return value if len(rest) >= rank else F.reshape(value, (size, *[1] * (rank - len(rest)), *rest))


def together(F, b, **operands) -> list:
    """Returns operands, some of which may be None, so that they broadcast with each other."""
    rank = max([rank_of(b, name, value) for name, value in operands.items() if value is not None])
    return [None if value is None else aligned(F, b, rank, name, value) for name, value in operands.items()]


def reduced_samples(F, losses, reduction):
    """Returns the losses (B, ...) of samples, or the mean or sum of those of each."""
    name = reduction_name(reduction)
    if name == "none" or losses.ndim == 1:
        return losses
    return F.mean(flat(F, losses), 1) if name == "mean" else F.sum(flat(F, losses), 1)


def from_front(F, positions, length: int):
    """Returns positions of which negative ones count from the end."""
    return F.where(F.lt(positions, 0), positions + length, positions)


def into_channels(F, value, groups: int, dim: int):
    """(B, ...) with the batch among the channels of `dim`, behind their group: (groups, B, channels / groups)."""
    size, *shape = value.shape
    value = F.reshape(value, (size, *shape[:dim], groups, shape[dim] // groups, *shape[dim + 1 :]))
    value = F.movedim(value, 0, dim + 1)
    return F.reshape(value, (*shape[:dim], size * shape[dim], *shape[dim + 1 :]))


def out_of_channels(F, value, groups: int, dim: int, size: int):
    """Takes the batch out from among channels again, where `into_channels` put it."""
    (*shape,) = value.shape
    each = shape[dim] // (groups * size) if size else 0
    value = F.reshape(value, (*shape[:dim], groups, size, each, *shape[dim + 1 :]))
    return F.reshape(F.movedim(value, dim + 1, 0), (size, *shape[:dim], groups * each, *shape[dim + 1 :]))


def named_slices(F, index, dim: int, shape):
    """Returns an index of slices along `dim`, (B, n), as one of elements in a shape."""
    size, count = index.shape
    return F.expand(F.reshape(index, (size, *[1] * (dim - 1), count, *[1] * (len(shape) - dim - 1))), tuple(shape))


def apart(F, b, index, length: int):
    """Returns positions (B, ...) in tables of a length, as those in the concatenation of all tables."""
    starts = F.arange_of(index, b.size, length)
    return index + F.reshape(starts, (b.size, *[1] * (index.ndim - 1)))
