"""Changes a placement along one dimension of a mesh, with its derivative.

Along a dimension of the mesh, the gradient of a `Shard` is a shard; that of `Replicate` is whole in every process, and
so is that of `Partial`, as each process's term enters the sum. From this follow the derivatives:

    Shard -> Replicate     all-gather         backward: take the own part
    Replicate -> Shard     take the own part  backward: all-gather
    Shard -> Shard         all-to-all         backward: the other way
    Partial -> Replicate   all-reduce         backward: nothing
    Partial -> Shard       reduce-scatter     backward: all-gather
    Replicate -> Partial   zeros but in one   backward: nothing
    Replicate, entering    nothing            backward: all-reduce, where a result is not replicated
    a sharded operation
"""

from __future__ import annotations

from typing import Any

from rushlight import distributed as dist
from rushlight._generated import functions as F
from rushlight.autograd.function import Function
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty, zeros_like
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard, share

__all__ = ["entered", "moved"]


def moved(local: Tensor, source: Placement, target: Placement, group: Any, size: int) -> Tensor:
    """Changes the placement of a local part; `size` is that of the sharded dimension before this mesh dimension."""
    if source == target:
        return local
    return Move.apply(local, source, target, group, size)


def entered(local: Tensor, group: Any) -> Tensor:
    """Returns a replicated value for an operation whose result is not: its gradient is a sum over processes."""
    return Enter.apply(local, group) if local.requires_grad else local


class Move(Function):
    """From one placement to another."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, source: Placement, target: Placement, group: Any, size: int) -> Tensor:
        back = local.shape[target.dim] if isinstance(target, Shard) else 0  # the size to gather in backward
        ctx.settings = source, target, group, back
        if isinstance(source, Partial) and source.reduce_op not in ("sum", "avg"):
            whole = reduced(local, source, group)
            ctx.save_for_backward(local == whole)
            return own_part(whole, target, group)
        return raw_move(local, source, target, group, size)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple:
        source, target, group, back = ctx.settings
        gradient, before, after = gradients[0], of_gradient(target), of_gradient(source)
        moved_back = raw_move(gradient, before, after, group, back)
        if isinstance(source, Partial) and source.reduce_op == "avg":
            moved_back = moved_back / group.size()
        elif isinstance(source, Partial) and source.reduce_op != "sum":
            moved_back = moved_back * chosen(ctx.saved_tensors[0], moved_back, group)
        return moved_back, None, None, None, None


def chosen(here: Tensor, like: Tensor, group: Any) -> Tensor:
    """Returns the share of this process in a maximum or minimum: where it is the only one that has it, 1."""
    own = here.to(like.dtype)
    total = own.clone()
    dist.all_reduce(total, group=group)
    return own / total


class Enter(Function):
    """Nothing forward, a sum over processes backward."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, group: Any) -> Tensor:
        ctx.group = group
        return local.view_as(local)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple:
        total = gradients[0].clone()
        dist.all_reduce(total, group=ctx.group)
        return total, None


def of_gradient(placement: Placement) -> Placement:
    """Returns the placement of the gradient of a tensor with this one."""
    return placement if isinstance(placement, Shard) else Replicate()


def raw_move(local: Tensor, source: Placement, target: Placement, group: Any, size: int) -> Tensor:
    """Changes a placement, without a derivative."""
    if source == target:
        return local
    if isinstance(source, Partial) and not isinstance(target, Partial):
        return own_part(reduced(local, source, group), target, group)
    if isinstance(source, Shard):
        local = gathered(local, source.dim, group, size)
    if isinstance(source, Shard | Replicate):
        return as_term(local, target, group) if isinstance(target, Partial) else own_part(local, target, group)
    raise RuntimeError(f"redistributing from {source} to {target} is not supported!")


def own_part(whole: Tensor, target: Placement, group: Any) -> Tensor:
    if not isinstance(target, Shard):
        return whole
    begin, length = share(whole.shape[target.dim], group.size(), group.rank())
    return whole.narrow(target.dim, begin, length).clone()


def as_term(local: Tensor, target: Partial, group: Any) -> Tensor:
    """Returns a value of which the reduction over processes gives back `local`."""
    return local if target.reduce_op != "sum" or group.rank() == 0 else zeros_like(local)


def reduced(local: Tensor, source: Partial, group: Any) -> Tensor:
    total = local.detach().clone()
    op = {"sum": "SUM", "avg": "SUM", "max": "MAX", "min": "MIN", "product": "PRODUCT"}[source.reduce_op]
    dist.all_reduce(total, getattr(dist.ReduceOp, op), group=group)
    return total / group.size() if source.reduce_op == "avg" else total


def gathered(local: Tensor, dim: int, group: Any, size: int) -> Tensor:
    """Returns the whole of which each process has a part; parts may have different lengths."""
    count = group.size()
    lengths = [share(size, count, position)[1] for position in range(count)]
    padded = list(local.shape)
    padded[dim] = lengths[0]
    own = local.detach().contiguous()
    if own.shape[dim] < lengths[0]:
        larger = empty(padded, dtype=own.dtype, device=own.device)
        larger.narrow(dim, 0, own.shape[dim]).copy_(own)
        own = larger
    parts = [empty(padded, dtype=own.dtype, device=own.device) for _ in range(count)]
    dist.all_gather(parts, own, group=group)
    cut = [part.narrow(dim, 0, length) for part, length in zip(parts, lengths, strict=True)]
    return F.cat(cut, dim)
