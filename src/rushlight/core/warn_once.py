"""Warnings that are given once per program, like PyTorch's."""

from __future__ import annotations

import warnings

from rushlight.core.determinism import levels_to_the_program

WARNED: set[str] = set()  # texts of warnings already given
COMPLEX_HALF = "ComplexHalf support is experimental and many operators don't support it yet."


class Repetition:
    """Whether such warnings are repeated: `torch.set_warn_always`."""

    def __init__(self):
        self.always = False


REPETITION = Repetition()


def warn_once(words: str) -> None:
    """Warns at the program's own line, unless the same text was given before."""
    if REPETITION.always or words not in WARNED:
        WARNED.add(words)
        warnings.warn(words, UserWarning, stacklevel=levels_to_the_program())
