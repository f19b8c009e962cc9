"""Warnings that are given once in a program, as PyTorch gives them."""

from __future__ import annotations

import warnings

from rushlight.core.determinism import levels_to_the_program

WARNED: set[str] = set()  # what has been said


def warn_once(words: str) -> None:
    """Warns at the program's own line, unless it has been warned of that before."""
    if words not in WARNED:
        WARNED.add(words)
        warnings.warn(words, UserWarning, stacklevel=levels_to_the_program())
