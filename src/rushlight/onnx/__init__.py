"""`torch.onnx`: registrations of packages, and queries. The export itself is not implemented.

https://docs.pytorch.org/docs/stable/onnx.html
"""

from rushlight.onnx import operators as operators
from rushlight.onnx import symbolic_helper as symbolic_helper
from rushlight.onnx import symbolic_opset11 as symbolic_opset11
from rushlight.onnx.registration import OnnxExporterError, register_custom_op_symbolic, unregister_custom_op_symbolic

__all__ = ["OnnxExporterError", "is_in_onnx_export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]


def is_in_onnx_export() -> bool:
    """Returns False: there is no export.

    >>> import rushlight as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False
