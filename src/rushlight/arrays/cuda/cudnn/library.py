"""NVIDIA's frontend for cuDNN, and its names for dtypes."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

TYPES = {"float16": "HALF", "bfloat16": "BFLOAT16", "float32": "FLOAT", "float64": "DOUBLE"}


def library() -> Any:
    """Returns the module of NVIDIA's frontend; None if it, or cuDNN itself, is not installed."""
    if find_spec("cudnn") is None:
        return None
    module = import_module("cudnn")
    try:
        module.backend_version()
    except RuntimeError:  # it finds no library
        return None
    return module
