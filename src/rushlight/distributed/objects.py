"""Collectives of Python objects, which are pickled and sent as bytes: only for ranks that trust each other.

https://docs.pytorch.org/docs/stable/distributed.html#object-collectives
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor, wrap
from rushlight.distributed.collectives import all_gather_single, broadcast, root_in
from rushlight.distributed.parts import check_given, gather, scatter
from rushlight.distributed.point_to_point import other_rank, recv, send
from rushlight.distributed.process_group import ProcessGroup, inside

__all__ = [
    "all_gather_object", "broadcast_object_list", "gather_object", "recv_object_list", "scatter_object_list",
    "send_object_list",
]  # fmt: skip


def pickled(value: Any) -> np.ndarray:
    """Returns the bytes of a pickle, which may be written to."""
    return np.frombuffer(bytearray(pickle.dumps(value)), np.uint8)


def filled_up(data: np.ndarray, length: int) -> np.ndarray:
    """Returns bytes, followed by zeros up to a length."""
    return np.concatenate([data, np.zeros(length - data.size, np.uint8)])


def number(value: int) -> Tensor:
    """Returns a tensor of one integer."""
    return wrap(np.array([value], np.int64))


def lengths_of(size: int, group: ProcessGroup) -> np.ndarray:
    """Returns the numbers that all ranks give."""
    every = wrap(np.zeros(len(group.ranks), np.int64))
    all_gather_single(every, number(size), group)
    return every._array


def unpickled(rows: np.ndarray) -> list[Any]:
    """Returns the objects of pickles, one in each row; what follows a pickle is ignored."""
    return [pickle.loads(row.tobytes()) for row in rows]


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Writes the objects of all ranks into a list, in the order of ranks."""
    group = inside(group, "all_gather_object")
    if group is None:
        return
    data = pickled(obj)
    longest = int(lengths_of(data.size, group).max())
    every = wrap(np.empty((len(group.ranks), longest), np.uint8))
    all_gather_single(every, wrap(filled_up(data, longest)), group)
    put(object_list, unpickled(every._array))


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    group_dst: int | None = None,
) -> None:
    """Writes the objects of all ranks into a list that the rank `dst` gives."""
    group = inside(group, "gather_object")
    if group is None:
        return
    root = root_in(group, dst, group_dst, "dst", "gather", default=0)
    mine = group.mine == root
    check_given(mine, object_gather_list, "gather_list", "destination")
    data = pickled(obj)
    longest = int(lengths_of(data.size, group).max())
    rows = np.empty((len(group.ranks), longest), np.uint8)
    slots = [wrap(row) for row in rows] if mine else None
    gather(wrap(filled_up(data, longest)), slots, group=group, group_dst=root)
    if mine and object_gather_list is not None:
        put(object_gather_list, unpickled(rows))


def put(objects: list[Any], values: list[Any]) -> None:
    """Overwrites the first objects of a list. Raises IndexError if it is too short."""
    for number, value in enumerate(values):
        objects[number] = value


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Gives a list of objects of rank `src` to all ranks, whose lists have the same length."""
    group = inside(group, "broadcast_object_list")
    if group is None:
        return
    root = root_in(group, src, group_src, "src", "broadcast", default=0)
    data = pickled(object_list) if group.mine == root else np.empty(0, np.uint8)
    length = number(data.size)
    broadcast(length, group=group, group_src=root)
    data = data if group.mine == root else np.empty(int(length.item()), np.uint8)
    broadcast(wrap(data), group=group, group_src=root)
    if group.mine != root:
        object_list[:] = pickle.loads(data.tobytes())


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    group_src: int | None = None,
) -> None:
    """Writes this rank's object of a list that the rank `src` gives to the first place of the output list."""
    group = inside(group, "scatter_object_list")
    if group is None:
        return
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = root_in(group, src, group_src, "src", "scatter", default=0)
    mine = group.mine == root
    sources = [pickled(each) for each in scatter_object_input_list or ()] if mine else []
    if mine and len(sources) != len(group.ranks):
        raise ValueError(f"Expected argument scatter_object_input_list to be a list of size {len(group.ranks)}.")
    length = number(max((each.size for each in sources), default=0))
    broadcast(length, group=group, group_src=root)
    row = wrap(np.empty(int(length.item()), np.uint8))
    rows = [wrap(filled_up(each, row.numel())) for each in sources] or None
    scatter(row, rows, group=group, group_src=root)
    scatter_object_output_list[0] = pickle.loads(row._array.tobytes())


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Sends a list of objects to a rank."""
    group = inside(group, "send_object_list")
    if group is None:
        return
    peer = other_rank(group, dst, group_dst, "dst", "destination")
    data = pickled(object_list)
    send(number(data.size), group=group, group_dst=peer)
    send(wrap(data), group=group, group_dst=peer)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receives a list of objects from a rank, or from any; returns the rank."""
    group = inside(group, "recv_object_list")
    if group is None:
        return -1
    length = number(0)
    source = recv(length, src, group, group_src=group_src)
    data = wrap(np.empty(int(length.item()), np.uint8))
    recv(data, source, group)
    object_list[:] = pickle.loads(data._array.tobytes())
    return source
