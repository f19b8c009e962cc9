"""The chart of a run as SVG: a bar per case with its ratio, quartiles and bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.sax.saxutils import escape

from rushlight.benchmark.report import load_line, machine_lines, threads_words

WIDTH, LEFT, RIGHT = 900, 190, 60
LINE, HEAD = 20, 120
LEAST, MOST = 1 / 16, 16.0  # ratios at both ends of the logarithmic axis
TICKS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f } .small { font-size: 11px; fill: #57606a }
.title { font-size: 16px; font-weight: 600 } .within { fill: #1a7f6b } .over { fill: #c2571a } .free { fill: #8c959f }
.grid { stroke: #d8dee4 } .one { stroke: #57606a } .bound { stroke: #24292f; stroke-width: 2 }
.spread { stroke: #24292f; stroke-opacity: .55 } .paper { fill: #ffffff }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 } .grid { stroke: #30363d } .one { stroke: #9198a1 }
.bound, .spread { stroke: #e6edf3 } .paper { fill: #0d1117 } .within { fill: #2fa58d } .over { fill: #e07b3c }
}
"""


def across(ratio: float) -> float:
    """Returns the position of a ratio on the axis."""
    inside = min(max(ratio, LEAST), MOST)
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(inside / LEAST) / math.log(MOST / LEAST)


def chart(runs: list[dict]) -> str:
    """Returns the SVG of one chart per run, one below the other."""
    parts, top = [], 0
    for run in runs:
        height = HEAD + LINE * len(lines_of(run)) + 34
        parts.append(f'<g transform="translate(0 {top})">{"".join(panel(run, height))}</g>')
        top += height
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}">'
    paper = f'<rect class="paper" width="{WIDTH}" height="{top}"/>'
    return f"{head}<style>{STYLE}</style>{paper}{''.join(parts)}</svg>\n"


def lines_of(run: dict) -> list[dict]:
    """Returns the rows that have a ratio, with a heading row (only `family`) for each family."""
    lines = []
    for family, rows in run["families"].items():
        compared = [row for row in rows if row["ratio"] is not None]
        lines += [{"family": family}, *compared] if compared else []
    return lines


def panel(run: dict, height: int) -> Iterator[str]:
    title = f"rushlight's time to PyTorch's, {threads_words(run['machine']['threads'])}: less is better"
    yield text(16, 26, title, "title")
    legend = "bar: the median ratio; thin line: its quartiles; upright mark: the bound, which orange bars are over"
    for number, words in enumerate((*list(machine_lines(run))[:2], load_line(run), legend)):
        yield text(16, 46 + 16 * number, words, "small")
    for tick in TICKS:
        kind = "one" if tick == 1 else "grid"
        at = f"{across(tick):.1f}"
        yield f'<line class="{kind}" x1="{at}" x2="{at}" y1="{HEAD - 4}" y2="{height - 26}"/>'
        yield text(across(tick), height - 12, f"{tick:g}" if tick >= 1 else f"1/{1 / tick:g}", "small", "middle")
    for number, row in enumerate(lines_of(run)):
        yield from bar(row, HEAD + LINE * number)


def bar(row: dict, top: int) -> Iterator[str]:
    """Returns a row of the chart: a bar from 1 to the ratio, a thin line for the quartiles, a mark for the bound."""
    if "family" in row:
        yield text(16, top + 14, row["family"], "small")
        return
    kind = "free" if row["bound"] is None else "over" if row["is_over"] else "within"
    begin, end = sorted((across(1), across(row["ratio"])))
    first, third = map(across, row["quartiles"])
    yield text(LEFT - 10, top + 14, row["name"], "", "end")
    yield f'<rect class="{kind}" x="{begin:.1f}" y="{top + 4}" width="{end - begin:.1f}" height="12" rx="2"/>'
    yield f'<line class="spread" x1="{first:.1f}" x2="{third:.1f}" y1="{top + 10}" y2="{top + 10}"/>'
    if row["bound"] is not None:
        at = f"{across(row['bound']):.1f}"
        yield f'<line class="bound" x1="{at}" x2="{at}" y1="{top + 2}" y2="{top + 18}"/>'
    yield text(WIDTH - 8, top + 14, f"{row['ratio']:.2f}", "", "end")


def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'
