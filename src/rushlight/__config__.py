"""`torch.__config__`: how the library is built."""

from __future__ import annotations

import os
import platform

import ml_dtypes
import numpy as np

from rushlight.arrays.threads import get_num_interop_threads, get_num_threads
from rushlight.version import __version__

VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")


def show() -> str:
    """Describes how the library is built."""
    parts = [f"Python {platform.python_version()}", f"NumPy {np.__version__}", f"ml_dtypes {ml_dtypes.__version__}"]
    lines = ["PyTorch built with:", f"  - rushlight {__version__}", *(f"  - {part}" for part in parts)]
    return "\n".join([*lines, ""])


def _cxx_flags() -> str:
    """Returns the flags of the C++ compiler: none, because nothing is compiled in advance."""
    return ""


def parallel_info() -> str:
    """Describes the number of threads."""
    lines = [
        "ATen/Parallel:",
        f"\tat::get_num_threads() : {get_num_threads()}",
        f"\tat::get_num_interop_threads() : {get_num_interop_threads()}",
        f"std::thread::hardware_concurrency() : {os.cpu_count()}",
        "Environment variables:",
        *(f"\t{name} : {os.environ.get(name, '[not set]')}" for name in VARIABLES),
    ]
    return "\n".join([*lines, ""])
