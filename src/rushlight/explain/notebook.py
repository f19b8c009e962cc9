"""What a notebook shows of tensors and modules: their `repr`, and what one would look up next."""

from __future__ import annotations

import html
import sys
from collections.abc import Iterable, Iterator

import numpy as np

from rushlight.core.graph import Leaf, Node
from rushlight.core.tensor import Tensor, edge_of
from rushlight.explain.drawing import draw
from rushlight.explain.graph import names_in
from rushlight.explain.picture.words import number, on_cpu, preview
from rushlight.explain.records import op_name
from rushlight.explain.result import counted, in_bytes
from rushlight.explain.words import spoken
from rushlight.nn.modules.module import Module

BINS = 24
SAMPLE = 1_000_000  # elements that are looked at; of more, evenly spread ones
BAR_WIDTH, BAR_HEIGHT = 6, 36
LAYERS = 200  # rows of a module's table
CELL = "text-align:left;padding:1px 12px 1px 0"


def tensor_html(tensor: Tensor) -> str:
    """A tensor's `repr`, its shape and dtype, what its numbers are like, and where it comes from.

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


def tensor_facts(tensor: Tensor) -> Iterator[tuple[str, str]]:
    """(name, value) of all that is told of a tensor, in words."""
    shape = "scalar" if tensor.ndim == 0 else " x ".join(map(str, tensor.shape))
    yield "shape", f"{shape}, {tensor.dtype!r}, on {tensor.device}, {in_bytes(tensor.nbytes)}"
    yield from numbers_of(tensor)
    yield "gradient", history(tensor)


def numbers_of(tensor: Tensor) -> Iterator[tuple[str, str]]:
    """What the numbers are like, where there are any."""
    values = sample(tensor)
    if values is None or not values.size:
        return
    if values.dtype == bool:
        yield "numbers", f"{int(values.sum())} of {values.size} are True"
        return
    strange = ((np.isnan(values), "NaN"), (np.isinf(values), "infinite"))
    odd = [f"{int(mask.sum())} {name}" for mask, name in strange if mask.any()]
    finite = values[np.isfinite(values)]
    size = tensor._array.size
    seen = f"; {values.size:,} of {size:,} elements were looked at" if values.size < size else ""
    if finite.size:
        mean, spread = number(finite.mean()), number(finite.std())
        words = "sizes from" if tensor._array.dtype.kind == "c" else "from"
        low, high = number(finite.min()), number(finite.max())
        yield "numbers", f"{words} {low} to {high}, mean {mean}, standard deviation {spread}{seen}"
    if odd:
        yield "attention", " and ".join(odd)


def sample(tensor: Tensor) -> np.ndarray | None:
    """The elements, or evenly spread ones of many, as float64 or bool; sizes of complex ones; None without numbers."""
    array = on_cpu(tensor._array)
    if array is None:
        return None
    flat = array.reshape(-1)[:: max(1, array.size // SAMPLE)]
    if flat.dtype == bool:
        return flat
    return np.abs(flat).astype(np.float64) if flat.dtype.kind == "c" else flat.astype(np.float64)


def history(tensor: Tensor) -> str:
    """Whether gradients come here, and from which operation the tensor comes."""
    edge = edge_of(tensor)
    if edge is None:
        return "none: it does not require grad"
    if isinstance(edge, Leaf):
        return "a leaf: accumulated in .grad, " + ("none yet" if tensor.grad is None else preview(tensor.grad._array))
    node = getattr(edge, "node", edge)
    made = getattr(node, "made", None)
    place = f" at {made.place}" if made is not None and made.place is not None else ""
    return f"goes back through {spoken(op_name(node))}{place}"


def histogram(tensor: Tensor) -> str:
    """The distribution of the numbers as a small SVG; empty for few, equal or no numbers."""
    values = sample(tensor)
    if values is None or values.dtype == bool:
        return ""
    finite = values[np.isfinite(values)]
    if finite.size < BINS or finite.min() == finite.max():
        return ""
    counts, _ = np.histogram(finite, BINS)
    heights = np.ceil(counts / counts.max() * BAR_HEIGHT).astype(int)
    bars = "".join(
        f"<rect x='{BAR_WIDTH * at}' y='{BAR_HEIGHT - height}' width='{BAR_WIDTH - 1}' height='{height}' "
        "fill='#3c7fb8'/>"
        for at, height in enumerate(heights)
    )
    title = f"{counted(finite.size, 'element')} from {number(finite.min())} to {number(finite.max())}"
    return f"<svg width='{BAR_WIDTH * BINS}' height='{BAR_HEIGHT}' role='img'><title>{title}</title>{bars}</svg>"


def module_html(module: Module) -> str:
    """A table of a module's layers with their parameters. Shapes of results are known only of a call: see `draw`.

    >>> import rushlight as torch
    >>> "8 of 8 parameters trained" in module_html(torch.nn.Linear(3, 2))
    True
    """
    rows = [row(("layer", "module", "parameters"), "th")]
    layers = list(module.named_modules())
    for name, each in layers[:LAYERS]:
        depth = name.count(".") + 1 if name else 0
        own = sum(parameter.numel() for parameter in each.parameters(recurse=False))
        what = f"{type(each).__name__}({each.extra_repr()})"
        shown = "\u2003" * depth + (name.rpartition(".")[2] or "(all)")
        rows.append(row((shown, what, f"{own:,}" if own else ""), "td"))
    if len(layers) > LAYERS:
        rows.append(row(("", f"{len(layers) - LAYERS} more", ""), "td"))
    return f"<div><table>{''.join(rows)}</table><p>{html.escape(totals(module))}</p></div>"


def row(cells: Iterable[str], kind: str) -> str:
    return "<tr>" + "".join(f"<{kind} style='{CELL}'>{html.escape(each)}</{kind}>" for each in cells) + "</tr>"


def totals(module: Module) -> str:
    """How many parameters there are, how many are trained, what they take, and in which mode the module is."""
    parameters = list(module.parameters())
    count = sum(each.numel() for each in parameters)
    trained = sum(each.numel() for each in parameters if each.requires_grad)
    size = in_bytes(sum(each.nbytes for each in parameters))
    mode = "training" if module.training else "evaluation"
    return f"{trained:,} of {count:,} parameters trained, {size}, in {mode} mode"


def node_svg(node: Node) -> str:
    """The picture of the graph behind a node, with the notebook's names for tensors."""
    names = names_in(vars(sys.modules["__main__"]))
    return draw(node, names=names).svg()
