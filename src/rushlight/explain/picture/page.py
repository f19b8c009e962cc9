"""An interactive page with a picture that pans, unfolds and shows details: one piece of HTML with its own script."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

from rushlight.explain.picture.colours import DARK, LIGHT
from rushlight.explain.picture.content import Content, Stage, closed_box
from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.legend import LEGEND_WIDTH, legend
from rushlight.explain.picture.sheet import Box, Sheet
from rushlight.explain.picture.svg import legend_svg, style
from rushlight.explain.picture.text_size import box_size, first_line, frame_title, shortened

LARGEST = 6000  # maximum number of boxes for which a page includes the content of folded groups


def page(sheet: Sheet, opened: Collection[int], still: str) -> str:
    """Returns the interactive picture; `still` is shown where scripts do not run."""
    data = json.dumps(described(sheet, opened), separators=(",", ":")).replace("<", "\\u003c")
    name = f"rushlight-{hashlib.sha256(data.encode()).hexdigest()[:12]}"
    script = files(__package__).joinpath("view.js").read_text("utf-8")
    look = files(__package__).joinpath("view.css").read_text("utf-8")
    kinds = {box.kind for box in sheet.boxes} | {x.kind for x in sheet.whole.walk() if x.kind != "chain"}
    entries = legend(kinds, {wire.kind for wire in sheet.wires}, LEGEND_WIDTH)
    start = f"document.querySelectorAll('.{name}:not(.live)').forEach((root) => show(root, {data}));"
    return (
        f'<div class="rushlight-view {name}"><style>{style()}\n{look}</style>{still}\n'
        f'<div class="legend">{legend_svg(entries, LEGEND_WIDTH)}</div>\n'
        f"<script>(function () {{\n{script}\n{start}\n}})();</script></div>"
    )


def document(shown: str, title: str) -> str:
    """Returns a standalone page whose picture fills the window."""
    light, dark = (f"body {{ margin: 0; background: {x.paper}; }}" for x in (LIGHT, DARK))
    look = f"<style>{light} @media (prefers-color-scheme: dark) {{ {dark} }}</style>"
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>{look}'
    return f'<!doctype html><html><head>{head}</head><body class="rushlight-window">{shown}</body></html>'


def described(sheet: Sheet, opened: Collection[int]) -> dict[str, Any]:
    """Returns the data of the script: boxes, groups, and the content of each group when unfolded."""
    stage = Stage(sheet, opened, only_open=len(sheet.boxes) > LARGEST)
    contents: dict[str, Any] = {}
    for (group, rolled), content in stage.contents.items():
        contents[f"{group.number}{'r' if rolled else ''}"] = described_content(content)
    shown = {item.what for content in stage.contents.values() for item in content.items}
    return {
        "boxes": [described_box(box) if number in shown else None for number, box in enumerate(sheet.boxes)],
        "groups": {x.number: described_group(sheet, x) for x in sheet.whole.walk()},
        "contents": contents,
        "open": sorted(opened),
        "whole": sheet.whole.number,
    }


def described_box(box: Box) -> dict[str, Any]:
    return {
        "kind": box.kind,
        "title": shortened(box.title),
        "lines": [shortened(line) for line in box.lines],
        "first": first_line(box),
        "facts": [("", box.title), *box.facts],
    }


def described_group(sheet: Sheet, group: Group) -> dict[str, Any]:
    closed = closed_box(sheet, group)
    return {
        "kind": group.kind,
        "title": frame_title(group),
        "turns": group.turns,
        "closed": described_box(closed) | {"size": box_size(closed)},
    }


def described_content(content: Content) -> dict[str, Any]:
    items = [
        {
            **({"group": item.what.number} if isinstance(item.what, Group) else {"box": item.what}),
            "at": _short(item.x, item.y, item.width, item.height),
            "anchor": round(item.x + item.anchor, 1),
        }
        for item in content.items
    ]
    routes = [
        {
            "start": route.start,
            "end": route.end,
            "values": route.values,
            "points": [_short(*point) for point in route.points],
            "kind": route.kind,
            "label": route.label,
            "at": None if route.label_at is None else _short(*route.label_at),
        }
        for route in content.routes
    ]
    return {
        "size": _short(content.width, content.height),
        "title": content.title and _short(*content.title),
        "items": items,
        "routes": routes,
        "in": {value: round(x, 1) for value, x in content.pins_in.items()},
        "out": {value: round(x, 1) for value, x in content.pins_out.items()},
    }


def _short(*numbers: float) -> list[float]:
    return [round(number, 1) for number in numbers]
