"""Checks of `shuffle.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations


def check_groups(input, groups: int) -> None:
    """Groups of channels are of equal size."""
    if input.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if input.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {input.shape[1]} channels and {groups} groups."
        )


def check_blocks(size, counts: tuple, kernel_size, dilation, padding) -> None:
    """There is a block at all."""
    if min(counts) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(size)}, kernel_size={kernel_size}, dilation={dilation}, "
            f"padding={padding}, calculated shape of the array of sliding blocks as {counts}, but its components must "
            "be at least one."
        )


def check_sliding_blocks(input) -> None:
    shape = list(input.shape)
    if input.ndim not in (3, 4) or 0 in shape[-3:]:
        if input.ndim < 3:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{max(input.ndim, 1)}, "
                f"{max(input.ndim, 1) - 1}], but got {max(input.ndim, 1)})"
            )
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {shape}"
        )
