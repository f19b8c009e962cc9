"""`Compare`: prints measurements as tables, with a row per measured statement and a column per description."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from typing import NamedTuple

from .measurement import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

BEST, GOOD, BAD, VERY_BAD = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m"
BOLD, TERMINATE = "\033[1m", "\033[0m"


class Colorize(enum.Enum):
    """The set of values that colors compare."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Style(NamedTuple):
    """The formatting of values."""

    trims: bool = False
    colors: Colorize = Colorize.NONE
    warns: bool = False


class Column:
    """The values of one description, with a common number of digits."""

    def __init__(self, results: list[Measurement | None], scale: float, style: Style):
        present = [result for result in results if result is not None]
        self.results, self.scale, self.style = results, scale, style
        self.warns = style.warns and any(result.has_warnings for result in present)
        leading = [math.ceil(math.log10(result.median / scale)) for result in present]
        behind = 1
        if style.trims:
            behind = min(
                max(result.significant_figures - digits, 0) for result, digits in zip(present, leading, strict=True)
            )
        length = max(leading) + behind + (1 if behind else 0)
        self.template = f"{{:>{length}.{behind}f}}{{:>{7 if self.warns else 0}}}"

    def shown(self, result: Measurement | None) -> str:
        if result is None:
            return " " * len(self.text(1, 1, None))
        spread = result.iqr / result.median if result.has_warnings else None
        return self.text(result.median / self.scale, result.significant_figures, spread)

    def text(self, number: float, figures: int, spread: float | None) -> str:
        number = trim_sigfig(number, figures) if self.style.trims else number
        return self.template.format(number, f" (! {spread * 100:.0f}%)" if self.warns and spread is not None else "")


def colored(text: str, number: float, best: float) -> str:
    """Colors a value by its ratio to the best."""
    if number <= best * 1.01 or number <= best + 100e-9:
        return BEST + BOLD + text + TERMINATE * 2
    if number <= best * 1.1:
        return GOOD + BOLD + text + TERMINATE * 2
    if number >= best * 5:
        return VERY_BAD + BOLD + text + TERMINATE * 2
    return BAD + text + TERMINATE * 2 if number >= best * 2 else text


class Table:
    """The measurements of one label."""

    def __init__(self, results: list[Measurement], style: Style):
        self.label, self.style = results[0].label, style
        self.unit, self.scale = select_unit(min(result.median for result in results))
        rows = ordered_unique((result.num_threads, result.env, result.as_row_name) for result in results)
        self.rows = sorted(rows, key=lambda row: row[:2])  # in the order of the statements
        self.descriptions = ordered_unique(result.description for result in results)
        by_key = {
            (result.num_threads, result.env, result.as_row_name, result.description): result for result in results
        }
        self.cells = [[by_key.get((*row, result)) for result in self.descriptions] for row in self.rows]
        self.columns = [Column(list(result), self.scale, style) for result in zip(*self.cells, strict=True)]
        self.warns = style.warns and any(result.has_warnings for result in results)

    def names(self) -> list[str]:
        """Returns the first column: environments, if there are several, and names of the rows."""
        environments = {env for _, env, _ in self.rows}
        width = max(len(str(environment)) for environment in environments) + 4 if len(environments) > 1 else 4
        column, last = [], None
        for threads, env, name in self.rows:
            shown = f"({env})" if len(environments) > 1 and (threads, env) != last else ""
            column.append("  " + shown.ljust(width) + name)
            last = (threads, env)
        return column

    def best_of(self, row: int, column: int) -> float:
        """Returns the shortest time that a cell is compared with: of its row, or of its column and thread count."""
        if self.style.colors is Colorize.ROWWISE:
            compared = self.cells[row]
        else:
            same = [at for at, item in enumerate(self.rows) if item[0] == self.rows[row][0]]
            compared = [self.cells[at][column] for at in same]
        return min(item.median for item in compared if item is not None)

    def render(self) -> str:
        names = self.names()
        header = ["", *(description or "" for description in self.descriptions)]
        texts = [[column.shown(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.cells]
        lines = [header, *([name, *row] for name, row in zip(names, texts, strict=True))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        first = "  |  ".join(text.center(width) for text, width in zip(header, widths, strict=True))
        shown, last = [first], None
        for row, (name, row_texts) in enumerate(zip(names, texts, strict=True)):
            if self.rows[row][0] != last:
                last = self.rows[row][0]
                shown.append(f"{last} threads: ".ljust(len(first), "-"))
            cells = [self.cell(row, at, text.center(widths[at + 1])) for at, text in enumerate(row_texts)]
            shown.append("  |  ".join([name.ljust(widths[0]), *cells]))
        ending = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n" if self.warns else ""
        title = f"[{f' {self.label or str()} '.center(len(first) - 2, '-')}]"
        times = f"Times are in {unit_to_english(self.unit)}s ({self.unit})."
        return "\n".join([title, *shown, "", times, ending])

    def cell(self, row: int, column: int, text: str) -> str:
        result = self.cells[row][column]
        if self.style.colors is Colorize.NONE or result is None:
            return text
        return colored(text, result.median, self.best_of(row, column))


class Compare:
    """Prints measurements as tables, one per label: `print(Compare(results))`.

    >>> from rushlight.utils.benchmark import TaskSpec
    >>> spec = TaskSpec("f(x)", "pass", label="f", description="small")
    >>> print(str(Compare([Measurement(1, [2e-6, 2e-6], spec)])).splitlines()[-1])
    Times are in microseconds (us).
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._style = Style()
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Adds measurements. Raises ValueError for other objects."""
        results = list(results)
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Reduces values to their significant digits."""
        self._style = self._style._replace(trims=True)

    def colorize(self, rowwise: bool = False) -> None:
        """Colors values by their ratio to the best: of a column, or of a row."""
        self._style = self._style._replace(colors=Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE)

    def highlight_warnings(self) -> None:
        """Marks measurements with a large spread."""
        self._style = self._style._replace(warns=True)

    def print(self) -> None:
        """Prints the tables."""
        print(str(self))

    def __str__(self) -> str:
        groups: dict[str | None, list[Measurement]] = {}
        for result in Measurement.merge(self._results):
            groups.setdefault(result.label, []).append(result)
        return "\n".join(Table(group, self._style).render() for group in groups.values())
