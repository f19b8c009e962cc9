"""Records how each tensor was made and which lines wrote to it, while recording is on; costs nothing while it is
off.

Tensors and nodes are made by entries of the table `objects`, and writes are counted by one of them and by
`Storage.written`. Switching lines on puts observers in front of these (`dispatch/plan.py`), and switching off removes
them: the fast paths stay in both cases. (Disabling the fast paths, as anomaly mode does, costs ten to twenty times a
small operation.) `core.source_lines` describes what is recorded at all times.

A record holds a code object and the offset of an instruction, never a frame, so it keeps no variable alive.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from copy import copy
from typing import Any

from rushlight.core.errors import EXPLAINER
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
DEEPEST = 1000  # steps; a longer record drops its sources: a running average would otherwise keep its whole history
WRITES = 8  # how many of the last writes to a storage are kept

frame_at, get_mode = sys._getframe, MODE.get


class Last(threading.local):
    """The record of the last tensor that a thread made: the node made next belongs to it."""

    made: Made | None = None


LAST = Last()


# ---- making


def noting_instance(plain):
    """Records for tensors of subclasses where and from what they were made."""

    def instance(kind):
        fresh = plain(kind)
        if issubclass(kind, Tensor):
            _note(fresh, frame_at(1))
        return fresh

    return instance


def noting_tensor(plain):
    """The same for plain tensors."""

    def tensor(nothing):
        fresh = plain(nothing)
        _note(fresh, frame_at(1))
        return fresh

    return tensor


def _note(tensor: Tensor, frame) -> None:
    code = frame.f_code
    read = READERS.get(id(code))  # by id: hashing a code object hashes all its contents
    if read is None:
        read = READERS[id(code)] = _reader_of(frame)
    tensor._made = LAST.made = read(frame)


def noting_maker(plain):
    """The same for nodes of one class."""

    def make(nothing):
        node = plain(nothing)
        note_node(node, None)
        return node

    return make


def noting_node(plain):
    """The same for nodes that `make_node` makes."""

    def node(kind):
        fresh = plain(kind)
        note_node(fresh, frame_at(2))
        return fresh

    return node


def note_node(node, caller) -> None:
    """Records for a node where and from what its result was made; `caller` is the frame of a custom function."""
    made = _of_function(caller) if node.takes_tensors else LAST.made
    if made is not None:
        if not node.takes_tensors and len(node.op.results) > 1:
            made = copy(made)  # of the last result, which may be an index without a gradient
        made.tracked = True
        node.made = made


def record(frame, op: str, sources: list, array) -> Made:
    """Returns the record of what a frame of the library makes, for the program line that called it."""
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
    """Returns an operand as an item of the sources of a record."""
    return operand, record_of(tensor), tensor.requires_grad


# ---- reading the operation and its operands from the frame that makes a tensor

Reader = Callable[[Any], Made]


def _reader_of(frame) -> Reader:
    """Returns the function that makes records from frames of one code object; cached by the caller."""
    code = frame.f_code
    if code.co_filename.startswith(GENERATED):
        return _generated(code, frame.f_globals)
    return {"_wrapped": _general, "made_of": _planned, "parts_of": _parts, "alias": _alias}.get(code.co_name, _fresh)


def _generated(code, names: dict) -> Reader:
    # A function passes its declaration to the general path; the function behind an operator, `x + y`, passes a
    # function.
    passed = next((name for name in code.co_names if name.startswith(("OP_", "METHOD_", "ALIAS_"))), None)
    op = OPS[code.co_name.removeprefix("operator_")] if passed is None else names[passed]
    name = op.name
    # A method is its function with other names for the same variables: `self` for the first.
    variables = {each.name: code.co_varnames[position] for position, each in enumerate(op.arguments)}
    # A composite with direct calls of a primitive does not declare which arguments are tensors.
    operands = [
        (argument.name, variables[argument.name]) for argument in (op.arguments if op.composite else op.operands())
    ]
    # The primitive of a direct call may have several results where this operator has one.
    ops = (op, *[OPS[direct.op] for direct in op.direct])
    results = ["_result", *[f"_{result}" for x in ops if len(x.results) > 1 for result in x.results]]
    public = bool(op.spaces or op.method)

    def read(frame):
        values = frame.f_locals
        sources = []
        for operand, variable in operands:
            value = values[variable]
            if isinstance(value, Tensor):
                edge = value._edge
                if edge is None and value._made is not None and value._base is None:  # `source`, inlined
                    sources.append((operand, value._made, False))
                else:
                    sources.append((operand, record_of(value), edge is not None or value.requires_grad))
            elif not op.composite and (type(value) is list or type(value) is tuple):
                sources += [source(f"{operand}[{number}]", each) for number, each in enumerate(value)]
        # of several results, the one whose tensor has not been made yet
        array = next(values[result] for result in results if result in values and f"{result}_tensor" not in values)
        return record(frame, name if public else public_name(frame, name), sources, array)

    return read


def public_name(frame, name: str) -> str:
    """Returns the public operator that an internal one was called for: `cat` for `joined`."""
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        called_name = frame.f_code.co_name.removeprefix("operator_").removeprefix("composite_")
        declared = OPS.get(called_name)
        if declared is not None and (declared.spaces or declared.method):
            return called_name
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
    if maker.f_code.co_filename != frame.f_code.co_filename:
        return _fresh(frame)  # a transform puts a tensor on an array of its level
    while (whole := maker.f_code.co_name != "run_operator") and "arguments" not in maker.f_code.co_varnames:
        maker = maker.f_back
    values = maker.f_locals
    op, sources = values["op"], []
    arguments = values["arguments"] if whole else (values["input"], values["other"], *values["self"].rest)
    for argument, value in zip(op.arguments, arguments, strict=True):
        if isinstance(value, Tensor):
            sources.append(source(argument.name, value))
        elif type(value) in (list, tuple):
            tensors = [x for x in value if isinstance(x, Tensor)]
            sources += [source(f"{argument.name}[{number}]", x) for number, x in enumerate(tensors)]
    name = op.name if op.spaces or op.method else public_name(frame, op.name)
    return record(frame, name, sources, frame.f_locals["array"])


def _parts(frame) -> Made:
    values = frame.f_locals
    return record(frame, values["step"][0].__name__, [source("input", values["source"])], values["array"])


def _alias(frame) -> Made:
    """The record of a tensor on the same memory: `detach()`, `.data`, a parameter made from a tensor."""
    tensor = frame.f_locals["tensor"]
    name = frame.f_back.f_code.co_name
    return record(frame, ALIASES.get(name, name), [source("input", tensor)], tensor._array)


ALIASES = {"_get_data": "data", "__new__": "Parameter"}


def _fresh(frame) -> Made:
    """The record of a tensor made from no other tensor, with the name of the function that the program called."""
    array = frame.f_locals.get("array")
    return record(frame, called(frame), [], array if hasattr(array, "dtype") else UNKNOWN)


class Unknown:
    """Replaces an array whose shape and dtype are not known yet."""

    shape = dtype = None


UNKNOWN = Unknown()


def called(frame) -> str:
    """Returns the name of the function that the program called to get to a frame of the library."""
    name = ""
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        qualified = frame.f_code.co_qualname
        if not name or ("<locals>" not in qualified and not qualified.endswith(".__call__")):  # not a decorator
            name = qualified.removesuffix(".__init__").rpartition(".")[2]
        if qualified == "write" and "function" in frame.f_locals:
            name = f"{frame.f_locals['function'].__name__}_"  # however the in-place form was called
        frame = frame.f_back
    return name


def _of_function(frame) -> Made:
    """Returns the record of a custom function's node, which is made before its results are."""
    application = frame.f_locals.get("self")
    if application is None:  # the node that raises for a second derivative
        return record(frame, "once_differentiable", [], UNKNOWN)
    sources = [source(f"input {number}", each) for number, each in enumerate(application.inputs)]
    return record(frame, application.function.__name__, sources, UNKNOWN)


READERS: dict[int, Reader] = {}


# ---- writing


def noting_written(plain):
    """Counts a write, and records its line."""

    def written(self) -> None:
        plain(self)
        if not self.inference:
            note_write(self, frame_at(1))

    return written


def noting_writes(plain):
    """Counts one write to each storage, and records the line."""

    def count_writes(storages: list, by: str = "step") -> None:
        plain(storages, by)
        for storage in storages:
            if not storage.inference:
                note_write(storage, frame_at(1))

    return count_writes


def note_write(memory: Storage, frame) -> None:
    """Adds a write to the last ones of a storage: its version, the line, and what the program called."""
    memory.writes = (*memory.writes[1 - WRITES :], (memory.version, place_of(frame), called(frame)))


# ---- the switch

OBSERVERS: dict[str, Callable] = {
    "tensor": noting_tensor,
    "instance": noting_instance,
    "node": noting_node,
    "count_writes": noting_writes,
}


class Switch:
    """Whether lines are recorded now: if so, observers are in front of what makes objects and counts writes."""

    on = False

    def turn(self, on: bool) -> None:
        self.on = on
        change = observe if on else unobserve
        for name in [name for name in vars(objects) if not name.startswith("__") and name != "tick"]:
            change(objects, name, OBSERVERS.get(name, noting_maker))
        change(Storage, "written", noting_written)
        if on:
            FOLLOWERS.append(self.follow)
        else:
            FOLLOWERS.remove(self.follow)
        EXPLAINER.explain, EXPLAINER.operands = tell if on or NOTING else None, on

    @staticmethod
    def follow(table, names: list[str]) -> None:
        """Observes the makers of nodes that are loaded while lines are recorded."""
        if table is objects:
            for name in names:
                observe(objects, name, noting_maker)


SWITCH = Switch()


class lines:
    """Records which line of the program makes, frees and overwrites tensors: from the call on, or in a `with` block.

    Off unless switched on by this, by RUSHLIGHT_LINES=1, by `python -m rushlight explain`, or by an interactive
    session.

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
