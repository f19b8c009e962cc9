"""The whole parameters of a sharded model, for a `with` block in which the program reads or writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight import distributed as dist
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Parameter
from rushlight.distributed.fsdp.group import ParameterGroup
from rushlight.distributed.fsdp.parameter import ShardedParameter
from rushlight.distributed.tensor.distribute import distribute_tensor
from rushlight.distributed.tensor.operators import local_of

__all__ = ["whole_parameters"]


@contextmanager
def whole_parameters(
    groups: Iterable[ParameterGroup], writeback: bool, rank0_only: bool, with_grads: bool
) -> Iterator[None]:
    """Lets modules have whole parameters, in the dtype of their parts; with `writeback` the parts take their values.

    With `rank0_only` the other processes keep their parts.
    """
    opened = []
    for group in groups:
        for parameter in group.parameters:
            whole: Any = Parameter(parameter.kept.detach().full_tensor(), parameter.kept.requires_grad)
            if with_grads and parameter.kept.grad is not None:
                whole.grad = parameter.kept.grad.full_tensor()
            if not rank0_only or dist.get_rank() == 0:
                parameter.put(whole)
            opened.append((parameter, whole))
    try:
        yield
    finally:
        for parameter, whole in opened:
            parameter.put(parameter.kept)
            if writeback:
                take(parameter, whole, with_grads)


def take(parameter: ShardedParameter, whole: Parameter, with_grads: bool) -> None:
    """Writes this process's rows of a whole parameter, and of its gradient, into the part that is kept."""
    spec = parameter.kept._spec
    with no_grad():
        rows = distribute_tensor(whole.detach(), spec.mesh, spec.placements, src_data_rank=None)
        local_of(parameter.kept).copy_(local_of(rows))
        if with_grads:
            gradient: Any = whole.grad
            parameter.kept.grad = (
                None if gradient is None
                else distribute_tensor(gradient, spec.mesh, spec.placements, src_data_rank=None)
            )  # fmt: skip
