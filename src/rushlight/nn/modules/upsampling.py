"""Resampling to another size."""

from __future__ import annotations

from typing import Any

from rushlight.core.annotations import Floats, Ints
from rushlight.core.tensor import Tensor

from .. import functional as F
from .module import Module


class Upsample(Module):
    """Resamples (N, C, ...) to `size`, or by `scale_factor`; `mode` is that of `interpolate`.

    >>> import rushlight as torch
    >>> torch.nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        size: Ints | None = None,
        scale_factor: Floats | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor: Any = None
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(map(float, scale_factor))
        elif scale_factor:
            self.scale_factor = float(scale_factor)  # type: ignore[arg-type]
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("recompute_scale_factor", True)  # the behaviour of pickles from before the option
        super().__setstate__(state)

    def extra_repr(self) -> str:
        how = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{how}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resamples (N, C, H, W) by nearest neighbours, as `Upsample` does."""

    def __init__(self, size: Ints | None = None, scale_factor: Floats | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resamples (N, C, H, W) bilinearly with aligned corners."""

    def __init__(self, size: Ints | None = None, scale_factor: Floats | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
