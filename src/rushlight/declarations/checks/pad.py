"""Checks of `pad.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

COMBINATIONS = (
    "Padding size {} is not supported for {}D input tensor.\n"
    "Supported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)


def check_length(pad, rank: int) -> None:
    """A pair for each dimension that is padded."""
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * rank:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {rank}"
        )


def check_circular_pad(size, after, before) -> None:
    left = size + min(before, 0) + min(after, 0)
    if max(before, after) > size:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    if left < 0 or (left == 0 and max(before, after) > 0):
        raise RuntimeError("Negative padding value is resulting in an empty dimension")


def check_pad_mode(input, pad, mode, value) -> None:
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) not in (2, 4, 6) or input.ndim not in (len(pad) // 2 + 1, len(pad) // 2 + 2):
        raise NotImplementedError(COMBINATIONS.format(len(pad), input.ndim))
