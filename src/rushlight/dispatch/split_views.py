"""Makes the views of operators that split a tensor into a variable number of parts."""

from __future__ import annotations

from rushlight.core.graph import Node, Output
from rushlight.core.history import edge_of, viewed
from rushlight.core.modes import INFERENCE
from rushlight.core.tables import objects
from rushlight.core.tensor import Tensor


def parts_of(source: Tensor, arrays, step: tuple, mode) -> tuple[Tensor, ...]:
    """Returns tensors on the arrays of the parts; `step` is the view operation, as (function, arguments)."""
    edge_of(source)  # replays pending in-place history of the source first
    creation = ("inference" if mode is INFERENCE else "no_grad") if not mode else source._creation or "many"
    base, steps = (source, step) if source._base is None else (source._base, (*source._steps, *step))
    storage, generation = source._store or source._storage, viewed(base)
    parts = []
    for array in arrays:
        part = objects.tensor(None)
        part._array, part._store, part._base, part._steps = array, storage, base, steps
        part._meta_key = part._edge = None
        part._creation, part._generation = creation, generation
        parts.append(part)
    return tuple(parts)


def give_outputs(node: Node, parts: tuple[Tensor, ...]) -> None:
    """Sets the edges of the parts to the outputs of a node."""
    if len(parts) == 1:
        parts[0]._edge = node
        return
    node.outputs = len(parts)
    node.result_metas = tuple([(part._array.shape, part._array.dtype) for part in parts])
    for index, part in enumerate(parts):
        part._edge = Output(node, index)
