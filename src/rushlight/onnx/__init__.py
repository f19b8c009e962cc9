"""`torch.onnx`: models as ONNX files, which other runtimes run. It needs the package onnx.

https://docs.pytorch.org/docs/stable/onnx.html
"""

import sys
from importlib import import_module
from typing import Any

from rushlight.onnx import operators as operators
from rushlight.onnx import symbolic_helper as symbolic_helper
from rushlight.onnx import symbolic_opset11 as symbolic_opset11
from rushlight.onnx.registration import (
    EXPORTING,
    OnnxExporterError,
    register_custom_op_symbolic,
    unregister_custom_op_symbolic,
)
from rushlight.version import __version__

# What the file of a model names as its origin.
producer_name, producer_version = "rushlight", __version__

LATER = {"export": "exporting", "ONNXProgram": "program"}  # names that are imported at their first use, from modules

__all__ = [
    "ONNXProgram", "OnnxExporterError", "export", "is_in_onnx_export", "register_custom_op_symbolic",
    "unregister_custom_op_symbolic",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{LATER[name]}"), name)
    setattr(sys.modules[__name__], name, value)
    return value


def is_in_onnx_export() -> bool:
    """Returns whether a model is being exported, in this process.

    >>> import rushlight as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return bool(EXPORTING)
