"""What a recorded write in place does to the values that its node saved for backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.graph import Node, node_of
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.modes import MODE
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor, alias, look_at
from rushlight.declarations.declare import Op


def kept_operand(tensor: Tensor, op) -> Tensor:
    """Returns the tensor that an operator computes from: a copy if saved-tensor hooks are to keep its old elements."""
    mode = MODE.get()
    if mode is True or mode is False or not (mode.grad and mode.saved_hooks) or not _saves_first(op):
        return tensor
    operand = alias(tensor, type(tensor))
    look_at(operand, tensor._array.copy())
    operand._storage, operand._edge = Storage(), edge_of(tensor)
    return operand


def _saves_first(op) -> bool:
    """Whether backward of an operator may use its first operand."""
    return isinstance(op, Op) and (not op.nodes or any(op.arguments[0].name in node.saves for node in op.nodes))


def write_and_record(tensor: Tensor, result: Tensor) -> bool:
    """Writes a recorded result and its history to a tensor without views or hooks; returns whether it did."""
    array, values, old = tensor._array, result._array, tensor._edge
    node: Any = result._edge
    if tensor._base is not None or tensor._generation is not None or MODE.get() is not True:
        return False
    if node.special or (old is not None and old.special):  # a leaf, or one output of several
        return False
    if not type(array) is type(values) is np.ndarray or array.dtype is not values.dtype or array.shape != values.shape:
        return False
    if not array.flags.forc or (storage := tensor._store or tensor._storage).inference:
        return False
    saved: tuple = node.saved or ()
    if saved and saved[0] is array:
        keep_old_values(node, tensor)
    array[...] = values
    storage.written()
    node.in_place = True
    if len(saved) == 1 and saved[0] is values:
        node.saved, node.storages, node.versions = (array,), (storage,), (storage.version,)
    elif saved:
        share_result(node, result, tensor)
    tensor._edge = node
    return True


def keep_old_values(edge, tensor: Tensor) -> None:
    """Copies a saved input that the write is about to overwrite, as PyTorch does for the tensor itself.

    Other saved operands on the same memory are not copied: backward finds that they are out of date.
    """
    node = node_of(edge)
    names = type(node).saves
    if not names or node.saved is None or type(node).op.arguments[0].name != names[0]:
        return
    if node.saved and node.saved[0] is not None and (node.saved[0] is tensor._array or _was_resolved(node, tensor)):
        node.saved = (node.saved[0].copy(), *node.saved[1:])
        node.storages = (Storage(), *node.storages[1:])
        node.versions = (0, *node.versions[1:])


def _was_resolved(node: Node, tensor: Tensor) -> bool:
    """Whether the first saved array of a node holds the resolved elements of a lazy conjugate or negative."""
    return type(tensor._array) is Unresolved and node.storages[0] is tensor._storage


def share_result(edge, result: Tensor, tensor: Tensor) -> None:
    """Makes the tensor's memory the saved result of a node, so that later writes to it are noticed."""
    node, values = node_of(edge), result._array
    for position, array in enumerate(node.saved or ()):
        if array is values:
            if type(tensor._array) is not Unresolved:
                node.saved = _replaced(node.saved, position, tensor._array)
            node.storages = _replaced(node.storages, position, tensor._storage)
            node.versions = _replaced(node.versions, position, tensor._storage.version)


def _replaced(values: tuple, position: int, value) -> tuple:
    return (*values[:position], value, *values[position + 1 :])


def refuse_gradient(edge, words: str | None) -> None:
    """Makes backward of a node raise `words`, if there are any: the values that it needs were overwritten."""

    def refuse(*arguments):
        raise RuntimeError(words)

    if words is not None:
        node_of(edge).backward = refuse
