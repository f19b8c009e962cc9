"""PyTorch's quantized layers, as names: programs that refer to them can be imported.

None can be created, because there are no quantized tensors. One table holds the names of `qat`, `quantizable` and
`quantized`.
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.errors import noted

from . import modules
from .modules.module import Module

TABLE = {
    "qat": "Linear Conv1d Conv2d Conv3d Embedding EmbeddingBag",
    "quantizable": "LSTM LSTMCell MultiheadAttention",
    "quantized": (
        "BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize "
        "Dropout ELU Embedding EmbeddingBag GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm "
        "LeakyReLU Linear LSTM MultiheadAttention PReLU Quantize ReLU6 Sigmoid Softmax FloatFunctional "
        "FXFloatFunctional QFunctional"
    ),
}


class Unquantized(Module):
    """A quantized layer as a name: its constructor raises NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse(f"{type(self).__module__}.{type(self).__name__}")


def refuse(name: str) -> NoReturn:
    """Raises the error of everything that needs quantized tensors."""
    layer = name.rpartition(".")[2]
    exists = hasattr(modules, layer)
    note = f"Write torch.nn.{layer}(...), the layer of floating numbers." if exists else "Leave the model as it is."
    raise noted(NotImplementedError(f"{name} needs quantized tensors, which rushlight does not have."), note)


def layers(namespace: str) -> dict[str, type]:
    """Returns the layers of one namespace of the table, by name."""
    attributes = {"__module__": f"torch.ao.nn.{namespace}"}
    return {name: type(name, (Unquantized,), dict(attributes)) for name in TABLE[namespace].split()}
