"""Steps of a `ZeroRedundancyOptimizer` that run while `DistributedDataParallel` reduces: one for each bucket.

https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rushlight import distributed as dist
from rushlight.core.tensor import Tensor
from rushlight.distributed.buckets import parts

__all__ = ["Overlap"]

WITHOUT_STEP = 2  # passes that update nothing: buckets are those of all further passes from the second one on
WITHOUT_STEP_IF_STATIC = 3  # PyTorch makes the buckets of a static graph one pass later


class Piece(NamedTuple):
    """Parameters of a bucket that the process `rank` updates; `first` is the place of the first one in the bucket."""

    bucket: int
    rank: int
    first: int
    parameters: list[Tensor]


class Overlap:
    """The parameters of each bucket with the processes that update them, and how far the steps of a pass are.

    `pieces` are by bucket, each with the flat tensor that its parameters are views of; none until they are known.
    """

    def __init__(self, zero: Any, ddp: Any, divides: bool, group: Any) -> None:
        self.zero, self.divides, self.group = zero, divides, group
        self.ddp = weakref.ref(ddp)  # which keeps the hook
        self.pieces: list[list[tuple[Piece, Tensor]]] = []
        self.passes = self.turn = 0
        self.reduced: dict[int, Tensor] = {}
        self.busy = False

    def begins(self, bucket: Any) -> bool:
        """Notes that the reduction of a bucket has been started; returns whether this pass updates parameters."""
        if bucket.index() == 0:
            self.turn, self.reduced, self.busy = 0, {}, False
            self.passes += 1
            if not self.pieces:
                self.begin_steps(self.reducer())
        return bool(self.pieces)

    def reducer(self) -> Any:
        """Returns the reducer of the model."""
        ddp = self.ddp()
        assert ddp is not None  # it runs the hook
        return ddp.reducer

    def begin_steps(self, reducer: Any) -> None:
        """Gives the parameters out, once their buckets are those of all further passes."""
        without = WITHOUT_STEP_IF_STATIC if reducer.static else WITHOUT_STEP
        if self.passes <= without or reducer.may_rebuild:
            return
        buckets = [bucket.parameters for bucket in reducer.buckets]
        ranks = self.zero.world_size
        listed = divided(buckets, ranks) if self.divides else whole(buckets, ranks)
        flats = self.zero._give_out([(piece.rank, piece.parameters) for piece in listed])
        self.pieces = [[] for _ in buckets]
        for piece, flat in zip(listed, flats, strict=True):
            self.pieces[piece.bucket].append((piece, flat))

    def take(self, number: int, values: Tensor) -> None:
        """Takes the average gradients of a bucket; updates buckets in their order, which is that of all processes."""
        self.reduced[number] = values
        if self.busy:  # a call beneath has moved data: the step above goes on with it
            return
        self.busy = True
        try:
            while self.turn in self.reduced:
                self.update(self.turn, self.reduced.pop(self.turn))
                self.turn += 1
        finally:
            self.busy = False

    def update(self, number: int, values: Tensor) -> None:
        """Updates this process's parameters of a bucket, and starts to send all of the bucket's."""
        pieces, reducer = self.pieces[number], self.reducer()
        gradients = parts(values, reducer.buckets[number].shapes)
        mine: dict[Tensor, Tensor] = {}
        for piece, _ in pieces:
            if piece.rank == self.zero.rank:
                mine.update(zip(piece.parameters, gradients[piece.first :], strict=False))
        if mine:
            self.zero._step_with(mine)
        for piece, flat in pieces:
            source = dist.get_global_rank(self.group, piece.rank)
            reducer.later.append(dist.broadcast(flat, source, group=self.group, async_op=True))


def whole(buckets: Sequence[list[Tensor]], ranks: int) -> list[Piece]:
    """Gives whole buckets to the processes in turn."""
    return [Piece(number, number % ranks, 0, members) for number, members in enumerate(buckets)]


def divided(buckets: Sequence[list[Tensor]], ranks: int) -> list[Piece]:
    """Gives parts of buckets, small buckets first, to the process that has least.

    A part has less than an equal share, or one parameter. A process gets one part of a bucket, unless all have one.
    """
    sizes = [0] * ranks
    limit = sum(map(elements, buckets)) / ranks
    pieces = []
    for number in sorted(range(len(buckets)), key=lambda each: elements(buckets[each])):
        without = list(range(ranks))
        for first, members in runs(buckets[number], limit):
            rank = min(without or range(ranks), key=sizes.__getitem__)
            without = [each for each in without if each != rank]
            sizes[rank] += elements(members)
            pieces.append(Piece(number, rank, first, members))
    return pieces


def runs(parameters: list[Tensor], limit: float) -> Iterator[tuple[int, list[Tensor]]]:
    """Splits a list into parts of less than `limit` elements, or of one parameter: (place of the first one, part)."""
    first = size = 0
    for place, parameter in enumerate(parameters):
        if place > first and size + parameter.numel() >= limit:
            yield first, parameters[first:place]
            first, size = place, 0
        size += parameter.numel()
    yield first, parameters[first:]


def elements(parameters: list[Tensor]) -> int:
    """Returns the number of elements of all parameters."""
    return sum(parameter.numel() for parameter in parameters)
