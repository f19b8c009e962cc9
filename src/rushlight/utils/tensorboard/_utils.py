"""Images for TensorBoard: their layouts, and figures of matplotlib as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["convert_to_HWC", "figure_to_image", "make_grid"]


def figure_to_image(figures: Any, close: bool = True) -> np.ndarray:
    """Draws a figure of matplotlib as an array (3, height, width) of bytes; of a list (count, 3, height, width).

    `close` closes the figures afterwards.
    """
    if isinstance(figures, list):
        return np.stack([drawn(figure, close) for figure in figures])
    return drawn(figures, close)


def drawn(figure: Any, close: bool) -> np.ndarray:
    """Draws one figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3]
    if close:
        from matplotlib.pyplot import close as close_figure

        close_figure(figure)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


def make_grid(images: np.ndarray, ncols: int = 8) -> np.ndarray:
    """Puts images (count, channels, height, width) into rows of at most `ncols`: (3, height, width)."""
    if images.shape[1] == 1:
        images = np.concatenate([images] * 3, 1)
    count, channels, height, width = images.shape
    columns = min(count, ncols)
    rows = -(-count // columns)
    grid = np.zeros((channels, rows * height, columns * width), images.dtype)
    for number, image in enumerate(images):
        y, x = number // columns * height, number % columns * width
        grid[:, y : y + height, x : x + width] = image
    return grid


def convert_to_HWC(tensor: np.ndarray, input_format: str) -> np.ndarray:  # noqa: N802  PyTorch's name
    """Returns an image as (height, width, 3 or 4), several as a grid. `input_format` names the dimensions.

    Raises AssertionError if the format does not fit the array, or has a letter twice.
    """
    if len(set(input_format)) != len(input_format):
        raise AssertionError(f"You can not use the same dimension shordhand twice. input_format: {input_format}")
    if tensor.ndim != len(input_format):
        raise AssertionError(
            f"size of input tensor and input format are different. tensor shape: {tensor.shape}, "
            f"input_format: {input_format}"
        )
    order = input_format.upper()
    if len(order) == 4:
        return make_grid(tensor.transpose([order.index(letter) for letter in "NCHW"])).transpose(1, 2, 0)
    if len(order) == 3:
        image = tensor.transpose([order.index(letter) for letter in "HWC"])
        return np.concatenate([image] * 3, 2) if image.shape[2] == 1 else image
    image = tensor.transpose([order.index(letter) for letter in "HW"])
    return np.stack([image] * 3, 2)
