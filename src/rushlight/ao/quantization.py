"""`torch.ao.quantization`: configurations of quantization, which can be named and not used."""

from functools import partial
from typing import NamedTuple

from rushlight.nn.unquantized import refuse


class QConfig(NamedTuple):
    """How PyTorch observes activations and weights in order to quantize them: what makes the two observers."""

    activation: object
    weight: object


NAMES = (
    "default_qconfig default_dynamic_qconfig default_qat_qconfig default_weight_only_qconfig "
    "default_per_channel_qconfig float16_dynamic_qconfig float_qparams_weight_only_qconfig per_channel_dynamic_qconfig"
).split()
__all__ = ["QConfig", *NAMES]

for _name in NAMES:
    globals()[_name] = QConfig(*(partial(refuse, f"torch.ao.quantization.{_name}.{each}") for each in QConfig._fields))
