"""Collectives in which every rank ends with the same: all_reduce, broadcast, all_gather; and reduce.

https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from rushlight.core.dtype import SCALAR_NAMES, from_numpy_dtype
from rushlight.core.modes import announce_write
from rushlight.core.tensor import Tensor
from rushlight.distributed import mpi
from rushlight.distributed.buffers import (
    announced,
    apart,
    as_bytes,
    check_tensor,
    check_tensors,
    memory_of,
    packed,
    written,
)
from rushlight.distributed.calls import kind_of
from rushlight.distributed.pieces import PIECE, Pieces
from rushlight.distributed.process_group import ProcessGroup, inside, place_in
from rushlight.distributed.reductions import RedOpType, ReduceOp
from rushlight.distributed.ring_order import AT_ONCE, add_parts, as_reals, is_ordered
from rushlight.distributed.work import Work, under_way

__all__ = ["all_gather", "all_gather_into_tensor", "all_gather_single", "all_reduce", "broadcast", "reduce"]


def ended(work: Work, async_op: bool) -> Work | None:
    """Returns a work to wait for later, or waits for it now."""
    if async_op:
        return under_way(work)
    work.wait()
    return None


def root_in(
    group: ProcessGroup, rank: int | None, group_rank: int | None, name: str, call: str, default: int | None = None
) -> int:
    """Returns the rank of the group of a root, which is named by its rank in the world or in the group."""
    if rank is None and group_rank is None:
        rank = default
    result = place_in(group, rank, group_rank, name)
    if result is None and len(group.ranks) == group.world.size:
        result = rank  # of the world, which has no such rank
    if result is None:
        raise ValueError(f"Global rank {rank} is not part of group {group}")
    if not 0 <= result < len(group.ranks):
        raise RuntimeError(f"ProcessGroupGloo::{call}: invalid root rank: {result}")
    return result


def operator_for(op: Any, dtype: np.dtype, call: str) -> str:
    """Returns the name of an operator. Raises if it does not exist for a dtype, before anything is sent."""
    if isinstance(op, ReduceOp):
        op = op.op
    if type(op) is not RedOpType or op is RedOpType.PREMUL_SUM:
        raise TypeError(f"{call}(): incompatible function arguments: op must be one of ReduceOp's, not {op!r}")
    kind = dtype.kind
    if kind == "c" and op not in (RedOpType.SUM, RedOpType.AVG):
        raise ValueError(f"{call} does not support {op} on complex tensors")
    if op in BITWISE and kind not in "biu":
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op is RedOpType.AVG and kind in "biu":
        name = SCALAR_NAMES[from_numpy_dtype(dtype)]
        raise RuntimeError(f"result type Float can't be cast to the desired output type {name}")
    return op.name


BITWISE = frozenset((RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR))


def all_reduce(
    tensor: Tensor, op: RedOpType = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Combines the tensors of all ranks elementwise, in place: all have the same result, bit for bit.

    Returns a `Work` if `async_op`. Raises RuntimeError on every rank if a rank has ended, if shapes or dtypes differ,
    or if the group's timeout is over.
    """
    check_tensor(tensor, "tensor")
    group = inside(group, "all_reduce")
    if group is None:
        return None
    return ended(reducing(tensor, op, group), async_op)


def reducing(tensor: Tensor, op: Any, group: ProcessGroup) -> Work:
    """Starts an all_reduce."""
    array = tensor._array
    dtype = array.dtype if type(array) is np.ndarray else tensor.dtype.numpy
    name, kind, datatype, operator, as_dtype = group.plans.get((op, dtype)) or planned(tensor, op, group)
    size = array.size
    key = group.enter_as(kind, array.shape, size)
    announce_write(tensor)
    own = type(array) is np.ndarray and array.flags.c_contiguous
    memory = array if own else packed(tensor).copy()
    source = memory if as_dtype is None else memory.view(as_dtype)
    request: Any
    rows = None
    if group.sums is not None and group.sums.takes(memory.dtype, name, memory.nbytes):
        request = group.sums.start(as_reals(memory.reshape(-1)))
    elif is_ordered(name, memory.dtype, len(group.ranks)) and memory.nbytes * len(group.ranks) <= AT_ONCE:
        rows = np.empty((len(group.ranks), as_reals(memory.reshape(-1)).size), memory.real.dtype)
        sent, received = (as_bytes(memory.reshape(-1)), memory.nbytes), (as_bytes(rows), memory.nbytes)
        request = group.communicator.Iallgather((*sent, mpi.library().BYTE), (*received, mpi.library().BYTE))
    elif memory.nbytes > 2 * PIECE:
        request = in_pieces(group, source.reshape(-1), datatype, operator)
    else:
        request = group.communicator.Iallreduce(mpi.library().IN_PLACE, (source, size, datatype), operator)

    def finish() -> None:
        if rows is not None:
            add_parts(rows, as_reals(memory.reshape(-1)))
        if name == "AVG":
            np.divide(memory, len(group.ranks), out=memory, casting="unsafe")
        written(tensor, memory, own)

    return Work(group, "all_reduce", [request], [tensor], finish, key, group.others, memory.nbytes)


def in_pieces(group: ProcessGroup, memory: np.ndarray, datatype: Any, operator: Any) -> Pieces:
    """Starts an all_reduce of large memory, piece by piece."""
    step = PIECE // memory.itemsize
    parts = (memory[k : k + step] for k in range(0, memory.size, step))
    start, in_place = group.communicator.Iallreduce, mpi.library().IN_PLACE

    def all_started() -> None:
        group.unstarted = None

    group.unstarted = Pieces((start(in_place, (each, each.size, datatype), operator) for each in parts), all_started)
    return group.unstarted


def planned(tensor: Tensor, op: Any, group: ProcessGroup) -> tuple:
    """Returns what all_reduce needs for an operator and a dtype: (name, kind, MPI type, MPI operator, view or None)."""
    dtype = tensor.dtype.numpy
    name = operator_for(op, dtype, "all_reduce")
    datatype, operator, as_dtype = mpi.reduction(dtype, name)
    kind = kind_of("all_reduce", tensor.dtype.name, name)
    plan = group.plans[op, dtype] = name, kind, datatype, operator, None if as_dtype == dtype else as_dtype
    return plan


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: RedOpType = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Combines the tensors of all ranks elementwise; the rank `dst` has the result, the others keep their tensors."""
    check_tensor(tensor, "tensor")
    group = inside(group, "reduce")
    if group is None:
        return None
    root = root_in(group, dst, group_dst, "dst", "reduce")
    array = tensor._array
    name = operator_for(op, tensor.dtype.numpy, "reduce")
    key = group.enter("reduce", tensor.dtype.name, array.shape, name, root, array.size)
    source = packed(tensor)
    datatype, operator, as_dtype = mpi.reduction(source.dtype, name)
    mine = group.mine == root
    memory, own = memory_of(announced(tensor)) if mine else (source, True)
    rows = None
    if is_ordered(name, source.dtype, len(group.ranks)) and source.nbytes * len(group.ranks) <= AT_ONCE:
        rows = np.empty((len(group.ranks), as_reals(source).size), source.real.dtype)
        BYTE = mpi.library().BYTE
        filled = (as_bytes(rows), source.nbytes, BYTE) if mine else None
        request = group.communicator.Igather((as_bytes(source), source.nbytes, BYTE), filled, root)
    else:
        received = (memory.view(as_dtype), memory.size, datatype) if mine else None
        sent = mpi.library().IN_PLACE if mine and own else (source.view(as_dtype), source.size, datatype)
        request = group.communicator.Ireduce(sent, received, operator, root)

    def finish() -> None:
        if mine:
            if rows is not None:
                add_parts(rows, as_reals(memory))
            if name == "AVG":
                np.divide(memory, len(group.ranks), out=memory, casting="unsafe")
            written(tensor, memory, own)

    return ended(Work(group, "reduce", [request], [tensor], finish, key, group.others, source.nbytes), async_op)


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Gives the tensor of rank `src` to all ranks. Shapes and dtypes must be the same."""
    check_tensor(tensor, "tensor")
    group = inside(group, "broadcast")
    if group is None:
        return None
    root = root_in(group, src, group_src, "src", "broadcast")
    array = tensor._array
    key = group.enter("broadcast", tensor.dtype.name, array.shape, root=root, elements=array.size)
    if group.mine == root:
        memory, finish = packed(tensor), None
    else:
        memory, own = memory_of(announced(tensor))
        finish = partial(written, tensor, memory, own)
    request = group.communicator.Ibcast((as_bytes(memory), memory.nbytes, mpi.library().BYTE), root)
    return ended(Work(group, "broadcast", [request], [tensor], finish, key, group.others, memory.nbytes), async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Writes the tensors of all ranks into a list of as many tensors, in the order of ranks."""
    check_tensors(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    same_dtype(tensor_list, tensor)
    group = inside(group, "all_gather")
    if group is None:
        return None
    check_slots(tensor_list, tensor, len(group.ranks), "allgather", "output tensor list")
    return ended(gathering(tensor, group, into_list(tensor_list), tensor_list), async_op)


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Writes the tensors of all ranks into one, one after the other or stacked."""
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    same_dtype([output_tensor], input_tensor)
    group = inside(group, "all_gather_into_tensor")
    if group is None:
        return None
    if output_tensor.numel() != len(group.ranks) * input_tensor.numel():
        raise RuntimeError(
            f"ProcessGroupGloo::allgather: invalid tensor size at index 0 (expected "
            f"({len(group.ranks) * input_tensor.numel()}), got ({output_tensor.numel()}))"
        )
    memory, own = memory_of(announced(output_tensor))
    fill = (memory, lambda _: written(output_tensor, memory, own))
    return ended(gathering(input_tensor, group, fill, [output_tensor]), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """The older name of `all_gather_single`."""
    deprecated("all_gather_into_tensor", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def deprecated(old: str, new: str) -> None:
    """Warns of a name that PyTorch gives up."""
    words = f"`torch.distributed.{old}` is deprecated. Please use `torch.distributed.{new}` instead."
    warnings.warn(words, FutureWarning, stacklevel=3)


def into_list(tensors: Sequence[Tensor]) -> tuple[None, Callable[[np.ndarray], None]]:
    """Returns what distributes gathered memory to a list of tensors."""
    for each in tensors:
        announced(each)

    def fill(memory: np.ndarray) -> None:
        for tensor, part in zip(tensors, memory.reshape(len(tensors), -1), strict=True):
            written(tensor, part, False)

    return None, fill


def gathering(tensor: Tensor, group: ProcessGroup, into: tuple, results: list[Tensor]) -> Work:
    """Starts an all_gather. `into` is (memory or None, what is called with the gathered memory)."""
    source = packed(tensor)
    key = group.enter("all_gather", tensor.dtype.name, tensor._array.shape, elements=source.size)
    memory, fill = into
    if memory is None:
        memory = np.empty(source.size * len(group.ranks), source.dtype)
    source = apart(source, memory)
    BYTE = mpi.library().BYTE
    request = group.communicator.Iallgather(
        (as_bytes(source), source.nbytes, BYTE), (as_bytes(memory), source.nbytes, BYTE)
    )
    return Work(group, "all_gather", [request], results, lambda: fill(memory), key, group.others, memory.nbytes)


def same_dtype(tensors: Sequence[Tensor], tensor: Tensor) -> None:
    """Raises ValueError if dtypes differ."""
    for each in tensors:
        if each.dtype != tensor.dtype:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {tensor.dtype} and  {each.dtype}")


def check_slots(tensors: Sequence[Tensor], tensor: Tensor, size: int, call: str, what: str) -> None:
    """Raises RuntimeError unless there is one tensor of the same shape for each rank."""
    if len(tensors) != size:
        words = f"invalid {what} at index 0 (expected length {size}, got {len(tensors)})"
        raise RuntimeError(f"ProcessGroupGloo::{call}: {words}")
    for index, each in enumerate(tensors):
        if each.numel() != tensor.numel():
            expected, got = (f"({', '.join(map(str, x.shape))})" for x in (tensor, each))
            raise RuntimeError(
                f"ProcessGroupGloo::{call}: invalid tensor size at index {index} (expected {expected}, got {got})"
            )
