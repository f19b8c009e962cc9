"""What the program holds of a tensor's own memory: results of detach(), .data, numpy() and state_dict()."""

from __future__ import annotations

import ast
import re
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.origin import Place
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.words import assigned

SAMPLE = 64  # elements that are compared
KEPT = 16  # of one line
# Names of what is to stay as it was
MEMORIES = re.compile(
    r"(^|_)(start|initial|before|old|best|saved|backup|orig|original|snapshot|previous|prev|copy)(_|$|\d)"
)


class Alias:
    """An object on the memory of a tensor: what its numbers were when it was made, and where that was."""

    __slots__ = ("reference", "memory", "shape", "values", "place", "name", "steps")

    def __init__(self, holder: Any, array: np.ndarray, place: Place, steps: int):
        self.reference = weakref.ref(holder)
        self.memory, self.shape, self.values = id(owner(array)), array.shape, sample(array)
        self.place, self.steps = place, steps
        self.name = assigned(place) or ""

    @property
    def array(self) -> np.ndarray | None:
        """The numbers as they are now; None if nobody has the object any more."""
        holder = self.reference()
        return array_of(holder) if holder is not None else None

    def has_changed(self) -> bool:
        """Whether somebody has written to the memory since, and the program still has the object."""
        array = self.array
        return array is not None and not np.array_equal(sample(array), self.values, equal_nan=True)

    @property
    def is_named_as_memory(self) -> bool:
        """Whether the program calls it as one calls what is to stay as it was: `start`, `best_weights`."""
        return MEMORIES.search(self.name.rpartition(".")[2].lower()) is not None


class Aliases:
    """Those that are alive, by object and by line."""

    def __init__(self) -> None:
        self.of_object: dict[int, Alias] = {}
        self.of_line: dict[Place, list[Alias]] = {}

    def add(self, alias: Alias) -> list[Alias]:
        """Remembers one, and gives those of the same memory that the same line has made before and that are alive."""
        self.of_object[id(alias.reference())] = alias
        known = [x for x in self.of_line.get(alias.place, ()) if x.reference() is not None]
        self.of_line[alias.place] = [*known[1 - KEPT :], alias]
        if len(self.of_object) > 4096:
            self.of_object = {key: value for key, value in self.of_object.items() if value.reference() is not None}
        return [x for x in known if x.memory == alias.memory and x.shape == alias.shape]

    def find(self, holder: Any) -> Alias | None:
        """What is known of an object."""
        alias = self.of_object.get(id(holder))
        return alias if alias is not None and alias.reference() is holder else None

    def alive(self) -> Iterator[Alias]:
        return (x for x in list(self.of_object.values()) if x.reference() is not None)


def array_of(holder: Any) -> np.ndarray | None:
    """The array behind a tensor on the CPU, or an array itself."""
    array = beneath(holder._array) if isinstance(holder, Tensor) else holder
    return array if type(array) is np.ndarray else None


def sample(array: np.ndarray) -> np.ndarray:
    return array.flat[:SAMPLE].copy()


def with_copy(place: Place) -> str | None:
    """The statement of a line with a copy in the place of what shares memory; None where it cannot be written."""
    try:
        tree = ast.parse(place.text)
    except SyntaxError:
        return None
    copied = Copying().visit(tree)
    return (
        ast.unparse(ast.fix_missing_locations(copied)) if ast.dump(copied) != ast.dump(ast.parse(place.text)) else None
    )


class Copying(ast.NodeTransformer):
    """Puts `.clone()` behind detach() and .data, `.copy()` behind numpy(), deepcopy around state_dict()."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node.func:
            case ast.Attribute(attr="numpy"):
                return method_of(node, "copy")
            case ast.Attribute(attr="detach"):
                return method_of(node, "clone")
            case ast.Attribute(attr="state_dict"):
                return ast.parse(f"copy.deepcopy({ast.unparse(node)})", mode="eval").body
            case ast.Attribute(attr="clone" | "copy" | "deepcopy"):
                return node
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr == "data" and isinstance(node.ctx, ast.Load):
            return method_of(node, "clone")
        return self.generic_visit(node)  # type: ignore[return-value]


def method_of(node: ast.expr, name: str) -> ast.Call:
    return ast.Call(ast.Attribute(node, name, ast.Load()), [], [])
