"""Modules that round to the values of a quantized tensor, so that a model is trained for quantization."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtype as dtypes
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor
from rushlight.nn.modules.module import Module

from ._types import (
    PER_CHANNEL,
    per_channel_affine_float_qparams,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    qint8,
    quint4x2,
    quint8,
)  # fmt: skip
from .observer import (
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    WithFactories,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
    range_of,
)  # fmt: skip
from .rounding import fake_quantize_per_channel_affine, fake_quantize_per_tensor_affine

__all__ = [
    "FakeQuantize", "FakeQuantizeBase", "FixedQParamsFakeQuantize", "default_affine_fixed_qparams_fake_quant",
    "default_dynamic_fake_quant", "default_embedding_fake_quant", "default_embedding_fake_quant_4bit",
    "default_fake_quant", "default_fixed_qparams_range_0to1_fake_quant",
    "default_fixed_qparams_range_neg1to1_fake_quant", "default_per_channel_weight_fake_quant",
    "default_symmetric_fixed_qparams_fake_quant", "default_weight_fake_quant", "disable_fake_quant",
    "disable_observer", "enable_fake_quant", "enable_observer",
]  # fmt: skip


class FakeQuantizeBase(WithFactories, Module):
    """Base of fake quantization modules: two switches, for rounding and for observing."""

    fake_quant_enabled: Tensor
    observer_enabled: Tensor

    def __init__(self) -> None:
        if type(self) is FakeQuantizeBase:
            raise TypeError(
                "Can't instantiate abstract class FakeQuantizeBase with abstract methods calculate_qparams, forward"
            )
        super().__init__()
        self.register_buffer("fake_quant_enabled", tensor([1], dtype=dtypes.uint8))
        self.register_buffer("observer_enabled", tensor([1], dtype=dtypes.uint8))

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Returns the scale and the zero point."""
        raise NotImplementedError

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Sets whether it rounds."""
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Disables rounding."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Sets whether it observes its input."""
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Disables observing: scale and zero point stay."""
        self.enable_observer(False)


class FakeQuantize(FakeQuantizeBase):
    """Rounds to the steps that an observer computes.

    >>> import rushlight as torch
    >>> FakeQuantize(quant_min=0, quant_max=4)(torch.tensor([0.0, 0.6, 1.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    scale: Tensor
    zero_point: Tensor

    def __init__(
        self, observer: Any = MovingAverageMinMaxObserver, quant_min: int | None = None, quant_max: int | None = None,
        is_dynamic: bool = False, **observer_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if quant_min is not None and quant_max is not None:
            if quant_min > quant_max:
                raise AssertionError("quant_min must be less than or equal to quant_max")
            keywords = getattr(getattr(observer, "p", None), "keywords", {})
            lowest, highest = range_of(keywords.get("dtype", observer_kwargs.get("dtype", quint8)), False)
            if quant_min < lowest:
                raise AssertionError("quant_min out of bound")
            if quant_max > highest:
                raise AssertionError("quant_max out of bound")
            observer_kwargs |= {"quant_min": quant_min, "quant_max": quant_max}
        self.activation_post_process = observer(**observer_kwargs, is_dynamic=is_dynamic)
        of_observer = self.activation_post_process
        self.quant_min, self.quant_max = of_observer.quant_min, of_observer.quant_max
        self.is_dynamic, self.dtype, self.qscheme = of_observer.is_dynamic, of_observer.dtype, of_observer.qscheme
        zero_point_dtype = dtypes.float32 if self.qscheme is per_channel_affine_float_qparams else dtypes.int32
        self.register_buffer("scale", tensor([1.0], dtype=dtypes.float32))
        self.register_buffer("zero_point", tensor([0], dtype=zero_point_dtype))
        self.ch_axis = getattr(of_observer, "ch_axis", -1)
        self.is_per_channel = self.qscheme in PER_CHANNEL

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: Tensor) -> Tensor:
        if self.observer_enabled[0] == 1:
            self.activation_post_process(X.detach())
            for buffer, new in zip((self.scale, self.zero_point), self.calculate_qparams(), strict=True):
                buffer.resize_(new.shape).copy_(new)
        if self.fake_quant_enabled[0] != 1:
            return X
        if self.is_per_channel:
            how = self.scale, self.zero_point, self.ch_axis, self.quant_min, self.quant_max
            return fake_quantize_per_channel_affine(X, *how)
        return fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, self.quant_min, self.quant_max)

    def _load_from_state_dict(self, state_dict: dict, prefix: str, *args: Any, **kwargs: Any) -> None:
        for name in ("scale", "zero_point"):  # per channel, or one for all
            if (stored := state_dict.get(prefix + name)) is not None:
                getattr(self, name).resize_(stored.shape)
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"quant_min={self.quant_min}, quant_max={self.quant_max}, dtype={self.dtype}, qscheme={self.qscheme}, "
            f"ch_axis={self.ch_axis}, scale={self.scale}, zero_point={self.zero_point}"
        )


class FixedQParamsFakeQuantize(FakeQuantize):
    """Rounds to fixed steps."""

    def __init__(self, observer: Any) -> None:
        super().__init__(observer=observer)
        fixed = self.activation_post_process
        self.scale, self.zero_point = fixed.scale, fixed.zero_point

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        return self.scale, self.zero_point

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}, quant_min={self.quant_min}, "
            f"quant_max={self.quant_max}, qscheme={self.qscheme}"
        )


def switch(name: str, module: Any) -> None:
    if isinstance(module, FakeQuantizeBase):
        getattr(module, name)()


def disable_fake_quant(mod: Any) -> None:
    """Disables rounding of a module, if it is a fake quantization: `model.apply(disable_fake_quant)`."""
    switch("disable_fake_quant", mod)


def enable_fake_quant(mod: Any) -> None:
    """Enables rounding of a module, if it is a fake quantization."""
    switch("enable_fake_quant", mod)


def disable_observer(mod: Any) -> None:
    """Disables observing of a module, if it is a fake quantization."""
    switch("disable_observer", mod)


def enable_observer(mod: Any) -> None:
    """Enables observing of a module, if it is a fake quantization."""
    switch("enable_observer", mod)


OF_CHANNELS = MovingAveragePerChannelMinMaxObserver
default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=quint8, qscheme=per_tensor_affine,
    reduce_range=True,
)  # fmt: skip
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=-128, quant_max=127, dtype=qint8, qscheme=per_tensor_symmetric,
    reduce_range=False,
)  # fmt: skip
default_dynamic_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, is_dynamic=True, dtype=quint8,
    averaging_constant=1,
)  # fmt: skip
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=OF_CHANNELS, quant_min=-128, quant_max=127, dtype=qint8, qscheme=per_channel_symmetric,
    reduce_range=False, ch_axis=0,
)  # fmt: skip
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=OF_CHANNELS, qscheme=per_channel_affine_float_qparams, dtype=quint8, quant_min=0, quant_max=255,
    ch_axis=0, averaging_constant=1,
)  # fmt: skip
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=OF_CHANNELS, qscheme=per_channel_affine_float_qparams, ch_axis=0, dtype=quint4x2, averaging_constant=1
)
