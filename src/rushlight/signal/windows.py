"""`torch.signal.windows`: window functions.

All take the number of points, `M`. A periodic window, with `sym=False`, is the first `M` points of a symmetric one of
`M + 1`. The maximum is 1; if `M` is even and the window symmetric, it is between two points. The formulas are those of
F. J. Harris, On the use of windows for harmonic analysis with the discrete Fourier transform, Proceedings of the IEEE
66 (1978). https://docs.pytorch.org/docs/stable/signal.html
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.annotations import Device
from rushlight.core.dtype import DEFAULTS, float32, float64
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.numbers import python_number
from rushlight.core.shape_queries import STRIDED
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty, ones
from rushlight.create.from_data import tensor
from rushlight.create.ranges import arange, linspace

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns a triangle, from 0 to 1 and back.

    >>> bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    M, dtype = _checked("bartlett", M, dtype, layout)
    if M < 2:
        return _short(M, dtype, device, requires_grad)
    steps = _span(M, sym) - 1
    return 1 - F.abs(_points(-1, 2 * (M - 1) / steps - 1, M, dtype, device, requires_grad))


def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `0.42 - 0.5 cos(x) + 0.08 cos(2x)` over one period."""
    M, dtype = _checked("blackman", M, dtype, layout)
    coefficients = [0.42, 0.5, 0.08]
    return general_cosine(M, a=coefficients, sym=sym, dtype=dtype, device=device, requires_grad=requires_grad)


def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns half a period of a sine, at the midpoints of the steps."""
    M, dtype = _checked("cosine", M, dtype, layout)
    if not M:
        return _short(M, dtype, device, requires_grad)
    step = math.pi / _span(M, sym)
    return F.sin(_points(0.5 * step, (M - 0.5) * step, M, dtype, device, requires_grad))


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `exp(-|n - center| / tau)`; the default center is the middle, another needs a periodic window."""
    M, dtype = _checked("exponential", M, dtype, layout)
    tau, center = python_number(tau), python_number(center)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if not M:
        return _short(M, dtype, device, requires_grad)
    center = (_span(M, sym) - 1) / 2 if center is None else center
    return F.exp(-F.abs(_points(-center / tau, (M - 1 - center) / tau, M, dtype, device, requires_grad)))


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `exp(-(x / std)^2 / 2)`, with `x` the distance from the middle.

    >>> gaussian(3)
    tensor([0.6065, 1.0000, 0.6065])
    """
    M, dtype = _checked("gaussian", M, dtype, layout)
    std = python_number(std)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if not M:
        return _short(M, dtype, device, requires_grad)
    step, middle = 1 / (std * math.sqrt(2)), (_span(M, sym) - 1) / 2
    return F.exp(-F.pow(_points(-middle * step, (M - 1 - middle) * step, M, dtype, device, requires_grad), 2))


def general_cosine(
    M: int,
    *,
    a: Iterable,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `a[0] - a[1] cos(x) + a[2] cos(2x) - ...` over one period."""
    M, dtype = _checked("general_cosine", M, dtype, layout)
    if M < 2:
        return _short(M, dtype, device, requires_grad)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    end = 2 * math.pi * (M - 1) / (_span(M, sym) - 1)
    points = _points(0, end, M, dtype, device, requires_grad)
    signed = [(-1) ** i * python_number(coefficient) for i, coefficient in enumerate(a)]
    weights = tensor(signed, dtype=dtype, device=device, requires_grad=requires_grad)
    multiples = F.unsqueeze(arange(len(signed), dtype=dtype, device=device), -1) * points  # (coefficient, point)
    return F.sum(F.unsqueeze(weights, -1) * F.cos(multiples), 0)


def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `alpha - (1 - alpha) cos(x)` over one period."""
    alpha = python_number(alpha)
    coefficients = [alpha, 1.0 - alpha]
    return general_cosine(
        M, a=coefficients, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `0.54 - 0.46 cos(x)` over one period."""
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `(1 - cos(x)) / 2` over one period."""
    return general_hamming(
        M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns `i0(sqrt(beta^2 - x^2)) / i0(beta)` from `-beta` to `beta`; a larger `beta` gives a narrower window."""
    M, dtype = _checked("kaiser", M, dtype, layout)
    beta = python_number(beta)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M < 2:
        return _short(M, dtype, device, requires_grad)
    end = min(beta, beta * (2 * (M - 1) / (_span(M, sym) - 1) - 1))
    points = _points(-beta, end, M, dtype, device, requires_grad)
    widest = tensor(beta, dtype=dtype, device=device)
    return F.i0(F.sqrt(widest * widest - F.pow(points, 2))) / F.i0(widest)


def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns the sum of four cosines with the lowest side lobes.

    A. Nuttall, Some windows with very good sidelobe behavior, IEEE Transactions on Acoustics, Speech, and Signal
    Processing 29 (1981).
    """
    coefficients = [0.3635819, 0.4891775, 0.1365995, 0.0106411]
    return general_cosine(
        M, a=coefficients, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


# ---- shared helpers


def _checked(name: str, M: int, dtype: Dtype | None, layout) -> tuple[int, Dtype]:
    """Returns the length, as a Python int, and the dtype of a window. Raises if there is no such window."""
    dtype = DEFAULTS.floating if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not STRIDED:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return python_number(M), dtype


def _span(M: int, sym: bool) -> int:
    """Returns the number of points of the symmetric window that contains the window."""
    return M if sym or M < 2 else M + 1


def _short(M: int, dtype: Dtype, device, requires_grad: bool) -> Tensor:
    """Returns the window of zero points or one point."""
    return (ones if M else empty)((M,), dtype=dtype, device=device, requires_grad=requires_grad)


def _points(start: float, end: float, M: int, dtype: Dtype, device, requires_grad: bool) -> Tensor:
    """Returns evenly spaced points, the argument of a window's formula."""
    return linspace(start, end, M, dtype=dtype, device=device, requires_grad=requires_grad)
