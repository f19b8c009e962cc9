"""`torch.utils.cpp_extension`: compiles C++ against PyTorch's headers, which rushlight lacks: the functions raise."""

from __future__ import annotations

import shutil
from typing import Any, NoReturn

from rushlight.core.errors import noted

__all__ = ["CUDA_HOME", "BuildExtension", "is_ninja_available", "load", "load_inline", "verify_ninja_availability"]

CUDA_HOME: str | None = None
INSTEAD = "torch.library.custom_op takes a function in Python, on NumPy's arrays or compiled by numba, ctypes or cffi."


def is_ninja_available() -> bool:
    """Whether the build tool ninja is installed."""
    return shutil.which("ninja") is not None


def verify_ninja_availability() -> None:
    """Raises RuntimeError if the build tool ninja is not installed."""
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")


def load(name: str, sources: Any = None, *arguments: Any, **keywords: Any) -> NoReturn:
    """Compiles an extension. Raises RuntimeError: there are no headers to compile it against."""
    raise noted(
        RuntimeError(f"Error building extension '{name}': rushlight is pure Python and has no C++ headers."), INSTEAD
    )


load_inline = load


class BuildExtension:
    """The class that builds extensions in a setup.py. Its constructor raises RuntimeError, as `load` does."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        load("setup.py")
