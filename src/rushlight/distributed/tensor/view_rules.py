"""The placements of views: which dimension of the result has the elements of a sharded dimension."""

from __future__ import annotations

from typing import Any

from rushlight.distributed.tensor.placements import Partial, Replicate, Shard, is_even
from rushlight.distributed.tensor.rules import Call, Plan, enters, everywhere

__all__ = ["local_sizes"]

R = Replicate()


def kept(call: Call, dim: int | None) -> Plan:
    """The operand stays as it is; its shard is dimension `dim` of the result, or if None, it has to be whole."""
    place = call.placements[0]
    if not isinstance(place, Shard):
        return Plan([place], place)
    return everywhere(call) if dim is None else Plan([place], Shard(dim))


@enters("transpose", "t", "swapaxes", "permute", "movedim", "adjoint")
def rearranged(call: Call) -> Plan:
    """Dimensions in another order."""
    place = call.placements[0]
    if not isinstance(place, Shard):
        return Plan([place], place)
    ndim = len(call.shapes[0])
    order = order_of(call, ndim)
    return kept(call, None if order is None else order.index(place.dim))


def order_of(call: Call, ndim: int) -> list[int] | None:
    """Returns which dimension of the operand each dimension of the result is."""
    order = list(range(ndim))
    if call.name == "t":
        return order[::-1]
    if call.name == "permute":
        dims = call.keywords.get("dims", call.arguments[1:])
        dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
        return [dim % ndim for dim in dims]
    if call.name in ("transpose", "swapaxes"):
        one, other = call.option(1, "dim0") % ndim, call.option(2, "dim1") % ndim
        order[one], order[other] = order[other], order[one]
        return order
    return None


@enters("unsqueeze")
def unsqueezed(call: Call) -> Plan:
    """One more dimension."""
    dim = call.option(1, "dim") % (len(call.shapes[0]) + 1)
    place = call.placements[0]
    return kept(call, place.dim + (dim <= place.dim) if isinstance(place, Shard) else None)


@enters("squeeze")
def squeezed(call: Call) -> Plan:
    """Without dimensions of size 1."""
    place, shape = call.placements[0], call.shapes[0]
    if not isinstance(place, Shard):
        return Plan([place], place)
    dim = call.option(1, "dim")
    dims = range(len(shape)) if dim is None else [d % len(shape) for d in ((dim,) if isinstance(dim, int) else dim)]
    gone = [d for d in dims if shape[d] == 1]
    return kept(call, None if place.dim in gone else place.dim - sum(d < place.dim for d in gone))


@enters("view", "reshape", "flatten", "unflatten", "view_as", "reshape_as", "ravel")
def reshaped(call: Call) -> Plan:
    """Another shape: a shard stays one if it is of the first of the dimensions that are joined or split."""
    place = call.placements[0]
    if isinstance(place, Partial) or not isinstance(place, Shard) or len(call.placements) > 1:
        return Plan(list(call.placements), place) if len(call.placements) == 1 else everywhere(call)
    target = counterpart(call.shapes[0], call.result, place.dim)
    even = target is not None and is_even(call.shapes[0][place.dim], call.parts)
    return kept(call, target if even and is_even(call.result[target or 0], call.parts) else None)


def counterpart(shape: tuple[int, ...], result: tuple[int, ...], dim: int) -> int | None:
    """Returns the dimension of a view whose parts are the parts of `dim`; None if there is none.

    >>> counterpart((4, 6, 5), (4, 30), 1), counterpart((4, 30), (4, 6, 5), 1), counterpart((4, 6, 5), (4, 30), 2)
    (1, 1, None)
    """
    before = product(shape[:dim])
    at = 0
    while at < len(result) and product(result[:at]) < before:
        at += 1
    while at < len(result) and result[at] == 1 and shape[dim] != 1:
        at += 1
    return at if at < len(result) and product(result[:at]) == before else None


def product(sizes: tuple[int, ...]) -> int:
    number = 1
    for size in sizes:
        number *= size
    return number


@enters("expand", "broadcast_to")
def expanded(call: Call) -> Plan:
    """Repeated along dimensions of size 1."""
    place, shape = call.placements[0], call.shapes[0]
    if not isinstance(place, Shard):
        return Plan([place], place)
    return kept(call, place.dim + len(call.result) - len(shape) if shape[place.dim] != 1 else None)


@enters("getitem", "select", "narrow", "split", "split_evenly", "chunk", "unbind", "split_with_sizes")
def part(call: Call) -> Plan:
    """Some elements: the sharded dimension must be taken whole."""
    place = call.placements[0]
    if len(call.placements) > 1:
        return everywhere(call)
    if not isinstance(place, Shard):
        return Plan([place], place)
    if call.name == "getitem":
        return kept(call, after_index(call.arguments[1], place.dim, call.shapes[0]))
    return kept(call, beside(call, place.dim))


def beside(call: Call, sharded: int) -> int | None:
    """Returns where the sharded dimension is in a part along another one; None if it is along this one."""
    ndim = len(call.shapes[0])
    position = {"select": 1, "narrow": 1, "unbind": 1}.get(call.name, 2)
    dim = call.option(position, "dim", 0) % ndim
    if dim == sharded:
        return None
    gone = call.name in ("select", "unbind") and dim < sharded
    return sharded - gone


def after_index(index: Any, dim: int, shape: tuple[int, ...]) -> int | None:
    """Returns where a dimension is after `x[index]`; None unless it is taken whole.

    >>> after_index((0, slice(None)), 1, (3, 4)), after_index((slice(1, 2), slice(None)), 0, (3, 4))
    (0, None)
    """
    entries = list(index) if isinstance(index, tuple) else [index]
    if not all(entry is None or entry is ... or isinstance(entry, int | slice) for entry in entries):
        return None
    if any(isinstance(entry, bool) for entry in entries):  # a mask
        return None
    taken = sum(entry is not None and entry is not ... for entry in entries)
    at = entries.index(...) if ... in entries else len(entries)
    entries[at : at + 1] = [slice(None)] * (len(shape) - taken)
    source = target = 0
    for entry in entries:
        if entry is None:
            target += 1
            continue
        if source == dim:
            return target if entry == slice(None) else None
        source += 1
        target += not isinstance(entry, int)
    return None


@enters("cat", "concat", "concatenate")
def joined(call: Call) -> Plan:
    """One after the other: the sharded dimension must be another one."""
    dim = call.option(1, "dim", 0) % len(call.result)
    return all_alike(call, lambda place: None if place.dim == dim else place.dim)


@enters("stack")
def stacked(call: Call) -> Plan:
    """Side by side in a new dimension."""
    dim = call.option(1, "dim", 0) % len(call.result)
    return all_alike(call, lambda place: place.dim + (dim <= place.dim))


def all_alike(call: Call, where: Any) -> Plan:
    """All operands follow the first that is sharded."""
    place = next((each for each in call.placements if isinstance(each, Shard)), None)
    if place is None or (target := where(place)) is None:
        return everywhere(call)
    return Plan([place] * len(call.placements), Shard(target))


# ---- the sizes that a view of a part has


SIZED = frozenset({"view", "reshape", "squeeze", "expand", "broadcast_to", "unflatten"})


def local_sizes(name: str, sizes: list[int]) -> tuple[str, tuple] | None:
    """Returns the operator and the arguments that make a part of these sizes; None if the arguments stay."""
    if name not in SIZED:
        return None
    return ("expand" if name in ("expand", "broadcast_to") else "reshape"), tuple(sizes)
