"""What each instruction of CPython means to a watched run; `later_opcodes.py` has those that 3.11 has not.

A handler is called before its instruction runs, and may return a function to call afterwards. It looks at the values on
the stack, which are there. An instruction without a handler makes the run not closed.
"""

from __future__ import annotations

import operator
import sys
from collections import defaultdict
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import numpy as np

from rushlight.capture import attributes, calling, frames, keys, rows
from rushlight.capture.c_calls import CONTAINERS, WRITTEN, is_scalar
from rushlight.capture.calls import Call, Value
from rushlight.capture.origins import FRESH, NotClosed
from rushlight.capture.paths import CELL, HAS, INDEX, IS, ITEM, LACKS, OBJECT, OTHER, SAME
from rushlight.capture.watch import HANDLERS, Watched, Watcher
from rushlight.capture.watched_code import is_ours
from rushlight.core.tensor import Tensor
from rushlight.lower.python_layout import is_of_python

After = Callable[[Watched], None] | None


def handles(*names: str) -> Callable:
    """Enters a handler."""

    def enter(handler: Callable) -> Callable:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return enter


# ---- instructions that only move values


@handles(
    *"""
    NOP RESUME CACHE POP_TOP PUSH_NULL COPY SWAP JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT LOAD_FAST
    STORE_FAST DELETE_FAST LOAD_CLOSURE MAKE_CELL COPY_FREE_VARS PRECALL RETURN_VALUE YIELD_VALUE RETURN_GENERATOR
    LIST_APPEND ASYNC_GEN_WRAP GET_LEN PUSH_EXC_INFO POP_EXCEPT EXTENDED_ARG
""".split()
)
def moves(w: Watcher, state: Watched, instruction) -> After:
    return None


@handles("RAISE_VARARGS")
def raises(w: Watcher, state: Watched, instruction) -> After:
    return None  # see `Watcher.raised`


@handles("RERAISE")
def raises_again(w: Watcher, state: Watched, instruction) -> After:
    state.last = -1  # it goes on at a handler, or leaves the frame
    return None


@handles("CHECK_EXC_MATCH")
def matches(w: Watcher, state: Watched, instruction) -> After:
    wanted = frames.stack(state.frame, 1)[0]
    for each in wanted if isinstance(wanted, tuple) else (wanted,):
        if type(each) is not type:
            raise NotClosed(f"an error is compared with a {type(each).__name__}")
    return None


@handles("LOAD_CONST")
def load_constant(w: Watcher, state: Watched, instruction) -> After:
    value = instruction.argval
    if type(value) is float and id(value) in w.origins:
        raise NotClosed("a constant is the same object as a number that varies")
    return new_value if not is_scalar(value) else None


@handles("KW_NAMES")
def keyword_names(w: Watcher, state: Watched, instruction) -> After:
    state.keywords = state.frame.f_code.co_consts[instruction.arg]
    return None


def new_value(state: Watched) -> None:
    """Marks the value on top as made by the run."""
    state.watcher.fresh(state.top())


def new_or_known(state: Watched) -> None:
    """The same; a tensor must be known."""
    value = state.top()
    if isinstance(value, Tensor) and id(value) not in state.watcher.origins:
        raise NotClosed("a tensor comes from nowhere that is known")
    state.watcher.fresh(value)


@handles(
    *"""
    BUILD_TUPLE BUILD_LIST BUILD_STRING BUILD_SLICE BUILD_CONST_KEY_MAP LIST_TO_TUPLE MAKE_FUNCTION
""".split()
)
def build(w: Watcher, state: Watched, instruction) -> After:
    return new_value


@handles("BUILD_SET", "BUILD_MAP", "SET_ADD", "MAP_ADD")
def build_with_keys(w: Watcher, state: Watched, instruction) -> After:
    count = {"BUILD_SET": instruction.arg, "BUILD_MAP": 2 * instruction.arg, "SET_ADD": 1, "MAP_ADD": 2}
    values = frames.stack(state.frame, count[instruction.opname])
    for key in values[:: 2 if "MAP" in instruction.opname else 1]:
        keys.hashed(w, key)
    return new_value if instruction.opname[:5] == "BUILD" else None


@handles("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE")
def extend(w: Watcher, state: Watched, instruction) -> After:
    value = frames.stack(state.frame, 1)[0]
    if isinstance(value, Tensor):
        raise NotClosed("a list takes the rows of a tensor", "Write [*tensor.unbind()].")
    w.read_container(value)
    if instruction.opname == "LIST_EXTEND":
        keys.in_order(w, value)
    if instruction.opname == "SET_UPDATE":
        w.settle(value)
        state.computes = True
        return lambda state: keys.entered(w, frames.stack(state.frame, instruction.arg)[0])
    return None


@handles("FORMAT_VALUE")
def format_value(w: Watcher, state: Watched, instruction) -> After:
    count = 2 if instruction.arg & 4 else 1
    return formatted(w, frames.stack(state.frame, count)[0])


def formatted(w: Watcher, value: Any) -> After:
    """Judges a value that becomes text."""
    if comes_from_call_or_object(w, value):
        raise NotClosed(f"a {type(value).__name__} is formatted")
    if type(value) in (tuple, list):
        w.read_container(value)
    return None


def comes_from_call_or_object(w: Watcher, value: Any) -> bool:
    """Whether the text of a value is not that of constants."""
    if type(value) in (tuple, list):
        return any([comes_from_call_or_object(w, each) for each in value])
    return not is_scalar(value) or w.origins.get(id(value)) is not None


# ---- names


@handles("LOAD_GLOBAL")
def load_global(w: Watcher, state: Watched, instruction) -> After:
    name, frame = instruction.argval, state.frame
    name = name.removeprefix("NULL + ")
    table = frame.f_globals
    root = w.paths.path(None, OBJECT, table)
    w.origin(table, Value(root))
    w.values[root] = table
    if name in table:
        if (id(table), name) not in w.written:
            w.arrived(w.paths.path(root, ITEM, name), table[name])
        return None
    own = frame.f_builtins
    w.guard(root, LACKS, name)
    place = w.paths.path(w.paths.path(None, OBJECT, own), ITEM, name)
    if name in own:
        w.guard(place, IS, own[name])
        w.origin(own[name], Value(place))
    return None


@handles("STORE_GLOBAL")
def store_global(w: Watcher, state: Watched, instruction) -> After:
    value = frames.stack(state.frame, 1)[0]
    table, name = state.frame.f_globals, instruction.argval
    root = w.paths.path(None, OBJECT, table)
    w.origin(table, Value(root))
    w.values[root] = table
    w.written.add((id(table), name))
    attributes.stored(w, value)
    w.note(operator.setitem, [table, name, value], {}, pure=False)
    w.changed_by_calls.discard(id(table))
    return None


@handles("LOAD_DEREF", "LOAD_CLASSDEREF")
def load_cell(w: Watcher, state: Watched, instruction) -> After:
    cell = frames.local(state.frame, instruction.argval)
    if not isinstance(cell, CellType):
        raise NotClosed("a cell is not where it is expected")
    origin = w.origins.get(id(cell))
    if type(origin) is Value and (id(cell), None) not in w.written:
        w.arrived(w.paths.path(origin.path, CELL, None), cell.cell_contents)
    return None


@handles("STORE_DEREF")
def store_cell(w: Watcher, state: Watched, instruction) -> After:
    cell = frames.local(state.frame, instruction.argval)
    if type(w.origins.get(id(cell))) is Value:
        value = frames.stack(state.frame, 1)[0]
        w.written.add((id(cell), None))
        attributes.stored(w, value)
        w.note(setattr, [cell, "cell_contents", value], {}, pure=False)
        w.changed_by_calls.discard(id(cell))
    return None


@handles("IMPORT_NAME")
def import_name(w: Watcher, state: Watched, instruction) -> After:
    if instruction.argval not in sys.modules or frames.stack(state.frame, 2)[0] != 0:
        raise NotClosed("a module is imported", "Import at the top of the file.")
    return lambda state: w.arrived(w.paths.path(None, OBJECT, state.top()), state.top())


@handles("IMPORT_FROM", "LOAD_ATTR", "LOAD_METHOD")
def load_attribute(w: Watcher, state: Watched, instruction) -> After:
    return attributes.read(w, state, frames.stack(state.frame, 1)[0], instruction.argval)


@handles("STORE_ATTR")
def store_attribute(w: Watcher, state: Watched, instruction) -> After:
    value, owner = frames.stack(state.frame, 2)
    name = instruction.argval
    attributes.change(w, state, setattr, owner, name, value)
    return None


@handles("DELETE_ATTR")
def delete_attribute(w: Watcher, state: Watched, instruction) -> After:
    attributes.change(w, state, delattr, frames.stack(state.frame, 1)[0], instruction.argval)
    return None


# ---- items


@handles("BINARY_SUBSCR")
def subscript(w: Watcher, state: Watched, instruction) -> After:
    owner, key = frames.stack(state.frame, 2)
    return item(w, state, owner, key)


def item(w: Watcher, state: Watched, owner: Any, key: Any) -> After:
    """Judges `owner[key]`."""
    if isinstance(owner, (Tensor, np.ndarray)):
        return library(w, state, operator.getitem, [owner, key])
    if is_scalar(owner):
        return None
    origin = w.origins.get(id(owner))
    keys.hashed(w, key) if isinstance(owner, dict) else w.settle(key)
    if origin is None:
        raise NotClosed(f"an item of a {type(owner).__name__} that comes from nowhere that is known is read")
    if isinstance(owner, dict) and class_item(owner) is dict.__getitem__:
        if type(origin) is Value:
            if key not in owner and hasattr(owner, "__missing__"):
                raise NotClosed("a key is not there", "Test with `in` before.")
            keys.read_key(w, owner, key, origin)
        return new_or_known if type(owner) is defaultdict else None
    if isinstance(owner, (list, tuple)):
        if type(origin) is Value and type(key) is int and class_item(owner) in (list.__getitem__, tuple.__getitem__):
            if id(owner) not in w.whole and (id(owner), key) not in w.written:
                w.read_length(owner)
                at = key + len(owner) if key < 0 else key
                if 0 <= at < len(owner):
                    w.arrived(w.paths.path(origin.path, INDEX, at), owner[at])
            return None
        w.read_container(owner)
        return new_or_known
    entry = class_item(owner)
    if type(entry) is FunctionType:
        after = (
            calling.implied(w, state, owner, "__getitem__")
            if not is_ours(entry.__code__)
            else calling.of_library(w, state, entry, [owner, key], {})
        )
        return None if after is None else lambda state: after(state.top())
    raise NotClosed(f"an item of a {type(owner).__name__} is read")


def class_item(owner: Any) -> Any:
    """Returns the function of `owner[key]`."""
    return attributes.class_attribute(type(owner), "__getitem__")


@handles("STORE_SUBSCR", "DELETE_SUBSCR")
def store_item(w: Watcher, state: Watched, instruction) -> After:
    *value, owner, key = frames.stack(state.frame, 3 if instruction.opname == "STORE_SUBSCR" else 2)
    set_item(w, state, owner, key, *value)
    return None


def set_item(w: Watcher, state: Watched, owner: Any, key: Any, *value: Any) -> None:
    """Judges `owner[key] = value`, or `del owner[key]`."""
    origin = w.origins.get(id(owner))
    if not isinstance(owner, (Tensor, np.ndarray)):
        keys.hashed(w, key) if isinstance(owner, dict) else w.settle(key)
    method = "__setitem__" if value else "__delitem__"
    if origin is not None and type(attributes.class_attribute(type(owner), method)) is FunctionType:
        attributes.class_entry(w, owner, method)
        return  # its frame is watched
    if origin is FRESH and isinstance(owner, WRITTEN):
        return
    if isinstance(owner, Tensor) or type(owner) in WRITTEN:
        if origin is None:
            raise NotClosed(f"an item of a {type(owner).__name__} that comes from nowhere that is known is set")
        if type(origin) is Value and not isinstance(owner, Tensor):
            w.read_container(owner) if not isinstance(owner, dict) else keys.read_key(w, owner, key, origin)
            w.written.add((id(owner), None if type(key) is slice else keys.written_key(key)))
        state.boundary = True
        w.touched.add(id(owner))
        for each in value:
            attributes.stored(w, each)
        w.note(operator.setitem if value else operator.delitem, [owner, key, *value], {}, pure=False)
        w.changed_by_calls.discard(id(owner))
        return
    raise NotClosed(f"an item of a {type(owner).__name__} is set")


@handles("UNPACK_SEQUENCE", "UNPACK_EX")
def unpack(w: Watcher, state: Watched, instruction) -> After:
    value = frames.stack(state.frame, 1)[0]
    if isinstance(value, Tensor):
        if instruction.opname == "UNPACK_EX":
            raise NotClosed("a tensor is unpacked with a star", "Write tensor.unbind().")
        state.boundary = True
        noted = w.note(tuple, [value], {}, pure=True)
        count = instruction.arg

        def unpacked(state: Watched) -> None:
            rows = tuple(reversed(frames.stack(state.frame, count)))
            w.result(noted, rows)

        return unpacked
    if type(value) in CONTAINERS or isinstance(value, tuple):
        w.read_container(value)
        keys.in_order(w, value)
        if instruction.opname == "UNPACK_EX":
            count = instruction.arg
            return lambda state: w.fresh(frames.stack(state.frame, (count & 255) + 1)[0])
        return None
    return None if w.origins.get(id(value)) is FRESH else refuse(f"a {type(value).__name__} is unpacked")


def refuse(what: str) -> Any:
    raise NotClosed(what)


# ---- loops


@handles("GET_ITER", "GET_YIELD_FROM_ITER")
def get_iterator(w: Watcher, state: Watched, instruction) -> After:
    value = frames.stack(state.frame, 1)[0]
    if isinstance(value, Tensor):
        of_tensor = rows.of_tensor(w, state, value)

        def made(state: Watched) -> None:
            w.fresh(state.top())
            w.rows[id(state.top())] = [of_tensor]

        return made
    origin = w.origins.get(id(value))
    if type(value) in CONTAINERS or isinstance(value, (list, tuple, dict)):
        w.read_container(value)
        keys.in_order(w, value)
        return new_value
    if is_scalar(value):
        return new_value
    if origin is None:
        raise NotClosed(f"a loop over a {type(value).__name__} that comes from nowhere that is known")
    if origin is FRESH and not is_of_python(type(value)):
        return new_value
    if type(attributes.class_entry(w, value, "__iter__")) is FunctionType:
        calling.implied(w, state, value, "__iter__")
        return new_value
    raise NotClosed(f"a loop over a {type(value).__name__}")


@handles("FOR_ITER")
def for_iterator(w: Watcher, state: Watched, instruction) -> After:
    iterator = frames.stack(state.frame, 1)[0]
    depth = frames.depth(state.frame)
    if w.origins.get(id(iterator)) is None:
        raise NotClosed(f"a loop over a {type(iterator).__name__} that comes from nowhere that is known")
    if is_of_python(type(iterator)):
        attributes.class_entry(w, iterator, "__next__")

    def next_value(state: Watched) -> None:
        if frames.depth(state.frame) <= depth:
            return
        rows.taken(w, iterator, state.top())
        new_or_known(state)

    return next_value


@handles("SEND")
def send(w: Watcher, state: Watched, instruction) -> After:
    receiver = frames.stack(state.frame, 2)[0]
    if w.origins.get(id(receiver)) is None:
        raise NotClosed("a generator that comes from nowhere that is known")
    return None


# ---- conditions


@handles(
    *"""
    POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE
    JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP UNARY_NOT POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE TO_BOOL
""".split()
)
def condition(w: Watcher, state: Watched, instruction) -> After:
    value = frames.stack(state.frame, 1)[0]
    if isinstance(value, Tensor) or (is_scalar(value) and w.origins.get(id(value)) is not None):
        state.boundary = True
        noted = w.note(operator.truth, [value], {}, pure=True)
        name, target = instruction.opname, instruction.argval

        def decided(state: Watched) -> None:
            if name in ("UNARY_NOT", "TO_BOOL"):
                w.result(noted, state.top() is (name == "TO_BOOL"))
            else:
                w.result(noted, ("TRUE" in name) == (state.frame.f_lasti == target))

        return decided
    if is_scalar(value) or isinstance(value, (type, FunctionType)):
        return None
    condition_of(w, state, value)
    return None


def condition_of(w: Watcher, state: Watched, value: Any) -> None:
    """Judges whether an object is true."""
    if type(value) in CONTAINERS or isinstance(value, (list, tuple, dict)):
        w.read_length(value)
        return
    if w.origins.get(id(value)) is None and type(value).__module__ != "builtins":
        raise NotClosed(f"the truth of a {type(value).__name__} that comes from nowhere that is known")
    for name in ("__bool__", "__len__"):
        entry = attributes.class_entry(w, value, name)
        if type(entry) is FunctionType and not is_ours(entry.__code__):
            return
        if entry is not attributes.ABSENT:
            raise NotClosed(f"the truth of a {type(value).__name__}")


@handles(
    *"""
    POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE
    POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
""".split()
)
def is_none(w: Watcher, state: Watched, instruction) -> After:
    w.look(frames.stack(state.frame, 1)[0])
    return None


NUMBERS = (int, float, complex, str, bytes)  # of which equal ones may be several objects


@handles("IS_OP")
def identity(w: Watcher, state: Watched, instruction) -> After:
    left, right = frames.stack(state.frame, 2)
    w.look(left)
    w.look(right)
    if type(left) in NUMBERS and type(right) in NUMBERS:
        raise NotClosed("`is` compares numbers or strings", "Write ==.")
    for one, other in ((left, right), (right, left)):
        origin = w.origins.get(id(one))
        if is_scalar(one) or origin is None or type(origin) is not Value:
            continue
        other_origin = w.origins.get(id(other))
        if type(other_origin) is Value and not is_scalar(other):
            if one is not other:
                w.guard(origin.path, OTHER, other_origin.path)
            elif origin.path is not other_origin.path:
                w.guard(origin.path, SAME, other_origin.path)
            return None
        if one is other:
            w.guard(origin.path, IS, one)
    return None


@handles("CONTAINS_OP")
def contains(w: Watcher, state: Watched, instruction) -> After:
    value, owner = frames.stack(state.frame, 2)
    keyed = isinstance(owner, (dict, set, frozenset))
    if isinstance(owner, Tensor) or (isinstance(value, Tensor) and not keyed):
        raise NotClosed("`in` looks at a tensor")
    w.settle(value)
    w.settle(owner)
    keys.identify(w, value) if keyed else keys.compared(w, value, owner)
    state.computes = True
    origin = w.origins.get(id(owner))
    if isinstance(owner, dict) and type(origin) is Value:
        keys.read_key(w, owner, value, origin)
        return None
    if isinstance(owner, (set, frozenset)) and type(origin) is Value:
        if not keys.is_same_in_replays(w, value):
            raise NotClosed(f"a set looks for a {type(value).__name__}")
        w.guard(origin.path, HAS if value in owner else LACKS, value)
        return None
    if type(owner) in CONTAINERS or isinstance(owner, (list, tuple)):
        w.read_container(owner)
        return None
    if is_scalar(owner) or origin is FRESH:
        return None
    after = calling.implied(w, state, owner, "__contains__")
    return None if after is None else lambda state: after(state.top())


@handles("COMPARE_OP")
def compare(w: Watcher, state: Watched, instruction) -> After:
    return operation(w, state, COMPARISONS[instruction.argval], frames.stack(state.frame, 2), f"{instruction.argval}")


COMPARISONS = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
OPERATIONS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "+=": operator.iadd, "-=": operator.isub,
    "*=": operator.imul, "/=": operator.itruediv, "//=": operator.ifloordiv, "%=": operator.imod, "**=": operator.ipow,
    "@=": operator.imatmul, "&=": operator.iand, "|=": operator.ior, "^=": operator.ixor, "<<=": operator.ilshift,
    ">>=": operator.irshift,
}  # fmt: skip
JOINING = (operator.add, operator.iadd, operator.mul, operator.imul)  # look at no element of a list
NEGATIONS: dict[str, Callable] = {
    "UNARY_NEGATIVE": operator.neg,
    "UNARY_POSITIVE": operator.pos,
    "UNARY_INVERT": operator.invert,
}


@handles("BINARY_OP")
def binary(w: Watcher, state: Watched, instruction) -> After:
    sign = instruction.argrepr
    if sign == "[]":  # from CPython 3.14 on
        return subscript(w, state, instruction)
    return operation(w, state, OPERATIONS[sign], frames.stack(state.frame, 2), sign)


@handles(*NEGATIONS)
def unary(w: Watcher, state: Watched, instruction) -> After:
    return operation(w, state, NEGATIONS[instruction.opname], frames.stack(state.frame, 1), instruction.opname)


def is_of_library(w: Watcher, values: list) -> bool:
    """Whether an operator of such values is a call."""
    return any([isinstance(value, (Tensor, np.ndarray)) for value in values]) or calling.comes_from_call(w, values)


def operation(w: Watcher, state: Watched, function: Callable, values: list, sign: str) -> After:
    """Judges an operator: with a tensor, or a number that a call gave, it is a call."""
    if is_of_library(w, values):
        return library(w, state, function, values, in_place=sign.endswith("=") and sign not in COMPARISONS)
    own = False  # whether there is a method of the program
    for value in values:
        if is_scalar(value) or isinstance(value, (type, FunctionType)):
            continue
        if type(value) in CONTAINERS or isinstance(value, (list, tuple)):
            w.read_container(value)
            if function not in JOINING:
                w.settle(value)
                keys.inside(w, value)
                state.computes = True
            if sign.endswith("=") and sign not in COMPARISONS and value is values[0] and type(value) is not tuple:
                if w.origins.get(id(value)) is not FRESH:
                    raise NotClosed(f"a {type(value).__name__} is changed by {sign}", "Use append or extend.")
            continue
        if w.origins.get(id(value)) is None:
            raise NotClosed(f"a {type(value).__name__} comes from nowhere that is known")
        entry = [attributes.class_entry(w, value, name) for name in names_of(function)]
        if any([type(each) is FunctionType for each in entry]):
            own = True
            continue
        if w.origins.get(id(value)) is None or function not in (operator.eq, operator.ne):
            raise NotClosed(f"{sign} of a {type(value).__name__}")
        keys.identify(w, value)
    return new_or_known if own else new_value


REFLECTED = {
    "lt": ("__lt__", "__gt__"), "le": ("__le__", "__ge__"), "gt": ("__gt__", "__lt__"), "ge": ("__ge__", "__le__"),
    "eq": ("__eq__", "__ne__"), "ne": ("__ne__", "__eq__"),
}  # fmt: skip


def names_of(function: Callable) -> tuple[str, ...]:
    """Returns the methods that an operator may call."""
    name = function.__name__.rstrip("_")
    return REFLECTED.get(name) or (f"__{name}__", f"__r{name}__", f"__i{name}__", f"__{name.removeprefix('i')}__")


def library(w: Watcher, state: Watched, function: Callable, values: list, in_place: bool = False) -> After:
    """Notes an operator as a call."""
    noted = note_operator(w, state, function, values, in_place)
    return lambda state: w.result(noted, state.top())


def note_operator(w: Watcher, state: Watched, function: Callable, values: list, in_place: bool = False) -> Call:
    """Notes an operator as a call; its result is still to be noted."""
    state.boundary = True
    for value in values:
        if type(value) in CONTAINERS:
            w.read_container(value)
    return w.note(function, values, {}, pure=not in_place or not isinstance(values[0], Tensor))
