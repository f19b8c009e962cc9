"""A finding of a watch: a warning that names a line of the program and says what to write instead."""

from __future__ import annotations

import os


class Finding(UserWarning):
    """A mistake in the program. `watch(raises=True)` raises it."""

    __module__ = "rushlight.watch"

    kind: str  # name of the trap
    file: str
    line: int
    text: str  # what happens
    advice: str  # what to write instead

    def __init__(self, kind: str, file: str, line: int, text: str, advice: str):
        super().__init__(kind, file, line, text, advice)
        self.kind, self.file, self.line, self.text, self.advice = kind, file, line, text, advice

    def __str__(self):
        return f"{self.text}\n  Instead: {self.advice}"

    @property
    def where(self) -> str:
        """`file:line`, without the folder."""
        return f"{os.path.basename(self.file)}:{self.line}"
