"""The HTML that notebooks show for tensors and modules."""

from __future__ import annotations

import html
import sys
from collections.abc import Iterable

from rushlight.core.graph import Node
from rushlight.core.tensor import Tensor
from rushlight.explain.drawing import draw
from rushlight.explain.graph import names_in
from rushlight.explain.picture.formatting import number
from rushlight.explain.result import counted
from rushlight.explain.summary import bars_of, tensor_facts, totals, varying
from rushlight.nn.modules.module import Module

BINS = 24
BAR_WIDTH, BAR_HEIGHT = 6, 36
LAYERS = 200  # maximum number of rows in a module's table
CELL = "text-align:left;padding:1px 12px 1px 0"


def tensor_html(tensor: Tensor) -> str:
    """Returns a tensor's `repr`, shape, dtype, statistics and gradient as HTML.

    >>> import rushlight as torch
    >>> view = tensor_html(torch.tensor([1.0, 2.0, float("nan")]))
    >>> "from 1 to 2" in view and "1 NaN" in view
    True
    """
    facts = [*tensor_facts(tensor)]
    rows = "".join(
        f"<tr><th style='{CELL}'>{name}</th><td style='{CELL}'>{html.escape(value)}</td></tr>" for name, value in facts
    )
    return f"<div><pre>{html.escape(repr(tensor))}</pre><table>{rows}</table>{histogram(tensor)}</div>"


def histogram(tensor: Tensor) -> str:
    """Returns the distribution of the elements as a small SVG; empty for small or constant tensors."""
    finite = varying(tensor)
    if finite.size < BINS:
        return ""
    heights = bars_of(finite, BINS, BAR_HEIGHT)
    bars = "".join(
        f"<rect x='{BAR_WIDTH * at}' y='{BAR_HEIGHT - height}' width='{BAR_WIDTH - 1}' height='{height}' "
        "fill='#3c7fb8'/>"
        for at, height in enumerate(heights)
    )
    title = f"{counted(finite.size, 'element')} from {number(finite.min())} to {number(finite.max())}"
    return f"<svg width='{BAR_WIDTH * BINS}' height='{BAR_HEIGHT}' role='img'><title>{title}</title>{bars}</svg>"


def module_html(module: Module) -> str:
    """Returns a table of a module's layers and parameters. Result shapes need a call: see `draw`.

    >>> import rushlight as torch
    >>> "8 of 8 parameters trained" in module_html(torch.nn.Linear(3, 2))
    True
    """
    rows = [row(("layer", "module", "parameters"), "th")]
    layers = list(module.named_modules())
    for name, layer in layers[:LAYERS]:
        depth = name.count(".") + 1 if name else 0
        own = sum(parameter.numel() for parameter in layer.parameters(recurse=False))
        what = f"{type(layer).__name__}({layer.extra_repr()})"
        shown = "\u2003" * depth + (name.rpartition(".")[2] or "(all)")
        rows.append(row((shown, what, f"{own:,}" if own else ""), "td"))
    if len(layers) > LAYERS:
        rows.append(row(("", f"{len(layers) - LAYERS} more", ""), "td"))
    return f"<div><table>{''.join(rows)}</table><p>{html.escape(totals(module))}</p></div>"


def row(cells: Iterable[str], kind: str) -> str:
    return "<tr>" + "".join(f"<{kind} style='{CELL}'>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"


def node_svg(node: Node) -> str:
    """Draws the graph behind a node, with the notebook's names for tensors."""
    names = names_in(vars(sys.modules["__main__"]))
    return draw(node, names=names).svg()
