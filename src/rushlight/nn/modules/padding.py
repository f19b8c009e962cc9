"""Padding of the last one, two or three dimensions, by (left, right, top, bottom, front, back)."""

from __future__ import annotations

from rushlight.core.annotations import Ints
from rushlight.core.tensor import Tensor

from .. import functional as F
from .batchnorm import check_dimensions
from .module import Module
from .utils import _ntuple


class PadNd(Module):
    """Pads the last `_rank` dimensions in mode `_mode`."""

    _rank: int
    _mode: str

    def __init__(self, padding: Ints) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._rank)(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(PadNd):
    """Pads with values from the opposite end of the input."""

    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        check_dimensions(input, self._rank + 1, self._rank + 2)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads (C, L) or (N, C, L) with values from the opposite end of the input."""

    _rank = 1


class CircularPad2d(_CircularPadNd):
    """Pads (C, H, W) or (N, C, H, W) with values from the opposite end of the input."""

    _rank = 2


class CircularPad3d(_CircularPadNd):
    """Pads (C, D, H, W) or (N, C, D, H, W) with values from the opposite end of the input."""

    _rank = 3


class ReflectionPad1d(PadNd):
    """Pads (C, L) or (N, C, L) with the input mirrored at its border.

    >>> import rushlight as torch
    >>> torch.nn.ReflectionPad1d(2)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 2., 1., 2., 3., 2., 1.]])
    """

    _rank, _mode = 1, "reflect"


class ReflectionPad2d(PadNd):
    """Pads (C, H, W) or (N, C, H, W) with the input mirrored at its border."""

    _rank, _mode = 2, "reflect"


class ReflectionPad3d(PadNd):
    """Pads (C, D, H, W) or (N, C, D, H, W) with the input mirrored at its border."""

    _rank, _mode = 3, "reflect"


class ReplicationPad1d(PadNd):
    """Pads (C, L) or (N, C, L) with the value at the border."""

    _rank, _mode = 1, "replicate"


class ReplicationPad2d(PadNd):
    """Pads (C, H, W) or (N, C, H, W) with the value at the border."""

    _rank, _mode = 2, "replicate"


class ReplicationPad3d(PadNd):
    """Pads (C, D, H, W) or (N, C, D, H, W) with the value at the border."""

    _rank, _mode = 3, "replicate"


class _ConstantPadNd(PadNd):
    """Pads with `value`."""

    _mode = "constant"

    def __init__(self, padding: Ints, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode, self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with `value`."""

    _rank = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with `value`."""

    _rank = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with `value`."""

    _rank = 3


class ZeroPadNd(_ConstantPadNd):
    """Pads with 0."""

    def __init__(self, padding: Ints) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(ZeroPadNd, ConstantPad1d):
    """Pads the last dimension with 0."""


class ZeroPad2d(ZeroPadNd, ConstantPad2d):
    """Pads the last two dimensions with 0."""


class ZeroPad3d(ZeroPadNd, ConstantPad3d):
    """Pads the last three dimensions with 0."""
