"""Pooling: `return_indices` selects one of two ops."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions
from rushlight.core.annotations import Ints
from rushlight.core.tensor import Tensor
from rushlight.create.random import rand


def max_pool1d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last dimension; with `return_indices` also its index."""
    pool = functions.max_pool1d_with_indices if return_indices else functions.max_pool1d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last two dimensions; with `return_indices` also its index."""
    pool = functions.max_pool2d_with_indices if return_indices else functions.max_pool2d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last three dimensions; with `return_indices` also its index."""
    pool = functions.max_pool3d_with_indices if return_indices else functions.max_pool3d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also its index."""
    pooled = functions.adaptive_max_pool1d(input, output_size)
    return pooled if return_indices else pooled[0]


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also its index."""
    pooled = functions.adaptive_max_pool2d(input, output_size)
    return pooled if return_indices else pooled[0]


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also its index."""
    pooled = functions.adaptive_max_pool3d(input, output_size)
    return pooled if return_indices else pooled[0]


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last dimension, and its index."""
    return functions.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last two dimensions, and its index."""
    return functions.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last three dimensions, and its index."""
    return functions.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest value of each of `output_size` windows, and its index."""
    return functions.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest value of each of `output_size` windows, and its index."""
    return functions.adaptive_max_pool2d(input, output_size)


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: Any, return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The largest value of each of `output_size` windows, and its index."""
    return functions.adaptive_max_pool3d(input, output_size)


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last two dimensions at random steps, and its index.

    There are `output_size` windows, or `output_ratio` times the size of the input.
    """
    size = _fractional_size(input, 2, output_size, output_ratio)
    samples = _fractional_samples(input, 2) if _random_samples is None else _random_samples
    return functions.fractional_max_pool2d(input, kernel_size, size, samples)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
):
    """The largest value of each window at random steps (Graham, 2014); with `return_indices` also its index."""
    pooled = fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
    return pooled if return_indices else pooled[0]


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last three dimensions at random steps, and its index.

    There are `output_size` windows, or `output_ratio` times the size of the input.
    """
    size = _fractional_size(input, 3, output_size, output_ratio)
    samples = _fractional_samples(input, 3) if _random_samples is None else _random_samples
    return functions.fractional_max_pool3d(input, kernel_size, size, samples)


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
):
    """The largest value of each window at random steps (Graham, 2014); with `return_indices` also its index."""
    pooled = fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )
    return pooled if return_indices else pooled[0]


def _fractional_size(input, dims, output_size, output_ratio):
    name = f"fractional_max_pool{dims}d"
    if output_size is not None:
        return output_size
    if output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    ratios = (output_ratio,) * dims if isinstance(output_ratio, float) else tuple(output_ratio)
    if len(ratios) > dims:
        raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
    return [int(input.size(dim - dims) * ratios[dim]) for dim in range(dims)]


def _fractional_samples(input, dims):
    """Returns one number in [0, 1) per plane and dimension, which determines the steps of its windows."""
    batch = 1 if input.dim() == dims + 1 else input.size(0)
    return rand(batch, input.size(-dims - 1), dims, dtype=input.dtype, device=input.device)
