"""The result of an explanation: sentences for people, and the same as a dict for tools."""

from __future__ import annotations

import html
import re
from typing import Any


class Explanation:
    """Sentences under headings; `str()` is the text, `facts` the same for tools.

    A heading is a word or two ("memory"); its sentences state a fact, then what to write. Code is in backquotes.
    """

    def __init__(self, title: str, facts: dict[str, Any] | None = None):
        self.title = title
        self.facts: dict[str, Any] = {"title": title} | (facts or {})
        self.parts: list[tuple[str, list[str]]] = []

    def say(self, heading: str, *sentences: str | None) -> None:
        """Adds sentences under a heading; skips None."""
        present = [sentence for sentence in sentences if sentence]
        if present:
            self.parts.append((heading, present))

    def __str__(self):
        width = max((len(heading) for heading, _ in self.parts), default=0)
        lines = [self.title]
        for heading, sentences in self.parts:
            first, *rest = [line for sentence in sentences for line in sentence.split("\n")]
            lines.append(f"  {heading:<{width}}  {first}")
            lines += [f"  {'':<{width}}  {x}" for x in rest]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><th style='text-align:left;vertical-align:top;padding-right:1em'>{html.escape(heading)}</th>"
            f"<td style='text-align:left'>{'<br>'.join(map(marked_up, sentences))}</td></tr>"
            for heading, sentences in self.parts
        ]
        return f"<div><b>{marked_up(self.title)}</b><table>{''.join(rows)}</table></div>"


def marked_up(sentence: str) -> str:
    """Returns a sentence as HTML; text in backquotes becomes code."""
    text = html.escape(sentence).replace("\n", "<br>")
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def listed(names, most: int = 4) -> str:
    """Joins names, and shortens long lists.

    >>> listed("abc"), listed("abcdefg")
    ('a, b and c', 'a, b, c and 4 more')
    """
    names = list(names)
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun in singular or plural.

    >>> counted(1, "step"), counted(2000, "leaf")
    ('1 step', '2,000 leaves')
    """
    plural = {"leaf": "leaves", "memory": "memories"}.get(noun, f"{noun}s")
    return f"{number:,} {noun if number == 1 else plural}"


def in_bytes(number: float) -> str:
    """Returns a size in a suitable unit.

    >>> in_bytes(164), in_bytes(12_345), in_bytes(3e6)
    ('164 bytes', '12.3 KB', '3.0 MB')
    """
    if number < 1000:
        return f"{number:.0f} bytes"
    for unit in ("KB", "MB", "GB"):
        number /= 1000
        if number < 1000:
            return f"{number:.1f} {unit}"
    return f"{number / 1000:.1f} TB"
