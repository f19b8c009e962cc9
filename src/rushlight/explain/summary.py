"""One-line summaries of tensors and modules, for notebooks and for printing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rushlight.core.graph import Leaf, node_of
from rushlight.core.history import edge_of
from rushlight.core.tensor import Tensor
from rushlight.explain.inside_transforms import in_short, levels_of
from rushlight.explain.picture.formatting import number, on_cpu, preview
from rushlight.explain.records import made_of, op_name
from rushlight.explain.result import Explanation, in_bytes
from rushlight.explain.source_rewriting import spoken
from rushlight.explain.tensors import name_of
from rushlight.nn.modules.module import Module

SAMPLE = 1_000_000  # elements that are read; larger tensors are sampled evenly
BLOCKS = "▁▂▃▄▅▆▇█"
COLUMNS = 12  # of a bar of block characters


def summary_of_tensor(tensor: Tensor, names: Mapping[str, Any]) -> Explanation:
    """Returns one line: shape and dtype, statistics, distribution and gradient."""
    name = name_of(tensor, names)
    facts = dict(tensor_facts(tensor))
    finite = varying(tensor)
    bar = "".join(BLOCKS[bar - 1] if bar else " " for bar in bars_of(finite, COLUMNS, len(BLOCKS)))
    gradient = f"gradient: {facts['gradient'].replace(': ', ', ', 1)}"
    parts = [facts["shape"], facts.get("transform"), facts.get("numbers"), facts.get("attention"), gradient]
    line = "; ".join(part for part in parts if part)
    explanation = Explanation((f"{name}: " if name else "") + line + (f"  {bar}" if finite.size >= COLUMNS else ""))
    explanation.facts |= {"kind": "summary", "name": name, **facts}
    return explanation


def summary_of_module(module: Module, names: Mapping[str, Any]) -> Explanation:
    """Returns one line: number of parameters, trained parameters, size and mode."""
    name = next((name for name, value in names.items() if value is module), None)
    explanation = Explanation(f"{name or type(module).__name__}: {totals(module)}")
    explanation.facts |= {"kind": "summary", "name": name}
    return explanation


def tensor_facts(tensor: Tensor) -> Iterator[tuple[str, str]]:
    """Yields (name, value) of a tensor's facts, in words."""
    shape = "scalar" if tensor.ndim == 0 else " x ".join(map(str, tensor.shape))
    yield "shape", f"{shape}, {tensor.dtype!r}, on {tensor.device}, {in_bytes(tensor.nbytes)}"
    if levels := "; ".join(map(in_short, levels_of(tensor))):
        yield "transform", levels
    yield from numbers_of(tensor)
    yield "gradient", history(tensor)


def numbers_of(tensor: Tensor) -> Iterator[tuple[str, str]]:
    """Yields statistics of the elements, if there are any."""
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
    """Returns elements, evenly sampled, as float64 or bool; complex ones as magnitudes; None without data."""
    array = on_cpu(tensor._array)
    if array is None:
        return None
    flat = array.reshape(-1)[:: max(1, array.size // SAMPLE)]
    if flat.dtype == bool:
        return flat
    return np.abs(flat).astype(np.float64) if flat.dtype.kind == "c" else flat.astype(np.float64)


def history(tensor: Tensor) -> str:
    """Describes the gradient of a tensor, and the operation that it comes from."""
    edge = edge_of(tensor)
    if edge is None:
        return "none: it does not require grad"
    if isinstance(edge, Leaf):
        return "a leaf: accumulated in .grad, " + ("none yet" if tensor.grad is None else preview(tensor.grad._array))
    node = node_of(edge)
    made = made_of(node)
    place = f" at {made.place}" if made is not None and made.place is not None else ""
    return f"goes back through {spoken(op_name(node))}{place}"


def varying(tensor: Tensor) -> np.ndarray:
    """Returns the finite sampled elements; none if they are all equal or have no order."""
    values = sample(tensor)
    if values is None or values.dtype == bool:
        return np.empty(0)
    finite = values[np.isfinite(values)]
    return finite if finite.size and finite.min() < finite.max() else np.empty(0)


def bars_of(finite: np.ndarray, columns: int, height: int) -> list[int]:
    """Returns the heights of a histogram's columns; non-empty columns are at least 1."""
    if not finite.size:
        return []
    counts, _ = np.histogram(finite, columns)
    return np.ceil(counts / counts.max() * height).astype(int).tolist()


def totals(module: Module) -> str:
    """Returns the number of parameters and trained parameters, their size and the module's mode."""
    parameters = list(module.parameters())
    count = sum(parameter.numel() for parameter in parameters)
    trained = sum(parameter.numel() for parameter in parameters if parameter.requires_grad)
    size = in_bytes(sum(parameter.nbytes for parameter in parameters))
    mode = "training" if module.training else "evaluation"
    return f"{trained:,} of {count:,} parameters trained, {size}, in {mode} mode"
