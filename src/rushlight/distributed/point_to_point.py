"""Sending from one rank to another: send, recv, and their asynchronous forms.

https://docs.pytorch.org/docs/stable/distributed.html#point-to-point-communication
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed import mpi
from rushlight.distributed.buffers import announced, as_bytes, check_tensor, memory_of, packed, written
from rushlight.distributed.by_nccl import Message, Nccl
from rushlight.distributed.process_group import ProcessGroup, default_group, inside, is_outside, place_in
from rushlight.distributed.work import Work, under_way

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Starts sending a tensor to a rank. It must not be changed until the work is done."""
    check_tensor(tensor, "tensor")
    group = inside(group, "isend")
    if group is None:
        return None
    peer = other_rank(group, dst, group_dst, "dst", "destination")
    group.begin()
    memory = packed(tensor)
    request = group.communicator.Isend((as_bytes(memory), memory.nbytes, mpi.library().BYTE), peer, tag)
    return under_way(Work(group, "send", [request], [tensor], None, None, (group.ranks[peer],), memory.nbytes))


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Starts receiving a tensor of the same size from a rank, or from any if there is no `src`."""
    check_tensor(tensor, "tensor")
    group = inside(group, "irecv")
    if group is None:
        return None
    from_any = src is None and group_src is None
    peer = -1 if from_any else other_rank(group, src, group_src, "src", "source")
    group.begin()
    MPI = mpi.library()
    memory, own = memory_of(announced(tensor))
    source = MPI.ANY_SOURCE if from_any else peer
    request = group.communicator.Irecv((as_bytes(memory), memory.nbytes, MPI.BYTE), source, tag)
    work = Work(
        group, "recv", [], [tensor], None, None, group.others if from_any else (group.ranks[peer],), memory.nbytes
    )
    status = MPI.Status()
    work.requests = [Received(request, status)]

    def finish(place: tuple) -> None:
        came, expected = status.Get_count(MPI.BYTE), memory.nbytes
        if came != expected:
            raise work.refused(f"{came} bytes were sent, and the tensor of recv has {expected}")
        work.source = group.ranks[status.Get_source()]
        written(tensor, memory, own, place)

    work.finish = finish
    return under_way(work)


class Received:
    """A request to receive, which also notes from whom."""

    def __init__(self, request: Any, status: Any) -> None:
        self.request, self.status, self.done = request, status, False

    def Test(self) -> bool:
        """Whether the message has come."""
        self.done = self.done or self.request.Test(self.status)
        return self.done


def other_rank(group: ProcessGroup, rank: int | None, group_rank: int | None, name: str, what: str) -> int:
    """Returns another rank of a group, which is given by its rank in the world or in the group."""
    result = place_in(group, rank, group_rank, name)
    if result is None or not 0 <= result < len(group.ranks):
        raise ValueError(f"Global rank {rank if group_rank is None else group_rank} is not part of group {group}")
    if result == group.mine:
        raise ValueError(f"Invalid {what} rank: {what} rank should not be the same as the rank of the current process.")
    return result


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Sends a tensor to a rank and waits until it may be changed again."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receives a tensor of the same size from a rank, or from any; returns the rank, or -1 outside the group."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source


class P2POp:
    """One `isend` or `irecv` of a `batch_isend_irecv`."""

    __module__ = "torch.distributed"

    def __init__(
        self,
        op: Callable,
        tensor: Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.peer, self.group = op, tensor, peer, group
        self.tag, self.group_peer = tag, group_peer

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__} {self.peer}, {tuple(self.tensor.shape)}, {self.tensor.dtype})"


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Starts several sends and receives; returns their works."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    if not p2p_op_list:
        raise IndexError("list index out of range")
    carriers = {
        None if is_outside(each.group) else (each.group or default_group()).carrier(each.tensor) for each in p2p_op_list
    }
    if len(carriers) == 1 and isinstance(carrier := carriers.pop(), Nccl):
        return [exchanging(p2p_op_list, carrier)]
    started = [
        each.op(each.tensor, each.peer, each.group, each.tag, each.group_peer)
        if each.group_peer is not None
        else each.op(each.tensor, each.peer, each.group, each.tag)
        for each in p2p_op_list
    ]
    return [work for work in started if work is not None]


def exchanging(calls: list[P2POp], carrier: Nccl) -> Work:
    """Starts several sends and receives between GPUs as one call of NCCL's."""
    group = carrier.group
    group.begin()
    messages, received = [], []
    for each in calls:
        sends = each.op is isend
        peer = other_rank(group, each.peer, each.group_peer, *(("dst", "destination") if sends else ("src", "source")))
        memory, own = (carrier.packed(each.tensor), True) if sends else carrier.memory_of(announced(each.tensor))
        messages.append(Message(sends, memory, peer))
        if not sends:
            received.append((each.tensor, memory, own))
    request = carrier.exchange(messages)

    def finish(place: tuple) -> None:
        for result in received:
            carrier.written(*result, place)

    peers = tuple(group.ranks[each.rank] for each in messages)
    size = sum(each.memory.nbytes for each in messages)
    return under_way(Work(group, "batch_isend_irecv", [request], [x for x, *_ in received], finish, None, peers, size))
