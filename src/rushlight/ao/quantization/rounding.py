"""Fake quantization: rounds to the values that a quantized tensor can hold, in floating point, with gradients."""

from __future__ import annotations

from typing import Any

from rushlight._generated import functions as F
from rushlight.autograd.function import Function
from rushlight.core import dtype as dtypes
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor


class FakeQuantize(Function):
    """Rounds to the nearest representable value; the gradient passes where `input` is within the range."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> Tensor:
        steps = F.round(input * (1.0 / scale) + zero_point)
        ctx.save_for_backward((steps >= quant_min) & (steps <= quant_max))
        clamped = F.clamp(steps, quant_min, quant_max)
        return ((clamped - zero_point) * scale).to(input.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:  # type: ignore[override]
        (inside,) = ctx.saved_tensors
        return grad * inside, None, None, None, None


def fake_quantize_per_tensor_affine(
    input: Tensor, scale: float | Tensor, zero_point: int | Tensor, quant_min: int, quant_max: int
) -> Tensor:
    """Rounds `input` to multiples of `scale`: those from `quant_min` to `quant_max`, minus `zero_point`.

    Raises RuntimeError for an empty range, or one that excludes `zero_point`.

    >>> import rushlight as torch
    >>> torch.fake_quantize_per_tensor_affine(torch.tensor([0.12, 0.26, 9.0]), 0.1, 0, 0, 15)
    tensor([0.1000, 0.3000, 1.5000])
    """
    check(input, zero_point, quant_min, quant_max)
    if isinstance(scale, Tensor):
        scale = scale.to(input.device)
    if isinstance(zero_point, Tensor):
        zero_point = zero_point.to(input.device)
    return FakeQuantize.apply(input, as_float(scale), zero_point, quant_min, quant_max)


def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """The same with a scale and a zero point for each channel, along `axis`.

    Raises RuntimeError if these are not as many as channels, or for a range that does not hold all zero points.
    """
    if zero_point.dtype not in (dtypes.int32, dtypes.float32, dtypes.float16):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {SCALAR_NAMES[zero_point.dtype]}")
    channels = input.size(axis)
    if scale.ndim != 1 or scale.numel() != channels or zero_point.numel() != channels:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    check(input, zero_point, quant_min, quant_max)
    shape = [1] * input.ndim
    shape[axis] = channels
    return FakeQuantize.apply(input, scale.view(shape), zero_point.view(shape), quant_min, quant_max)


def check(input: Tensor, zero_point: int | Tensor, quant_min: int, quant_max: int) -> None:
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")
    if not input.is_floating_point():
        name = SCALAR_NAMES[input.dtype]
        raise NotImplementedError(
            f"\"fake_quantize_tensor_cachemask_kernel_type_handling\" not implemented for '{name}'"
        )
    low, high = (zero_point, zero_point)
    if isinstance(zero_point, Tensor):
        if zero_point.is_floating_point():
            return
        low, high = (int(bound) for bound in F.aminmax(zero_point)) if zero_point.numel() else (0, 0)
    if low < quant_min or high > quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def as_float(scale: float | Tensor) -> Tensor:
    """Converts a scale to float32, in which steps are computed."""
    return scale if isinstance(scale, Tensor) else tensor(scale, dtype=dtypes.float32)
