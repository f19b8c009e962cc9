"""Pooling: `return_indices` chooses between two operations."""

from rushlight._generated import functions
from rushlight.core.tensor import Tensor


def max_pool1d(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last dimension; with `return_indices` also where it stood."""
    pool = functions.max_pool1d_with_indices if return_indices else functions.max_pool1d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last two dimensions; with `return_indices` also where it stood."""
    pool = functions.max_pool2d_with_indices if return_indices else functions.max_pool2d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """The largest value of each window of the last three dimensions; with `return_indices` also where it stood."""
    pool = functions.max_pool3d_with_indices if return_indices else functions.max_pool3d
    return pool(input, kernel_size, stride, padding, dilation, ceil_mode)


def adaptive_max_pool1d(input: Tensor, output_size, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also where it stood."""
    pooled = functions.adaptive_max_pool1d(input, output_size)
    return pooled if return_indices else pooled[0]


def adaptive_max_pool2d(input: Tensor, output_size, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also where it stood."""
    pooled = functions.adaptive_max_pool2d(input, output_size)
    return pooled if return_indices else pooled[0]


def adaptive_max_pool3d(input: Tensor, output_size, return_indices: bool = False):
    """The largest value of each of `output_size` windows; with `return_indices` also where it stood."""
    pooled = functions.adaptive_max_pool3d(input, output_size)
    return pooled if return_indices else pooled[0]


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last dimension, and where it stood."""
    return functions.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last two dimensions, and where it stood."""
    return functions.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest value of each window of the last three dimensions, and where it stood."""
    return functions.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def adaptive_max_pool1d_with_indices(input: Tensor, output_size, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The largest value of each of `output_size` windows, and where it stood."""
    return functions.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The largest value of each of `output_size` windows, and where it stood."""
    return functions.adaptive_max_pool2d(input, output_size)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size, return_indices: bool = False) -> tuple[Tensor, Tensor]:
    """The largest value of each of `output_size` windows, and where it stood."""
    return functions.adaptive_max_pool3d(input, output_size)
