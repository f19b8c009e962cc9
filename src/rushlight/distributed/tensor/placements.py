"""How a tensor is distributed over the processes of a mesh: one placement for each dimension of the mesh.

A `Shard` follows `torch.chunk`: parts of equal size, rounded up; the last ones may be shorter or empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class Placement:
    """How a tensor is distributed along one dimension of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each process has a part, along `dim` if given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each process has the whole tensor."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether each process has a term, reduced by `reduce_op` if given."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part along `dim`."""

    dim: int

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclass(frozen=True)
class _StridedShard(Shard):
    """A part of a part: the mesh dimensions with a `Shard` of `dim` divide it first, into `split_factor` parts.

    `fully_shard` makes it of what is sharded along the same dimension by tensor parallelism.
    """

    split_factor: int = 1

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has the whole tensor."""

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a term of it, or with the reductions "avg", "max" and "min" a value to combine."""

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


def in_order(placements: Sequence[Placement]) -> list[int]:
    """Returns the dimensions of a mesh in the order in which they divide a tensor: strided ones last.

    >>> in_order([_StridedShard(0, split_factor=2), Shard(0)]), in_order([Shard(0), Shard(1)])
    ([1, 0], [0, 1])
    """
    return sorted(range(len(placements)), key=lambda dim: isinstance(placements[dim], _StridedShard))


def share(size: int, parts: int, position: int) -> tuple[int, int]:
    """Returns where the part of a process begins along a dimension of `size`, and how long it is.

    >>> [share(5, 4, position) for position in range(4)]
    [(0, 2), (2, 2), (4, 1), (5, 0)]
    """
    each = -(-size // parts)
    begin = min(size, each * position)
    return begin, min(size, begin + each) - begin


def is_even(size: int, parts: int) -> bool:
    """Whether all parts of a dimension are equally long."""
    return size % parts == 0
