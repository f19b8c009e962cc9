"""Merging and splitting dimensions."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor

from .module import Module


class Flatten(Module):
    """Merges the dimensions from `start_dim` to `end_dim`.

    >>> import rushlight as torch
    >>> torch.nn.Flatten()(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    _shown = ("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    """Splits the dimension `dim` into `unflattened_size`."""

    _shown = ("dim", "unflattened_size")

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        check_size(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)


def check_size(size):
    if not isinstance(size, tuple | list):
        raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(size).__name__}")
    for position, length in enumerate(size):
        if not isinstance(length, int):
            raise TypeError(
                "unflattened_size must be tuple of ints, but found element of type "
                f"{type(length).__name__} at pos {position}"
            )
