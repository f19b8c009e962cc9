"""What carries the data of a group's collectives by MPI, from the CPU's memory; that of a GPU is copied there and back.

Each method starts a call of MPI's that does not block, and returns its request. Those that combine numbers also return
what is to be called when the request is done, or None.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from rushlight.core.determinism import levels_to_the_program
from rushlight.core.strides import extent
from rushlight.core.tensor import Tensor
from rushlight.distributed import mpi
from rushlight.distributed.buffers import as_bytes, memory_of, packed, written
from rushlight.distributed.calls import kind_of
from rushlight.distributed.operators import operator_for
from rushlight.distributed.pieces import PIECE, Pieces
from rushlight.distributed.ring_order import AT_ONCE, add_own_part, add_parts, as_reals, is_ordered

__all__ = ["Mpi"]


class Mpi:
    """MPI's communicator of a group, as collectives use it."""

    packed, memory_of, written = staticmethod(packed), staticmethod(memory_of), staticmethod(written)
    checked = staticmethod(operator_for)

    def __init__(self, group: Any) -> None:
        self.group, self.communicator, self.size = group, group.communicator, len(group.ranks)
        self.in_place, self.byte = mpi.library().IN_PLACE, mpi.library().BYTE
        self.plans: dict[tuple, tuple] = {}  # of reductions, by operator and dtype

    # ---- memory

    def to_change(self, tensor: Tensor) -> tuple[np.ndarray, bool]:
        """Returns a tensor's elements in memory that a call changes, and whether it is the tensor's own.

        Gloo does not see the strides of a tensor with gaps: it changes the memory from the first element on, as long
        as the elements would be without gaps. These are the numbers here, too, but with a warning.
        """
        array = tensor._array
        if type(array) is not np.ndarray:
            return packed(tensor).copy(), False
        if array.flags.c_contiguous:
            return memory_of(tensor)
        if self.group.backend == "gloo" and has_gaps(array):
            warnings.warn(of_gaps(tensor), UserWarning, stacklevel=levels_to_the_program())
            return np.lib.stride_tricks.as_strided(array, (array.size,), (array.itemsize,)), True
        return packed(tensor), False

    def empty(self, size: int, alike: np.ndarray) -> np.ndarray:
        """Returns memory of so many elements, of the dtype of another."""
        return np.empty(size, alike.dtype)

    def together(self, tensors: Sequence[Tensor]) -> np.ndarray:
        """Returns the elements of several tensors, one after the other."""
        return np.concatenate([packed(each) for each in tensors])

    def apart(self, source: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """Returns what is sent, or a copy if it is in the memory that is received to, which MPI does not allow."""
        return source.copy() if np.may_share_memory(source, memory) else source

    def in_bytes(self, memory: np.ndarray, size: int | None = None) -> tuple:
        """Returns memory as MPI takes it: its bytes, and how many of them go to each rank, by default all."""
        return as_bytes(memory), memory.nbytes if size is None else size, self.byte

    # ---- calls that move numbers

    def broadcast(self, memory: np.ndarray, root: int) -> Any:
        """Sends the memory of one rank into that of the others."""
        return self.communicator.Ibcast(self.in_bytes(memory), root)

    def all_gather(self, source: np.ndarray, memory: np.ndarray) -> Any:
        """Sends what each rank has to all, where it is put one after the other."""
        return self.communicator.Iallgather(self.in_bytes(source), self.in_bytes(memory, source.nbytes))

    def gather(self, source: np.ndarray, memory: np.ndarray | None, root: int) -> Any:
        """Sends what each rank has to one, which gives the memory for it."""
        received = None if memory is None else self.in_bytes(memory, source.nbytes)
        return self.communicator.Igather(self.in_bytes(source), received, root)

    def scatter(self, source: np.ndarray | None, memory: np.ndarray, root: int) -> Any:
        """Sends each rank its part of what one has."""
        sent = None if source is None else self.in_bytes(source, memory.nbytes)
        return self.communicator.Iscatter(sent, self.in_bytes(memory), root)

    def all_to_all(self, source: np.ndarray, sent: list[int], memory: np.ndarray, taken: list[int]) -> Any:
        """Sends parts of these numbers of elements to the ranks, and receives others from them."""
        width = source.itemsize
        return self.communicator.Ialltoallv(
            (as_bytes(source), counted(sent, width), self.byte), (as_bytes(memory), counted(taken, width), self.byte)
        )

    # ---- calls that combine numbers

    def planned(self, tensor: Tensor, op: Any) -> tuple:
        """Returns what all_reduce needs for an operator and a dtype.

        (name, kind, MPI's type, MPI's operator, dtype that MPI takes, whether ranks are added in gloo's order, number
        of bytes from which on they are added in shared memory)
        """
        dtype = tensor.dtype.numpy
        name = operator_for(op, dtype, "all_reduce")
        datatype, operator, as_dtype = mpi.reduction(dtype, name)
        kind = kind_of("all_reduce", tensor.dtype.name, name)
        sums = self.group.sums
        ordered, shared = is_ordered(name, dtype, self.size), sums.smallest(dtype, name) if sums else sys.maxsize
        same = None if as_dtype == dtype else as_dtype
        plan = self.plans[op, dtype] = name, kind, datatype, operator, same, ordered, shared
        return plan

    def all_reduce(self, memory: np.ndarray, plan: tuple) -> tuple[Any, Callable | None]:
        """Combines the memory of all ranks, in place."""
        name, _, datatype, operator, as_dtype, ordered, shared = plan
        then = self.dividing(memory) if name == "AVG" else None
        size = memory.nbytes
        if size >= shared:
            return self.group.sums.start(as_reals(memory.reshape(-1))), then
        if ordered and size * self.size <= AT_ONCE:
            flat = memory.reshape(-1)
            rows = self.rows_for(flat)
            return self.all_gather(flat, rows), partial(add_up, add_parts, rows, flat, then)
        source = memory if as_dtype is None else memory.view(as_dtype)
        if size > 2 * PIECE:
            return self.in_pieces(source.reshape(-1), datatype, operator), then
        return self.communicator.Iallreduce(self.in_place, (source, memory.size, datatype), operator), then

    def in_pieces(self, memory: np.ndarray, datatype: Any, operator: Any) -> Pieces:
        """Starts an all_reduce of large memory, piece by piece."""
        step = PIECE // memory.itemsize
        parts = (memory[k : k + step] for k in range(0, memory.size, step))
        start, group = self.communicator.Iallreduce, self.group
        requests: Iterator = (start(self.in_place, (each, each.size, datatype), operator) for each in parts)
        group.unstarted = Pieces(requests, partial(setattr, group, "unstarted", None))
        return group.unstarted

    def reduce(
        self, source: np.ndarray, memory: np.ndarray | None, name: str, root: int
    ) -> tuple[Any, Callable | None]:
        """Combines what all ranks have, in the memory of one."""
        then = self.dividing(memory) if name == "AVG" and memory is not None else None
        if is_ordered(name, source.dtype, self.size) and source.nbytes * self.size <= AT_ONCE:
            if memory is None:
                return self.gather(source, None, root), None
            rows = self.rows_for(source)
            return self.gather(source, rows, root), partial(add_up, add_parts, rows, memory, then)
        datatype, operator, as_dtype = mpi.reduction(source.dtype, name)
        received = None if memory is None else (memory.view(as_dtype), memory.size, datatype)
        own = memory is not None and np.may_share_memory(source, memory)
        sent = self.in_place if own else (source.view(as_dtype), source.size, datatype)
        return self.communicator.Ireduce(sent, received, operator, root), then

    def reduce_scatter(self, source: np.ndarray, memory: np.ndarray, name: str) -> tuple[Any, Callable | None]:
        """Combines what all ranks have, and gives each rank its part."""
        then = self.dividing(memory) if name == "AVG" else None
        if is_ordered(name, source.dtype, self.size):
            rows = self.rows_for(memory)
            request = self.communicator.Ialltoall(
                self.in_bytes(source, memory.nbytes), self.in_bytes(rows, memory.nbytes)
            )
            return request, partial(add_up, partial(add_own_part, rank=self.group.mine), rows, memory, then)
        datatype, operator, as_dtype = mpi.reduction(source.dtype, name)
        sent, received = ((each.view(as_dtype), memory.size, datatype) for each in (source, memory))
        return self.communicator.Ireduce_scatter_block(sent, received, operator), then

    def dividing(self, memory: np.ndarray) -> Callable:
        """Returns what divides a sum by the number of ranks."""
        return partial(np.divide, memory, self.size, out=memory, casting="unsafe")

    def rows_for(self, memory: np.ndarray) -> np.ndarray:
        """Returns memory for as much of each rank: (ranks, real numbers)."""
        reals = as_reals(memory)
        return np.empty((self.size, reals.size), reals.dtype)


def has_gaps(array: np.ndarray) -> bool:
    """Whether there are other numbers between the elements of an array in memory."""
    return extent(array) > array.nbytes


def of_gaps(tensor: Tensor) -> str:
    """Returns the warning of a tensor with gaps."""
    return (
        f"A tensor of shape {list(tensor.shape)} and strides {tensor.stride()} has gaps in memory, which gloo "
        f"overlooks: the {tensor.numel()} numbers in memory from its first element on are sent and changed, whether "
        "they are its elements or not. Here write x = x.contiguous() before the call, and use x after it."
    )


def add_up(add: Callable, rows: np.ndarray, memory: np.ndarray, then: Callable | None) -> None:
    """Adds up what all ranks have sent."""
    add(rows, as_reals(memory))
    if then is not None:
        then()


def counted(sizes: list[int], width: int) -> tuple[list[int], list[int]]:
    """Returns numbers of bytes, and where they begin."""
    counts = [size * width for size in sizes]
    return counts, [0, *accumulate(counts)][:-1]
