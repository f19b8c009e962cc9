"""In-place operations, and what they do to views.

Writing through a view changes the memory under everything that shares it, so the history must say so:

    base ──view──▶ v            v.mul_(y)            base' = write_view(base, value, path of v)   "CopySlices"
      │                  ─────────────────────▶      v'    = the view again, replayed on base'
      └────view────▶ w          (w sees it)          w'    = likewise, when somebody next asks for its edge

Where nothing but numbers changes, a ufunc writes where it reads (`in_place_numbers.py`). Otherwise:

The value is computed by the ordinary operator, copied into the memory, and counted as a write. Then the tensor, or the
base if the tensor is a view, gets a new edge; `base._generation` counts these rewrites, and a view whose own
`_generation` is behind replays its path (`core.history.edge_of`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.errors import about, noted, type_name
from rushlight.core.graph import Leaf, Node, make_node, node_of
from rushlight.core.history import edge_of, move_retained
from rushlight.core.inplace_errors import WRITTEN, refusal, refuse_expanded, written_outside
from rushlight.core.modes import MODE, announce_write, current
from rushlight.core.source_lines import NOTING, note_write
from rushlight.core.storage import Storage
from rushlight.core.tables import xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor, alias, look_at
from rushlight.declarations.declare import OPS, Op
from rushlight.dispatch import message
from rushlight.dispatch.expanded_writes import DEPRECATED, may_write_expanded, write_expanded
from rushlight.dispatch.general import explain_arguments
from rushlight.dispatch.in_place_history import (
    is_recorded_at_once,
    keep_history,
    keep_look,
    keep_old_values,
    refuse_gradient,
    rewrite,
    share_result,
)
from rushlight.dispatch.in_place_numbers import free_array, is_untracked
from rushlight.dispatch.operands import as_operand
from rushlight.dispatch.overlap import check_in_place
from rushlight.dispatch.override import ABSENT, offered
from rushlight.dispatch.plan import WRITING


class Method(NamedTuple):
    """A method that was written by hand, in the place of an operator's."""

    called: str
    name: str  # the operator whose kernels it has
    bound: int = 1
    overlap: None = None


COPY = Method("copy_", "copy_values")


def write(function, tensor: Tensor, arguments: tuple, keywords: dict, op: Op | Method = COPY) -> Tensor:
    """Runs `function`, that of an operator, on a tensor and puts the result in its place; returns the tensor.

    Raises RuntimeError where PyTorch forbids the write: nothing has changed then.
    """
    if type(tensor) not in PLAIN_TYPES:
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
        check_history(tensor, recorded=False)  # before the operator asks for an edge that there is no more
    if op.name in WRITING and WRITING[op.name](tensor, arguments, keywords):
        return tensor
    try:
        result = function(kept_operand(tensor, op), *arguments, **keywords)
    except TypeError as error:
        if any(isinstance(each, np.ndarray) for each in arguments):
            return write(function, tensor, tuple(map(as_operand, arguments)), keywords, op)
        if isinstance(op, Op) and op.bound and "invalid combination" in str(error):
            rest = [keywords.get(each.name, each.default) for each in op.arguments[len(arguments) + 1 :]]
            explain_arguments(op, (tensor, *arguments, *rest))  # of which the method may have one form only
        raise message.of_method(error, function.__name__, f"{function.__name__}_") from None
    if keywords.get("dtype") is not None:
        check_same(tensor, result)
    if op.overlap == "any" and result._array.shape != tensor._array.shape:
        raise _bad_call("size", list(tensor._array.shape), list(result._array.shape))
    if result._edge is not None and isinstance(op, Op) and op.inplace_no_grad is not None:
        refuse_gradient(result._edge, op.inplace_no_grad(*arguments, **keywords))
    one_value = function.__name__ in ONE_VALUE and not any(isinstance(each, Tensor) for each in arguments)
    if result._edge is None and function.__name__ in DEPRECATED and may_write_expanded(tensor, op, arguments, keywords):
        check_writable(tensor, current(), recorded=False, one_value=True)
        one_value = write_expanded(tensor, result, function.__name__)
    assign(tensor, result, one_value=one_value)
    if NOTING:
        note_write(tensor._storage, 2, function)
    return tensor


def kept_operand(tensor: Tensor, op: Op | Method) -> Tensor:
    """What an operator is given of a tensor that it writes to: a copy, if hooks are to keep the old values of it."""
    mode = MODE.get()
    if mode is True or mode is False or not (mode.grad and mode.saved_hooks) or not saves_first(op):
        return tensor
    operand = alias(tensor, type(tensor))
    look_at(operand, tensor._array.copy())
    operand._storage, operand._edge = Storage(), edge_of(tensor)
    return operand


def saves_first(op: Op | Method) -> bool:
    """Whether the gradients of an operator may ask for its first operand."""
    return isinstance(op, Op) and (not op.nodes or any(op.arguments[0].name in kind.saves for kind in op.nodes))


def check_same(tensor: Tensor, result: Tensor) -> None:
    """Raises where a dtype was asked for that the tensor which is to hold the result has not."""
    if tensor.dtype is not result.dtype:
        raise _bad_call("dtype", *(dtypes.C_NAMES.get(each.dtype, each.dtype.name) for each in (tensor, result)))


def _bad_call(what: str, ours, theirs) -> RuntimeError:
    return RuntimeError(f"Bad in-place call: input tensor {what} {ours} and output tensor {what} {theirs} should match")


def _overridden(op, arguments: tuple, keywords: dict):
    """What another class makes of the call: a subclass sees one of the method, if there is one; else the function."""
    function = getattr(Tensor, op.called) if op.bound and isinstance(arguments[0], Tensor) else op.inplace_function
    return offered(function, *arguments, **keywords)


def assign(tensor: Tensor, result: Tensor, *, one_value: bool) -> Tensor:
    """Makes `result`, just computed from it, the new value of a tensor."""
    if result._edge is not None and is_recorded_at_once(tensor, result):
        return tensor
    values, array = result._array, free_array(tensor)
    if array is not None and type(values) is np.ndarray and values.dtype is array.dtype and values.shape == array.shape:
        if MODE.get() is False or is_untracked(result):
            array[...] = values
            tensor._storage.written()
            return tensor
    modes = current()
    check_fits(tensor, result)
    edge = result._edge
    check_writable(tensor, modes, recorded=edge is not None, one_value=one_value)
    if edge is None and modes.grad and edge_of(tensor) is not None:
        edge = ended(tensor)
    if edge is not None:
        keep_old_values(edge, tensor)
    if values.dtype is not tensor._array.dtype and type(values) is np.ndarray:
        values = xp.cast(values, tensor._array.dtype)
    np.copyto(tensor._array, values, casting="unsafe")
    tensor._storage.written()
    if edge is not None:
        node_of(edge).in_place = True
        share_result(edge, result, tensor)
        rewrite(tensor, edge, result)
    return tensor


def ended(tensor: Tensor) -> Node:
    """The end of a history, at values without gradients: those of `x.eq_(y)`. What came before gets zeros."""
    return make_node(OPS["fill_with_number"].nodes[0], (edge_of(tensor),))


def reshape_in_place(function, tensor: Tensor, arguments: tuple, node_class, op: Op | Method) -> Tensor:
    """Makes a tensor look at its own memory in another way: `unsqueeze_`, `transpose_`. Its base and its views stay."""
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
        keep_look(tensor)
        tensor._steps = view._steps
    turned_from = tensor._array
    look_at(tensor, view._array)
    if modes.grad:
        tensor._edge = view._edge
    elif tensor._edge is not None:
        keep_history(tensor, turned_from)
    tensor._storage.written()
    if NOTING:
        note_write(tensor._storage, 2, function)
    return tensor


def check_fits(tensor: Tensor, result: Tensor) -> None:
    """An in-place result must have the tensor's shape and a dtype that it can hold."""
    if result._array.shape != tensor._array.shape:
        raise noted(
            RuntimeError(
                f"output with shape {list(tensor._array.shape)} doesn't match the broadcast shape "
                f"{list(result._array.shape)}"
            ),
            "An in-place operation cannot make its tensor larger: write x = x + y in place of x += y.",
        )
    if result._array.dtype != tensor._array.dtype and not dtypes.can_cast(result.dtype, tensor.dtype):
        names = dtypes.SCALAR_NAMES
        raise noted(
            RuntimeError(
                f"result type {names[result.dtype]} can't be cast to the desired output type {names[tensor.dtype]}"
            ),
            f"Make the tensor {result.dtype!r} first, or drop the in-place form.",
        )


# What writes one number wherever there was one: `threshold` too, for what lies in one place is one number.
ONE_VALUE = frozenset(("fill", "zeroed", "threshold"))


def check_writable(tensor: Tensor, modes, *, recorded: bool, one_value: bool = False) -> None:
    """Raises where PyTorch forbids to change a tensor in place; an expanded one may be given `one_value`."""
    if tensor._storage.inference and not modes.inference:
        raise written_outside()
    if not one_value:
        refuse_expanded(tensor)
    if modes.grad:
        check_history(tensor, recorded=recorded)
    announce_write(tensor)


def check_history(tensor: Tensor, *, recorded: bool) -> None:
    """Raises where a tensor's history cannot be rewritten."""
    edge = edge_of(tensor) if tensor._creation is None else tensor._edge
    if edge is None and not recorded and not tensor.requires_grad:
        return
    if tensor._base is not None:
        _check_view(tensor, edge)
    if isinstance(edge, Leaf):
        words = "a leaf Variable that requires grad is being used in an in-place operation."
        note = (
            "Autograd cannot record an in-place change of a leaf. To update a parameter, write the line under "
            "`with torch.no_grad():`; to compute with it, use the out-of-place form."
        )
        raise about(RuntimeError(words), "leaf_in_place", note, tensor=tensor)


def _check_view(tensor, edge) -> None:
    if tensor._creation is not None:
        raise refusal(tensor, WRITTEN)
    above = edge_of(tensor._base)
    if isinstance(above, Leaf) or (above is None and edge is not None):
        words = "a view of a leaf Variable that requires grad is being used in an in-place operation."
        note = "To update part of a parameter, write the line under `with torch.no_grad():`."
        raise about(RuntimeError(words), "leaf_in_place", note, tensor=tensor)
