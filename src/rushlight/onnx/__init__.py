"""`torch.onnx`: what packages register for an export, and ask of one. The export itself is not here.

https://docs.pytorch.org/docs/stable/onnx.html
"""

from rushlight.onnx import operators as operators
from rushlight.onnx import symbolic_helper as symbolic_helper
from rushlight.onnx import symbolic_opset11 as symbolic_opset11
from rushlight.onnx.registration import OnnxExporterError, register_custom_op_symbolic, unregister_custom_op_symbolic

__all__ = ["OnnxExporterError", "is_in_onnx_export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]


def is_in_onnx_export() -> bool:
    """Whether a model is being exported: never, as no export is here.

    >>> import rushlight as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False
