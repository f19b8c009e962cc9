"""Instance normalization: each channel of each example gets mean 0 and variance 1 (Ulyanov et al., 2017)."""

from __future__ import annotations

import warnings

from rushlight.core.annotations import Device, Dtype
from rushlight.core.tensor import Tensor

from .. import functional as F
from .batchnorm import _NormBase, check_dimensions
from .elsewhere import finder


class _InstanceNorm(_NormBase):
    """Normalizes by the example; with `track_running_stats` by the running statistics in evaluation."""

    _rank: int  # dimensions of the input without batch and channels

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        rank = self._get_no_batch_dim()
        check_dimensions(input, rank, rank + 1)
        self._check_channels(input)
        if input.dim() == rank:
            return self._normalize(input.unsqueeze(0)).squeeze(0)
        return self._normalize(input)

    def _get_no_batch_dim(self):
        return self._rank + 1

    def _check_channels(self, input):
        dim = input.dim() - self._get_no_batch_dim()
        if input.size(dim) == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                f"{input.size(dim)}."
            )
        warnings.warn(
            f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
            "num_features, which is not used because affine=False",
            stacklevel=3,
        )

    def _normalize(self, input):
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum or 0.0,
            self.eps,
        )

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing, unexpected, errors):
        """Rejects running statistics from versions in which every such layer had them."""
        if local_metadata.get("version") is None and not self.track_running_stats:
            keys = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            errors += [self._old_statistics(keys)] if keys else []
            for key in keys:
                del state_dict[key]
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing, unexpected, errors)

    def _old_statistics(self, keys):
        names, layer = " and ".join(f'"{key}"' for key in keys), type(self).__name__
        return (
            f"Unexpected running stats buffer(s) {names} for {layer} with track_running_stats=False. If state_dict is "
            f"a checkpoint saved before 0.4.0, this may be expected because {layer} does not track running stats by "
            "default since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, "
            f"instead set track_running_stats=True in {layer} to enable them. See the documentation of {layer} for "
            "details."
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of (N, C, L) or (C, L)."""

    _rank = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of (N, C, H, W) or (C, H, W).

    >>> import rushlight as torch
    >>> torch.nn.InstanceNorm2d(1)(torch.tensor([[[[1.0, 3.0]]]]))
    tensor([[[[-1.0000,  1.0000]]]])
    """

    _rank = 2


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of (N, C, D, H, W) or (C, D, H, W)."""

    _rank = 3


__getattr__ = finder(__name__, "lazy", "LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d")
