"""The messages and the file writer of the package tensorboard, or of tensorboardX where only that is installed.

They are imported on first use. One process uses one of the two: both would register the same messages.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rushlight.core.errors import noted

# Modules of messages: in tensorboard, in tensorboardX.
MODULES = {
    "event": ("compat.proto.event_pb2", "proto.event_pb2"),
    "summary": ("compat.proto.summary_pb2", "proto.summary_pb2"),
    "tensor": ("compat.proto.tensor_pb2", "proto.tensor_pb2"),
    "shape": ("compat.proto.tensor_shape_pb2", "proto.tensor_shape_pb2"),
    "types": ("compat.proto.types_pb2", "proto.types_pb2"),
    "graph": ("compat.proto.graph_pb2", "proto.graph_pb2"),
    "node": ("compat.proto.node_def_pb2", "proto.node_def_pb2"),
    "attribute": ("compat.proto.attr_value_pb2", "proto.attr_value_pb2"),
    "versions": ("compat.proto.versions_pb2", "proto.versions_pb2"),
    "layout": ("plugins.custom_scalar.layout_pb2", "proto.layout_pb2"),
    "pr_curve": ("plugins.pr_curve.plugin_data_pb2", "proto.plugin_pr_curve_pb2"),
    "text": ("plugins.text.plugin_data_pb2", "proto.plugin_text_pb2"),
    "hparams": ("plugins.hparams.plugin_data_pb2", "proto.plugin_hparams_pb2"),
    "hparams_api": ("plugins.hparams.api_pb2", "proto.api_pb2"),
    "mesh": ("plugins.mesh.plugin_data_pb2", "proto.plugin_mesh_pb2"),
}
WRITERS = ("summary.writer.event_file_writer", "event_file_writer")
PACKAGES = ("tensorboard", "tensorboardX")


@cache
def installed() -> str:
    """Returns the package that is there. Raises ModuleNotFoundError if none is."""
    for name in PACKAGES:
        if find_spec(name) is not None:
            return name
    raise noted(
        ModuleNotFoundError("No module named 'tensorboard'", name="tensorboard"),
        "SummaryWriter needs the package tensorboard: python -m pip install 'rushlight[tensorboard]'.",
    )


def messages(name: str) -> Any:
    """Returns a module of messages."""
    package = installed()
    return import_module(f"{package}.{MODULES[name][PACKAGES.index(package)]}")


def event_file_writer() -> Callable[..., Any]:
    """Returns the class that writes files of events."""
    package = installed()
    return import_module(f"{package}.{WRITERS[PACKAGES.index(package)]}").EventFileWriter
