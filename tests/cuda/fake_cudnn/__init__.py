"""A stand-in for the module `cudnn`, NVIDIA's frontend for Python: the names that are used.

It computes on the memory of the fake CuPy, in float64, and refuses what the frontend refuses: other keywords, calls out
of order, operands of wrong dtypes, pointers that are missing, and sizes that do not fit.
"""

from types import SimpleNamespace

from .graphs import pygraph
from .names import COUNTS, cudnnGraphNotSupportedError, data_type, heur_mode, numerical_note

__all__ = [
    "COUNTS", "backend_version", "create_handle", "cudnnGraphNotSupportedError", "data_type", "heur_mode",
    "numerical_note", "pygraph", "set_stream",
]  # fmt: skip


def create_handle():
    COUNTS.handles += 1
    return SimpleNamespace(stream=None)


def set_stream(handle, stream):
    handle.stream = stream


def backend_version():
    return 91002
