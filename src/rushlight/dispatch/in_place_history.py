"""What a write in place does to history: the step that was recorded comes to end in the tensor that was written to."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.errors import noted
from rushlight.core.graph import Leaf, Node, TensorNode, is_plain, make_node, node_of
from rushlight.core.history import edge_of, move_retained, replayed, viewed
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.modes import MODE
from rushlight.core.storage import Storage
from rushlight.core.tensor import Tensor, alias
from rushlight.declarations.declare import OPS


def refuse_gradient(edge, words: str | None) -> None:
    """Lets backward of a step raise, in these words if there are any: the values that it needs were overwritten."""

    def refuse(*arguments):
        raise RuntimeError(words)

    if words is not None:
        node_of(edge).backward = refuse


def is_recorded_at_once(tensor: Tensor, result: Tensor) -> bool:
    """Writes a result and its history, if nobody else has a hold of the tensor's own: no view, no hook, no leaf."""
    array, values, old = tensor._array, result._array, tensor._edge
    node: Any = result._edge
    if tensor._base is not None or tensor._generation is not None or MODE.get() is not True:
        return False
    if not is_plain(node) or not (old is None or is_plain(old)):
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
    """A saved input that the write is about to destroy is copied first, as PyTorch does for the tensor itself.

    Only the operand that is written to is kept: another operand on the same memory is left to be found stale.
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
    """Whether what a node saved first are the numbers of a tensor that is unresolved."""
    return type(tensor._array) is Unresolved and node.storages[0] is tensor._storage


def share_result(edge, result: Tensor, tensor: Tensor) -> None:
    """A saved result now lives in the tensor's own memory, so later writes to it are noticed."""
    node, values = node_of(edge), result._array
    for position, array in enumerate(node.saved or ()):
        if array is values:
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
    watched = is_watched(tensor._edge, edge_of(base))
    if watched:
        lead_past_hooks(tensor, node_of(edge))
    node = make_node(write_node(), (edge_of(base), edge))
    node.params = (result._array.shape, tensor._path)
    node.metas = ((base._array.shape, base._array.dtype), (result._array.shape, result._array.dtype))
    move_retained(base, base._edge, node)
    base._edge = node
    base._generation = viewed(base) + 1
    if watched:
        edge_of(tensor)  # from now on, hooks on the view are hooks on what was written


def lead_past_hooks(tensor: Tensor, node: Node) -> None:
    """Lets the step that has written to a view start at its base: hooks on the view are for what used it before."""
    old = tensor._edge
    if old in node.edges:
        node.edges = _replaced(node.edges, node.edges.index(old), replayed(tensor))


def is_watched(edge, base) -> bool:
    """Whether there are hooks, or a gradient to be kept, at a view's edge or between that and its base's."""
    while edge is not None and edge is not base:
        node = node_of(edge)
        if node.tensor_hooks or node.pre_hooks or node.post_hooks or node.retained:
            return True
        edge = node.edges[0] if node.edges else None
    return False


class Turned(TensorNode):
    """Where a result was given another shape in place without being recorded: its gradient may not fit the old one."""

    __module__ = Node.__module__
    before: tuple  # the shape that it had

    @property
    def shown(self):
        return node_of(self.edges[0]).shown

    def run(self, gradients: list):
        """The gradient, summed where it was expanded. Raises RuntimeError if it has another shape."""
        shape = gradients[0]._array.shape
        behind = shape[len(shape) - len(self.before) :] if len(shape) >= len(self.before) else ()
        if len(behind) == len(self.before) and all(a in (1, b) for a, b in zip(self.before, behind, strict=True)):
            return (gradients[0].sum_to_size(self.before),)
        raise noted(
            RuntimeError(
                f"Function {node_of(self.edges[0]).name()} got an invalid gradient at index 0 - got {list(shape)} but "
                f"expected shape compatible with {list(self.before)}"
            ),
            "The result was given another shape in place under no_grad() or inference_mode(), where that is not "
            "recorded: write the line outside, or make a view of it, x = x.transpose(0, 1).",
        )


def keep_history(tensor: Tensor, before) -> None:
    """The history of a tensor that has another look than `before`, and nobody has recorded why."""
    if isinstance(tensor._edge, Leaf):
        tensor._edge.hold(tensor)
    elif tensor._base is not None:
        tensor._generation = -1  # whoever asks for its edge makes it again, as it looks now
    elif before.shape != tensor._array.shape:
        tensor._edge = node = make_node(Turned, (tensor._edge,))
        node.before = before.shape


def keep_look(tensor: Tensor) -> None:
    """Puts a base beneath a tensor that there are views of, and that is about to look at its memory in another way.

    What leads to the views began at the old look. They find that base when they are behind, as they are from now on.
    """
    base = alias(tensor)
    base._edge, base._generation = tensor._edge, viewed(tensor) + 1
    tensor._base, tensor._steps, tensor._generation = base, (), base._generation
