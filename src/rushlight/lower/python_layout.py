"""Where CPython keeps what its API gives only slowly, or in a way that runs code: versions, dictionaries, members.

Each place is tried out on objects made for it, once per process: an interpreter that keeps it elsewhere reads as
`readable() is False`, and what relies on it is done in Python.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import types
from functools import cache
from typing import Any

import numpy as np

from rushlight.lower.builtin_calls import HEAD

WORD = 8
# Words of objects. A list, a tuple and a dictionary have their length at one place. The items of a tuple end its head;
# from CPython 3.14 on, its hash is before them.
LENGTH, LIST_ITEMS, CONTENTS = 2, 3, 2
TUPLE_ITEMS = tuple.__basicsize__ // WORD
DICT_VERSION, DICT_KEYS = 3, 4
KEYS_KIND = 10  # byte of a dictionary's table of keys: 0 if not all keys are strings
OWN_DICT = -3  # word before an object whose class has MANAGED_DICT: 0 or odd until there is a dictionary
DICT_OFFSET = 36  # word of a class
TYPE_VERSION = 96  # half word of a class: a number that no two states of classes share, 0 if there is none
ITEM_BYTES = HEAD // WORD + 3  # word of a dtype: the bytes of an element

MANAGED_DICT, IMMUTABLE, HEAP = 1 << 4, 1 << 8, 1 << 9
OBJECT_OR_NONE, OBJECT = 6, 16  # types of members
AUDITED = 2  # flag of members

MEMBER = HEAD // WORD + 3  # word of a member descriptor that points to its definition
KIND, OFFSET, FLAGS = 1, 2, 3  # words of the definition


def word(address: int, index: int = 0) -> int:
    """Returns a word of memory."""
    return ctypes.c_int64.from_address(address + WORD * index).value


def version_of(cls: type) -> int:
    """Returns the version of a class, which changes with it and its bases; 0 if it has none."""
    for _ in range(2):  # a class gets a version when an attribute is looked up
        version = ctypes.c_uint32.from_address(id(cls) + 4 * TYPE_VERSION).value
        if version:
            return version
        with contextlib.suppress(AttributeError):
            type.__getattribute__(cls, "no such name")
    return 0


def is_of_python(cls: type) -> bool:
    """Whether Python code defines a class: from 3.12 on those of itertools are made at run time too, and immutable."""
    return cls.__flags__ & (HEAP | IMMUTABLE) == HEAP


def is_heap(cls: type) -> bool:
    """Whether the class can change, and objects of it can become objects of another class."""
    return is_of_python(cls) or issubclass(cls, types.ModuleType)


def has_string_keys(dictionary: dict) -> bool:
    """Whether the table of a dictionary has room for strings only: then look-ups run no code of keys."""
    return ctypes.c_uint8.from_address(word(id(dictionary), DICT_KEYS) + KEYS_KIND).value != 0


def attribute_of(cls: type, name: str) -> Any:
    """Returns what a class has under a name, looked up along its classes; None if nothing."""
    return next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), None)


def dict_offset(cls: type) -> int | None:
    """Returns the bytes from an object to the pointer to its `__dict__`; None if it cannot be read so."""
    descriptor = attribute_of(cls, "__dict__")
    is_own = isinstance(descriptor, (types.GetSetDescriptorType, types.MemberDescriptorType))
    if not is_own or descriptor.__name__ != "__dict__" or issubclass(cls, type):
        return None
    if cls.__flags__ & MANAGED_DICT:
        return WORD * OWN_DICT
    offset = word(id(cls), DICT_OFFSET)
    return offset if offset > 0 else None


def member_of(descriptor: Any) -> tuple[int, bool] | None:
    """Returns the offset of a member that is an object, and whether it is None if unset; None for other members."""
    if type(descriptor) is types.GetSetDescriptorType and descriptor in function_slots():
        return function_slots()[descriptor], True
    if type(descriptor) is not types.MemberDescriptorType:
        return None
    definition = word(id(descriptor), MEMBER)
    kind, flags = (ctypes.c_int32.from_address(definition + WORD * at).value for at in (KIND, FLAGS))
    if kind not in (OBJECT, OBJECT_OR_NONE) or flags & AUDITED:
        return None
    return word(definition, OFFSET), kind == OBJECT_OR_NONE


@cache
def function_slots() -> dict[Any, int]:
    """Returns the descriptors of a function's parts that no member describes, and the offsets of what they give."""

    def example(first: int = 1000, *, second: int = 2000) -> None: ...

    offsets = {}
    for name in "__code__", "__defaults__", "__kwdefaults__":
        part = id(getattr(example, name))
        words = [
            at for at in range(HEAD // WORD, types.FunctionType.__basicsize__ // WORD) if word(id(example), at) == part
        ]
        if len(words) == 1:
            offsets[vars(types.FunctionType)[name]] = WORD * words[0]
    return offsets


# ---- trials


class Trial:
    """A class to try out."""

    __slots__ = ("second", "__dict__", "first")


SPECIALIZED = 100  # times after which the interpreter has specialized code


class Plain:
    """A class to try out: its objects have a dictionary."""


@cache
def readable() -> bool:
    """Whether all places but versions of dictionaries are where this file says."""
    if sys.implementation.name != "cpython" or sys.version_info < (3, 11) or ctypes.sizeof(ctypes.c_void_p) != WORD:
        return False
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or hasattr(sys, "gettotalrefcount"):
        return False
    trials = (containers, keys, own_dictionaries, members, class_versions, dtypes)
    return all([trial() for trial in trials])


def containers() -> bool:
    items = ["a", "b", "c"]
    group, numbers = tuple(items), dict.fromkeys(items)
    cell = (lambda: items).__closure__[0]  # type: ignore[index]
    return (
        [word(id(each), LENGTH) for each in (items, group, numbers)] == [3] * 3
        and word(word(id(items), LIST_ITEMS), 1) == id("b") == word(id(group), TUPLE_ITEMS + 1)
        and word(id(cell), CONTENTS) == id(items)
    )


def keys() -> bool:
    made = Plain()
    made.name = 1  # type: ignore[attr-defined]
    strings: tuple = ({}, {"a": 1}, {"a": 1, "b": 2}, vars(made), globals())
    others: tuple = ({1: 1}, {"a": 1, 1: 1}, {("a",): 1}, {type("S", (str,), {})("a"): 1})
    return all(map(has_string_keys, strings)) and not any(map(has_string_keys, others))


def own_dictionaries() -> bool:
    made = Plain()
    if not Plain.__flags__ & MANAGED_DICT or dict_offset(Plain) != WORD * OWN_DICT:
        return False
    for attribute in "before", "after":
        before = word(id(made), OWN_DICT)
        if before and not before & 1 and before != id(vars(made)):
            return False
        setattr(made, attribute, 1)
    own = vars(made)
    if word(id(made), OWN_DICT) != id(own):
        return False
    other: dict = {}
    made.__dict__ = other
    function, offset = containers, dict_offset(types.FunctionType)
    if word(id(made), OWN_DICT) != id(other) or offset is None:
        return False
    return word(id(function) + offset) in (0, id(vars(function)))


def members() -> bool:
    made = Trial()
    made.first, made.second = [], []  # type: ignore[attr-defined]
    for name in "first", "second":
        member = member_of(vars(Trial)[name])
        if member is None or member[1] or word(id(made) + member[0]) != id(getattr(made, name)):
            return False
    member, bound = member_of(vars(types.MethodType)["__self__"]), types.MethodType(id, made)
    return member is not None and member[1] and word(id(bound) + member[0]) == id(made)


def class_versions() -> bool:
    base = type("Base", (), {})
    cls = type("Derived", (base,), {})
    seen = {0}
    for at in range(4):
        version = version_of(cls)
        if version in seen or version != version_of(cls):
            return False
        seen.add(version)
        setattr((cls, base)[at % 2], f"name{at % 3}", at)
        if ctypes.c_uint32.from_address(id(cls) + 4 * TYPE_VERSION).value in seen - {0}:
            return False
    return True


def dtypes() -> bool:
    return [word(id(np.dtype(name)), ITEM_BYTES) for name in ("f4", "f8", "i1", "c16")] == [4, 8, 1, 16]


@cache
def has_dict_versions() -> bool:
    """Whether a dictionary has a number that no two states of dictionaries share, and each change changes."""
    if sys.version_info >= (3, 13):  # there, setting an attribute of an object may leave the number of its dictionary
        return False
    made = Plain()
    made.start = 0  # type: ignore[attr-defined]
    one: Any = {}
    two: Any = vars(made)

    def last() -> int:
        return max(version(one), version(two))

    def version(each: dict) -> int:
        return word(id(each), DICT_VERSION)

    changes = (
        lambda each: each.__setitem__("a", 1),
        lambda each: each.__setitem__("a", 2),
        lambda each: each.update(b=3, a=4),
        lambda each: each.pop("a"),
        lambda each: each.setdefault("a", 5),
        lambda each: each.popitem(),
        lambda each: each.__delitem__("b"),
        lambda each: each.__ior__({"c": 6}),
        lambda each: each.clear(),
        lambda each: each.update({"d": 7}),
    )
    for change in changes:
        for each in one, two:
            before = last()
            change(each)
            if version(each) <= before:
                return False
    seen = {0, last()}
    for number in range(SPECIALIZED):  # the interpreter replaces code that runs often
        made.other = number  # type: ignore[attr-defined]
        seen.add(version(two))
        one["other"] = number
        seen.add(version(one))
    return len(seen) == 2 + 2 * SPECIALIZED and version({}) not in seen
