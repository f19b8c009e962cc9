"""The settings of `DistributedDataParallel`: what is refused, and what they mean."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from rushlight import distributed as dist
from rushlight.core.device import device
from rushlight.core.tensor import Tensor
from rushlight.cuda._utils import _get_device_index
from rushlight.distributed.buckets import GradBucket
from rushlight.futures import Future

from ..parameter import UninitializedParameter
from .reducer import MEBIBYTE

__all__ = ["check_hook", "check_parameters", "group_of", "is_default", "limits_of", "refuse_delays", "which_buffers"]

DEFAULT_BUCKET = 25  # MiB
FIRST_BUCKET = 1  # MiB, of the first bucket unless the program sets a size
BROADCAST_IGNORED = (
    "Both `broadcast_buffers` and `forward_sync_buffers` were specified. `broadcast_buffers` is deprecated and its "
    "value is ignored when `forward_sync_buffers` is provided."
)
BROADCAST_DEPRECATED = (
    "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. IMPORTANT: unlike "
    "`broadcast_buffers=False`, `forward_sync_buffers=False` still syncs buffers at init. If you rely on buffers NOT "
    "being synced at init (e.g. rank-local buffers), keep using `broadcast_buffers=False` until `init_sync_buffers` is "
    "available."
)


def refuse_delays(delayed: Any, trigger: Any) -> None:
    """Raises NotImplementedError for delayed reductions."""
    if (delayed is None) != (trigger is None):
        raise ValueError("delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the same time.")
    if delayed is not None:
        raise NotImplementedError("DistributedDataParallel does not support delay_all_reduce_named_params.")


def group_of(group: Any, mesh: Any) -> Any:
    """Returns the process group: the one given, that of a mesh with one dimension, or the default group."""
    if mesh is None:
        return dist.distributed_c10d._get_default_group() if group is None else group
    if group is not None:
        raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
    if mesh.ndim != 1:
        raise RuntimeError(f"Only 1D device mesh is supported, but got {mesh}.")
    return mesh.get_group(mesh_dim=0)


def is_default(group: Any) -> bool:
    """Whether this is the default process group."""
    return dist.is_initialized() and group is dist.group.WORLD


def check_parameters(parameters: Sequence[Tensor], device_ids: Any, output_device: Any) -> tuple[list[int] | None, Any]:
    """Checks the parameters of a model and where they are; returns `device_ids` and `output_device` as numbers."""
    if not any(parameter.requires_grad for parameter in parameters):
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
        )
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    kinds = {parameter.device.type for parameter in parameters}
    if len(kinds) != 1:
        raise ValueError(
            "DistributedDataParallel's input module must be on the same type of devices, but input module parameters "
            f"locate in {kinds}."
        )
    if any(isinstance(parameter, UninitializedParameter) for parameter in parameters):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy forward "
            "pass to correctly initialize the modules"
        )
    return check_devices({parameter.device for parameter in parameters}, device_ids, output_device)


def check_devices(devices: set[device], device_ids: Any, output_device: Any) -> tuple[list[int] | None, Any]:
    if device_ids and kind_of(devices) != "cpu" and len(devices) == 1:
        ids = [_get_device_index(each, optional=True) or 0 for each in device_ids]
        return ids, _get_device_index(ids[0] if output_device is None else output_device, optional=True)
    if device_ids or output_device:
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            f"single-device/multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, output_device "
            f"{output_device}, and module parameters {devices}."
        )
    return None, None


def kind_of(devices: set[device]) -> str:
    return next(iter(devices)).type


def which_buffers(older: bool | None, forward: bool | None) -> tuple[bool, bool]:
    """Returns whether buffers are sent before each forward, and whether at the start."""
    if older is not None:
        kept = forward is None
        warnings.warn(BROADCAST_DEPRECATED if kept else BROADCAST_IGNORED, FutureWarning, stacklevel=3)
    if forward is not None:
        return forward, True
    return (True, True) if older is None else (older, older)


def limits_of(
    size: float | None, sizes: Sequence[float] | None, at_once: bool
) -> tuple[Sequence[float], Sequence[float]]:
    """Returns the limits of buckets in bytes: those of the first steps, and those once the order is known.

    Until then there is one bucket, unless parameters may be unused. The last limit holds for all further buckets.
    """
    if sizes:
        limits = [int(each * MEBIBYTE) for each in sizes]
        return limits, limits
    limits = [FIRST_BUCKET * MEBIBYTE, DEFAULT_BUCKET * MEBIBYTE] if size is None else [int(size * MEBIBYTE)]
    return [sys.maxsize] if at_once else limits, limits


def check_hook(hook: Any) -> None:
    """Raises TypeError or ValueError if this cannot be a communication hook."""
    if not callable(hook):
        raise TypeError("Communication hook must be callable.")
    signature = inspect.signature(hook, eval_str=False)
    if signature.parameters["bucket"].annotation not in (inspect.Parameter.empty, GradBucket, *NAMES_OF_BUCKET):
        raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
    if signature.return_annotation not in (inspect.Signature.empty, Future[Tensor], *NAMES_OF_FUTURE):
        raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")


# Annotations are texts in modules that postpone their evaluation; PyTorch refuses those.
NAMES_OF_BUCKET = ("dist.GradBucket", "GradBucket", "torch.distributed.GradBucket")
NAMES_OF_FUTURE = ("torch.futures.Future[torch.Tensor]", "Future[Tensor]", "Future[torch.Tensor]")
