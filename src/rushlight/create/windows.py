"""Window functions, which fade a part of a signal in and out.

https://docs.pytorch.org/docs/stable/torch.html#spectral-ops; `torch.signal.windows` has more of them.
"""

from __future__ import annotations

import math

import rushlight._generated.functions as F
from rushlight.core.dtype import C_NAMES, COMPLEX, DEFAULTS, FLOAT, REDUCED, SCALAR_NAMES, float32
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty, ones
from rushlight.create.overrides import offer
from rushlight.create.ranges import arange
from rushlight.declarations.promote import as_dtype
from rushlight.declarations.shapes import as_int
from rushlight.dispatch.message import type_name
from rushlight.dispatch.override import ABSENT, OBSERVERS


def _window(name: str, length, periodic, of_steps, dtype, device, requires_grad) -> Tensor:
    """Returns `of_steps(steps, step)`, where `steps * step` goes from 0 to 2 over the window.

    A periodic window ends one step before 2.
    """
    dtype = as_dtype(name, dtype) or DEFAULTS.floating
    length = as_int(name, "window_length", length, " (position 1)")
    if not isinstance(periodic, bool):
        args = f"(int, {type_name(periodic)})"
        raise TypeError(f"{name}() received an invalid combination of arguments - got {args}, but expected one of:")
    _check_window(name, length, dtype)
    if length < 2:
        window = (ones if length else empty)(length, dtype=dtype, device=device)
    else:
        window = of_steps(arange(length, dtype=dtype, device=device), 2 / (length - 1 + periodic))
    return window._require_grad() if requires_grad else window


def _check_window(name: str, length: int, dtype) -> None:
    if dtype.category < FLOAT:
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={C_NAMES[dtype]}, device=cpu, layout="
            "Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
        )
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if dtype.category == COMPLEX:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{SCALAR_NAMES[dtype]}'")


def bartlett_window(
    window_length, periodic=True, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns a triangle, from 0 to 1 and back.

    >>> bartlett_window(5, periodic=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    if (OBSERVERS or pin_memory) and (result := offer(bartlett_window, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("bartlett_window", layout)

    def triangle(steps, step):
        rise = steps * step
        return F.minimum(rise, 2 - rise)

    return _window("bartlett_window", window_length, periodic, triangle, dtype, device, requires_grad)


def blackman_window(
    window_length, periodic=True, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns `0.42 - 0.5 cos(x) + 0.08 cos(2x)` over one period."""
    if (OBSERVERS or pin_memory) and (result := offer(blackman_window, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("blackman_window", layout)

    def two_cosines(steps, step):
        half = steps * (step * math.pi / 2)
        return F.cos(half * 4) * 0.08 - F.cos(half * 2) * 0.5 + 0.42

    return _window("blackman_window", window_length, periodic, two_cosines, dtype, device, requires_grad)


def hamming_window(
    window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=STRIDED, device=None,
    requires_grad=False, pin_memory=False,
) -> Tensor:  # fmt: skip
    """Returns `alpha - beta cos(x)` over one period."""
    if (OBSERVERS or pin_memory) and (result := offer(hamming_window, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("hamming_window", layout)
    cosine = _cosine(float(alpha), float(beta))
    return _window("hamming_window", window_length, periodic, cosine, dtype, device, requires_grad)


def hann_window(
    window_length, periodic=True, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns `(1 - cos(x)) / 2` over one period.

    >>> hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    if (OBSERVERS or pin_memory) and (result := offer(hann_window, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("hann_window", layout)
    return _window("hann_window", window_length, periodic, _cosine(0.5, 0.5), dtype, device, requires_grad)


def _cosine(alpha: float, beta: float):
    return lambda steps, step: F.cos(steps * (step * math.pi)) * -beta + alpha


def kaiser_window(
    window_length, periodic=True, beta=12.0, *, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Returns `i0(beta sqrt(1 - x^2)) / i0(beta)` for x from -1 to 1: a larger `beta` gives a narrower window."""
    if (OBSERVERS or pin_memory) and (result := offer(kaiser_window, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("kaiser_window", layout)
    beta = float(beta)

    def bessel(steps, step):
        x = steps.to(float32 if steps.dtype in REDUCED else steps.dtype) * step - 1
        window = F.i0(F.sqrt(F.clamp(1 - x * x, 0)) * beta) / F.i0(F.new_zeros_of(x, ()) + beta)
        return window.to(steps.dtype)

    return _window("kaiser_window", window_length, periodic, bessel, dtype, device, requires_grad)
