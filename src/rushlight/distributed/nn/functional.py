"""Collectives that gradients go through. All ranks run the backward pass, each from its own loss: their sum counts.

https://docs.pytorch.org/docs/stable/distributed.html
"""

from __future__ import annotations

from typing import Any

from rushlight.autograd.function import Function
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty, empty_like, zeros_like
from rushlight.distributed import collectives, parts
from rushlight.distributed.process_group import ProcessGroup
from rushlight.distributed.reductions import RedOpType, ReduceOp
from rushlight.distributed.state import get_rank, get_world_size

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce", "reduce_scatter",
    "scatter",
]  # fmt: skip


def packed(tensor: Tensor) -> Tensor:
    """Returns a tensor of its own memory, which a collective may write to."""
    return tensor.detach().clone().contiguous()


def slots(tensor: Tensor, group: ProcessGroup | None) -> list[Tensor]:
    """Returns tensors for what all ranks send."""
    return [empty(tensor.shape, dtype=tensor.dtype) for _ in range(get_world_size(group))]


def broadcast(tensor: Tensor, src: int, group: ProcessGroup | None = None) -> Tensor:
    """Returns the tensor of rank `src`, which gets the sum of all gradients."""
    return Broadcast.apply(tensor, src, group)


class Broadcast(Function):
    """See `broadcast`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, src: int, group: ProcessGroup | None) -> Tensor:
        ctx.src, ctx.group = src, group
        result = packed(tensor)
        collectives.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        total = Reduce.apply(grad, ctx.src, ReduceOp.SUM, ctx.group)
        return total if get_rank() == ctx.src else zeros_like(total), None, None


def reduce(tensor: Tensor, dst: int, op: RedOpType = ReduceOp.SUM, group: ProcessGroup | None = None) -> Tensor:
    """Returns the combined tensor on rank `dst`, whose gradient goes to all."""
    return Reduce.apply(tensor, dst, op, group)


class Reduce(Function):
    """See `reduce`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, op: RedOpType, group: ProcessGroup | None) -> Tensor:
        ctx.dst, ctx.group = dst, group
        result = packed(tensor)
        collectives.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return Broadcast.apply(grad, ctx.dst, ctx.group), None, None, None


def all_reduce(tensor: Tensor, op: RedOpType = ReduceOp.SUM, group: ProcessGroup | None = None) -> Tensor:
    """Returns the combination of the tensors of all ranks; their gradients are combined likewise."""
    return AllReduce.apply(tensor, op, group)


class AllReduce(Function):
    """See `all_reduce`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, op: RedOpType, group: ProcessGroup | None) -> Tensor:
        ctx.op, ctx.group = op, group
        result = packed(tensor)
        collectives.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return AllReduce.apply(grad, ctx.op, ctx.group), None, None


def gather(tensor: Tensor, dst: int = 0, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """Returns the tensors of all ranks on rank `dst`, and zeros on the others."""
    return Gather.apply(tensor, dst, group)


class Gather(Function):
    """See `gather`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, dst: int, group: ProcessGroup | None) -> tuple:
        ctx.dst, ctx.group = dst, group
        every = [zeros_like(each) for each in slots(tensor, group)]
        parts.gather(packed(tensor), every if get_rank() == dst else None, dst, group)
        return tuple(every)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        return Scatter.apply(ctx.dst, ctx.group, *grads), None, None


def scatter(tensors: list[Tensor], src: int = 0, group: ProcessGroup | None = None) -> Tensor:
    """Returns this rank's tensor of those of rank `src`."""
    return Scatter.apply(src, group, *tensors)


class Scatter(Function):
    """See `scatter`."""

    @staticmethod
    def forward(ctx: Any, src: int, group: ProcessGroup | None, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        result = zeros_like(tensors[0]).contiguous()
        sources = [packed(each) for each in tensors] if get_rank() == src else None
        parts.scatter(result, sources, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, *Gather.apply(grad, ctx.src, ctx.group)


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: RedOpType = ReduceOp.SUM, group: ProcessGroup | None = None
) -> Tensor:
    """Returns this rank's element of the combined lists. `output` gives shape and dtype."""
    return ReduceScatter.apply(op, group, output, *input_list)


class ReduceScatter(Function):
    """See `reduce_scatter`."""

    @staticmethod
    def forward(ctx: Any, op: RedOpType, group: ProcessGroup | None, output: Tensor, *tensors: Tensor) -> Tensor:
        ctx.group = group
        result = empty_like(output).contiguous()
        parts.reduce_scatter(result, [packed(each) for each in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, None, *AllGather.apply(grad, ctx.group)


def all_gather(tensor: Tensor, group: ProcessGroup | None = None) -> tuple[Tensor, ...]:
    """Returns the tensors of all ranks; each gets the sum of the gradients that the ranks have for it."""
    return AllGather.apply(tensor, group)


class AllGather(Function):
    """See `all_gather`."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: ProcessGroup | None) -> tuple:
        ctx.group = group
        every = slots(tensor, group)
        collectives.all_gather(every, packed(tensor), group)
        return tuple(every)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        return ReduceScatter.apply(ReduceOp.SUM, ctx.group, grads[0], *grads), None


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: ProcessGroup | None = None
) -> tuple[Tensor, ...]:
    """Returns what every rank has sent to this one. The output list gives shapes and dtypes."""
    return AllToAll.apply(group, output_tensor_list, *input_tensor_list)


class AllToAll(Function):
    """See `all_to_all`."""

    @staticmethod
    def forward(ctx: Any, group: ProcessGroup | None, outputs: list[Tensor], *tensors: Tensor) -> tuple:
        ctx.group = group
        ctx.sent = [empty_like(each) for each in tensors]
        received = [empty_like(each).contiguous() for each in outputs]
        parts.all_to_all(received, [packed(each) for each in tensors], group)
        return tuple(received)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple:
        return None, None, *AllToAll.apply(ctx.group, ctx.sent, *grads)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: ProcessGroup | None = None,
) -> Tensor:
    """Returns the rows that every rank has sent to this one. `output` gives shape and dtype."""
    return AllToAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


class AllToAllSingle(Function):
    """See `all_to_all_single`."""

    @staticmethod
    def forward(ctx: Any, group: ProcessGroup | None, output: Tensor, taken: Any, sent: Any, input: Tensor) -> Tensor:
        ctx.group, ctx.taken, ctx.sent, ctx.input = group, taken, sent, empty_like(input)
        result = empty_like(output).contiguous()
        parts.all_to_all_single(result, packed(input), taken, sent, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return None, None, None, None, AllToAllSingle.apply(ctx.group, ctx.input, ctx.sent, ctx.taken, grad)
