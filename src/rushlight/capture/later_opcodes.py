"""Instructions of CPython 3.12 to 3.14 that 3.11 has not, or has otherwise; see `opcodes.py`."""

from __future__ import annotations

import operator
from typing import Any

from rushlight.capture import attributes, frames
from rushlight.capture.opcodes import (
    COMPARISONS,
    After,
    compare,
    formatted,
    handles,
    is_of_library,
    item,
    load_constant,
    moves,
    new_or_known,
    new_value,
    note_operator,
    operation,
    set_item,
)
from rushlight.capture.origins import NotClosed
from rushlight.capture.watch import Watched, Watcher
from rushlight.core.tensor import Parameter, Tensor

handles(
    *"""
    END_FOR END_SEND LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_FAST_LOAD_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST
    SET_FUNCTION_ATTRIBUTE LOAD_FAST_BORROW LOAD_FAST_BORROW_LOAD_FAST_BORROW LOAD_SMALL_INT LOAD_COMMON_CONSTANT
    NOT_TAKEN POP_ITER
""".split()
)(moves)


@handles("RETURN_CONST")
def return_constant(w: Watcher, state: Watched, instruction) -> After:
    load_constant(w, state, instruction)
    w.fresh(instruction.argval)
    return None


@handles("CALL_INTRINSIC_1")
def intrinsic(w: Watcher, state: Watched, instruction) -> After:
    if instruction.argrepr == "INTRINSIC_LIST_TO_TUPLE":
        return new_value
    if instruction.argrepr == "INTRINSIC_UNARY_POSITIVE":
        return operation(w, state, operator.pos, frames.stack(state.frame, 1), "UNARY_POSITIVE")
    raise NotClosed(f"the instruction {instruction.argrepr} is not known")


@handles("LOAD_SUPER_ATTR")
def load_inherited(w: Watcher, state: Watched, instruction) -> After:
    function, kind, owner = frames.stack(state.frame, 3)
    if function is not super:
        raise NotClosed("`super` is not that of Python")
    w.look(kind)
    return attributes.of_super(w, super(kind, owner), instruction.argval)


@handles("BINARY_SLICE")
def read_part(w: Watcher, state: Watched, instruction) -> After:
    owner, start, stop = frames.stack(state.frame, 3)
    return item(w, state, owner, part_of(w, start, stop))


@handles("STORE_SLICE")
def store_part(w: Watcher, state: Watched, instruction) -> After:
    value, owner, start, stop = frames.stack(state.frame, 4)
    set_item(w, state, owner, part_of(w, start, stop), value)
    return None


def part_of(w: Watcher, start: Any, stop: Any) -> slice:
    """Returns the slice of an instruction that does not put it on the stack."""
    key = slice(start, stop)
    w.fresh(key)
    return key


@handles("COMPARE_OP")
def compare_as_condition(w: Watcher, state: Watched, instruction) -> After:
    """Judges a comparison; as a condition, it has since 3.13 its truth as its result, and the tensor is not seen."""
    if not instruction.argrepr.startswith("bool"):
        return compare(w, state, instruction)
    values, function = frames.stack(state.frame, 2), COMPARISONS[instruction.argval]
    if not is_of_library(w, values):
        after = compare(w, state, instruction)
        if after is new_or_known:
            raise NotClosed("a method of the program compares in a condition", "Give the result a name before.")
        return after
    if any([isinstance(value, Tensor) and type(value) not in (Tensor, Parameter) for value in values]):
        raise NotClosed("a tensor of a class of its own is compared in a condition", "Give the result a name before.")
    noted = note_operator(w, state, function, values)

    def compared(state: Watched) -> None:
        value = function(*values)
        w.result(noted, value)
        if isinstance(value, bool):
            return
        decided = w.note(operator.truth, [value], {}, pure=True)
        w.result(decided, state.top())

    return compared


@handles("CONVERT_VALUE", "FORMAT_SIMPLE")
def format_alone(w: Watcher, state: Watched, instruction) -> After:
    return formatted(w, frames.stack(state.frame, 1)[0])


@handles("FORMAT_WITH_SPEC")
def format_as(w: Watcher, state: Watched, instruction) -> After:
    return formatted(w, frames.stack(state.frame, 2)[0])
