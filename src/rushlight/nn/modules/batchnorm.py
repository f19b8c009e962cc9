"""Batch normalization: each channel gets mean 0 and variance 1 over the batch (Ioffe and Szegedy, 2015).

`SyncBatchNorm` takes the batches of several processes as one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from rushlight.core.annotations import Device, Dtype
from rushlight.core.dtype import int64
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create.filled import empty, ones, zeros
from rushlight.create.from_data import tensor

from .. import functional as F
from .. import init
from .elsewhere import finder
from .module import Module, pair


def check_dimensions(input, *allowed):
    if input.dim() not in allowed:
        expected = " or ".join(f"{rank}D" for rank in allowed)
        raise ValueError(f"expected {expected} input (got {input.dim()}D input)")


def add_weight_and_bias(module, shape, weight, bias, device, dtype):
    """Registers `weight` and `bias` of the given shape, or None for a parameter that is disabled."""
    for name, enabled in (("weight", weight), ("bias", weight and bias)):
        module.register_parameter(name, Parameter(empty(shape, device=device, dtype=dtype)) if enabled else None)


def reset_weight_and_bias(module):
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)


class _NormBase(Module):
    """Base of normalizations with parameters and running statistics per channel.

    Version 2 counts the batches; loading an older state keeps the current count.
    """

    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        add_weight_and_bias(self, num_features, affine, bias, device, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Resets the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Resets weight to 1, bias to 0, and the running statistics."""
        self.reset_running_stats()
        if self.affine:
            reset_weight_and_bias(self)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *arguments):
        key = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats and key not in state_dict:
            count = self.num_batches_tracked
            state_dict[key] = tensor(0, dtype=int64) if count is None or count.is_meta else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *arguments)


class _BatchNorm(_NormBase):
    """Normalizes by the batch in training, by the running statistics in evaluation."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        average_factor = self._count_batch()
        mean, variance = pair(self, "_buffers", "running_mean", "running_var")
        weight, bias = pair(self, "_parameters", "weight", "bias")
        use_running = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            mean if use_running else None,
            variance if use_running else None,
            weight,
            bias,
            self.training or (mean is None and variance is None),
            average_factor,
            self.eps,
        )

    def _count_batch(self) -> float:
        """Counts a batch in training; returns the weight of its statistics in the running ones."""
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # a plain average over all batches
                return 1.0 / float(self.num_batches_tracked)
        return self.momentum or 0.0


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, L)."""

    def _check_input_dim(self, input):
        check_dimensions(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of (N, C, H, W).

    `momentum` is the weight of the newest batch in the running statistics; None averages all batches equally.

    >>> import rushlight as torch
    >>> layer = torch.nn.BatchNorm2d(3)
    >>> layer(torch.ones(2, 3, 4, 4)).abs().max().item(), layer.num_batches_tracked.item()
    (0.0, 1)
    """

    def _check_input_dim(self, input):
        check_dimensions(input, 4)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of (N, C, D, H, W)."""

    def _check_input_dim(self, input):
        check_dimensions(input, 5)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all processes of a group, (N, C, ...).

    In evaluation, and where there is one process, it equals `BatchNorm`. In training all processes call it together.
    Their batches may have different sizes. `DistributedDataParallel` averages the gradients of weight and bias.

    >>> import rushlight as torch
    >>> model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    >>> torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)[1]
    SyncBatchNorm(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: Tensor) -> Tensor:
        group = self._others()
        if group is None:
            return super().forward(input)
        self._check_input_dim(input)
        average_factor = self._count_batch()
        mean, variance = pair(self, "_buffers", "running_mean", "running_var")
        weight, bias = pair(self, "_parameters", "weight", "bias")
        synced = import_module("rushlight.nn.parallel.normalization").SyncedNormalization
        return synced.apply(input, weight, bias, mean, variance, self.eps, average_factor, group)

    def _others(self) -> Any:
        """Returns the group if this call normalizes over several processes, else None."""
        dist = sys.modules.get("rushlight.distributed")  # a program that has not imported it has one process
        if dist is None or not (self.training and dist.is_initialized()):
            return None
        group = dist.group.WORLD if self.process_group is None else self.process_group
        return group if dist.get_world_size(group) > 1 else None

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replaces the `BatchNorm` layers of a model by such layers, with their members and mode; returns the model."""
        converted = module
        if isinstance(module, _BatchNorm):
            settings = module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats
            converted = SyncBatchNorm(*settings, process_group, bias=module.bias is not None)
            members = ("weight", "bias") if module.affine else ()
            for name in (*members, "running_mean", "running_var", "num_batches_tracked", "training"):
                setattr(converted, name, getattr(module, name))
            if hasattr(module, "qconfig"):
                converted.qconfig = module.qconfig
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


__getattr__ = finder(__name__, "lazy", "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d")
