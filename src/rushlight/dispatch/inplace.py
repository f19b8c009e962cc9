"""In-place operations, and what they do to views.

Writing through a view changes the memory under everything that shares it, so the history must say so:

    base ──view──▶ v            v.mul_(y)            base' = write_view(base, value, path of v)   "CopySlices"
      │                  ─────────────────────▶      v'    = the view again, replayed on base'
      └────view────▶ w          (w sees it)          w'    = likewise, when somebody next asks for its edge

Where nothing but numbers changes, a ufunc writes where it reads (`written_by`). Otherwise:

The value is computed by the ordinary operator, copied into the memory, and counted as a write. Then the tensor, or the
base if the tensor is a view, gets a new edge; `base._generation` counts these rewrites, and a view whose own
`_generation` is behind replays its path (`core.history.edge_of`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rushlight.arrays.elementwise import scaled
from rushlight.core import dtype as dtypes
from rushlight.core.errors import about, noted, type_name
from rushlight.core.graph import Leaf, Node, make_node, node_of
from rushlight.core.history import edge_of, move_retained, viewed
from rushlight.core.large import LARGE
from rushlight.core.modes import MODE, current
from rushlight.core.noting import NOTING, note_write
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.refused_writes import WRITTEN, refusal, refuse_expanded, written_outside
from rushlight.core.storage import Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, look_at
from rushlight.core.unresolved import Unresolved
from rushlight.dispatch import message
from rushlight.dispatch.errors_of_numpy import IGNORED, cast, reset_errors, set_errors
from rushlight.dispatch.operands import as_operand
from rushlight.dispatch.overlap import check_in_place
from rushlight.dispatch.override import ABSENT, offered
from rushlight.ops.declare import NOTHING, OPS, Machine, Op

get_mode = MODE.get
# The types of those that an array takes, by the letter of its dtype.
NUMBERS_FOR = {"f": (float, int), "d": (float, int), "l": (int,), "q": (int,), "i": (int,), "?": ()}
REAL = "fiub"  # NumPy's kinds of real numbers, whole numbers and masks
# The dtypes that are computed in as they are, of which the fast paths know.
EASY = frozenset(map(np.dtype, ("float32", "float64", "int64", "int32", "bool")))


class Method(NamedTuple):
    """A method that was written by hand, in the place of an operator's."""

    called: str
    machine: Machine
    bound: int = 1


COPY = Method("copy_", machine=OPS["copy_values"].machine)


def write(function, tensor: Tensor, arguments: tuple, keywords: dict, op: Op | Method = COPY) -> Tensor:
    """Runs `function`, that of an operator, on a tensor and puts the result in its place; returns the tensor.

    Raises RuntimeError where PyTorch forbids the write: nothing has changed then.
    """
    if type(tensor) not in PLAIN_TYPES:
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"{function.__name__}_(): argument 'input' (position 1) must be Tensor, not {type_name(tensor)}"
            )
        taken = _overridden(op, (tensor, *arguments), keywords)
        if taken is not ABSENT:
            return taken
    check_in_place(tensor, function.__name__, arguments)
    if op.machine.writing is not None and op.machine.writing(tensor, arguments, keywords):
        return tensor
    try:
        result = function(tensor, *arguments, **keywords)
    except TypeError as error:
        if any(isinstance(each, np.ndarray) for each in arguments):
            return write(function, tensor, tuple(map(as_operand, arguments)), keywords, op)
        raise message.of_method(error, function.__name__, f"{function.__name__}_") from None
    if keywords.get("dtype") is not None:
        check_same(tensor, result)
    assign(tensor, result, function.__name__)
    if NOTING:
        note_write(tensor._storage, 2, function)
    return tensor


def check_same(tensor: Tensor, result: Tensor) -> None:
    """Raises where a dtype was asked for that the tensor which is to hold the result has not."""
    if tensor.dtype is not result.dtype:
        ours, theirs = (dtypes.C_NAMES.get(each.dtype, each.dtype.name) for each in (tensor, result))
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {ours} and output tensor dtype {theirs} should match"
        )


def written_by(kernel, function, kinds: frozenset, tensor: Tensor, other=NOTHING, alpha=1) -> bool:
    """Writes by a ufunc what `function` would return, where only numbers change, all of one dtype; whether it did."""
    array = free_array(tensor)
    if array is None or (kind := array.dtype) not in kinds:
        return False
    given = type(other)
    if given is Tensor or given in PLAIN_TYPES:
        values = other._array
        # Neither a history nor, but for itself, the memory of what is written to
        if values.dtype is not kind or not (other is tensor or is_apart(other, tensor)):
            return False
    elif other is not NOTHING and (given not in NUMBERS_FOR[kind.char] or alpha != 1):
        return False
    token = set_errors(IGNORED)
    try:
        if other is NOTHING:
            kernel(array, out=array)
        elif given is float or given is int:
            kernel(array, ARRAY_NUMBERS[kind][other], out=array)
        else:
            kernel(array, values if alpha == 1 else scaled(values, alpha), out=array)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return False  # nothing has been written yet, and the long way explains it
    finally:
        reset_errors(token)
    storage = tensor._store or tensor._storage
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def converted_into(tensor: Tensor, source: Tensor) -> bool:
    """Writes real numbers of another dtype, where only numbers change; whether it did."""
    array, values = free_array(tensor), source._array
    if array is None or type(values) is not np.ndarray or values.size >= LARGE or values.ndim > array.ndim:
        return False
    if array.dtype.kind not in REAL or values.dtype.kind not in REAL or not is_apart(source, tensor):
        return False
    try:
        array[...] = cast(values, array.dtype)
    except ValueError:
        return False
    storage = tensor._store or tensor._storage
    storage.written()
    if NOTING:
        note_write(storage, 2, OPS["copy_values"].function)
    return True


def written_with(kernel, function, kinds: frozenset, tensor: Tensor, *operands) -> bool:
    """The same by a function of a tensor and of masks, numbers or None, which sets no flags."""
    array = free_array(tensor)
    if array is None or array.dtype not in kinds:
        return False
    try:
        given = [_operand(each, tensor, array) for each in operands]
        kernel(array, *given, out=array)
    except (TypeError, ValueError, OverflowError):
        return False
    storage = tensor._store or tensor._storage
    storage.written()
    if NOTING:
        note_write(storage, 2, function)
    return True


def _operand(value, tensor: Tensor, array):
    """A mask, a number or None as a kernel takes it. Raises TypeError for anything else."""
    if value is None:
        return None
    if type(value) in NUMBERS_FOR[array.dtype.char]:
        number = ARRAY_NUMBERS[array.dtype][value]
        if math.isinf(number) and not math.isinf(value):
            raise OverflowError
        return number
    if type(value) in PLAIN_TYPES and value._array.dtype.char == "?" and is_apart(value, tensor):
        return value._array
    raise TypeError


def is_apart(other: Tensor, tensor: Tensor) -> bool:
    """Whether an operand has neither a history nor the memory of what is written to."""
    if not (other._edge is None is other._base) and not (get_mode() is False or is_untracked(other)):
        return False
    return (other._store or other) is not (tensor._store or tensor)


def overwritten(array, value, out):
    """One number in the place of all elements. Raises ValueError for more, and for what may be too large a number."""
    if value.ndim or not math.isfinite(value):
        raise ValueError
    out[...] = value


def replaced(array, values, out):
    """Others in the place of all elements. Raises ValueError where they have more dimensions."""
    if values.ndim > out.ndim:
        raise ValueError
    out[...] = values


def cleared(array, out):
    """0 in the place of all elements."""
    out[...] = ARRAY_NUMBERS[array.dtype].zero


def filled(array, mask, value, out):
    """A number wherever a mask is true. Raises TypeError for what is neither."""
    if mask is None or value is None or mask.dtype.char != "?" or value.ndim:
        raise TypeError
    np.copyto(out, value, where=mask)


def free_array(tensor: Tensor):
    """The array of a tensor of which a write changes the numbers and nothing else, if it is small; else None."""
    if type(tensor) is not Tensor and type(tensor) not in PLAIN_TYPES:
        return None
    array, mode, store = tensor._array, get_mode(), tensor._store
    if type(array) is not np.ndarray or array.size >= LARGE or not array.flags.forc:
        return None
    if store is not None and store.inference:
        return None
    return array if mode is False or (mode is True and is_untracked(tensor)) else None


def is_untracked(tensor: Tensor) -> bool:
    """Whether there is no history, neither of a tensor nor of what it is a view of."""
    return tensor._edge is None and (tensor._base is None or (tensor._base._edge is None and edge_of(tensor) is None))


def _overridden(op, arguments: tuple, keywords: dict):
    """What a subclass makes of the call, which it sees as one of the method, or of the function."""
    function = getattr(Tensor, op.called) if op.bound else op.inplace_function
    return offered(function, *arguments, **keywords)


def assign(tensor: Tensor, result: Tensor, name: str) -> Tensor:
    """Makes `result`, just computed from it, the new value of a tensor."""
    values, array = result._array, free_array(tensor)
    if array is not None and type(values) is np.ndarray and values.dtype is array.dtype and values.shape == array.shape:
        if MODE.get() is False or is_untracked(result):
            array[...] = values
            tensor._storage.written()
            return tensor
    modes = current()
    check_fits(tensor, result)
    edge = result._edge
    check_writable(tensor, modes, recorded=edge is not None)
    if edge is None and modes.grad and edge_of(tensor) is not None:
        edge = ended(tensor)
    if edge is not None:
        keep_old_values(edge, tensor)
    if values.dtype is not tensor._array.dtype and type(values) is np.ndarray:
        values = cast(values, tensor._array.dtype)
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
    """Makes a tensor look at its own memory in another way: `unsqueeze_`, `transpose_`. Its base stays as it is."""
    if type(tensor) not in PLAIN_TYPES and (taken := _overridden(op, (tensor, *arguments), {})) is not ABSENT:
        return taken
    modes = current()
    if modes.grad:
        check_history(tensor, recorded=False)
    try:
        view = function(tensor, *arguments)
    except TypeError as error:
        raise message.of_method(error, function.__name__, f"{function.__name__}_") from None
    if view._edge is not None and node_class is not None:
        view._edge.__class__ = node_class
    move_retained(tensor, tensor._edge, view._edge)
    look_at(tensor, view._array)
    tensor._edge = view._edge
    if tensor._base is not None:
        tensor._steps, tensor._generation = view._steps, view._generation
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


def check_writable(tensor: Tensor, modes, *, recorded: bool) -> None:
    """Raises where PyTorch forbids to change a tensor in place."""
    if tensor._storage.inference and not modes.inference:
        raise written_outside()
    refuse_expanded(tensor)
    if modes.grad:
        check_history(tensor, recorded=recorded)


def check_history(tensor: Tensor, *, recorded: bool) -> None:
    """Raises where a tensor's history cannot be rewritten."""
    edge = edge_of(tensor)
    if edge is None and not recorded and not tensor.requires_grad:
        return
    if tensor._base is not None:
        _check_view(tensor, edge)
    if isinstance(edge, Leaf):
        words = "a leaf Variable that requires grad is being used in an in-place operation."
        note = (
            "Its old value would be lost and its gradient would belong to nothing. To update a parameter, write the "
            "line under `with torch.no_grad():`; to compute with it, use the out-of-place form."
        )
        raise about(RuntimeError(words), "leaf_in_place", note, tensor=tensor)


def _check_view(tensor, edge) -> None:
    if tensor._creation is not None:
        raise refusal(tensor, WRITTEN)
    if isinstance(edge_of(tensor._base), Leaf):
        words = "a view of a leaf Variable that requires grad is being used in an in-place operation."
        note = "To update part of a parameter, write the line under `with torch.no_grad():`."
        raise about(RuntimeError(words), "leaf_in_place", note, tensor=tensor)


def keep_old_values(edge, tensor: Tensor) -> None:
    """A saved input that the write is about to destroy is copied first, as PyTorch does for the tensor itself.

    Only the operand that is written to is kept: another operand on the same memory is left to be found stale.
    """
    node = node_of(edge)
    names = type(node).saves
    if not names or node.saved is None or type(node).op.arguments[0].name != names[0]:
        return
    if node.saved and (node.saved[0] is tensor._array or _was_resolved(node, tensor)):
        node.saved = (node.saved[0].copy(), *node.saved[1:])
        node.storages = (Storage(), *node.storages[1:])
        node.versions = (0, *node.versions[1:])


def _was_resolved(node: Node, tensor: Tensor) -> bool:
    """Whether what a node saved first are the numbers of a tensor that is unresolved."""
    return type(tensor._array) is Unresolved and node.storages[0] is tensor._storage


def share_result(edge, result: Tensor, tensor: Tensor) -> None:
    """A saved result now lives in the tensor's own memory, so later writes to it are noticed."""
    node = node_of(edge)
    for position, array in enumerate(node.saved or ()):
        if array is result._array:
            if type(tensor._array) is not Unresolved:
                node.saved = _replaced(node.saved, position, tensor._array)
            node.storages = _replaced(node.storages, position, tensor._storage)
            node.versions = _replaced(node.versions, position, tensor._storage.version)


def _replaced(values: tuple, position: int, value) -> tuple:
    return (*values[:position], value, *values[position + 1 :])


def write_node() -> type[Node]:
    """The node class of a write through a view."""
    return OPS["write_view"].nodes[0]


def rewrite(tensor: Tensor, edge, result: Tensor) -> None:
    """Gives a tensor that was written to its new history."""
    base = tensor._base
    if tensor._generation is not None:
        tensor._storage.rewritten = True
    if base is None:
        move_retained(tensor, tensor._edge, edge)
        tensor._edge = edge
        if tensor._generation is not None:
            tensor._generation += 1
        return
    node = make_node(write_node(), (edge_of(base), edge))
    node.params = (result._array.shape, tensor._path)
    node.metas = ((base._array.shape, base._array.dtype), (result._array.shape, result._array.dtype))
    move_retained(base, base._edge, node)
    base._edge = node
    base._generation = viewed(base) + 1
