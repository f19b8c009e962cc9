"""A table as text: columns aligned to the left, a line of dashes under the headers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Returns the text of a table.

    >>> print(table(["name", "shape"], [["x", (2, 3)]]))
    name    shape
    ------  -------
    x       (2, 3)
    """
    columns = list(zip(*([str(cell) for cell in row] for row in rows), strict=True)) or [() for _ in headers]
    # Two more than a header, as wide as the package `tabulate` has it
    widths = [max(len(head) + 2, *map(len, column), 0) for head, column in zip(headers, columns, strict=True)]
    dashes = ["-" * width for width in widths]
    lines = [headers, dashes, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
