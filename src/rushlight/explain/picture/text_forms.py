"""A sheet as text for other tools: Mermaid, which GitHub and many wikis render, and Graphviz's DOT."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rushlight.explain.picture.colours import LIGHT
from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.sheet import Box, Sheet

ROUND = ("parameter", "leaf")


def mermaid(sheet: Sheet) -> str:
    """Returns the graph as a Mermaid flowchart. https://mermaid.js.org/syntax/flowchart.html"""
    lines = ["flowchart TB"]
    for depth, item in outline(sheet):
        indent = "  " * (depth + 1)
        if item is None:
            lines.append(f"{indent}end")
        elif isinstance(item, Group):
            lines.append(f'{indent}subgraph g{item.number}["{_plain(item.title)}"]')
        else:
            lines.append(f"{indent}n{item}{_mermaid_box(sheet.boxes[item])}:::{sheet.boxes[item].kind}")
    for source, target, kind, label in sheet.wires:
        arrow = "-->" if kind == "gradient" else "-.->"
        lines.append(f"  n{source} {arrow}" + (f'|"{_plain(label)}"|' if label else "") + f" n{target}")
    for kind in sorted({box.kind for box in sheet.boxes}):
        fill, edge = LIGHT.boxes[kind]
        lines.append(f"  classDef {kind} fill:{fill},stroke:{edge},color:{LIGHT.text}")
    return "\n".join(lines) + "\n"


def _mermaid_box(box: Box) -> str:
    words = "<br/>".join(map(_plain, (box.title, *box.lines)))
    return f'(["{words}"])' if box.kind in ROUND else f'["{words}"]'


def _plain(words: str) -> str:
    for letter, name in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        words = words.replace(letter, name)
    return words


def dot(sheet: Sheet) -> str:
    """Returns the graph in Graphviz's DOT language. https://graphviz.org/doc/info/lang.html"""
    lines = ["digraph {", '  node [shape=box style="filled" fontname="Helvetica"]', '  edge [fontname="Helvetica"]']
    for depth, item in outline(sheet):
        indent = "  " * (depth + 1)
        if item is None:
            lines.append(f"{indent}}}")
        elif isinstance(item, Group):
            lines.append(f"{indent}subgraph cluster_{item.number} {{ label={json.dumps(item.title)}")
        else:
            lines.append(f"{indent}n{item} {_dot_box(sheet.boxes[item])}")
    for source, target, kind, label in sheet.wires:
        style = "" if kind == "gradient" else " style=dashed"
        lines.append(f"  n{source} -> n{target} [label={json.dumps(label)}{style}]")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_box(box: Box) -> str:
    fill, edge = LIGHT.boxes[box.kind]
    look = ' style="filled,rounded"' if box.kind in ROUND else ""
    words = json.dumps("\n".join((box.title, *box.lines)), ensure_ascii=False)
    return f'[label={words} fillcolor="{fill}" color="{edge}"{look}]'


def outline(sheet: Sheet) -> Iterator[tuple[int, int | Group | None]]:
    """Yields (depth, box or group) from outside in; None where a group ends. Chains do not count as groups."""
    waiting: list[tuple[int, int | Group | None]] = [(0, member) for member in reversed(sheet.whole.members)]
    while waiting:
        depth, item = waiting.pop()
        if not isinstance(item, Group):
            yield depth, item
            continue
        inside = [(depth + 1, member) for member in reversed(item.members)]
        if item.kind == "chain":
            waiting += [(depth, member) for _, member in inside]
        else:
            yield depth, item
            waiting += [(depth, None), *inside]
