"""The colours of a picture, light and dark. Text has a contrast of at least 4.5 with its background."""

from __future__ import annotations

from typing import NamedTuple


class Palette(NamedTuple):
    """Colours by use; `boxes` has (fill, edge) by kind."""

    paper: str
    text: str
    faint: str
    line: str
    severed: str
    gradient: str
    boxes: dict[str, tuple[str, str]]


LIGHT = Palette(
    paper="#ffffff",
    text="#1c2430",
    faint="#4d596b",
    line="#5b6b82",
    severed="#b3372f",
    gradient="#8a4b00",
    boxes={
        "step": ("#f4f6f9", "#8b98ab"),
        "result": ("#fdf0d3", "#b9862a"),
        "parameter": ("#e0f2e6", "#3b8f5c"),
        "leaf": ("#dfeefb", "#3c7fb8"),
        "constant": ("#ffffff", "#9aa3b0"),
        "cut": ("#fdeae8", "#b3372f"),
        "group": ("#eae6fa", "#7a68b8"),
        "chain": ("#f4f6f9", "#8b98ab"),
        "module": ("#f8f6fe", "#a99ad6"),
        "repeat": ("#f3f0fd", "#7a68b8"),
        "turn": ("#faf9ff", "#bdb2e0"),
        "stretch": ("#f9fafb", "#aab3c0"),
    },
)
DARK = Palette(
    paper="#14181f",
    text="#e8edf4",
    faint="#aab6c8",
    line="#8fa0b8",
    severed="#ff8a80",
    gradient="#ffc266",
    boxes={
        "step": ("#242b36", "#66748a"),
        "result": ("#453714", "#d6a546"),
        "parameter": ("#173a26", "#58b57e"),
        "leaf": ("#15344e", "#5fa8e0"),
        "constant": ("#14181f", "#7b8798"),
        "cut": ("#46201d", "#ff8a80"),
        "group": ("#332b57", "#a594e6"),
        "chain": ("#242b36", "#66748a"),
        "module": ("#1c1b2b", "#5f548f"),
        "repeat": ("#201d33", "#a594e6"),
        "turn": ("#1a1926", "#544a80"),
        "stretch": ("#191e26", "#4f5b6c"),
    },
)
PALETTES = {"light": LIGHT, "dark": DARK}
