"""Sets and dictionaries look for objects by identity: guards that a replay finds what the watched run found."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, MethodType, ModuleType
from typing import Any

from rushlight.capture.c_calls import CONTAINERS, is_scalar
from rushlight.capture.calls import Value
from rushlight.capture.origins import FRESH, NotClosed
from rushlight.capture.paths import IS, ITEM, LACKS, OTHER, is_own
from rushlight.capture.watch import Watcher
from rushlight.core.tensor import Tensor
from rushlight.lower.python_layout import is_of_python

MOST = 64  # pairs of keys that guards compare
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def hashed(w: Watcher, key: Any) -> None:
    """Notes that a value is looked for, or entered, as a key."""
    w.settle(key)
    identify(w, key)


def entered(w: Watcher, container: Any) -> None:
    """Notes what has been entered in a set, or the keys of a dictionary."""
    for key in container:
        identify(w, key)


def compared(w: Watcher, value: Any, elements: Any) -> None:
    """Notes that a value is compared with elements, as `in` does with those of a list."""
    if is_scalar(value):
        return
    inside(w, value)
    if is_collection(elements):
        inside(w, elements)
    elif not is_of_python(type(elements)):
        raise NotClosed(f"`in` goes through a {type(elements).__name__}", "Make a list before.")


def is_collection(value: Any) -> bool:
    """Whether a value is a container of Python's, or a view of a dictionary: a loop does not use it up."""
    return isinstance(value, (*CONTAINERS, *VIEWS))


def inside(w: Watcher, value: Any) -> None:
    """Notes that a value, and what is in it, is compared."""
    if not is_collection(value):
        identify(w, value)
        return
    for each in value.items() if isinstance(value, dict) else value:
        inside(w, each)


def looked_up(w: Watcher, container: Any, name: str, args: list) -> None:
    """Notes that a method of a set or dictionary looks for its arguments, or for what is in them."""
    if isinstance(container, dict):
        if name != "update" and args:
            identify(w, args[0])
    elif name in ("add", "discard", "remove", "__contains__"):
        identify(w, args[0])
    else:
        for each in args:
            if is_collection(each):
                entered(w, each)
            elif name not in ("union", "update"):  # of which the result has all that is found
                raise NotClosed(f"{name} of a set goes through a {type(each).__name__}", "Pass a list.")


def in_order(w: Watcher, value: Any) -> None:
    """Raises NotClosed for a loop through a set whose order is another in a replay: that of the keys' identities."""
    if isinstance(value, (set, frozenset)) and len(value) > 1 and any([has_others(w, each) for each in value]):
        raise NotClosed("a loop goes through a set of tensors", "Use a list, or a dictionary, which have an order.")


def has_others(w: Watcher, key: Any) -> bool:
    """Whether a key is a tensor, or has one in it, that is another one in a replay."""
    if isinstance(key, (tuple, frozenset)):
        return any([has_others(w, each) for each in key])
    return not w.identified.get(id(key), (None, True))[1]


def is_same_in_replays(w: Watcher, key: Any) -> bool:
    """Whether a key is a constant, a class, or an object of which guards demand that it is the same one."""
    return is_scalar(key) or isinstance(key, type) or w.identified.get(id(key), (None, False))[1]


def identify(w: Watcher, value: Any) -> None:
    """Guards that an object is the same one; that a tensor of the call is another than those before."""
    if isinstance(value, (tuple, frozenset)):
        for each in value:
            identify(w, each)
        return
    if isinstance(value, (MethodType, BuiltinFunctionType)) and id(value) not in w.identified:
        identify(w, value.__self__)  # methods are equal if these are the same object
    if is_scalar(value) or isinstance(value, (type, ModuleType, BuiltinFunctionType)) or id(value) in w.identified:
        return
    origin = w.origins.get(id(value))
    if origin is FRESH or (origin is None and not isinstance(value, Tensor)):
        return
    if type(origin) is not Value:
        raise NotClosed("a set or a dictionary looks for a tensor that was computed", "Use names or numbers as keys.")
    if own := not isinstance(value, Tensor) or is_own(origin.path, value):
        w.guard(origin.path, IS, value)
    others = [path for path, is_held in w.identified.values() if not (own and is_held)]
    w.pairs += len(others)
    if w.pairs > MOST:
        raise NotClosed("many tensors are keys", "Use names or numbers as keys.")
    for path in others:
        w.guard(origin.path, OTHER, path)
    w.identified[id(value)] = (origin.path, own)


def made_with_keys(w: Watcher, container: Any = None) -> Callable[[Any], None]:
    """For a new set or dictionary, or the method of one: notes its keys."""

    def done(value: Any) -> None:
        entered(w, value if container is None else container)
        w.fresh(value)

    return done


def written_key(key: Any) -> Any:
    """Returns what represents a key of a dictionary among what the run has written."""
    return key if is_scalar(key) else id(key)


def read_key(w: Watcher, table: dict, key: Any, origin: Value) -> None:
    """Notes the read of a key of a dictionary at a path."""
    if id(table) in w.whole or (id(table), written_key(key)) in w.written:
        return
    if not is_same_in_replays(w, key):
        raise NotClosed(f"a dictionary is read at a key that is a {type(key).__name__}")
    if key in table:
        w.arrived(w.paths.path(origin.path, ITEM, key), dict.__getitem__(table, key))
    else:
        w.guard(origin.path, LACKS, key)
