"""Pooling: `return_indices` selects one of two ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._generated import functions
from rushlight.core.annotations import Ints
from rushlight.core.tensor import Tensor
from rushlight.create.random import rand


def _named(function: Callable, name: str, doc: str) -> Callable:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _max_pool(rank: int, windows: str) -> tuple[Callable, Callable]:
    """Returns `max_pool1d`, or that of another rank, and its form with indices; `windows` are its dimensions."""
    name = f"max_pool{rank}d"
    of_values, of_both = getattr(functions, name), getattr(functions, f"{name}_with_indices")

    def pool(
        input: Tensor,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ):
        chosen = of_both if return_indices else of_values
        return chosen(input, kernel_size, stride, padding, dilation, ceil_mode)

    def with_indices(
        input: Tensor,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        dilation: Ints = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        return of_both(input, kernel_size, stride, padding, dilation, ceil_mode)

    doc = f"The largest value of each window of the last {windows}"
    return (
        _named(pool, name, f"{doc}; with `return_indices` also its index."),
        _named(with_indices, f"{name}_with_indices", f"{doc}, and its index."),
    )


def _adaptive_max_pool(rank: int) -> tuple[Callable, Callable]:
    """Returns `adaptive_max_pool1d`, or that of another rank, and its form with indices."""
    name = f"adaptive_max_pool{rank}d"
    of_both = getattr(functions, name)

    def pool(input: Tensor, output_size: Any, return_indices: bool = False):
        pooled = of_both(input, output_size)
        return pooled if return_indices else pooled[0]

    def with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
        return of_both(input, output_size)

    doc = "The largest value of each of `output_size` windows"
    return (
        _named(pool, name, f"{doc}; with `return_indices` also its index."),
        _named(with_indices, f"{name}_with_indices", f"{doc}, and its index."),
    )


def _fractional_max_pool(rank: int, windows: str) -> tuple[Callable, Callable]:
    """Returns `fractional_max_pool2d`, or that of another rank, and its form with indices."""
    name = f"fractional_max_pool{rank}d"
    of_both = getattr(functions, name)

    def with_indices(
        input: Tensor,
        kernel_size: Ints,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        size = _fractional_size(input, rank, output_size, output_ratio)
        for what, each in (("kernel_size", kernel_size), ("output_size", size)):
            _check_length(name, rank, what, each)
        samples = _fractional_samples(input, rank) if _random_samples is None else _random_samples
        return of_both(input, kernel_size, size, samples)

    def pool(
        input: Tensor,
        kernel_size: Ints,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ):
        pooled = with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        return pooled if return_indices else pooled[0]

    doc = "The largest value of each window"
    sizes = "\n\n    There are `output_size` windows, or `output_ratio` times the size of the input.\n    "
    return (
        _named(pool, name, f"{doc} at random steps (Graham, 2014); with `return_indices` also its index."),
        _named(
            with_indices,
            f"{name}_with_indices",
            f"{doc} of the last {windows} at random steps, and its index.{sizes}",
        ),
    )


def _check_length(name: str, rank: int, what: str, sizes: Any) -> None:
    """Raises RuntimeError for a tuple with another number of sizes than the pool has dimensions."""
    if not isinstance(sizes, int) and len(sizes) != rank:
        numbers = "Ints" if rank == 2 else "three Ints"
        raise RuntimeError(f"{name}: {what} must either be a single Int or tuple of {numbers}")


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


max_pool1d, max_pool1d_with_indices = _max_pool(1, "dimension")
max_pool2d, max_pool2d_with_indices = _max_pool(2, "two dimensions")
max_pool3d, max_pool3d_with_indices = _max_pool(3, "three dimensions")
adaptive_max_pool1d, adaptive_max_pool1d_with_indices = _adaptive_max_pool(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = _adaptive_max_pool(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = _adaptive_max_pool(3)
fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional_max_pool(2, "two dimensions")
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional_max_pool(3, "three dimensions")
