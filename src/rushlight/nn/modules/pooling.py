"""Pooling: the maximum, mean or norm of each window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.annotations import Ints
from rushlight.core.tensor import Tensor

from .. import functional as F
from .module import Module
from .utils import _ntuple, _single


class _MaxPoolNd(Module):
    """The largest value of each window; with `return_indices` also its index."""

    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        dilation: Ints = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        return self._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool1d(_MaxPoolNd):
    """The largest value of each window of (N, C, L) or (C, L)."""

    _pool = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The largest value of each window of (N, C, H, W) or (C, H, W).

    >>> import rushlight as torch
    >>> torch.nn.MaxPool2d(2)(torch.arange(16.0).view(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    _pool = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The largest value of each window of (N, C, D, H, W) or (C, D, H, W)."""

    _pool = staticmethod(F.max_pool3d)


class _AvgPoolNd(Module):
    _shown = ("kernel_size", "stride", "padding")


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of (N, C, L) or (C, L)."""

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of (N, C, H, W) or (C, H, W); `divisor_override` replaces the divisor."""

    _pool = staticmethod(F.avg_pool2d)

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return self._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(AvgPool2d):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W); `divisor_override` replaces the divisor."""

    _pool = staticmethod(F.avg_pool3d)


class _AdaptivePoolNd(Module):
    """Base of pooling layers with one window per output element."""

    _shown = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return self._pool(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    def forward(self, input: Tensor) -> Tensor:
        return self._pool(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest value of each of `output_size` windows of (N, C, L) or (C, L)."""

    _pool = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest value of each of `output_size` windows of (N, C, H, W) or (C, H, W)."""

    _pool = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest value of each of `output_size` windows of (N, C, D, H, W) or (C, D, H, W)."""

    _pool = staticmethod(F.adaptive_max_pool3d)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of each of `output_size` windows of (N, C, L) or (C, L)."""

    _pool = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of each of `output_size` windows of (N, C, H, W) or (C, H, W).

    >>> import rushlight as torch
    >>> torch.nn.AdaptiveAvgPool2d(1)(torch.ones(2, 3, 5, 7)).shape
    torch.Size([2, 3, 1, 1])
    """

    _pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of each of `output_size` windows of (N, C, D, H, W) or (C, D, H, W)."""

    _pool = staticmethod(F.adaptive_avg_pool3d)


class _MaxUnpoolNd(Module):
    """Zeros, with the input's elements at the indices of max pooling."""

    _shown = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0) -> None:
        super().__init__()
        as_tuple = _ntuple(self._rank)
        self.kernel_size = as_tuple(kernel_size)
        self.stride = as_tuple(kernel_size if stride is None else stride)
        self.padding = as_tuple(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return self._unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool1d`, from its result and its indices."""

    _rank = 1
    _unpool = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool2d`, from its result and its indices."""

    _rank = 2
    _unpool = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool3d`, from its result and its indices."""

    _rank = 3
    _unpool = staticmethod(F.max_unpool3d)


class _LPPoolNd(Module):
    """The `norm_type`-norm of each window."""

    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return self._pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The `norm_type`-norm of each window of (N, C, L) or (C, L)."""

    _pool = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """The `norm_type`-norm of each window of (N, C, H, W) or (C, H, W)."""

    _pool = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPoolNd):
    """The `norm_type`-norm of each window of (N, C, D, H, W) or (C, D, H, W)."""

    _pool = staticmethod(F.lp_pool3d)


class _FractionalMaxPoolNd(Module):
    """The largest value of each window at random steps (Graham, 2014); with `return_indices` also its index.

    There are `output_size` windows, or `output_ratio` times the size of the input.
    """

    _rank: int

    def __init__(
        self,
        kernel_size: Ints,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        as_tuple, name = _ntuple(self._rank), type(self).__name__
        self.kernel_size = as_tuple(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else as_tuple(output_size)
        self.output_ratio = None if output_ratio is None else as_tuple(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        return self._pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest value of each window of (N, C, H, W) or (C, H, W) at random steps (Graham, 2014)."""

    _rank = 2
    _pool = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest value of each window of (N, C, D, H, W) or (C, D, H, W) at random steps (Graham, 2014)."""

    _rank = 3
    _pool = staticmethod(F.fractional_max_pool3d)

    def __init__(
        self,
        kernel_size: Ints,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        sizes = (kernel_size,) if isinstance(kernel_size, int) else tuple(kernel_size)
        if min(sizes) <= 0:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)
