"""The dtypes of quantized tensors, which are not there, and how a range is divided: names that observers are given."""

from __future__ import annotations

import builtins

from rushlight.core.dtype import INTEGER, dtype
from rushlight.core.errors import noted


class QuantizedDtype(dtype):
    """A dtype of whole numbers that stand for floats: it has a name, and no tensors."""

    __slots__ = ()
    __module__ = "torch"

    def __init__(self, name: str, itemsize: builtins.int):
        self.name, self.itemsize, self.category = name, itemsize, INTEGER
        self.is_floating_point = self.is_complex = self.is_signed = False

    def __reduce__(self):
        return quantized, (self.name,)

    @property
    def numpy(self):
        raise noted(
            NotImplementedError(f"torch.{self.name}: rushlight has no quantized tensors"),
            "Round in floating point: torch.fake_quantize_per_tensor_affine, torch.ao.quantization.FakeQuantize.",
        )


qint8, quint8, qint32 = QuantizedDtype("qint8", 1), QuantizedDtype("quint8", 1), QuantizedDtype("qint32", 4)
quint4x2, quint2x4 = QuantizedDtype("quint4x2", 1), QuantizedDtype("quint2x4", 1)


def quantized(name: str) -> QuantizedDtype:
    """A quantized dtype by its name."""
    return globals()[name]


class qscheme:
    """How a range of floats is divided into steps: for a whole tensor or each channel, around 0 or not."""

    __module__ = "torch"

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return scheme, (self.name,)


per_tensor_affine, per_tensor_symmetric = qscheme("per_tensor_affine"), qscheme("per_tensor_symmetric")
per_channel_affine, per_channel_symmetric = qscheme("per_channel_affine"), qscheme("per_channel_symmetric")
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams")
PER_TENSOR = (per_tensor_affine, per_tensor_symmetric)
PER_CHANNEL = (per_channel_affine, per_channel_symmetric, per_channel_affine_float_qparams)


def scheme(name: str) -> qscheme:
    """A scheme by its name."""
    return globals()[name]
