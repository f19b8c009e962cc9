"""Mixed precision of `DistributedDataParallel`: forward computes with casts of the parameters.

The casts are in the graph, so that backward casts gradients back, and the optimizer has the parameters as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook, compress

from ..modules.module import Module

__all__ = ["MixedPrecision", "lowered", "reduced_in", "with_buffers_in"]


@dataclass
class MixedPrecision:
    """The dtypes of parameters and inputs in forward, of the reduction of gradients, and of buffers.

    None leaves a dtype as it is; gradients are then reduced in that of the parameters in forward. Modules that
    `torch.utils.checkpoint` calls again in backward have the parameters' own dtype then, which is refused.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None


@contextmanager
def lowered(module: Module, dtype: Any, ignored: Collection[str]) -> Iterator[None]:
    """Lets a module see casts of its floating-point parameters, but for those that are ignored by name."""
    casts: dict[int, Tensor] = {}
    replaced: list[tuple[dict[str, Any], str, Tensor]] = []
    try:
        for prefix, part in module.named_modules():
            for name, parameter in part._parameters.items():
                if is_cast(parameter) and f"{prefix}.{name}".lstrip(".") not in ignored:
                    replaced.append((part._parameters, name, parameter))
                    casts.setdefault(id(parameter), parameter.to(dtype))
        for parameters, name, parameter in replaced:
            parameters[name] = casts[id(parameter)]
        yield
    finally:
        for parameters, name, parameter in replaced:
            parameters[name] = parameter


def is_cast(parameter: Tensor | None) -> bool:
    """Whether a parameter has values that are computed with."""
    return parameter is not None and parameter.is_floating_point()


def reduced_in(policy: MixedPrecision, group: Any) -> tuple[Any, Any]:
    """Returns the communication hook, with its state, that averages gradients in the dtype of a policy."""
    dtype = policy.reduce_dtype or policy.param_dtype
    return (partial(compress, dtype) if dtype else allreduce_hook), group


def with_buffers_in(policy: MixedPrecision, buffers: Iterable[Tensor]) -> None:
    """Casts floating-point buffers, in place."""
    for buffer in buffers:
        if policy.buffer_dtype is not None and buffer.is_floating_point():
            buffer.data = buffer.to(policy.buffer_dtype)
