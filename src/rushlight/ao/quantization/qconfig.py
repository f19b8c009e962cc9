"""Configurations: the observers, or fake quantizations, of activations and weights."""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.core import dtype as dtypes
from rushlight.nn.modules.linear import Identity

from .fake_quantize import default_dynamic_fake_quant, default_fake_quant, default_weight_fake_quant
from .observer import (
    NoopObserver,
    PlaceholderObserver,
    default_debug_observer,
    default_dynamic_quant_observer,
    default_float_qparams_observer,
    default_float_qparams_observer_4bit,
    default_observer,
    default_per_channel_weight_observer,
    default_placeholder_observer,
    default_reuse_input_observer,
    default_weight_observer,
)  # fmt: skip

__all__ = [
    "QConfig", "default_activation_only_qconfig", "default_debug_qconfig", "default_dynamic_qat_qconfig",
    "default_dynamic_qconfig", "default_per_channel_qconfig", "default_qat_qconfig", "default_qconfig",
    "default_reuse_input_qconfig", "default_weight_only_qconfig", "float16_dynamic_qconfig", "float16_static_qconfig",
    "float_qparams_weight_only_qconfig", "float_qparams_weight_only_qconfig_4bit", "per_channel_dynamic_qconfig",
]  # fmt: skip


class QConfig(NamedTuple):
    """Factories of the observers of activations and of weights. Raises ValueError for modules."""

    activation: Any
    weight: Any


def halves(**how: Any) -> Any:
    return PlaceholderObserver.with_args(dtype=dtypes.float16, **how)


default_qconfig = QConfig(default_observer, default_weight_observer)
default_debug_qconfig = QConfig(default_debug_observer, default_weight_observer)
default_per_channel_qconfig = QConfig(default_observer, default_per_channel_weight_observer)
default_dynamic_qconfig = QConfig(default_dynamic_quant_observer, default_weight_observer)
float16_dynamic_qconfig = QConfig(halves(is_dynamic=True), halves())
float16_static_qconfig = QConfig(halves(), halves())
per_channel_dynamic_qconfig = QConfig(default_dynamic_quant_observer, default_per_channel_weight_observer)
float_qparams_weight_only_qconfig = QConfig(default_placeholder_observer, default_float_qparams_observer)
float_qparams_weight_only_qconfig_4bit = QConfig(default_placeholder_observer, default_float_qparams_observer_4bit)
default_qat_qconfig = QConfig(default_fake_quant, default_weight_fake_quant)
default_dynamic_qat_qconfig = QConfig(default_dynamic_fake_quant, default_weight_fake_quant)
default_weight_only_qconfig = QConfig(Identity, default_weight_fake_quant)
default_activation_only_qconfig = QConfig(default_fake_quant, Identity)
default_reuse_input_qconfig = QConfig(default_reuse_input_observer, NoopObserver)
