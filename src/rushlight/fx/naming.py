"""Names of a graph's nodes, and names by which generated Python finds functions."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from types import ModuleType
from typing import Any

WITH_NUMBER = re.compile(r"(.*)_(\d+)$")
# Reserved for generated code, so not names of nodes.
TAKEN = frozenset({"inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"})
NAMESPACES = ("linalg", "fft", "special", "nn.functional", "nn.init", "nested", "signal.windows", "utils.checkpoint")


class Names:
    """The names of a graph: unique, and none that Python or the generated code uses."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.counts: dict[str, int] = defaultdict(int)

    def fresh(self, wished: str) -> str:
        name = re.sub(r"[^0-9a-zA-Z_]+", "_", wished) or "_unnamed"
        name = f"_{name}" if name[0].isdigit() else name
        numbered = WITH_NUMBER.match(name)
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, None)
        name = base if number is None else f"{base}_{number}"
        number = number or self.counts[base]
        while name in self.used or is_taken(name):
            number += 1
            name = f"{base}_{number}"
        self.used.add(name)
        self.counts[base] = number
        return name


def is_taken(name: str) -> bool:
    return name in TAKEN or keyword.iskeyword(name) or hasattr(builtins, name)


def wished_name(target: Callable | str) -> str:
    """Returns the base of a node's name: `add` for `operator.add`, `batch_norm` for `BatchNorm`."""
    name = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
    if name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def root() -> ModuleType:
    return sys.modules[__name__.partition(".")[0]]


def qualified(function: Callable) -> str:
    """Returns `torch.relu`, `torch.nn.functional.dropout`; for other functions module and name."""
    result = public_place(function)
    if result is not None:
        return result
    name = getattr(function, "__qualname__", getattr(function, "__name__", type(function).__name__))
    module = getattr(function, "__module__", None)
    return f"{module}.{name}" if module else name


def type_in_words(kind: Any) -> str:
    """Returns a type as source: `torch.Tensor`, `int`, `typing.Optional[int]`."""
    if not isinstance(kind, type):
        return repr(kind).replace("rushlight.", "torch.")
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}".replace(f"{root().__name__}.", "torch.", 1)


def public_place(function: Callable) -> str | None:
    """Returns the public name of our function, starting with `torch.`."""
    if (getattr(function, "__module__", None) or "").partition(".")[0] not in (root().__name__, "rushlight", "torch"):
        return None
    name = getattr(function, "__name__", "")
    if name.isidentifier() and getattr(root(), name, None) is function:
        return f"torch.{name}"
    for namespace in NAMESPACES:
        place = sys.modules.get(f"rushlight.{namespace}")
        short = name.removeprefix(f"{namespace.replace('.', '_')}_")
        if place is not None and vars(place).get(short) is function:
            return f"torch.{namespace}.{short}"
    return None
