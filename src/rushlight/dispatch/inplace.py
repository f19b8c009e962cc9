"""In-place operations: the general function, for everything that `destination.py` does not accept.

`write` computes the result by the ordinary operator, copies it into the tensor's memory and counts the write. If the
result is recorded, the tensor, or its base if it is a view, gets a new edge (`core.history`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.device import CAPTURING
from rushlight.core.errors import noted, type_name
from rushlight.core.graph import Node, make_node, node_of
from rushlight.core.history import check_history, edge_of, insert_base, keep_history, move_retained, rewrite_history
from rushlight.core.modes import MODE, announce_write, current
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.tables import xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor, alias, look_at
from rushlight.core.traced import ENTERED, TRACED, settle, settled, top_level
from rushlight.declarations.declare import OPS, Op
from rushlight.declarations.dtype_rules import no_cast
from rushlight.dispatch import message
from rushlight.dispatch.destination import is_untracked, writable
from rushlight.dispatch.general import explain_arguments
from rushlight.dispatch.inplace_saved import (
    keep_old_values,
    kept_operand,
    refuse_gradient,
    share_result,
    write_and_record,
)
from rushlight.dispatch.operands import as_operand
from rushlight.dispatch.override import ABSENT, may_be_taken, offered
from rushlight.dispatch.plan import WRITING
from rushlight.dispatch.refused_writes import (
    DEPRECATED,
    check_in_place,
    may_write_expanded,
    refuse_expanded,
    write_expanded,
    written_outside,
)
from rushlight.dispatch.traced_call import is_saved_below


class Method(NamedTuple):
    """A method written by hand, for which `write` runs like for an operator's."""

    called: str
    name: str  # the operator whose kernels it has
    bound: int = 1
    overlap: None = None


COPY = Method("copy_", "copy_values")


def write(function, tensor: Tensor, arguments: tuple, keywords: dict, op: Op | Method = COPY) -> Tensor:
    """Runs the function of an operator on a tensor, writes the result to the tensor, and returns the tensor.

    Raises RuntimeError if PyTorch refuses the write, before anything has changed.
    """
    mode = MODE.get()
    if type(tensor) not in PLAIN_TYPES or may_be_taken(arguments, mode):
        taken = _overridden(op, (tensor, *arguments), keywords)
        if taken is not ABSENT:
            return taken
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"{function.__name__}_(): argument 'input' (position 1) must be Tensor, not {type_name(tensor)}"
            )
    check_in_place(tensor, function.__name__, arguments)
    announce_write(tensor)
    if tensor._creation is not None and current().grad:
        check_history(tensor, recorded=False)  # before the operator reads an edge that no longer exists
    if op.name in WRITING and WRITING[op.name](tensor, arguments, keywords):
        return tensor
    operand = kept_operand(tensor, op)
    if ENTERED and current().grad and is_saved_below((tensor, *arguments)):
        operand = operand.clone()
    try:
        result = function(operand, *arguments, **keywords)
    except NotImplementedError as error:
        if isinstance(op, Op):
            message.refuse_cast(error, op, tensor, (tensor, *arguments))
        raise
    except TypeError as error:
        if any(isinstance(argument, np.ndarray) for argument in arguments):
            return write(function, tensor, tuple(map(as_operand, arguments)), keywords, op)
        if isinstance(op, Op) and op.bound and "invalid combination" in str(error):
            rest = [keywords.get(missing.name, missing.default) for missing in op.arguments[len(arguments) + 1 :]]
            explain_arguments(op, (tensor, *arguments, *rest))
        raise message.of_method(error, function.__name__, f"{function.__name__}_") from None
    if result._carrier is not None:
        result = result.to_dense()
    if keywords.get("dtype") is not None:
        check_same(tensor, result)
    if op.overlap == "any" and result._array.shape != tensor._array.shape:
        raise _bad_call("size", list(tensor._array.shape), list(result._array.shape))
    if result._edge is not None and isinstance(op, Op) and op.inplace_no_grad is not None:
        refuse_gradient(result._edge, op.inplace_no_grad(*arguments, **keywords))
    one_value = function.__name__ in ONE_VALUE and not any(isinstance(argument, Tensor) for argument in arguments)
    if result._edge is None and function.__name__ in DEPRECATED and may_write_expanded(tensor, op, arguments, keywords):
        check_writable(tensor, current(), recorded=False, one_value=True)
        one_value = write_expanded(tensor, result, function.__name__)
    assign(tensor, result, one_value=one_value, name=function.__name__)
    if NOTING:
        note_write(tensor._storage, 2, function)
    return tensor


def check_same(tensor: Tensor, result: Tensor) -> None:
    """Raises RuntimeError if a result, with the `dtype` of the call, has not the dtype of the tensor."""
    if tensor.dtype is not result.dtype:
        raise _bad_call("dtype", *(dtypes.C_NAMES.get(one.dtype, one.dtype.name) for one in (tensor, result)))


def _bad_call(what: str, ours, theirs) -> RuntimeError:
    return RuntimeError(f"Bad in-place call: input tensor {what} {ours} and output tensor {what} {theirs} should match")


def _overridden(op, arguments: tuple, keywords: dict):
    """Returns the result of a subclass's `__torch_function__`, which sees the method if there is one; else ABSENT."""
    function = getattr(Tensor, op.called) if op.bound and isinstance(arguments[0], Tensor) else op.inplace_function
    return offered(function, *arguments, **keywords)


def assign(tensor: Tensor, result: Tensor, *, one_value: bool, name: str = "") -> Tensor:
    """Writes a result to the tensor that it was computed from, with its history; errors mention the operator `name`."""
    edge, values = result._edge, result._array
    if type(values) in TRACED or type(tensor._array) in TRACED:
        return assign_traced(tensor, result, one_value=one_value, name=name)
    if edge is not None and write_and_record(tensor, result):
        return tensor
    array = writable(tensor) if edge is None else None
    if array is not None and type(values) is np.ndarray and values.dtype is array.dtype and values.shape == array.shape:
        if MODE.get() is False or is_untracked(result):
            array[...] = values
            tensor._storage.written()
            return tensor
    modes = current()
    check_fits(tensor, result)
    check_writable(tensor, modes, recorded=edge is not None, one_value=one_value)
    if edge is None and modes.grad and edge_of(tensor) is not None:
        edge = ended(tensor)
    if edge is not None:
        keep_old_values(edge, tensor)
    if values.dtype is not tensor._array.dtype and type(values) is np.ndarray:
        values = xp.cast(values, tensor._array.dtype)
    np.copyto(tensor._array, values, casting="unsafe")
    if CAPTURING:
        CAPTURING[-1].wrote(tensor._array, values)
    return counted(tensor, edge, result)


def assign_traced(tensor: Tensor, result: Tensor, *, one_value: bool, name: str) -> Tensor:
    """The same where either belongs to a transform: its level writes the elements; here is the graph inside it."""
    settle(tensor)
    level = top_level((tensor, result))
    if level is None:
        return assign(tensor, settled(result), one_value=one_value, name=name)
    modes, edge = current(), result._edge
    own = level.shares_history or (type(tensor._array) in TRACED and tensor._array.level is level)
    check_fits(tensor, result)
    if own or edge is not None:
        check_writable(tensor, modes, recorded=edge is not None, one_value=one_value)
    if edge is None and own and modes.grad and edge_of(tensor) is not None:
        edge = ended(tensor)
    if edge is not None:
        keep_old_values(edge, tensor)
    level.write(tensor, result, name)
    return counted(tensor, edge, result)


def counted(tensor: Tensor, edge, result: Tensor) -> Tensor:
    """Counts a write, and gives the tensor the history of the result that was written, if that has one."""
    tensor._storage.written()
    if edge is not None:
        node_of(edge).in_place = True
        share_result(edge, result, tensor)
        rewrite(tensor, edge, result)
    return tensor


def rewrite(tensor: Tensor, edge, result: Tensor) -> None:
    """Gives a tensor the history of a result that was written to it."""
    rewrite_history(tensor, edge, result, OPS["write_view"].nodes[0])


def ended(tensor: Tensor) -> Node:
    """Returns the node of a write without gradients, like that of `x.eq_(y)`: what came before gets zeros."""
    return make_node(OPS["fill_with_number"].nodes[0], (edge_of(tensor),))


def reshape_in_place(function, tensor: Tensor, arguments: tuple, node_class, op: Op | Method) -> Tensor:
    """Changes the shape or strides of a tensor, as `unsqueeze_` and `transpose_` do; its base and its views stay."""
    if type(tensor) not in PLAIN_TYPES and (taken := _overridden(op, (tensor, *arguments), {})) is not ABSENT:
        return taken
    modes = current()
    if tensor._storage.inference and not modes.inference:
        raise written_outside()
    if modes.grad:
        check_history(tensor, recorded=False)
    announce_write(tensor)
    viewed_before = tensor._generation is not None
    try:
        view = function(tensor, *arguments)
    except TypeError as error:
        raise message.of_method(error, function.__name__, f"{function.__name__}_") from None
    if view._edge is not None and node_class is not None:
        view._edge.__class__ = node_class
    if modes.grad:
        move_retained(tensor, tensor._edge, view._edge)
    if tensor._base is not None:
        tensor._steps, tensor._generation = view._steps, view._generation
    elif viewed_before:
        insert_base(tensor, alias(tensor))
        tensor._steps = view._steps
    before = tensor._array
    look_at(tensor, view._array)
    if modes.grad:
        tensor._edge = view._edge
    elif tensor._edge is not None:
        keep_history(tensor, before)
    tensor._storage.written()
    if NOTING:
        note_write(tensor._storage, 2, function)
    return tensor


def check_fits(tensor: Tensor, result: Tensor) -> None:
    """Raises RuntimeError unless a result has the tensor's shape, and a dtype that casts to the tensor's."""
    if result._array.shape != tensor._array.shape:
        raise noted(
            RuntimeError(
                f"output with shape {list(tensor._array.shape)} doesn't match the broadcast shape "
                f"{list(result._array.shape)}"
            ),
            "An in-place operation cannot make its tensor larger: write x = x + y in place of x += y.",
        )
    if result._array.dtype != tensor._array.dtype and not dtypes.can_cast(result.dtype, tensor.dtype):
        words = f"Make the tensor {result.dtype!r} first, or drop the in-place form."
        raise noted(no_cast(result.dtype, tensor.dtype), words)


# Operators that write one value to each memory location: they may write to an expanded tensor.
ONE_VALUE = frozenset(("fill", "zeroed", "threshold"))


def check_writable(tensor: Tensor, modes, *, recorded: bool, one_value: bool = False) -> None:
    """Raises RuntimeError if PyTorch refuses the write; `one_value` may be written to an expanded tensor."""
    if tensor._storage.inference and not modes.inference:
        raise written_outside()
    if not one_value:
        refuse_expanded(tensor)
    if modes.grad:
        check_history(tensor, recorded=recorded)
    announce_write(tensor)
