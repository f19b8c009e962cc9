"""Collectives in which every rank ends with the same: all_reduce, broadcast, all_gather; and reduce.

https://docs.pytorch.org/docs/stable/distributed.html#collective-functions
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from rushlight.core.modes import announce_write
from rushlight.core.tensor import Tensor
from rushlight.distributed.buffers import announced, check_tensor, check_tensors
from rushlight.distributed.process_group import ProcessGroup, inside, place_in
from rushlight.distributed.reductions import RedOpType, ReduceOp
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
    on_cpu = type(array) is np.ndarray
    carrier: Any = group.mpi if on_cpu else group.carrier(tensor)
    plan = carrier.plans.get((op, array.dtype if on_cpu else tensor.dtype.numpy)) or carrier.planned(tensor, op)
    size = array.size
    key = group.enter_as(plan[1], array.shape, size)
    announce_write(tensor)
    memory, own = (array, True) if on_cpu and array.flags.c_contiguous else carrier.to_change(tensor)
    if (factor := getattr(op, "factor", None)) is not None:
        memory = carrier.scaled(memory, factor, in_place=True)
    request, then = carrier.all_reduce(memory, plan)
    finish = following(then, partial(carrier.written, tensor, memory, own))
    return Work(group, "all_reduce", [request], [tensor], finish, key, group.others, memory.nbytes)


def following(first: Callable[[], Any] | None, finish: Callable[[tuple], None]) -> Callable[[tuple], None]:
    """Returns what calls `first`, if there is one, before the end of a work."""
    if first is None:
        return finish

    def both(place: tuple) -> None:
        first()
        finish(place)

    return both


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
    array, carrier = tensor._array, group.carrier(tensor)
    name = carrier.checked(op, tensor.dtype.numpy, "reduce")
    key = group.enter("reduce", tensor.dtype.name, array.shape, name, root, array.size)
    source = carrier.packed(tensor)
    if (factor := getattr(op, "factor", None)) is not None:
        source = carrier.scaled(source, factor)
    mine = group.mine == root
    memory, own = carrier.memory_of(announced(tensor)) if mine else (None, False)
    request, then = carrier.reduce(source, memory, name, root)
    finish = following(then, partial(carrier.written, tensor, memory, own)) if mine else None
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
    array, carrier = tensor._array, group.carrier(tensor)
    key = group.enter("broadcast", tensor.dtype.name, array.shape, root=root, elements=array.size)
    mine = group.mine == root
    memory, own = carrier.to_change(tensor if mine else announced(tensor))
    finish = None if mine else partial(carrier.written, tensor, memory, own)
    request = carrier.broadcast(memory, root)
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
    carrier = group.carrier(tensor, *tensor_list)
    fill = into_list(tensor_list, carrier)
    return ended(gathering(tensor, group, carrier, (None, fill), tensor_list), async_op)


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
    carrier = group.carrier(input_tensor, output_tensor)
    memory, own = carrier.memory_of(announced(output_tensor))
    into = memory, lambda _, place: carrier.written(output_tensor, memory, own, place)
    return ended(gathering(input_tensor, group, carrier, into, [output_tensor]), async_op)


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


def into_list(tensors: Sequence[Tensor], carrier: Any) -> Callable[[Any, tuple], None]:
    """Returns what distributes gathered memory to a list of tensors."""
    for each in tensors:
        announced(each)

    def fill(memory: Any, place: tuple) -> None:
        for tensor, part in zip(tensors, memory.reshape(len(tensors), -1), strict=True):
            carrier.written(tensor, part, False, place)

    return fill


def gathering(tensor: Tensor, group: ProcessGroup, carrier: Any, into: tuple, results: list[Tensor]) -> Work:
    """Starts an all_gather. `into` is (memory or None, what is called with the gathered memory and the line)."""
    source = carrier.packed(tensor)
    key = group.enter("all_gather", tensor.dtype.name, tensor._array.shape, elements=source.size)
    memory, fill = into
    if memory is None:
        memory = carrier.empty(source.size * len(group.ranks), source)
    request = carrier.all_gather(carrier.apart(source, memory), memory)
    return Work(group, "all_gather", [request], results, partial(fill, memory), key, group.others, memory.nbytes)


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
