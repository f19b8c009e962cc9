"""Averages parameters over processes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight import distributed as dist
from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Parameter
from rushlight.distributed.buckets import parts

__all__ = ["average_parameters", "average_parameters_or_parameter_groups", "get_params_to_average"]


def average_parameters(params: Iterable[Parameter], process_group: Any) -> None:
    """Replaces parameters by their average over the processes of a group, with one call."""
    group = dist.group.WORLD if process_group is None else process_group
    if dist.get_rank(group) < 0:
        return
    params = list(params)
    with no_grad():
        flat = F.cat([each.detach().reshape(-1) for each in params])
        flat /= dist.get_world_size(group)
        dist.all_reduce(flat, group=group)
        for each, average in zip(params, parts(flat, [each.shape for each in params]), strict=True):
            each.copy_(average)


def get_params_to_average(params: Iterable[Parameter] | Iterable[dict[str, Any]]) -> list[Parameter]:
    """Returns the parameters that have a gradient, of a list or of the groups of an optimizer."""
    result: list[Parameter] = []
    for each in params:
        if not isinstance(each, Parameter | dict):
            raise NotImplementedError(f"Parameter input of type {type(each)} is not supported")
        members = each["params"] if isinstance(each, dict) else [each]
        result += [parameter for parameter in members if parameter.grad is not None]
    return result


def average_parameters_or_parameter_groups(
    params: Iterable[Parameter] | Iterable[dict[str, Any]], process_group: Any
) -> None:
    """Averages the parameters that have a gradient, of a list or of the groups of an optimizer."""
    average_parameters(get_params_to_average(params), process_group)
