"""Objects that share a tensor's memory: results of detach(), .data, numpy() and state_dict()."""

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
from rushlight.explain.source_rewriting import assigned

SAMPLE = 64  # elements that are compared
KEPT = 16  # aliases per line
# Names of values that are meant to stay unchanged
MEMORIES = re.compile(
    r"(^|_)(start|initial|before|old|best|saved|backup|orig|original|snapshot|previous|prev|copy)(_|$|\d)"
)


class Alias:
    """An object that shares a tensor's memory: sampled values and line of its creation."""

    __slots__ = ("reference", "memory", "shape", "values", "place", "name", "steps")

    def __init__(self, holder: Any, array: np.ndarray, place: Place, steps: int):
        self.reference = weakref.ref(holder)
        self.memory, self.shape, self.values = id(owner(array)), array.shape, sample(array)
        self.place, self.steps = place, steps
        self.name = assigned(place) or ""

    @property
    def array(self) -> np.ndarray | None:
        """The current values; None if the object is gone."""
        holder = self.reference()
        return array_of(holder) if holder is not None else None

    def has_changed(self) -> bool:
        """Whether the memory was written to since, while the object is alive."""
        array = self.array
        return array is not None and not np.array_equal(sample(array), self.values, equal_nan=True)

    @property
    def is_named_as_memory(self) -> bool:
        """Whether its name suggests an unchanged value: `start`, `best_weights`."""
        return MEMORIES.search(self.name.rpartition(".")[2].lower()) is not None


class Aliases:
    """The live aliases, by object and by line."""

    def __init__(self) -> None:
        self.of_object: dict[int, Alias] = {}
        self.of_line: dict[Place, list[Alias]] = {}

    def add(self, alias: Alias) -> list[Alias]:
        """Adds an alias; returns the live ones of the same memory that the same line made before."""
        self.of_object[id(alias.reference())] = alias
        known = [x for x in self.of_line.get(alias.place, ()) if x.reference() is not None]
        self.of_line[alias.place] = [*known[1 - KEPT :], alias]
        if len(self.of_object) > 4096:
            self.of_object = {key: value for key, value in self.of_object.items() if value.reference() is not None}
        return [x for x in known if x.memory == alias.memory and x.shape == alias.shape]

    def find(self, holder: Any) -> Alias | None:
        """Returns the alias of an object, or None."""
        alias = self.of_object.get(id(holder))
        return alias if alias is not None and alias.reference() is holder else None

    def alive(self) -> Iterator[Alias]:
        return (x for x in list(self.of_object.values()) if x.reference() is not None)


def array_of(holder: Any) -> np.ndarray | None:
    """Returns a CPU tensor's array, or the array itself."""
    array = beneath(holder._array) if isinstance(holder, Tensor) else holder
    return array if type(array) is np.ndarray else None


def sample(array: np.ndarray) -> np.ndarray:
    return array.flat[:SAMPLE].copy()


def with_copy(place: Place) -> str | None:
    """Returns the statement of a line with a copy instead of shared memory; None if it cannot be rewritten."""
    try:
        tree = ast.parse(place.text)
    except SyntaxError:
        return None
    copied = Copying().visit(tree)
    return (
        ast.unparse(ast.fix_missing_locations(copied)) if ast.dump(copied) != ast.dump(ast.parse(place.text)) else None
    )


class Copying(ast.NodeTransformer):
    """Appends `.clone()` to detach() and .data, `.copy()` to numpy(); wraps state_dict() in deepcopy."""

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
