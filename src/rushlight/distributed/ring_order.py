"""The order in which PyTorch's gloo adds the tensors of ranks.

From three ranks on a sum of floating point depends on the order of its terms. Gloo reduces around a ring: each rank
ends up with the sum of one part of the tensor, to which the rank below it came first, and itself last. Sums that are
computed here, and not by MPI, have the same order, so the same bits. How the tensor is divided into parts was found by
comparing results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

__all__ = ["AT_ONCE", "add_own_part", "add_parts", "add_terms", "as_reals", "is_ordered", "parts_between"]

SEGMENT = 1 << 20  # bytes: gloo divides a part into at least two segments, of at most so many
AT_ONCE = 1 << 20  # bytes of all ranks' tensors that are gathered in order to be added


def is_ordered(name: str, dtype: np.dtype, ranks: int) -> bool:
    """Whether a reduction depends on the order of ranks, and can be computed in it."""
    return ranks > 2 and name in ("SUM", "AVG") and dtype.kind in "fcV"


def ring(part: int, ranks: int) -> list[int]:
    """Returns the ranks in the order in which their terms of a part are added."""
    return [(part - 1 - k) % ranks for k in range(ranks)]


def length_of_part(count: int, itemsize: int, ranks: int) -> int:
    """Returns how many of the elements of a tensor are summed by one rank; the last one has fewer."""
    segments = max(2, ceil(ceil(count * itemsize / SEGMENT) / ranks))
    return segments * ceil(count / (segments * ranks))


def parts_between(begin: int, end: int, count: int, itemsize: int, ranks: int) -> Iterator[tuple[slice, list[int]]]:
    """Yields slices of a range of a tensor of `count` elements, from 0 on, and the order of ranks in each."""
    length = length_of_part(count, itemsize, ranks)
    at = begin
    while at < end:
        part = at // length
        until = min((part + 1) * length, end)
        yield slice(at - begin, until - begin), ring(part, ranks)
        at = until


def add_terms(terms: Sequence[np.ndarray], out: np.ndarray) -> None:
    """Adds up arrays in their order; `out` may be the first or the second one."""
    np.add(terms[0], terms[1], out=out)
    for term in terms[2:]:
        np.add(out, term, out=out)


def as_reals(memory: np.ndarray) -> np.ndarray:
    """Returns flat memory with complex numbers as pairs, which is how gloo divides it."""
    return memory.view(memory.real.dtype) if memory.dtype.kind == "c" else memory


def add_parts(rows: np.ndarray, out: np.ndarray) -> None:
    """Adds up the tensors of all ranks, (ranks, elements), into one that is in other memory."""
    ranks, count = rows.shape
    for part, order in parts_between(0, count, count, rows.itemsize, ranks):
        add_terms([rows[rank, part] for rank in order], out[part])


def add_own_part(rows: np.ndarray, out: np.ndarray, rank: int) -> None:
    """Adds up what all ranks have for one rank, (ranks, elements), of a tensor that is shared out equally."""
    ranks, count = rows.shape
    for part, order in parts_between(rank * count, (rank + 1) * count, ranks * count, rows.itemsize, ranks):
        add_terms([rows[each, part] for each in order], out[part])
