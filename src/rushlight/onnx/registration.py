"""How operators of a package's own are written in ONNX: what packages say of it is kept, by name and by opset."""

from __future__ import annotations

import re
from collections.abc import Callable

SYMBOLIC: dict[tuple[str, int], Callable] = {}
NAME = re.compile(r"[a-zA-Z0-9-_]+::[a-zA-Z-_]+[a-zA-Z0-9-_]*")


class OnnxExporterError(RuntimeError):
    """What goes wrong with an export, and with what is registered for one."""


OnnxExporterError.__module__ = "torch.onnx"


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable, opset_version: int) -> None:
    """Keeps a function that writes an operator, `domain::name`, as nodes of ONNX, from an opset on.

    Raises OnnxExporterError where the name has another form.
    """
    SYMBOLIC[checked(symbolic_name), opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Takes back what `register_custom_op_symbolic` has kept."""
    SYMBOLIC.pop((checked(symbolic_name), opset_version), None)


def checked(name: str) -> str:
    if name.startswith("::"):
        name = f"aten{name}"
    if not NAME.fullmatch(name):
        raise OnnxExporterError(
            f"Failed to register operator {name}. The symbolic name must match the format domain::name, "
            "and should start with a letter and contain only alphanumeric characters"
        )
    if name.startswith("onnx::"):
        raise ValueError(f"Failed to register operator {name}. onnx domain cannot be modified.")
    return name
