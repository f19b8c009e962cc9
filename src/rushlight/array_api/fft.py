"""The standard's extension `fft`: `rushlight.fft`, with the keyword `axes` instead of PyTorch's `dim`.

https://data-apis.org/array-api/2024.12/extensions/fourier_transform_functions.html
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight._generated import functions as F
from rushlight.core.tensor import Tensor
from rushlight.fft import fftfreq, rfftfreq

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
    "rfftfreq", "rfftn",
]  # fmt: skip

Lengths = Sequence[int] | None


def _along_one(name: str, function, words: str):
    """Returns the transform along one axis with the standard's parameters."""

    def standard(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
        return function(x, n, axis, norm).resolve_conj()

    standard.__name__ = standard.__qualname__ = name
    standard.__doc__ = words
    return standard


fft = _along_one("fft", F.fft_fft, "The transform along an axis.")
ifft = _along_one("ifft", F.fft_ifft, "The inverse of `fft`.")
rfft = _along_one("rfft", F.fft_rfft, "The transform of real numbers, the half of it that determines the other.")
irfft = _along_one("irfft", F.fft_irfft, "The inverse of `rfft`.")
hfft = _along_one(
    "hfft", F.fft_hfft, "The real transform of numbers of which half are given, the conjugates of the rest."
)
ihfft = _along_one("ihfft", F.fft_ihfft, "The inverse of `hfft`, computed at once.")


def fftn(x: Tensor, /, *, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Tensor:
    """Returns the Fourier transform along several axes."""
    return F.fft_fftn(x, s, axes, norm)


def ifftn(x: Tensor, /, *, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Tensor:
    """Returns the inverse of `fftn`."""
    return F.fft_ifftn(x, s, axes, norm)


def rfftn(x: Tensor, /, *, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Tensor:
    """Returns the transform of real numbers along several axes, without the redundant half."""
    return F.fft_rfftn(x, s, axes, norm)


def irfftn(x: Tensor, /, *, s: Lengths = None, axes: Lengths = None, norm: str = "backward") -> Tensor:
    """Returns the inverse of `rfftn`."""
    return F.fft_irfftn(x, s, axes, norm)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Shifts frequency 0 to the middle."""
    return _shifted(F.fft_fftshift, x, axes)


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Returns the inverse of `fftshift`."""
    return _shifted(F.fft_ifftshift, x, axes)


def _shifted(function, x: Tensor, axes: int | Sequence[int] | None) -> Tensor:
    """Shifts along axes; PyTorch needs at least one."""
    return function(x, axes) if axes is None or isinstance(axes, int) or len(axes) else F.clone(x)
