"""How each tensor came about, and what wrote to it: recorded while it is switched on, free while it is off.

Tensors and nodes are made by entries of the table `objects`, and writes are counted by one of them and by
`Storage.written`. Switching lines on puts observers in front of these (`dispatch/plan.py`), and switching off takes
them away: a program that does not ask pays nothing, and one that does keeps the fast paths. (Disabling the fast paths,
as anomaly mode does, costs ten to twenty times a small operation.) What is noted at all times is described in
`core.source_lines`.

Recorded are a code object and the number of an instruction, never a frame, so no variable is kept alive.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from copy import copy
from typing import Any

from rushlight.core.errors import TELLER
from rushlight.core.modes import MODE
from rushlight.core.origin import NOBODY, PACKAGE, Made, place_of
from rushlight.core.source_lines import NOTING
from rushlight.core.storage import Storage
from rushlight.core.tables import FOLLOWERS, objects
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS
from rushlight.dispatch.plan import observe, unobserve
from rushlight.explain.error_notes import tell
from rushlight.explain.records import record_of

GENERATED = os.path.join(PACKAGE, "_generated", "")
DEEPEST = 1000  # a record forgets what is older: a running average would otherwise keep its whole past
WRITES = 8  # how many of the last writes to a memory are remembered

frame_at, get_mode = sys._getframe, MODE.get


class Last(threading.local):
    """The record of the tensor that a thread made last: the node that follows it is its own."""

    made: Made | None = None


LAST = Last()


# ---- making


def noting_instance(plain):
    """Notes on tensors of subclasses where and of what they were made."""

    def instance(kind):
        fresh = plain(kind)
        if issubclass(kind, Tensor):
            _note(fresh, frame_at(1))
        return fresh

    return instance


def noting_tensor(plain):
    """The same on plain tensors."""

    def tensor(nothing):
        fresh = plain(nothing)
        _note(fresh, frame_at(1))
        return fresh

    return tensor


def _note(tensor: Tensor, frame) -> None:
    code = frame.f_code
    read = READERS.get(id(code))  # the hash of a code object is that of all that is in it
    if read is None:
        read = READERS[id(code)] = _reader_of(frame)
    tensor._made = LAST.made = read(frame)


def noting_maker(plain):
    """The same on nodes of one class."""

    def make(nothing):
        node = plain(nothing)
        note_node(node, None)
        return node

    return make


def noting_node(plain):
    """The same on nodes that `make_node` makes."""

    def node(kind):
        fresh = plain(kind)
        note_node(fresh, frame_at(2))
        return fresh

    return node


def note_node(node, caller) -> None:
    """Notes on a node where and of what its result was made; `caller` is the frame that makes a custom function's."""
    made = _of_function(caller) if node.takes_tensors else LAST.made
    if made is not None:
        if not node.takes_tensors and len(node.op.results) > 1:
            made = copy(made)  # that of the last result, which may be an index without a gradient
        made.tracked = True
        node.made = made


def record(frame, op: str, sources: list, array) -> Made:
    """The record of what is being made in a frame of ours, for the program that led to it."""
    frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    code, offset = (NOBODY, 0) if frame is None else (frame.f_code, frame.f_lasti)
    depth = 0
    for _, made, _ in sources:
        if made.depth >= depth:
            depth = made.depth + 1
    if depth > DEEPEST:
        sources, depth = [], 0
    mode = get_mode()
    recording = mode if mode is True or mode is False else mode.grad
    return Made(op, code, offset, sources, array.shape, array.dtype, depth, recording)


def source(operand: str, tensor: Tensor) -> tuple:
    """An operand as it stands among the sources of a record."""
    return operand, record_of(tensor), tensor.requires_grad


# ---- reading the operation and its operands from the frame that makes a tensor

Reader = Callable[[Any], Made]


def _reader_of(frame) -> Reader:
    """How the record is read from frames of a function: decided once for each."""
    code = frame.f_code
    if code.co_filename.startswith(GENERATED):
        return _generated(code, frame.f_globals)
    return {"_wrapped": _general, "made_of": _planned, "parts_of": _parts, "alias": _alias}.get(code.co_name, _fresh)


def _generated(code, names: dict) -> Reader:
    # What a function hands to the general path is its declaration; behind an operator, `x + y`, there is the function.
    handed = next((each for each in code.co_names if each.startswith(("OP_", "METHOD_"))), None)
    op = OPS[code.co_name.removeprefix("operator_")] if handed is None else names[handed]
    name = op.name
    # A method is its function with other names for the same variables: `self` for the first.
    variables = {each.name: code.co_varnames[place] for place, each in enumerate(op.arguments)}
    # A composite, some of whose calls are a primitive's, does not say which arguments are tensors.
    operands = [(each.name, variables[each.name]) for each in (op.arguments if op.composite else op.operands())]
    # A primitive of which it is a direct call may have several results where it has one.
    ways = (op, *[OPS[each.op] for each in op.direct])
    results = ["_result", *[f"_{each}" for way in ways if len(way.results) > 1 for each in way.results]]
    public = bool(op.spaces or op.method)

    def read(frame):
        values = frame.f_locals
        sources = []
        for operand, variable in operands:
            value = values[variable]
            if isinstance(value, Tensor):
                edge = value._edge
                if edge is None and value._made is not None and value._base is None:  # the same as `source`, in short
                    sources.append((operand, value._made, False))
                else:
                    sources.append((operand, record_of(value), edge is not None or value.requires_grad))
            elif not op.composite and (type(value) is list or type(value) is tuple):
                sources += [source(f"{operand}[{number}]", each) for number, each in enumerate(value)]
        # Of several results, that whose tensor is not there yet
        array = next(values[each] for each in results if each in values and f"{each}_tensor" not in values)
        return record(frame, name if public else public_name(frame, name), sources, array)

    return read


def public_name(frame, name: str) -> str:
    """The operator that an operator behind the scenes was called for: `cat` for `joined`."""
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        found = frame.f_code.co_name.removeprefix("operator_").removeprefix("composite_")
        declared = OPS.get(found)
        if declared is not None and (declared.spaces or declared.method):
            return found
        frame = frame.f_back
    return name


def _general(frame) -> Made:
    values = frame.f_locals
    call = values["self"]
    sources = []
    for operand in call.op.operands():
        value = call.values[operand.name]
        if isinstance(value, Tensor):
            sources.append(source(operand.name, value))
        elif type(value) is list:
            sources += [source(f"{operand.name}[{number}]", each) for number, each in enumerate(value)]
    op = call.op
    return record(frame, op.name if op.spaces or op.method else public_name(frame, op.name), sources, values["array"])


def _planned(frame) -> Made:
    """A result of a plan, whose `run` calls the function that makes it, directly or not."""
    maker = frame.f_back
    while "arguments" not in maker.f_code.co_varnames:
        maker = maker.f_back
    values = maker.f_locals
    op, sources = values["op"], []
    for operand, value in zip(op.arguments, values["arguments"], strict=True):
        if isinstance(value, Tensor):
            sources.append(source(operand.name, value))
        elif type(value) in (list, tuple):
            tensors = [each for each in value if isinstance(each, Tensor)]
            sources += [source(f"{operand.name}[{number}]", each) for number, each in enumerate(tensors)]
    name = op.name if op.spaces or op.method else public_name(frame, op.name)
    return record(frame, name, sources, frame.f_locals["array"])


def _parts(frame) -> Made:
    values = frame.f_locals
    return record(frame, values["step"][0].__name__, [source("input", values["source"])], values["array"])


def _alias(frame) -> Made:
    """The same memory again: `detach()`, `.data`, a parameter made of a tensor."""
    tensor = frame.f_locals["tensor"]
    name = frame.f_back.f_code.co_name
    return record(frame, ALIASES.get(name, name), [source("input", tensor)], tensor._array)


ALIASES = {"_get_data": "data", "__new__": "Parameter"}


def _fresh(frame) -> Made:
    """A tensor that no other tensor went into, named by the function that the program called."""
    array = frame.f_locals.get("array")
    return record(frame, called(frame), [], array if hasattr(array, "dtype") else UNKNOWN)


class Unknown:
    """Stands for an array of which nothing is known yet."""

    shape = dtype = None


UNKNOWN = Unknown()


def called(frame) -> str:
    """What the program called to get to a frame of ours."""
    name = ""
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        qualified = frame.f_code.co_qualname
        if not name or ("<locals>" not in qualified and not qualified.endswith(".__call__")):  # no decoration
            name = qualified.removesuffix(".__init__").rpartition(".")[2]
        if qualified == "write" and "function" in frame.f_locals:
            name = f"{frame.f_locals['function'].__name__}_"  # by whatever way the in-place form was called
        frame = frame.f_back
    return name


def _of_function(frame) -> Made:
    """The record of a custom function's node, which is made before its results are."""
    application = frame.f_locals.get("self")
    if application is None:  # the node that refuses a second derivative
        return record(frame, "once_differentiable", [], UNKNOWN)
    sources = [source(f"input {number}", each) for number, each in enumerate(application.inputs)]
    return record(frame, application.function.__name__, sources, UNKNOWN)


READERS: dict[int, Reader] = {}


# ---- writing


def noting_written(plain):
    """Counts a write, and notes where it was."""

    def written(self) -> None:
        plain(self)
        if not self.inference:
            note_write(self, frame_at(1))

    return written


def noting_writes(plain):
    """Counts one write to each storage, and notes where."""

    def count_writes(storages: list, by: str = "step") -> None:
        plain(storages, by)
        for storage in storages:
            if not storage.inference:
                note_write(storage, frame_at(1))

    return count_writes


def note_write(memory: Storage, frame) -> None:
    """Adds a write to the last ones of a memory: its version, the line, and what the program called."""
    memory.writes = (*memory.writes[1 - WRITES :], (memory.version, place_of(frame), called(frame)))


# ---- the switch

OBSERVERS: dict[str, Callable] = {
    "tensor": noting_tensor,
    "instance": noting_instance,
    "node": noting_node,
    "count_writes": noting_writes,
}


class Switch:
    """Whether lines are recorded now: then observers are in front of what makes objects and counts writes."""

    on = False

    def turn(self, on: bool) -> None:
        self.on = on
        change = observe if on else unobserve
        for name in [name for name in vars(objects) if name[0] != "_" and name != "tick"]:
            change(objects, name, OBSERVERS.get(name, noting_maker))
        change(Storage, "written", noting_written)
        if on:
            FOLLOWERS.append(self.follow)
        else:
            FOLLOWERS.remove(self.follow)
        TELLER.tell, TELLER.operands = tell if on or NOTING else None, on

    @staticmethod
    def follow(table, names: list[str]) -> None:
        """Observes the makers of nodes that are loaded while lines are recorded."""
        if table is objects:
            for name in names:
                observe(objects, name, noting_maker)


SWITCH = Switch()


class lines:
    """Records which line of the program makes, frees and overwrites tensors: from the call on, or in a `with` block.

    Off unless asked for by this, by RUSHLIGHT_LINES=1, by `python -m rushlight explain`, or by an interactive session.

    >>> import rushlight as torch
    >>> with torch.explain.lines():
    ...     x = torch.ones(2, requires_grad=True) * 3
    >>> x._made.place.text
    'x = torch.ones(2, requires_grad=True) * 3'
    """

    def __init__(self, on: bool = True):
        self._before = SWITCH.on
        if bool(on) != SWITCH.on:
            SWITCH.turn(bool(on))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._before != SWITCH.on:
            SWITCH.turn(self._before)
