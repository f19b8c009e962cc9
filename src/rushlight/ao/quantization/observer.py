"""Observers: modules that return their input, and compute quantization parameters from it.

The values are PyTorch's; `FakeQuantize` uses them, since there are no quantized tensors.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from rushlight._generated import functions as F
from rushlight.core import dtype as dtypes
from rushlight.core.dtype import finfo
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty, ones_like, zeros, zeros_like
from rushlight.create.from_data import tensor
from rushlight.nn.modules.module import Module

from ._types import (
    PER_CHANNEL,
    PER_TENSOR,
    per_channel_affine_float_qparams,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    qint8,
    qint32,
    quint4x2,
    quint8,
)  # fmt: skip

__all__ = [
    "FixedQParamsObserver", "MinMaxObserver", "MovingAverageMinMaxObserver", "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver", "ObserverBase", "PerChannelMinMaxObserver", "PlaceholderObserver", "RecordingObserver",
    "ReuseInputObserver", "UniformQuantizationObserverBase", "default_affine_fixed_qparams_observer",
    "default_debug_observer", "default_dynamic_quant_observer", "default_fixed_qparams_range_0to1_observer",
    "default_fixed_qparams_range_neg1to1_observer", "default_float_qparams_observer",
    "default_float_qparams_observer_4bit", "default_observer", "default_per_channel_weight_observer",
    "default_placeholder_observer", "default_reuse_input_observer", "default_symmetric_fixed_qparams_observer",
    "default_weight_observer", "per_channel_weight_observer_range_neg_127_to_127",
    "weight_observer_range_neg_127_to_127",
]  # fmt: skip

EPS = finfo(dtypes.float32).eps
ALLOWED = (
    qint8, quint8, quint4x2, qint32, dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.int32, dtypes.float8_e5m2,
    dtypes.float8_e4m3fn, dtypes.uint16,
)  # fmt: skip
SIGNED_BYTES, BYTES, WORDS = (qint8, dtypes.int8), (quint8, dtypes.uint8), (qint32, dtypes.int32)


class Factory:
    """A class with some constructor arguments; configurations hold these instead of modules."""

    def __init__(self, p: Any, callable_args: dict[str, Any] | None = None):
        self.p, self.callable_args = p, callable_args or {}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        computed = {name: make() for name, make in self.callable_args.items() if name not in keywords}
        return self.p(*args, **computed, **keywords)

    def __repr__(self) -> str:
        return repr(self.p) + repr(self.callable_args)

    def with_args(self, **kwargs: Any) -> Factory:
        """Returns a factory with more arguments."""
        return Factory(partial(self, **kwargs))

    def with_callable_args(self, **kwargs: Any) -> Factory:
        """Returns a factory with more arguments, computed by functions when a module is created."""
        return Factory(self.p, {**self.callable_args, **kwargs})


class WithFactories:
    """Adds `with_args` to a class, which makes factories."""

    @classmethod
    def with_args(cls, **kwargs: Any) -> Factory:
        """Returns a factory of modules of this class with these arguments.

        >>> make = MinMaxObserver.with_args(quant_min=0, quant_max=127)
        >>> make().quant_max
        127
        """
        return Factory(partial(cls, **kwargs))

    @classmethod
    def with_callable_args(cls, **kwargs: Any) -> Factory:
        """Returns a factory with arguments computed by functions when a module is created."""
        return Factory(partial(cls)).with_callable_args(**kwargs)


class ObserverBase(WithFactories, Module):
    """Base of observers: `forward` observes a tensor, `calculate_qparams` returns scale and zero point."""

    def __init__(self, dtype: Any, is_dynamic: bool = False):
        if type(self) is ObserverBase:
            raise TypeError(
                "Can't instantiate abstract class ObserverBase with abstract methods calculate_qparams, forward"
            )
        super().__init__()
        self.dtype, self.is_dynamic = dtype, is_dynamic

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Returns the scale and the zero point."""
        raise NotImplementedError


def range_of(dtype: Any, reduce_range: bool) -> tuple[int, int]:
    """Returns the smallest and largest integer used."""
    if dtype in SIGNED_BYTES:
        return (-64, 63) if reduce_range else (-128, 127)
    if dtype in BYTES:
        return (0, 127) if reduce_range else (0, 255)
    if dtype in WORDS:
        return -(2**31), 2**31 - 1
    if dtype is dtypes.uint16:
        return 0, 2**16 - 1
    return (-(2**15), 2**15 - 1) if dtype is dtypes.int16 else (0, 15)


def checked_range(dtype: Any, lowest: int, highest: int, reduce_range: bool) -> tuple[int, int]:
    """Checks a requested range. Raises AssertionError if it is empty, excludes 0, or is too large for the dtype."""
    if not lowest <= 0 <= highest:
        raise AssertionError("Used-specified quantization range must include 0.")
    if lowest >= highest:
        raise AssertionError("qmin must be strictly less than qmax for user-specified quantization range.")
    for kinds, most in ((SIGNED_BYTES, 256), (WORDS, 2**32)):
        if dtype in kinds and highest - lowest + 1 > most:
            words = "quantization range should be positive and not exceed the maximum bit range"
            raise AssertionError(f"{words} (={most}).")
    return (lowest // 2, highest // 2) if reduce_range else (lowest, highest)


class UniformQuantizationObserverBase(ObserverBase):
    """An observer of uniform quantization: `calculate_qparams` uses the minimum and the maximum."""

    _version = 3
    eps: Tensor

    def __init__(
        self, dtype: Any = quint8, qscheme: Any = per_tensor_affine, reduce_range: bool = False,
        quant_min: int | None = None, quant_max: int | None = None, factory_kwargs: dict | None = None,
        eps: float = EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        if reduce_range:
            warnings.warn(
                "Please use quant_min and quant_max to specify the range for observers.                     "
                "reduce_range will be deprecated in a future release of PyTorch.",
                stacklevel=2,
            )
        self.qscheme, self.reduce_range = qscheme, reduce_range
        self.register_buffer("eps", tensor([eps], **(factory_kwargs or {})))
        if qscheme not in PER_TENSOR + PER_CHANNEL:
            raise AssertionError(
                "Default Observer only works for per_tensor_affine, per_tensor_symmetric, per_channel_affine, "
                "per_channel_symmetric and per_channel_float_qparams quantization scheme"
            )
        if dtype not in ALLOWED:
            raise AssertionError(f"Default Observer only works for {ALLOWED} data type")
        if quant_min is not None and quant_max is not None:
            self.has_customized_qrange = True
            self.quant_min, self.quant_max = checked_range(dtype, quant_min, quant_max, reduce_range)
        else:
            self.has_customized_qrange = False
            self.quant_min, self.quant_max = range_of(dtype, reduce_range)

    def _calculate_qparams(self, min_val: Tensor, max_val: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the scale and the zero point for a range of values, per channel if there are several."""
        if not has_seen(min_val, max_val):
            return tensor([1.0], device=min_val.device), tensor([0], device=min_val.device)
        least, most = F.minimum(min_val, zeros_like(min_val)), F.maximum(max_val, zeros_like(max_val))
        steps = float(self.quant_max - self.quant_min)
        if self.qscheme in (per_tensor_symmetric, per_channel_symmetric):
            scale = F.maximum(F.maximum(-least, most) / (steps / 2), self.eps)
            zero_point = zeros(least.shape, dtype=dtypes.int64, device=least.device) + self._middle()
        elif self.qscheme is per_channel_affine_float_qparams:
            scale = (max_val - min_val) / steps
            scale = F.where(scale > self.eps, scale, ones_like(scale))
            zero_point = -1 * min_val / scale
        else:
            scale = F.maximum((most - least) / steps, self.eps)
            zero_point = self.quant_min - F.round(least / scale).to(dtypes.int32)
            zero_point = F.clamp(zero_point, self.quant_min, self.quant_max)
        return scale.reshape(-1), zero_point.reshape(-1)

    def _middle(self) -> int:
        """Returns the integer of 0 in a symmetric scheme."""
        if self.dtype in BYTES:
            return (self.quant_min + self.quant_max) // 2 if self.has_customized_qrange else 128
        return 2**15 if self.dtype is dtypes.uint16 else 0

    def reset_min_max_vals(self) -> None:
        """Resets the minimum and maximum."""
        raise NotImplementedError("Cannot reset min/max values in the given observer.")

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" if hasattr(self, "min_val") else ""


def has_seen(min_val: Tensor, max_val: Tensor) -> bool:
    """Whether an observer has seen values. Raises AssertionError if the minimum is above the maximum."""
    infinite = min_val.ndim == 0 and min_val.item() == float("inf") and max_val.item() == -float("inf")
    if not min_val.numel() or not max_val.numel() or infinite:
        words = "must run observer before calling calculate_qparams. Returning default values."
        warnings.warn(words, stacklevel=4)
        return False
    if F.any(min_val > max_val):
        raise AssertionError(f"min {min_val} should be less than max {max_val}")
    return True


class MinMaxObserver(UniformQuantizationObserverBase):
    """Stores the minimum and maximum of all values seen.

    >>> import rushlight as torch
    >>> observer = MinMaxObserver()
    >>> _ = observer(torch.tensor([-1.0, 4.1]))
    >>> observer.calculate_qparams()
    (tensor([0.0200]), tensor([50], dtype=torch.int32))
    """

    min_val: Tensor
    max_val: Tensor

    def __init__(
        self, dtype: Any = quint8, qscheme: Any = per_tensor_affine, reduce_range: bool = False,
        quant_min: int | None = None, quant_max: int | None = None, factory_kwargs: dict | None = None,
        eps: float = EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if qscheme not in PER_TENSOR:
            raise NotImplementedError(
                f"{type(self).__name__}'s qscheme only support torch.per_tensor_symmetric                     "
                "and torch.per_tensor_affine."
            )
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic, **kwargs)
        self.register_buffer("min_val", tensor(float("inf"), **(factory_kwargs or {})))
        self.register_buffer("max_val", tensor(float("-inf"), **(factory_kwargs or {})))
        if qscheme is per_tensor_symmetric and reduce_range and dtype is quint8:
            raise NotImplementedError("Cannot reduce range for symmetric                                        "
                                      "quantization for quint8")  # fmt: skip

    def forward(self, x_orig: Tensor) -> Tensor:
        if x_orig.numel():
            least, most = self._seen(*F.aminmax(x_orig.detach().to(self.min_val.dtype)))
            self.min_val.copy_(least)
            self.max_val.copy_(most)
        return x_orig

    def _seen(self, least: Tensor, most: Tensor) -> tuple[Tensor, Tensor]:
        return F.minimum(least, self.min_val), F.maximum(most, self.max_val)

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        return self._calculate_qparams(self.min_val, self.max_val)

    def reset_min_max_vals(self) -> None:
        self.min_val.copy_(tensor(float("inf")))
        self.max_val.copy_(tensor(float("-inf")))


def averaged(old: Tensor, new: Tensor, share: float) -> Tensor:
    return old + share * (new - old)


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Stores moving averages of the minimum and maximum; new values have the weight `averaging_constant`."""

    def __init__(
        self, averaging_constant: float = 0.01, dtype: Any = quint8, qscheme: Any = per_tensor_affine,
        reduce_range: bool = False, quant_min: int | None = None, quant_max: int | None = None, eps: float = EPS,
        is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if qscheme not in PER_TENSOR:
            raise NotImplementedError(
                "MovingAverageMinMaxObserver's qscheme only support                 torch.per_tensor_symmetric and "
                f"torch.per_tensor_affine.                 but got: {qscheme}"
            )
        if is_dynamic and averaging_constant != 1:
            raise NotImplementedError(
                "MovingAverageMinMaxObserver doesn't support dynamic quantization for "
                f"averaging constant of {averaging_constant}"
            )
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, None, eps, is_dynamic, **kwargs)
        self.averaging_constant = averaging_constant

    def _seen(self, least: Tensor, most: Tensor) -> tuple[Tensor, Tensor]:
        if self.min_val == float("inf") and self.max_val == float("-inf"):
            return least, most
        share = self.averaging_constant
        return averaged(self.min_val, least, share), averaged(self.max_val, most, share)


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Stores the minimum and maximum of each channel, along `ch_axis`."""

    min_val: Tensor
    max_val: Tensor

    def __init__(
        self, ch_axis: int = 0, dtype: Any = quint8, qscheme: Any = PER_CHANNEL[0], reduce_range: bool = False,
        quant_min: int | None = None, quant_max: int | None = None, factory_kwargs: dict | None = None,
        eps: float = EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if qscheme not in PER_CHANNEL:
            raise NotImplementedError(
                f"{type(self).__name__}'s qscheme only support                     torch.per_channel_symmetric, "
                "torch.per_channel_affine and torch.per_channel_affine_float_qparams."
            )
        if is_dynamic:
            raise NotImplementedError(f"{type(self).__name__} doesn't support dynamic quantization")
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic, **kwargs)
        if qscheme is per_channel_symmetric and reduce_range and dtype is quint8:
            raise NotImplementedError("Cannot reduce range for symmetric quantization for quint8")
        self.ch_axis = ch_axis
        self.register_buffer("min_val", tensor([], **(factory_kwargs or {})))
        self.register_buffer("max_val", tensor([], **(factory_kwargs or {})))

    def forward(self, x_orig: Tensor) -> Tensor:
        if x_orig.numel():
            channels = x_orig.detach().transpose(self.ch_axis, 0).to(self.min_val.dtype).flatten(1)
            least, most = self._seen(*F.aminmax(channels, dim=1))
            for buffer, new in ((self.min_val, least), (self.max_val, most)):
                buffer.resize_(new.shape).copy_(new)
        return x_orig

    def _seen(self, least: Tensor, most: Tensor) -> tuple[Tensor, Tensor]:
        if not self.min_val.numel():
            return least, most
        return F.minimum(least, self.min_val), F.maximum(most, self.max_val)

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        return self._calculate_qparams(self.min_val, self.max_val)

    def _load_from_state_dict(self, state_dict: dict, prefix: str, *args: Any, **kwargs: Any) -> None:
        for name in ("min_val", "max_val"):  # they have no size before the first observation
            if (stored := state_dict.get(prefix + name)) is not None:
                getattr(self, name).resize_(stored.shape)
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)

    def reset_min_max_vals(self) -> None:
        self.min_val, self.max_val = empty(0), empty(0)


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """Stores moving averages of the minimum and maximum of each channel."""

    def __init__(
        self, averaging_constant: float = 0.01, ch_axis: int = 0, dtype: Any = quint8, qscheme: Any = PER_CHANNEL[0],
        reduce_range: bool = False, quant_min: int | None = None, quant_max: int | None = None, eps: float = EPS,
        is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(ch_axis, dtype, qscheme, reduce_range, quant_min, quant_max, None, eps, is_dynamic, **kwargs)
        self.averaging_constant = averaging_constant

    def _seen(self, least: Tensor, most: Tensor) -> tuple[Tensor, Tensor]:
        if not self.min_val.numel():
            return least, most
        share = self.averaging_constant
        return averaged(self.min_val, least, share), averaged(self.max_val, most, share)


class FixedQParamsObserver(ObserverBase):
    """Returns a fixed scale and zero point."""

    scale: Tensor
    zero_point: Tensor

    def __init__(
        self, scale: float, zero_point: int, dtype: Any = quint8, qscheme: Any = per_tensor_affine,
        quant_min: int = 0, quant_max: int = 255, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if is_dynamic:
            raise NotImplementedError("FixedQParamsObserver doesn't support dynamic quantization")
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.quant_min, self.quant_max, self.qscheme = quant_min, quant_max, qscheme
        self.register_buffer("scale", tensor([scale], dtype=dtypes.float32))
        self.register_buffer("zero_point", tensor([zero_point], dtype=dtypes.int32))

    def forward(self, X: Tensor) -> Tensor:
        return X

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        return self.scale, self.zero_point


class WithoutParameters(ObserverBase):
    """Base of observers without quantization parameters."""

    def forward(self, x: Any) -> Any:
        return x

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        raise Exception(f"calculate_qparams should not be called for {type(self).__name__}")  # noqa: TRY002


class PlaceholderObserver(WithoutParameters):
    """Specifies the dtype that a tensor is converted to, without observing it."""

    def __init__(
        self, dtype: Any = dtypes.float32, custom_op_name: str = "", compute_dtype: Any = None,
        quant_min: int | None = None, quant_max: int | None = None, qscheme: Any = None, eps: float | None = None,
        is_dynamic: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dtype=dtype, is_dynamic=is_dynamic)
        self.qscheme = per_tensor_affine if qscheme is None else qscheme
        self.quant_min, self.quant_max, self.eps, self.custom_op = quant_min, quant_max, eps, custom_op_name
        if compute_dtype:
            warnings.warn(
                "Please use `is_dynamic` instead of `compute_dtype`.                     `compute_dtype` will be "
                "deprecated in a future release                     of PyTorch.",
                stacklevel=2,
            )

    def extra_repr(self) -> str:
        return f"dtype={self.dtype}, is_dynamic={self.is_dynamic}"


class NoopObserver(WithoutParameters):
    """Observes nothing."""

    def __init__(self, dtype: Any = dtypes.float16, custom_op_name: str = "") -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.custom_op = custom_op_name


class ReuseInputObserver(WithoutParameters):
    """Marks an output whose quantization parameters are those of the input."""

    def __init__(self) -> None:
        super().__init__(dtypes.float32, is_dynamic=False)


class RecordingObserver(WithoutParameters):
    """Stores copies of its inputs."""

    def __init__(self, dtype: Any = quint8) -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.tensor_val: list[Tensor] = []

    def forward(self, x: Tensor) -> Tensor:
        self.tensor_val.append(x.clone())
        return x

    def get_tensor_value(self) -> list[Tensor]:
        """Returns the stored inputs."""
        return self.tensor_val


NARROW = {"quant_min": -127, "quant_max": 127, "eps": 2**-12}
default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args(dtype=qint8, qscheme=per_tensor_symmetric)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(dtype=qint8, qscheme=per_tensor_symmetric, **NARROW)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(dtype=qint8, qscheme=per_channel_symmetric)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    dtype=qint8, qscheme=per_channel_symmetric, **NARROW
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=quint8, quant_min=0, quant_max=255, is_dynamic=True
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=quint8, qscheme=per_channel_affine_float_qparams, ch_axis=0
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype=quint4x2, qscheme=per_channel_affine_float_qparams, ch_axis=0
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0, zero_point=128, dtype=quint8, quant_min=0, quant_max=255
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0, zero_point=0, dtype=quint8, quant_min=0, quant_max=255
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver
