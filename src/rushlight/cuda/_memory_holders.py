"""What holds the memory of a GPU that is full: lines of the program and names of its variables."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.arrays.device_memory import Block, DeviceMemory, owner_of, size_text
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.origin import Place, is_ours
from rushlight.core.tensor import Tensor

LINES, NAMES, ITEMS = 5, 3, 1000  # at most shown; looked at in one container
REPAIR = (
    "A smaller batch, or no_grad() where no gradient is needed, needs less; `del` frees what has a name, the end of a "
    "step what was kept for backward."
)


def explain(gpus: Iterable[Any]) -> None:
    """Lets the errors of GPUs say what holds their memory."""
    for backend in gpus:
        backend.memory.explain = holders


def holders(memory: DeviceMemory) -> str:
    """Returns the note for an error of full memory: the lines that made what is alive, the largest first."""
    names = names_of_arrays()
    groups: dict[Place | None, list[tuple[Block, Any]]] = {}
    for block, array in memory.in_use():
        groups.setdefault(block.place, []).append((block, array))
    ordered = sorted(groups.items(), key=lambda group: -sum(block.size for block, _ in group[1]))
    if not ordered:
        return f"Nothing is held: what was asked for is larger than the device. {REPAIR}"
    lines = [_line(place, held, names) for place, held in ordered[:LINES]]
    if rest := ordered[LINES:]:
        size = sum(block.size for _, held in rest for block, _ in held)
        lines.append(f"{size_text(size):>12}  made at {len(rest)} other lines")
    return "\n  ".join(["What holds the memory, the largest first:", *lines]) + f"\n{REPAIR}"


def _line(place: Place | None, held: list[tuple[Block, Any]], names: dict[int, str]) -> str:
    known = [names[id(array)] for _, array in held if id(array) in names]
    shown = ", ".join(known[:NAMES]) + (", ..." if len(known) > NAMES else "")
    count = "1 tensor" if len(held) == 1 else f"{len(held)} tensors"
    size = size_text(sum(block.size for block, _ in held))
    return f"{size:>12}  {count}{f' ({shown})' if shown else ''}{'' if place is None else f', made at {place}'}"


def names_of_arrays() -> dict[int, str]:
    """Returns the names under which the running functions of the program know tensors, by the memory's array."""
    names: dict[int, str] = {}
    frame: Any = sys._getframe(1)
    while frame is not None:
        if not is_ours(frame.f_code.co_filename):
            for name, value in (*local_variables(frame), *list(frame.f_globals.items())):
                for tensor, called in tensors_in(value, name):
                    names.setdefault(id(owner_of(beneath(tensor._array))), called)
        frame = frame.f_back
    return names


def local_variables(frame: Any) -> list[tuple[str, Any]]:
    """Returns the variables of a running function, which nothing here keeps alive.

    Before Python 3.13 the dictionary of a frame's variables lives as long as the frame, with all that is in it.
    """
    variables = frame.f_locals
    copied = list(variables.items())
    if type(variables) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        variables.clear()
    return copied


def tensors_in(value: Any, name: str) -> Iterator[tuple[Tensor, str]]:
    """Yields the tensors in a variable: itself, those in a container, the parameters and buffers of a module."""
    if isinstance(value, Tensor):
        yield value, name
    elif isinstance(value, (list, tuple)):
        pairs = [(item, f"{name}[{number}]") for number, item in enumerate(value[:ITEMS])]
        yield from ((item, called) for item, called in pairs if isinstance(item, Tensor))
    elif isinstance(value, dict):
        entries = list(value.items())[:ITEMS]
        yield from ((item, f"{name}[{key!r}]") for key, item in entries if isinstance(item, Tensor))
    elif hasattr(type(value), "named_parameters") and hasattr(type(value), "named_buffers"):
        for inner, parameter in value.named_parameters():
            yield parameter, f"{name}.{inner}"
            if parameter.grad is not None:
                yield parameter.grad, f"{name}.{inner}.grad"
        yield from ((buffer, f"{name}.{inner}") for inner, buffer in value.named_buffers())
