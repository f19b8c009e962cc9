"""Formulas and restricted Python as machine code for large arrays, through LLVM."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from rushlight.core.gc_pause import paused
from rushlight.core.large import LARGE, WAITING, notice
from rushlight.lower import trials


def attach() -> None:
    """Waits until arrays are worth it, if there is an LLVM and nobody has switched this off."""
    if os.environ.get("RUSHLIGHT_JIT") != "0":
        WAITING.append(engage)
        trials.begin()


def is_ready(size: int = LARGE) -> bool:
    """Whether machine code works on large arrays; who asks has one of so many elements, at least MEDIUM."""
    notice(size)
    engaged = sys.modules.get("rushlight.lower.engage")
    return engaged is not None and engaged.llvm.host().fit


def engage() -> None:
    """From now on large arrays are worked on by machine code, if the extra `jit` is installed."""
    trials.end()
    with paused():
        try:
            import_module("rushlight.lower.llvm").binding()
        except ModuleNotFoundError:
            return
        for name in ("engage", "layers"):
            import_module(f"rushlight.lower.{name}").engage()
