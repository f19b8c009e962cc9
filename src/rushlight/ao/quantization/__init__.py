"""`torch.ao.quantization`: observers and fake quantization in floating point; conversion of models is missing."""

from . import fake_quantize, observer, qconfig, stubs
from .fake_quantize import *  # noqa: F403
from .observer import *  # noqa: F403
from .qconfig import *  # noqa: F403
from .stubs import *  # noqa: F403

__all__ = [*fake_quantize.__all__, *observer.__all__, *qconfig.__all__, *stubs.__all__]  # noqa: PLE0604
