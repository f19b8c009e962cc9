"""Checks of `fractional.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

PLACES = {2: ("height", "width"), 3: ("time", "height", "width")}


def check_extent(input, kernel_size, output_size, samples) -> None:
    """The windows fit in, and every plane has its samples."""
    dims, shape = len(kernel_size), list(input.shape)
    name = "fractional_max_pool2d()" if dims == 2 else "fractional_max_pool3d_out()"
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}: Expected {dims + 1}D or {dims + 2}D tensor, but got: {shape}")
    for dim in range(input.ndim - dims - 1, input.ndim):
        if not shape[dim]:
            raise RuntimeError(
                f"{name}: Expected input to have non-zero size for non-batch dimensions, but got{shape} with dimension "
                f"{dim} being empty."
            )
    for position, extent, size, kernel in zip(PLACES[dims], shape[-dims:], output_size, kernel_size, strict=True):
        if size + kernel - 1 > extent - (dims == 3):  # in three dimensions PyTorch wants one more
            raise RuntimeError(f"{name}: pool {position} {kernel} too large relative to input {position} {extent}")
    check_samples(samples, 1 if input.ndim == dims + 1 else shape[0], shape[-dims - 1], dims)
    if samples.dtype != input.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")


def check_samples(samples, batch: int, channels: int, dims: int) -> None:
    """A number for each dimension of each plane."""
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    result = samples.shape
    if result[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if result[1] != channels:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if result[2] != dims:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {dims}; got {result[2]}.")
