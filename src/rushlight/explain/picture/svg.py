"""A scene as SVG: text, with colours for light and for dark surroundings."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from rushlight.explain.picture.colours import DARK, LIGHT, Palette
from rushlight.explain.picture.content import Point, Route
from rushlight.explain.picture.legend import LEGEND_ROW, SAMPLE, Entry
from rushlight.explain.picture.scene import Framed, Placed, Scene
from rushlight.explain.picture.sheet import Box
from rushlight.explain.picture.text_size import (
    LINE_HEIGHT,
    SMALL,
    TEXT,
    TITLE,
    first_line,
    frame_title,
    label_size,
    shortened,
)  # fmt: skip

MARGIN = 16.0
SANS = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
FIXED = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
ARROW = 6.0
# Surroundings with a dark or light mode of their own: JupyterLab, and pages of MkDocs
DARK_PLACES = ('[data-jp-theme-light="false"]', '[data-md-color-scheme="slate"]')
LIGHT_PLACES = ('[data-jp-theme-light="true"]', '[data-md-color-scheme="default"]')


def svg(scene: Scene, title: str) -> str:
    """Returns the picture as SVG text."""
    width, height = scene.width + 2 * MARGIN, scene.height + 2 * MARGIN
    body = [f'<rect class="paper" width="{width:g}" height="{height:g}" rx="6"/>']
    body.append(f'<g transform="translate({MARGIN:g} {MARGIN:g})">')
    body += map(frame_element, scene.frames)
    body += map(route_element, scene.routes)
    body += map(box_element, scene.boxes)
    body += [label_element(route) for route in scene.routes if route.label_at]
    body += map(legend_element, scene.legend)
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="rushlight-graph" role="img" {size}>'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{style()}</style>", *body, "</g>", "</svg>\n"])


def style(root: str = ".rushlight-graph") -> str:
    """Returns the style of a picture, including its background, so that it is readable everywhere."""
    return "\n".join(
        [
            *rules(LIGHT, root),
            "@media (prefers-color-scheme: dark) {",
            *rules(DARK, root),
            "}",
            *rules(DARK, f":is({', '.join(DARK_PLACES)}) {root}"),
            *rules(LIGHT, f":is({', '.join(LIGHT_PLACES)}) {root}"),
        ]
    )


def rules(colours: Palette, root: str) -> list[str]:
    """Returns the style sheet of one palette."""
    kinds = [f"{root} .{kind} rect {{ fill: {fill}; stroke: {edge}; }}" for kind, (fill, edge) in colours.boxes.items()]
    return [
        f"{root} text {{ fill: {colours.text}; font: {TEXT:g}px {FIXED}; }}",
        f"{root} .title {{ font: 600 {TITLE:g}px {SANS}; }}",
        f"{root} .frame .title {{ font-size: {TEXT:g}px; fill: {colours.faint}; }}",
        f"{root} .label {{ font-size: {SMALL:g}px; fill: {colours.gradient}; }}",
        f"{root} rect {{ stroke-width: 1.2; }}",
        f"{root} .paper {{ fill: {colours.paper}; }}",
        f"{root} .plate {{ fill: {colours.paper}; }}",
        f"{root} path {{ fill: none; stroke: {colours.line}; stroke-width: 1.4; }}",
        f"{root} .constant path, {root} .cut path {{ stroke-dasharray: 4 3; }}",
        f"{root} .cut path {{ stroke: {colours.severed}; }}",
        f"{root} path.head {{ fill: {colours.line}; stroke: none; }}",
        f"{root} .cut path.head {{ fill: {colours.severed}; stroke: none; }}",
        f"{root} .cut rect, {root} .constant rect {{ stroke-dasharray: 4 3; }}",
        *kinds,
    ]


def legend_svg(entries: Sequence[Entry], width: float) -> str:
    """Returns the legend as an SVG of its own, for a page."""
    width, height = width + 2 * MARGIN, max((entry.y for entry in entries), default=0.0) + LEGEND_ROW + MARGIN / 2
    paper = f'<rect class="paper" x="{-MARGIN:g}" y="-6" width="{width:g}" height="{height:g}" rx="6"/>'
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="{-MARGIN:g} -6 {width:g} {height:g}"'
    shown = "".join(map(legend_element, entries))
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="rushlight-graph" {size}>{paper}{shown}</svg>'


def legend_element(entry: Entry) -> str:
    """Returns a sample of a box or wire, and its word."""
    x, y, (width, height) = entry.x, entry.y, SAMPLE
    if entry.is_wire:
        sample = f'<path d="M{x:.1f} {y + height / 2:.1f}h{width:g}"/>'
    else:
        radius = corner_of(entry.kind) / 2
        sample = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:g}" height="{height:g}" rx="{radius:g}"/>'
    return f'<g class="legend {entry.kind}">{sample}{text(entry.words, x + width + 6, y + height - 2.5)}</g>'


def frame_element(frame: Framed) -> str:
    words = text(frame_title(frame.what), frame.x + 12, frame.y + 21, "title")
    return f'<g class="frame {frame.what.kind}">{rectangle(frame, 8)}{words}</g>'


def box_element(box: Placed) -> str:
    """Returns a box with its text, and its facts as a tooltip."""
    middle = box.x + box.width / 2
    words = [text(shortened(box.what.title), middle, box.y + 19.0, "title", "middle")] if box.what.title else []
    for number, line in enumerate(box.what.lines):
        y = box.y + first_line(box.what) + LINE_HEIGHT * number + 8.5
        words.append(text(shortened(line), middle, y, "", "middle"))
    facts = "\n".join(f"{name}: {value}" for name, value in (*box.what.facts,))
    hint = f"<title>{escape(facts)}</title>" if facts else ""
    return f'<g class="box {box.what.kind}">{hint}{rectangle(box, corner(box.what))}{"".join(words)}</g>'


def corner(box: Box) -> float:
    """Returns the corner radius: leaves are round, steps are not."""
    return corner_of(box.kind)


def corner_of(kind: str) -> float:
    return 12.0 if kind in ("parameter", "leaf") else 3.0


def rectangle(placed: Placed | Framed, radius: float) -> str:
    x, y, width, height = (f"{x:.1f}" for x in placed[1:5])
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius:g}"/>'


def text(words: str, x: float, y: float, kind: str = "", anchor: str = "") -> str:
    extra = (f" class={quoteattr(kind)}" if kind else "") + (f" text-anchor={quoteattr(anchor)}" if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(words)}</text>'


def route_element(route: Route) -> str:
    head = "" if not route.arrow else f'<path class="head" d="{arrow(route.points[-1])}"/>'
    return f'<g class="wire {route.kind}"><path d="{way(route.points)}"/>{head}</g>'


def label_element(route: Route) -> str:
    assert route.label_at is not None
    (x, y), (width, height) = route.label_at, label_size(route.label)
    corner = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}"'
    plate = f'<rect class="plate" {corner} width="{width:.1f}" height="{height:g}"/>'
    return f'<g class="sent">{plate}{text(route.label, x, y + 3.5, "label", "middle")}</g>'


def way(points: list[Point]) -> str:
    """Returns an SVG path: straight where it passes a row, an S between rows."""
    words = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for number in range(1, len(points)):
        (x0, y0), (x, y) = points[number - 1], points[number]
        if number % 2 or abs(x - x0) < 0.05:
            words.append(f"L{x:.1f} {y:.1f}")
        else:
            middle = (y0 + y) / 2
            words.append(f"C{x0:.1f} {middle:.1f} {x:.1f} {middle:.1f} {x:.1f} {y:.1f}")
    return "".join(words)


def arrow(tip: Point) -> str:
    x, y = tip
    return f"M{x - ARROW / 2:.1f} {y - ARROW:.1f}L{x + ARROW / 2:.1f} {y - ARROW:.1f}L{x:.1f} {y:.1f}Z"
