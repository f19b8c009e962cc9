"""`torch.fft`: discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight._generated.names_of_fft import *  # noqa: F403
from rushlight._generated.names_of_fft import __all__ as _transforms
from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.annotations import Device, Dtype
from rushlight.core.dtype import COMPLEX, DEFAULTS, FLOAT, REDUCED, SCALAR_NAMES, float32
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.tensor import Tensor
from rushlight.create.construction import dtype_for, make_or_fill
from rushlight.create.ranges import warn_of_resize
from rushlight.create.sizes import size_tuple
from rushlight.declarations.shapes import as_int
from rushlight.dispatch.message import type_name

__all__ = [*_transforms, "fftfreq", "rfftfreq"]


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Returns the frequencies of `fft` coefficients for `n` samples with spacing `d`; negative ones come last.

    >>> fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    if layout is not STRIDED:
        check_layout("fftfreq", layout)
    n = as_int("fft_fftfreq", "n", n, " (position 1)")
    check_size_fits(size_tuple("fftfreq", (n,)), 8)
    steps = np.arange(n)
    steps[(n + 1) // 2 :] -= n
    return _frequencies("fftfreq", steps, n, d, out, dtype, device, requires_grad)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = STRIDED,
    device: Device = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Returns the frequencies of `rfft` coefficients for `n` samples with spacing `d`.

    >>> rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    if layout is not STRIDED:
        check_layout("rfftfreq", layout)
    n = as_int("fft_rfftfreq", "n", n, " (position 1)")
    check_size_fits((n // 2 + 1,), 8)
    return _frequencies("rfftfreq", np.arange(n // 2 + 1), n, d, out, dtype, device, requires_grad)


def _frequencies(name: str, steps, n: int, d, out, dtype, device, requires_grad) -> Tensor:
    """Returns steps of `1 / (n d)`, computed as in PyTorch: times the quotient, in the precision of the result."""
    if not isinstance(d, (int, float, np.number, Tensor)):
        raise TypeError(f"fft_{name}(): argument 'd' (position 2) must be float, not {type_name(d)}")
    kind = _frequency_dtype(name, out, dtype)
    work = (float32 if kind in REDUCED else kind).numpy
    with np.errstate(all="ignore"):
        array = steps.astype(work) * work.type(1 / (n * np.float64(d)))
    warn_of_resize(out, len(array), stacklevel=4)
    return make_or_fill(f"fft_{name}", array, out=out, dtype=kind, device=device, requires_grad=requires_grad)


def _frequency_dtype(name: str, out, dtype):
    """Returns the dtype of the result: the argument, or that of `out`, or the default."""
    kind = dtype_for(f"fft_{name}", dtype, out, DEFAULTS.floating)
    if kind.category < FLOAT:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if kind.category == COMPLEX:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{SCALAR_NAMES[kind]}'")
    return kind
