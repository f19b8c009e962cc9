"""Checks of `arrange.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations


def check_grid(tensors, indexing: str) -> None:
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for each in tensors:
        if each.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {each}")
        if each.dtype is not tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if each.device != tensors[0].device:
            raise RuntimeError("meshgrid expects all tensors to have the same device")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')


def check_repeat_count(input, repeats) -> None:
    if len(repeats) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")


def check_repeated_sizes(sizes) -> None:
    negative = next((length for length in sizes if length < 0), None)
    if negative is not None:
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {sizes}")


def check_repeats(repeats, dim, length) -> None:
    if repeats.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if repeats.shape[0] != length:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size({dim}) = {repeats.shape[0]} and "
            f"input.size({dim}) = {length}"
        )


def check_fliplr_rank(input) -> None:
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")


def check_flipud_rank(input) -> None:
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")


def check_vector(each) -> None:
    if each.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(each.shape)}")


def check_combinations(input, r) -> None:
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")


def check_not_negative(repeats) -> None:
    if repeats.size and repeats.min() < 0:
        raise RuntimeError("repeats can not be negative")


def check_allocated(output_size, required: int) -> None:
    if output_size is not None and output_size != required:
        raise RuntimeError("allocated size does not match required size")
