"""Reports of a run: rows of the table, and the documentation page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rushlight.benchmark.measure import Row

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"))
HEADING = f"{'':<20}{'rushlight':>10}{'torch':>10}{'floor':>10}{'ratio':>7}  {'quartiles':<11}{'bound':>6}"
BUSY = 0.5  # cores: above this load, threads also wait for other programs


def amount(value: float | None, unit: str = "s") -> str:
    """Formats a time or size with three digits: `1.23 ms`."""
    if not value:
        return "-"
    if unit == "B":
        return f"{value / 1e6:.0f} MB"
    factor, name = next((pair for pair in UNITS if value >= pair[0]), UNITS[-1])
    scaled = value / factor
    return f"{scaled:.{2 if scaled < 10 else 1 if scaled < 100 else 0}f} {name}"


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def spread(row: Row) -> str:
    return "" if row.quartiles is None else "-".join(map(number, row.quartiles))


def line(row: Row) -> str:
    """Returns a row of the table, 80 columns wide."""
    name = row.name if row.other == "torch" else f"{row.name} *"
    cells = [amount(row.ours, row.unit), amount(row.theirs, row.unit), amount(row.floor)]
    ratio = "" if row.ratio is None else f"{row.ratio:7.2f}  {spread(row):<11}{number(row.bound):>6}"
    return f"{name:<20}{''.join(f'{cell:>10}' for cell in cells)}{ratio}{' !' if row.is_over else ''}".rstrip()


def machine_lines(run: dict) -> Iterator[str]:
    """Yields the machine in a few lines: processor, versions, threads, measured speed."""
    facts, speed = run["machine"], run["speed"]
    versions = ", ".join(
        f"{name} {facts[name]}" for name in ("rushlight", "torch", "numpy", "llvmlite") if name in facts
    )
    yield f"{facts['processor']}, {facts['usable_cores']} of {facts['cores']} cores, {facts['system']}"
    yield f"Python {facts['python']}, {versions}"
    yield f"{facts['blas']}, {threads_words(facts['threads'])} for either library"
    yield (
        f"floor: copies {speed['bytes_per_second'] / 1e9:.1f} GB/s, products "
        f"{speed['flops_per_second'] / 1e9:.0f} GFLOP/s, a call of NumPy {1e6 * speed['seconds_per_call']:.2f} us"
    )


def threads_words(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def load_line(run: dict) -> str:
    load = run["load"]
    averages = f"load {number(load['before'])} before, {number(load['after'])} after"
    others = load["cores_of_others"]
    if others is None:
        return averages
    words = f"{averages}; other programs kept {others:.1f} cores busy"
    return words if others < BUSY else f"{words}: measure again when they are done"


def rows_of(run: dict) -> Iterator[tuple[str, dict]]:
    """Yields every row of a run with its family."""
    for family, rows in run["families"].items():
        for row in rows:
            yield family, row


def verdict(run: dict) -> str:
    """Says how many cases are within their bounds, and which are not."""
    bounded = [row for _, row in rows_of(run) if row["bound"] is not None and row["ratio"] is not None]
    if not bounded:
        return "none of these cases has a bound"
    over = [row["name"] for row in bounded if row["is_over"]]
    words = f"{len(bounded) - len(over)} of {len(bounded)} cases are within their bound"
    return words if not over else f"{words}; over it: {', '.join(over)}"


PAGE = """# {processor}

Written by `python -m rushlight bench --page`: do not edit, measure again. Ratios are rushlight's time to PyTorch's, so
that less is better; the quartiles are those of single turns. How it is measured, and what to know before believing it:
[how the benchmark works](../../src/rushlight/benchmark/README.md).
"""
MARKS = re.compile(r"\((?:R|TM|C)\)|@[^,]*", re.I)  # additions of vendors to processor names


def page(runs: list[dict], picture: str) -> str:
    """Returns a documentation page about some runs, with a picture."""
    head = f"{PAGE.format(processor=runs[0]['machine']['processor'])}\n![Ratios as bars, a line per case]({picture})\n"
    return "\n".join([head, *(text for run in runs for text in section(run))])


def page_name(processor: str) -> str:
    """Returns the page name of a processor: `Intel(R) Xeon(R) Gold` gives `intel_xeon_gold`."""
    return "_".join(re.findall(r"[a-z0-9]+", MARKS.sub(" ", processor).lower()))


def section(run: dict) -> Iterator[str]:
    yield f"## {run['machine']['date']}, {threads_words(run['machine']['threads'])}\n"
    yield from (f"- {text}" for text in (*machine_lines(run), load_line(run), verdict(run)))
    yield ""
    for family, rows in run["families"].items():
        yield f"### {family.capitalize()}, {threads_words(run['machine']['threads'])}\n"
        yield "| case | rushlight | torch | floor | ratio | quartiles | bound |\n|---|--:|--:|--:|--:|--:|--:|"
        yield from map(markdown_row, rows)
        yield ""
    yield from hot_spots(run.get("profile", {}))


def markdown_row(row: dict) -> str:
    cell = Row(**{name: value for name, value in row.items() if name != "is_over"})
    ratio = f"**{number(cell.ratio)}**" if cell.is_over else number(cell.ratio)
    words = cell.words if cell.other == "torch" else f"{cell.words} (the other side is {cell.other})"
    cells = [words, amount(cell.ours, cell.unit), amount(cell.theirs, cell.unit), amount(cell.floor), ratio]
    return f"| {' | '.join([*cells, spread(cell), number(cell.bound)])} |"


def hot_spots(profile: dict[str, list[dict]]) -> Iterator[str]:
    """Yields the table of hot spots."""
    if profile:
        yield "### Where the time goes\n"
        yield "Share of a step that each function spends in itself and in what is not Python, by `cProfile`, to which"
        yield "calls look dearer than they are.\n"
    for name, shares in profile.items():
        yield f"**{name}**\n\n| function | calls per step | share |\n|---|--:|--:|"
        yield from (
            f"| `{share['function']}` | {share['calls']:.0f} | {100 * share['share']:.0f} % |" for share in shares
        )
        yield ""
