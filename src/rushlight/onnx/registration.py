"""Registrations of custom operators for ONNX, by name and opset."""

from __future__ import annotations

import re
from collections.abc import Callable

SYMBOLIC: dict[tuple[str, int], Callable] = {}
EXPORTING: list[bool] = []  # not empty while an export runs
NAME = re.compile(r"[a-zA-Z0-9-_]+::[a-zA-Z-_]+[a-zA-Z0-9-_]*")


class OnnxExporterError(RuntimeError):
    """An error of an export, or of a registration for one."""


OnnxExporterError.__module__ = "torch.onnx"


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable, opset_version: int) -> None:
    """Registers a function that writes an operator, `domain::name`, as ONNX nodes, from an opset on.

    Raises OnnxExporterError for names of another form.
    """
    SYMBOLIC[checked(symbolic_name), opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Removes a registration."""
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


def symbolic_for(name: str, opset: int) -> Callable | None:
    """Returns the function that a program registered for an operator, by its name, for an opset; None without one."""
    versions = [(version, function) for (key, version), function in SYMBOLIC.items() if key.partition("::")[2] == name]
    versions = [pair for pair in versions if pair[0] <= opset]
    return max(versions, key=lambda pair: pair[0])[1] if versions else None
