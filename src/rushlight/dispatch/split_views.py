"""Views of the parts that a tensor is split into, as many as there happen to be."""

from __future__ import annotations

from rushlight.core.graph import SEVERAL, Node, Output
from rushlight.core.history import edge_of, viewed
from rushlight.core.modes import INFERENCE
from rushlight.core.tables import objects
from rushlight.core.tensor import Tensor


def parts_of(source: Tensor, arrays, step: tuple, mode) -> tuple[Tensor, ...]:
    """Tensors on the raw parts of a tensor; `step` is the operation that split it, as (function, arguments)."""
    edge_of(source)  # brings the source up to date, and so what is recorded for its parts
    creation = ("inference" if mode is INFERENCE else "no_grad") if not mode else source._creation or "many"
    base, steps = (source, step) if source._base is None else (source._base, (*source._steps, *step))
    storage, generation = source._store or source._storage, viewed(base)
    parts = []
    for array in arrays:
        part = objects.tensor(None)
        part._array, part._store, part._base, part._steps = array, storage, base, steps
        part._alike = part._edge = None
        part._creation, part._generation = creation, generation
        parts.append(part)
    return tuple(parts)


def give_outputs(node: Node, parts: tuple[Tensor, ...]) -> None:
    """Makes a node the origin of parts: each gets one of its outputs as its edge."""
    if len(parts) == 1:
        parts[0]._edge = node
        return
    node.outputs, node.special = len(parts), node.special or SEVERAL
    node.result_metas = tuple([(part._array.shape, part._array.dtype) for part in parts])
    for number, part in enumerate(parts):
        part._edge = Output(node, number)
