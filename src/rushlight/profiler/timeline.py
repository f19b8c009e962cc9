"""A timeline as an SVG picture: calls from left to right, those inside below, one band for each thread or rank."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from rushlight.profiler.events import time_text

WIDTH, MARGIN = 1600, 8
ROW, GAP = 18, 24  # heights
LETTER = 6.2  # width of a letter, nearly
LEAST = 0.4  # width of the narrowest box that is drawn
COLOURS = {
    "cpu_op": "#8ecae6",
    "backward": "#ffb703",
    "user_annotation": "#b5e48c",
    "python_function": "#dddddd",
    "compiled": "#cdb4db",
    "communication": "#f4978e",
    "waiting": "#d9d9d9",
}
MEANINGS = {
    "cpu_op": "operator", "backward": "backward", "user_annotation": "step or block", "compiled": "compiled",
    "communication": "communication", "waiting": "waiting",
}  # fmt: skip
STYLE = "text{font:11px sans-serif;pointer-events:none}rect{stroke:#fff;stroke-width:.3}rect:hover{stroke:#000}"


def timeline(events: Any, bands: Mapping[int, str] | None = None) -> str:
    """Returns the picture. A box that would be narrower than half a pixel is left out; the title says how many are.

    `bands` has names for threads.
    """
    end = max([event.time_range.end for event in events], default=1.0) or 1.0
    begin = min([event.time_range.start for event in events], default=0.0)
    scale = (WIDTH - 2 * MARGIN) / max(end - begin, 1e-3)
    depths = depths_of(events)
    tops, height = tops_of(events, depths)
    boxes, hidden = [], 0
    for event in events:
        width = event.cpu_time_total * scale
        if width < LEAST:
            hidden += 1
            continue
        x = MARGIN + (event.time_range.start - begin) * scale
        boxes.append(box(event, x, tops[event.thread] + depths[id(event)] * ROW, width))
    title = f"{time_text(end - begin)}, {len(boxes)} calls; {hidden} more are too short to be seen"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        f"<style>{STYLE}</style>",
        f'<text x="{MARGIN}" y="15">{escape(title)}</text>',
        *legend({kind_of(event) for event in events}),
        *[
            f'<text x="{MARGIN}" y="{top - 5}">{escape((bands or {}).get(thread, f"thread {thread}"))}</text>'
            for thread, top in tops.items()
        ],
        *boxes,
        "</svg>\n",
    ])  # fmt: skip


def depths_of(events: Any) -> dict[int, int]:
    """Returns in how many others each event is."""
    depths: dict[int, int] = {}
    for event in events:
        depths[id(event)] = 0 if event.cpu_parent is None else depths[id(event.cpu_parent)] + 1
    return depths


def tops_of(events: Any, depths: dict[int, int]) -> tuple[dict[int, int], int]:
    """Returns where the band of each thread begins, and the height of the picture."""
    deepest: dict[int, int] = {}
    for event in events:
        deepest[event.thread] = max(deepest.get(event.thread, 0), depths[id(event)])
    tops, height = {}, 24
    for thread, depth in deepest.items():
        tops[thread] = height + GAP
        height += GAP + (depth + 1) * ROW
    return tops, height + MARGIN


def box(event: Any, x: float, y: float, width: float) -> str:
    """Returns the box of an event, with its name where there is room, and all that is known of it as a tooltip."""
    facts = [event.trace_name, time_text(event.cpu_time_total), *event.stack[:1]]
    colour = COLOURS[kind_of(event)]
    rectangle = (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" fill="{colour}">'
        f"<title>{escape(chr(10).join(facts))}</title></rect>"
    )
    letters = int((width - 4) / LETTER)
    if letters < 3:
        return rectangle
    name = event.name if len(event.name) <= letters else f"{event.name[: letters - 1]}\N{HORIZONTAL ELLIPSIS}"
    return f'{rectangle}<text x="{x + 2:.1f}" y="{y + 13}">{escape(name)}</text>'


def kind_of(event: Any) -> str:
    """Returns the kind of an event, by which it is coloured."""
    if event.name.startswith("Torch-Compiled Region"):
        return "compiled"
    return "backward" if event.category == "cpu_op" and event.is_backward else event.category


def legend(kinds: set[str]) -> list[str]:
    """Returns what the colours of these kinds mean."""
    names = {kind: name for kind, name in MEANINGS.items() if kind in kinds}
    result, x = [], WIDTH - MARGIN - 110 * len(names)
    for kind, name in names.items():
        result.append(f'<rect x="{x}" y="5" width="12" height="12" fill="{COLOURS[kind]}"/>')
        result.append(f'<text x="{x + 16}" y="15">{name}</text>')
        x += 110
    return result
