"""Parameters and buffers of a module as inputs of a recorded run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.graph.recording import RecordingLevel, input_of
from rushlight.nn.modules.module import Module


class Lifted(NamedTuple):
    """A parameter or buffer: the tensor of the level that represents it, and itself."""

    tensor: Tensor
    original: Tensor


@contextmanager
def lifted(module: Module, level: RecordingLevel) -> Iterator[dict[str, Lifted]]:
    """Runs code while the module has tensors of the level for its parameters and buffers; yields these by name.

    They are copies, which the module may write to. A tensor that it has in several places is one.
    """
    made: dict[int, Tensor] = {}
    by_name: dict[str, Lifted] = {}
    replaced: list[tuple[dict[str, Any], str, Tensor]] = []
    try:
        for prefix, each in module.named_modules():
            for members in (each._parameters, each._buffers):
                for name, tensor in members.items():
                    if tensor is None:
                        continue
                    if id(tensor) not in made:
                        made[id(tensor)] = input_of(level, tensor.detach().clone())
                        by_name[f"{prefix}.{name}" if prefix else name] = Lifted(made[id(tensor)], tensor)
                    replaced.append((members, name, tensor))
        for members, name, tensor in replaced:
            members[name] = made[id(tensor)]
        yield by_name
    finally:
        for members, name, tensor in replaced:
            members[name] = tensor
