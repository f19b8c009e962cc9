"""The width of text, and so the size of boxes: upper bounds, since the reader's fonts are not known.

Titles use a sans-serif font, other text a monospace font, of which nearly all are 0.6 em wide. Widths of titles are
those of DejaVu Sans Bold, which is wider than system fonts.
"""

from __future__ import annotations

import unicodedata

from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.layout import Size

TITLE, TEXT, SMALL = 13.0, 11.0, 10.0  # sizes of fonts, in pixels
FIXED = 0.61  # width of a letter in a monospace font
NARROW, MIDDLE, WIDE = 0.44, 0.75, 1.13
LETTERS = {**dict.fromkeys("ijl.,:;'|!()[]- ft", NARROW), **dict.fromkeys("mwMW@%", WIDE)}
SIDE = 9.0  # padding between text and the edge of a box
TITLE_HEIGHT, LINE_HEIGHT = 17.0, 14.0
LONGEST = 40  # letters per line; the rest is cut


def shortened(words: str, longest: int = LONGEST) -> str:
    """Shortens text to fit; a dotted name keeps its end, which distinguishes it."""
    if len(words) <= longest:
        return words
    return words[: longest - 2] + ".." if " " in words else ".." + words[2 - longest :]


def title_width(words: str, size: float = TITLE) -> float:
    return size * sum(WIDE if is_wide(letter) else LETTERS.get(letter, MIDDLE) for letter in words)


def fixed_width(words: str, size: float = TEXT) -> float:
    return size * FIXED * sum(2 if is_wide(letter) else 1 for letter in words)


def is_wide(letter: str) -> bool:
    """Whether a letter is two columns wide, such as Chinese, Japanese and Korean ones."""
    return unicodedata.east_asian_width(letter) in "WF"


def box_size(box) -> Size:
    """Returns the size of a box for its title and lines."""
    widths = [title_width(shortened(box.title)), *(fixed_width(shortened(line)) for line in box.lines)]
    return Size(max(44.0, *widths) + 2 * SIDE, first_line(box) + LINE_HEIGHT * len(box.lines))


def first_line(box) -> float:
    """Returns the distance from the upper edge of a box to its lines."""
    return 10.0 + (TITLE_HEIGHT if box.title else 0.0)


def label_size(words: str) -> Size:
    return Size(fixed_width(words, SMALL) + 6.0, 14.0)


def frame_title(group: Group) -> str:
    """Returns the title of an open group's frame."""
    return f"{shortened(group.title)} x {group.turns}" if group.kind == "repeat" else shortened(group.title)


def frame_size(group: Group) -> Size:
    """Returns the size of a frame's title, with room for the fold symbol."""
    repeats = group.kind == "repeat"  # a line below says how to show all turns
    return Size(title_width(frame_title(group), TEXT) + 24.0, 30.0 if repeats else 16.0)


def summary(group: Group) -> str:
    """Returns the text of a folded group's box: the amount of its content."""
    count = len(group.boxes())
    boxes = "1 box" if count == 1 else f"{count} boxes"
    return f"{group.turns} turns, {boxes}" if group.kind == "repeat" else boxes
