"""The dtypes of quantized tensors, which rushlight lacks, and quantization schemes: names that observers take."""

from __future__ import annotations

import builtins

from rushlight.core.dtype import INTEGER, dtype
from rushlight.core.errors import noted


class QuantizedDtype(dtype):
    """A quantized integer dtype: it has a name, but no tensors."""

    __slots__ = ()
    __module__ = "torch"

    def __init__(self, name: str, itemsize: builtins.int):
        self._set(name=name, itemsize=itemsize, category=INTEGER)
        self._set(is_floating_point=False, is_complex=False, is_signed=False)

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
    """Returns a quantized dtype by name."""
    return globals()[name]


class qscheme:
    """A scheme of quantization: per tensor or per channel, symmetric or affine."""

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
    """Returns a scheme by name."""
    return globals()[name]
