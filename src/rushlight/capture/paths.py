"""Where the values of a run came from (paths), and what has to be true of them for a replay (guards).

A path is read again at each call, by plain reads that run no code of the program: entries of dictionaries, items, slots
and cells.

    self.layers[0].weight    argument 0, entry "_modules" of its __dict__, item "layers" of that, ...
    SCALE                    the dictionary of the module's globals, item "SCALE"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.graph import Leaf
from rushlight.core.tensor import Tensor

# Kinds of paths. The first three have no parent.
ARGUMENT, KEYWORD, OBJECT = "argument", "keyword", "object"  # by position; by name; an object that is held, as `key`
ENTRY = "entry"  # of the object's own __dict__
ITEM = "item"  # of a dictionary
INDEX = "index"  # of a list or tuple
SLOT = "slot"  # `key` is a member or getset descriptor of the class, in C
CELL = "cell"  # what a closure's cell contains
CLASS = "class"  # the class of an object
FOUND = "found"  # an attribute of a class, looked up along its __mro__
GETTER = "getter"  # `key` is a function of ours that reads: it is called with the object

# Demands of guards, and their `wanted`.
IS = "is"  # the object
TYPE = "type"  # the class, exactly
EQUAL = "equal"  # a number, string, bytes or None: of the same type and value, a float of the same bits
LENGTH = "length"  # of a list, tuple or dictionary
KEYS = "keys"  # of a dictionary or set, in order
HAS, LACKS = "has", "lacks"  # a dictionary or set has the key, or not
NO_ENTRY = "no entry"  # an object's own __dict__ does not have the name
TENSOR = "tensor"  # the TensorMeta
SAME, OTHER = "same", "other"  # the object at another path, or not
UNFOUND = "unfound"  # no class in the __mro__ has the attribute


class Path:
    """A place that can be read; see the kinds above. Two paths that read alike are one object: see `Paths`."""

    __slots__ = ("key", "kind", "parent")

    def __init__(self, parent: Path | None, kind: str, key: Any):
        self.parent, self.kind, self.key = parent, kind, key

    def read(self, args: tuple, kwargs: dict) -> Any:
        """Returns the value. Raises LookupError, AttributeError or ValueError if there is none."""
        kind, key = self.kind, self.key
        if self.parent is None:
            return args[key] if kind is ARGUMENT else kwargs[key] if kind is KEYWORD else key
        return step(kind, key, self.parent.read(args, kwargs))

    def __repr__(self):
        return text(self)


def step(kind: str, key: Any, value: Any) -> Any:
    """Returns what a step of a path finds in a value."""
    if kind is ENTRY:
        return object.__getattribute__(value, "__dict__")[key]
    if kind is ITEM:
        return dict.__getitem__(value, key)
    if kind is INDEX:
        return list.__getitem__(value, key) if isinstance(value, list) else tuple.__getitem__(value, key)
    if kind is SLOT:
        return key.__get__(value)
    if kind is CELL:
        return value.cell_contents
    if kind is CLASS:
        return type(value)
    if kind is FOUND:
        return next(each.__dict__[key] for each in value.__mro__ if key in each.__dict__)
    return key(value)


def text(path: Path) -> str:
    """Returns a path as a program would write it."""
    kind, key = path.kind, path.key
    if path.parent is None:
        return f"args[{key}]" if kind is ARGUMENT else f"kwargs[{key!r}]" if kind is KEYWORD else named(key)
    inner = text(path.parent)
    if kind in (ENTRY, FOUND):
        return f"{inner}.{key}"
    if kind in (ITEM, INDEX):
        return f"{inner}[{key!r}]"
    if kind is CLASS:
        return f"type({inner})"
    return f"{inner}.cell_contents" if kind is CELL else f"{inner}.{getattr(key, '__name__', key)}"


def named(value: Any) -> str:
    """Returns a name for an object that a path begins at."""
    if isinstance(value, dict):
        return f"vars({value.get('__name__', '?')})"
    return getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or type(value).__name__


class Paths:
    """Makes paths; equal ones are one object."""

    def __init__(self):
        self.known: dict[tuple, Path] = {}

    def path(self, parent: Path | None, kind: str, key: Any) -> Path:
        """Returns the path. An item of an object's `__dict__` is the entry of the object."""
        if kind is ITEM and parent is not None and parent.kind is SLOT and parent.key.__name__ == "__dict__":
            parent, kind = parent.parent, ENTRY
        by_value = kind not in (OBJECT, SLOT, GETTER) and type(key) in (str, int)
        name = (parent and id(parent), kind, key if by_value else id(key), type(key))
        if (known_path := self.known.get(name)) is None:
            known_path = self.known[name] = Path(parent, kind, key)
        return known_path


def is_own(path: Path, tensor: Tensor) -> bool:
    """Whether a tensor belongs to the program: a parameter, a buffer, another leaf that gets a gradient."""
    if tensor.requires_grad:
        return True
    return path.kind is ITEM and path.parent is not None and path.parent.key in ("_parameters", "_buffers")


class TensorMeta(NamedTuple):
    """What a guard demands of a tensor."""

    kind: type
    array_type: Any  # of a sparse tensor: also what of its array is neither shape nor elements
    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    requires_grad: bool
    leaf: bool  # it has no history: no edge, or that of a leaf
    view: bool


def carrier_of(tensor: Tensor) -> Tensor:
    """Returns the tensor that has history and gradient: that of the values of a sparse tensor."""
    return tensor if tensor._carrier is None else tensor._carrier


def meta_of(tensor: Tensor) -> TensorMeta:
    """Returns what is now true of a tensor."""
    array, edge = tensor._array, carrier_of(tensor)._edge
    array_type = type(array) if tensor._carrier is None else (array.layout, array.sparse_dim, array.coalesced)
    return TensorMeta(
        type(tensor), array_type, array.dtype, array.shape, array.strides,
        tensor.requires_grad, edge is None or type(edge) is Leaf, tensor._base is not None,
    )  # fmt: skip


class Guard(NamedTuple):
    """A demand on the value at a path."""

    path: Path
    demand: str
    wanted: Any

    def holds(self, args: tuple, kwargs: dict) -> bool:
        """Whether it holds for a call."""
        try:
            return CHECKS[self.demand](self.path.read(args, kwargs), self.wanted, args, kwargs)
        except (LookupError, AttributeError, ValueError, TypeError, StopIteration):
            return False


def equal(value: Any, wanted: Any) -> bool:
    """Whether two numbers or strings are of one type and value; NaN equals NaN, and 0.0 is not -0.0."""
    if type(value) is not type(wanted):
        return False
    if isinstance(wanted, np.generic):
        return value.dtype == wanted.dtype and value.tobytes() == wanted.tobytes()
    return repr(value) == repr(wanted) if type(wanted) in (float, complex) else value == wanted


KEYED = (dict, set, frozenset)

CHECKS: dict[str, Callable[[Any, Any, tuple, dict], bool]] = {
    IS: lambda value, wanted, args, kwargs: value is wanted,
    TYPE: lambda value, wanted, args, kwargs: type(value) is wanted,
    EQUAL: lambda value, wanted, args, kwargs: equal(value, wanted),
    LENGTH: lambda value, wanted, args, kwargs: len(value) == wanted,
    KEYS: lambda value, wanted, args, kwargs: (
        isinstance(value, KEYED) and tuple(value) == wanted and all(map(equal, value, wanted))
    ),
    HAS: lambda value, wanted, args, kwargs: isinstance(value, KEYED) and wanted in value,
    LACKS: lambda value, wanted, args, kwargs: isinstance(value, KEYED) and wanted not in value,
    NO_ENTRY: lambda value, wanted, args, kwargs: wanted not in object.__getattribute__(value, "__dict__"),
    TENSOR: lambda value, wanted, args, kwargs: isinstance(value, Tensor) and meta_of(value) == wanted,
    SAME: lambda value, wanted, args, kwargs: value is wanted.read(args, kwargs),
    OTHER: lambda value, wanted, args, kwargs: value is not wanted.read(args, kwargs),
    UNFOUND: lambda value, wanted, args, kwargs: not any([wanted in each.__dict__ for each in value.__mro__]),
}


class Checker:
    """The guards of a replay: `checker(args, kwargs)` returns the values at `wanted` in order, or None if one fails.

    `failed` returns the first guard that does not hold, for explanations.
    """

    def __init__(self, guards: list[Guard], wanted: list[Path]):
        self.guards, self.wanted = guards, wanted

    def __call__(self, args: tuple, kwargs: dict) -> list | None:
        if self.failed(args, kwargs) is not None:
            return None
        return [path.read(args, kwargs) for path in self.wanted]

    def failed(self, args: tuple, kwargs: dict) -> Guard | None:
        """Returns the first guard that does not hold, None if all do."""
        return next((guard for guard in self.guards if not guard.holds(args, kwargs)), None)
