"""Shuffles of channels and pixels, and sliding blocks as columns: elements are moved, overlapping blocks added.

Shi et al., "Real-time single image and video super-resolution", 2016. Zhang et al., "ShuffleNet", 2017.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.arrays.size_limits import LIMIT
from rushlight.core.errors import noted
from rushlight.declarations.checks.shuffle import check_blocks, check_groups, check_sliding_blocks
from rushlight.declarations.declare import composite, face, linear
from rushlight.declarations.dtype_rules import refuse

# ---- channels and pixels


@linear(exact=True)
class pixel_shuffle:
    """(..., C * r * r, H, W) as (..., C, H * r, W * r), with `upscale_factor` for r."""

    def forward(xp, input: Tensor, upscale_factor):
        channels, height, width = shuffled(input, upscale_factor)
        *batch, _, rows, columns = input.shape
        blocks = input.reshape((math.prod(batch), channels, upscale_factor, upscale_factor, rows, columns))
        pixels = xp.transpose(blocks, (0, 1, 4, 2, 5, 3))
        return xp.regrouped(pixels, 1, (*batch, channels, height, width), input)

    def shape(input, upscale_factor):
        return MetaArray((*input.shape[:-3], *shuffled(input, upscale_factor)), input.dtype)

    def d_input(F, g, upscale_factor):
        return F.pixel_unshuffle(g, upscale_factor)

    samples = lambda r: [(r(1, 8, 2, 3), 2), (r(9, 1, 2), 3), (r(2, 2, 1, 2, 2), 1)]


face(pixel_shuffle, method=None, out=False)


def shuffled(input, factor: int) -> tuple:
    """The last three dimensions after `pixel_shuffle`."""
    if input.ndim < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {factor}")
    if factor**2 >= LIMIT:
        words = f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={factor}"
        raise noted(ValueError(words), "The factor is how much larger each side becomes: 2 or 3, say.")
    channels, height, width = input.shape[-3:]
    if channels % factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {factor**2}"
        )
    return channels // factor**2, height * factor, width * factor


@linear(exact=True)
class pixel_unshuffle:
    """(..., C, H * r, W * r) as (..., C * r * r, H, W), with `downscale_factor` for r."""

    def forward(xp, input: Tensor, downscale_factor):
        depth, rows, columns = unshuffled(input, downscale_factor)
        if not input.size:  # PyTorch returns a copy
            return xp.copy(input)
        *batch, channels, _, _ = input.shape
        blocks = input.reshape((math.prod(batch), channels, rows, downscale_factor, columns, downscale_factor))
        pixels = xp.transpose(blocks, (0, 1, 3, 5, 2, 4))
        return xp.regrouped(pixels, 3, (*batch, depth, rows, columns), input)

    def shape(input, downscale_factor):
        return MetaArray((*input.shape[:-3], *unshuffled(input, downscale_factor)), input.dtype)

    def d_input(F, g, downscale_factor):
        return F.pixel_shuffle(g, downscale_factor)

    samples = lambda r: [(r(1, 2, 4, 6), 2), (r(1, 3, 3), 3)]


face(pixel_unshuffle, method=None, out=False)


def unshuffled(input, factor: int) -> tuple:
    """The last three dimensions after `pixel_unshuffle`."""
    if input.ndim < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {factor}")
    channels, height, width = input.shape[-3:]
    for name, length, dim in (("height", height, -2), ("width", width, -1)):
        if length % factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={length} "
                f"is not divisible by {factor}"
            )
    return channels * factor**2, height // factor, width // factor


@linear(exact=True)
class channel_shuffle:
    """The channels of (N, C, ...) dealt out: the first of every one of `groups`, then the second, and so on."""

    def forward(xp, input: Tensor, groups):
        check_groups(input, groups)
        batch, channels, *size = input.shape
        dealt = xp.moveaxis(input.reshape((batch, groups, channels // groups, math.prod(size))), 1, 2)
        return xp.regrouped(dealt, 2, tuple(input.shape), input)

    def shape(input, groups):
        check_groups(input, groups)
        return MetaArray(input.shape, input.dtype)

    def d_input(F, g, input_shape, groups):
        return F.channel_shuffle(g, input_shape[1] // groups)

    samples = lambda r: [(r(1, 6, 2), 2), (r(2, 6, 2, 1), 3), (r(2, 4, 0), 2)]


face(channel_shuffle, method=None, out=False)


@composite(samples=lambda r: [(r(1, 6, 2).detach(), 2)])
def native_channel_shuffle(F, input, groups):
    """`channel_shuffle`, by the name of its kernel."""
    return F.channel_shuffle(input, groups)


face(native_channel_shuffle, method=None)


# ---- sliding blocks


@linear(internal=True, exact=True)
class blocks_as_columns:
    """The blocks of (N, C, H, W) under a sliding kernel, each as a column: (N, C * taps, blocks)."""

    def forward(xp, input: Tensor, kernel_size, dilation, padding, stride):
        counts = block_counts(input.shape[2:], kernel_size, dilation, padding, stride)
        check_blocks(input.shape[2:], counts, kernel_size, dilation, padding)
        refuse(input, "iu", "im2col_out_cpu")
        return xp.blocks_as_columns(input, kernel_size, dilation, padding, stride)

    def shape(input, kernel_size, dilation, padding, stride):
        counts = block_counts(input.shape[2:], kernel_size, dilation, padding, stride)
        check_blocks(input.shape[2:], counts, kernel_size, dilation, padding)
        channels = input.shape[1] * math.prod(kernel_size)
        return MetaArray((input.shape[0], channels, math.prod(counts)), input.dtype)

    def d_input(F, g, input_shape, kernel_size, dilation, padding, stride):
        return F.columns_as_blocks(g, tuple(input_shape[2:]), kernel_size, dilation, padding, stride)

    samples = lambda r: [
        (r(2, 3, 4, 5), (2, 3), (1, 1), (0, 0), (1, 1)), (r(1, 2, 5, 4), (2, 2), (2, 1), (1, 2), (2, 3)),
        (r(0, 2, 3, 3), (2, 2), (1, 1), (0, 0), (1, 1)),
    ]  # fmt: skip


face(blocks_as_columns, node="Im2ColBackward0")


@linear(internal=True)
class columns_as_blocks:
    """The transpose of `blocks_as_columns`: blocks added at their positions in an image of `output_size`."""

    def forward(xp, input: Tensor, output_size, kernel_size, dilation, padding, stride):
        refuse(input, "iu", "col2im_out_cpu")
        return xp.columns_as_blocks(input, output_size, kernel_size, dilation, padding, stride)

    def shape(input, output_size, kernel_size, dilation, padding, stride):
        return MetaArray((input.shape[0], input.shape[1] // math.prod(kernel_size), *output_size), input.dtype)

    def d_input(F, g, kernel_size, dilation, padding, stride):
        return F.blocks_as_columns(g, kernel_size, dilation, padding, stride)

    samples = lambda r: [
        (r(2, 12, 6), (3, 4), (2, 2), (1, 1), (0, 0), (1, 1)), (r(1, 8, 9), (5, 4), (2, 2), (2, 1), (1, 2), (2, 3)),
    ]  # fmt: skip


face(columns_as_blocks, node="Col2ImBackward0")


@composite(samples=lambda r: [(r(1, 2, 4, 5), 2), (r(2, 3, 3), (2, 1), 1, 1, 2)])
def sliding_blocks(F, input, kernel_size, dilation=1, padding=0, stride=1):
    """`nn.functional.unfold`: the blocks of (N, C, H, W) or (C, H, W) under a sliding kernel, each as a column."""
    settings = checked_settings(kernel_size, dilation, padding, stride)
    check_sliding_blocks(input)
    if input.ndim == 3:
        return F.squeeze(F.blocks_as_columns(F.unsqueeze(input, 0), *settings), 0)
    return F.blocks_as_columns(input, *settings)


face(sliding_blocks, spaces=("nn.functional",), aliases=("unfold",))


@composite(
    samples=lambda r: [(r(1, 8, 4), 3, 2), (r(8, 6), (3, 4), 2), (r(1, 8, 9), (5, 4), 2, (2, 1), (1, 2), (2, 3))]
)
def fold(F, input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The transpose of `nn.functional.unfold`: columns added at their blocks in images of `output_size`.

    (N, C * taps, blocks) or (C * taps, blocks) becomes (N, C, *output_size) or (C, *output_size). Raises
    RuntimeError if there are not as many columns as blocks.
    """
    size = pair("output_size", output_size)
    settings = checked_settings(kernel_size, dilation, padding, stride)
    check_columns(input, size, *settings)
    if input.ndim == 2:
        return F.squeeze(F.columns_as_blocks(F.unsqueeze(input, 0), size, *settings), 0)
    return F.columns_as_blocks(input, size, *settings)


face(fold, spaces=("nn.functional",))


def pair(name: str, value) -> tuple:
    """A setting for each of two dimensions."""
    if isinstance(value, (int, np.integer)):
        return int(value), int(value)
    if len(value) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")
    return tuple(value)


def checked_settings(kernel_size, dilation, padding, stride) -> tuple:
    """The settings of sliding blocks for each dimension, in PyTorch's bounds."""
    given = kernel_size, dilation, padding, stride
    if all([type(each) is int for each in given]) and min(kernel_size, dilation, padding + 1, stride) > 0:
        return tuple([(each, each) for each in given])
    named = {"kernel_size": kernel_size, "dilation": dilation, "padding": padding, "stride": stride}
    settings = {name: pair(name, value) for name, value in named.items()}
    for name, words, shown in (
        ("kernel_size", "kernel size", "kernel"),
        ("dilation", "dilation", "dilation"),
        ("padding", "padding", "pad"),
        ("stride", "stride", "stride"),
    ):
        height, width = settings[name]
        lowest, bound = (0, "non-negative") if name == "padding" else (1, "greater than zero")
        if min(height, width) < lowest:
            raise RuntimeError(f"{words} should be {bound}, but got {shown}_height: {height} {shown}_width: {width}")
    return tuple(settings.values())


def block_counts(size, kernel_size, dilation, padding, stride) -> tuple:
    """How many blocks there are along each dimension."""
    spans = zip(size, kernel_size, dilation, padding, stride, strict=True)
    return tuple((n + 2 * pad - apart * (taps - 1) - 1) // step + 1 for n, taps, apart, pad, step in spans)


def check_columns(input, size: tuple, kernel_size, dilation, padding, stride) -> None:
    """Raises unless there are as many columns as blocks, each a multiple of the kernel's size long."""
    shape = list(input.shape)
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {shape}"
        )
    if shape[-2] % math.prod(kernel_size):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)="
            f"{shape[-2]} and kernel_size={kernel_size}."
        )
    rows, columns = counts = block_counts(size, kernel_size, dilation, padding, stride)
    if math.prod(counts) != shape[-1]:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel_size}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{rows} * {columns} = {math.prod(counts)}, but got input.size(2)={shape[-1]}."
        )
    if min(counts) < 1:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel_size}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, calculated shape of the array of sliding blocks as {counts}, which is too small (each "
            "must be at least one)."
        )
