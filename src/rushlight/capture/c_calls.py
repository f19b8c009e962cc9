"""Which functions in C, and methods of Python's own classes, a watched run may call, and what each does."""

from __future__ import annotations

import builtins
import collections
import functools
import itertools
import math
import operator
import types
from typing import Any

import numpy as np

import rushlight.core.dtype as dtypes
from rushlight.core.device import device
from rushlight.core.formats import memory_format
from rushlight.core.shape_queries import layout
from rushlight.core.size import Size

# Values whose identity does not matter: a guard compares them by value, and an argument of a call is a constant.
SCALARS = (int, float, bool, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
OWN_SCALARS = (dtypes.dtype, device, Size, layout, memory_format)
SEQUENCES = (list, tuple)
CONTAINERS = (list, tuple, dict, set, frozenset, collections.OrderedDict, collections.deque)
WRITTEN = (*CONTAINERS, collections.defaultdict)  # whose items are set

# Functions that take containers apart, or make some, and look at no element.
STRUCTURAL = frozenset(
    (
        zip, enumerate, list, tuple, dict, iter, next, reversed, isinstance, issubclass, type, callable, range, slice,
        map, filter, functools.partial, itertools.chain, itertools.islice, itertools.repeat, itertools.count,
        itertools.product, itertools.zip_longest, itertools.starmap, itertools.cycle, len, set, frozenset,
        itertools.combinations, itertools.combinations_with_replacement, itertools.permutations, itertools.pairwise,
        itertools.tee, itertools.accumulate, itertools.compress,
        collections.OrderedDict, collections.deque, operator.itemgetter, operator.attrgetter,
        operator.methodcaller, super, object, id, property, staticmethod, classmethod,
    )
)  # fmt: skip
# Whose iterators make the tuples that they give.
PAIRING: tuple[type, ...] = (
    zip, enumerate, itertools.zip_longest, itertools.product, itertools.combinations,
    itertools.combinations_with_replacement, itertools.permutations, itertools.pairwise, type({}.items()),
)  # fmt: skip
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
NEVER = frozenset((id,))
HASHING = frozenset((set, frozenset, dict, collections.OrderedDict))  # and these look for equal keys
# Functions that give one of the tensors that they compare: each comparison is a call.
COMPARING = frozenset((min, max, any, all, sorted, functools.reduce))
# Methods of lists and tuples that look at elements.
LOOKING = frozenset("count index remove sort __contains__ __eq__".split())
# Functions that compute with elements: with a tensor among them, they are calls of the library.
COMPUTING = frozenset(
    (
        sum, min, max, any, all, abs, round, divmod, pow, float, int, bool, complex, sorted, str, repr, format, ord,
        chr, bin, hex, hash, ascii, functools.reduce,
        *[value for value in vars(math).values() if isinstance(value, types.BuiltinFunctionType)],
        *[value for value in vars(operator).values() if isinstance(value, types.BuiltinFunctionType)],
    )
) - {operator.setitem, operator.delitem}  # fmt: skip

# Methods by class: those that only read, and those that change the object.
READING: dict[type, frozenset] = {
    list: frozenset("copy count index __len__ __getitem__ __iter__ __contains__ __eq__ __add__ __mul__".split()),
    tuple: frozenset("count index __len__ __getitem__ __iter__ __contains__ __eq__ __add__ __mul__ __new__".split()),
    dict: frozenset("copy get items keys values __len__ __getitem__ __iter__ __contains__ __eq__ fromkeys".split()),
    set: frozenset("copy difference intersection union isdisjoint issubset issuperset __contains__ __len__".split()),
    frozenset: frozenset("copy difference intersection union isdisjoint issubset issuperset __contains__".split()),
    collections.deque: frozenset("copy count index __len__ __getitem__ __iter__".split()),
}
CHANGING: dict[type, frozenset] = {
    list: frozenset("append extend insert pop remove reverse sort clear __setitem__ __delitem__ __init__".split()),
    dict: frozenset("clear pop popitem setdefault update __setitem__ __delitem__ move_to_end __init__".split()),
    set: frozenset("add clear discard pop remove update difference_update intersection_update __init__".split()),
    collections.deque: frozenset("append appendleft clear extend extendleft insert pop popleft remove rotate".split()),
}
VALUE_CLASSES = (int, float, bool, complex, str, bytes, range, slice, Size)  # all their methods are pure


def is_scalar(value: Any) -> bool:
    """Whether a value is a constant: a number, also NumPy's, a string, None, a dtype, a device or a size."""
    kind = type(value)
    if kind in SCALARS or kind in OWN_SCALARS or isinstance(value, (dtypes.dtype, device, np.generic)):
        return True
    if kind is slice:
        return is_scalar(value.start) and is_scalar(value.stop) and is_scalar(value.step)
    return kind is range


def method_of(function: Any) -> tuple[type, str, Any] | None:
    """Returns class, name and object of a bound or unbound method in C; the object is None if it is not bound."""
    owner = getattr(function, "__objclass__", None)
    bound = getattr(function, "__self__", None)
    if owner is not None:
        return owner, function.__name__, bound
    if bound is None or isinstance(bound, types.ModuleType):
        return None
    return (bound if isinstance(bound, type) else type(bound)), function.__name__, bound


def base_in(table: dict, kind: type) -> type | None:
    """Returns the first class along the __mro__ that a table has."""
    return next((each for each in kind.__mro__ if each in table), None)


BUILTINS = vars(builtins)
