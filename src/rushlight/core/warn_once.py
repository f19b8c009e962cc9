"""Warnings that are given once in a program, as PyTorch gives them."""

from __future__ import annotations

import warnings

from rushlight.core.determinism import levels_to_the_program

WARNED: set[str] = set()  # what has been said
COMPLEX_HALF = "ComplexHalf support is experimental and many operators don't support it yet."


class Repetition:
    """Whether such warnings are given every time: `torch.set_warn_always`."""

    def __init__(self):
        self.always = False


REPETITION = Repetition()


def warn_once(words: str) -> None:
    """Warns at the program's own line, unless it has been warned of that before."""
    if REPETITION.always or words not in WARNED:
        WARNED.add(words)
        warnings.warn(words, UserWarning, stacklevel=levels_to_the_program())
