"""Formulas and restricted Python as machine code for large arrays, through LLVM."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from rushlight.core.gc_pause import paused
from rushlight.core.policy import LARGE, WAITING, notice
from rushlight.lower import probe


def attach() -> None:
    """Waits until machine code pays off, unless RUSHLIGHT_JIT=0."""
    if os.environ.get("RUSHLIGHT_JIT") != "0":
        WAITING.append(install_kernels)
        probe.begin()


def is_ready(size: int = LARGE) -> bool:
    """Whether machine code processes large arrays; counts one of `size` elements, at least MEDIUM."""
    notice(size)
    installed = sys.modules.get("rushlight.lower.install")
    return installed is not None and installed.llvm.host().fit


def install_kernels() -> None:
    """Lets machine code process large arrays from now on, if the extra `jit` is installed."""
    probe.end()
    with paused():
        try:
            import_module("rushlight.lower.llvm").binding()
        except ModuleNotFoundError:
            return
        import_module("rushlight.lower.install").install()
