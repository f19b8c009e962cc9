"""The parameters that a result does not depend on: no gradient will reach them in backward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from rushlight.autograd.reach import reached
from rushlight.core.graph import node_of
from rushlight.core.history import edge_of
from rushlight.core.tensor import Tensor

__all__ = ["tensors_in", "unused"]


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yields the tensors in lists, tuples, dicts and dataclasses, at any depth."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Tensor):
            yield item
        elif isinstance(item, list | tuple):
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend(item.values())
        elif is_dataclass(item):
            pending.extend(getattr(item, field.name) for field in fields(item))


def unused(parameters: Sequence[Tensor], results: Any) -> list[int]:
    """Returns the numbers of the parameters that no gradient reaches from the tensors in `results`.

    >>> import rushlight as torch
    >>> used, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    >>> unused([used, other], {"loss": used.sum()})
    [1]
    """
    starts = [edge for tensor in tensors_in(results) if (edge := edge_of(tensor)) is not None]
    reachable = set(reached(map(node_of, starts)))
    return [number for number, parameter in enumerate(parameters) if edge_of(parameter) not in reachable]
