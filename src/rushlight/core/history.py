"""The history of views: the current edge of a view whose base was written to, and what a write does to both.

    base ──view──> v            v.mul_(y)            base' = write_view(base, value, path of v)   "CopySlices"
      │                  ─────────────────────>      v'    = the view, replayed on base'
      └────view────> w                               w'    = likewise, when its edge is next read

`base._generation` counts the rewrites; a view with an older `_generation` replays its path (`edge_of`). A tensor has a
generation only if there are views of it.
"""

from __future__ import annotations

from typing import Any

from rushlight.core.errors import about, noted
from rushlight.core.graph import (
    Leaf,
    Node,
    Output,
    TensorNode,
    function_and_number,
    make_node,
    node_of,
    short_name,
    watch,
)
from rushlight.core.modes import MODE, change

# ---- the current edge


def viewed(base) -> int:
    """Records that a tensor has a view; returns the generation of its history."""
    if base._generation is None:
        base._generation = 0
    return base._generation


def edge_of(tensor):
    """Returns the edge of a tensor. A view whose base was rewritten gets a new edge, by replaying the view."""
    base = tensor._base
    if base is None or tensor._generation == base._generation:
        return tensor._edge
    while base._base is not None:  # it was reshaped in place
        base = tensor._base = base._base
    if tensor._creation is not None:
        if tensor._edge is edge_of(base) is None:
            return None
        raise refusal(tensor, OVERTAKEN)
    edge = replayed(tensor)
    move_retained(tensor, tensor._edge, edge)
    tensor._edge, tensor._generation = edge, base._generation
    return tensor._edge


def replayed(tensor):
    """Returns the edge of a view that is replayed on the current history of its base."""
    token = change(grad=True, inference=False)
    try:
        view = tensor._base
        for function, arguments in tensor._path:
            view = function(view, *arguments)
    finally:
        MODE.reset(token)
    return view._edge


def move_retained(tensor, old, new) -> None:
    """Moves the `retain_grad` of a tensor from its old edge to its new one."""
    if old is None or isinstance(old, Leaf):
        return
    node, number = function_and_number(old)
    reference = (node.retained or {}).get(number)
    if reference is None or reference() is not tensor:
        return
    del node.retained[number]
    node, number = function_and_number(new)
    node.retained = {**(node.retained or {}), number: reference}
    watch(node)


# ---- after a write


def rewrite_history(tensor, edge, result, write_view: type[Node]) -> None:
    """Gives a tensor the history of a `result` written to it; `write_view` is the node class of a write to a view."""
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
        _skip_hooks(tensor, node_of(edge))
    node: Any = make_node(write_view, (edge_of(base), edge))
    node.params = (result._array.shape, tensor._path)
    node.metas = ((base._array.shape, base._array.dtype), (result._array.shape, result._array.dtype))
    move_retained(base, base._edge, node)
    base._edge = node
    base._generation = viewed(base) + 1
    if watched:
        edge_of(tensor)  # hooks that the view gets from now on belong to the written value


def _skip_hooks(tensor, node: Node) -> None:
    """Connects the node that wrote to a view with the base: hooks on the view are for earlier uses."""
    old = tensor._edge
    if old in node.edges:
        position = node.edges.index(old)
        node.edges = (*node.edges[:position], replayed(tensor), *node.edges[position + 1 :])


def is_watched(edge, base) -> bool:
    """Whether a node between a view's edge and its base's has hooks or retains a gradient."""
    while edge is not None and edge is not base:
        node = node_of(edge)
        if node.tensor_hooks or node.pre_hooks or node.post_hooks or node.retained:
            return True
        edge = node.edges[0] if node.edges else None
    return False


# ---- after `transpose_`, `unsqueeze_` and other in-place reshapes


class Reshaped(TensorNode):
    """The node from a result to its new shape, if it was reshaped in place without recording."""

    __module__ = Node.__module__
    before: tuple  # the old shape

    @property
    def shown(self):
        return node_of(self.edges[0]).shown

    def run(self, gradients: list):
        """Returns the gradient, summed to the old shape. Raises RuntimeError if it does not fit."""
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


def keep_history(tensor, before) -> None:
    """Keeps the history of a tensor that was reshaped in place, from the array `before`, without recording."""
    if isinstance(tensor._edge, Leaf):
        tensor._edge.hold(tensor)
    elif tensor._base is not None:
        tensor._generation = -1  # its edge is replayed when it is next read
    elif before.shape != tensor._array.shape:
        tensor._edge = node = make_node(Reshaped, (tensor._edge,))
        node.before = before.shape


def insert_base(tensor, base) -> None:
    """Inserts `base`, an alias of a tensor about to be reshaped in place, as the base of its views.

    The paths of the views start at the old shape. The views are outdated from now on, and find the new base.
    """
    base._edge, base._generation = tensor._edge, viewed(tensor) + 1
    tensor._base, tensor._steps, tensor._generation = base, (), base._generation


# ---- writes that are refused


def check_history(tensor, *, recorded: bool) -> None:
    """Raises RuntimeError if a write to a tensor cannot be recorded: to a leaf, or to some kinds of views."""
    edge = edge_of(tensor) if tensor._creation is None else tensor._edge
    if edge is None and not recorded and not tensor.requires_grad:
        return
    words = "a leaf Variable that requires grad is being used in an in-place operation."
    if tensor._base is not None:
        if tensor._creation is not None:
            raise refusal(tensor, WRITTEN)
        above = edge_of(tensor._base)
        if isinstance(above, Leaf) or (above is None and edge is not None):
            note = "To update part of a parameter, write the line under `with torch.no_grad():`."
            raise about(RuntimeError("a view of " + words), "leaf_in_place", note, tensor=tensor)
    if isinstance(edge, Leaf):
        note = (
            "Autograd cannot record an in-place change of a leaf. To update a parameter, write the line under "
            "`with torch.no_grad():`; to compute with it, use the out-of-place form."
        )
        raise about(RuntimeError(words), "leaf_in_place", note, tensor=tensor)


WRITTEN = "is being modified inplace"
OVERTAKEN = "its base or another view of its base has been modified inplace"

AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {block} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
CUSTOM = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
REASONS = {"no_grad": AMBIGUOUS, "inference": AMBIGUOUS, "many": SEVERAL, "function": CUSTOM}
MADE_IN = {"inference": "created in inference mode and {what} in normal mode"}
NOT_RECORDED = "created in no_grad mode and {what} with grad mode enabled"
REPAIRS = {
    "no_grad": "Make the view again outside the block, or write to it inside.",
    "inference": "Make the view again outside the block, or write to it inside.",
    "many": "Write to the whole tensor by index, whole[i] = ..., or work on part.clone().",
    "function": "Return a clone() from forward, or write out of place.",
}


def refusal(tensor, what: str) -> RuntimeError:
    """Returns the error for a view that has no history to rewrite, because of how it was made."""
    edge = tensor._edge
    node, number = (edge.node, edge.number) if type(edge) is Output else (edge, 0)
    creation = tensor._creation
    made = MADE_IN.get(creation, NOT_RECORDED)
    if node is None or isinstance(node, Leaf):
        begin = f"A view was {made}"
    elif REASONS[creation] is AMBIGUOUS:
        begin = f"Output {number} of {short_name(node)} is a view of a view which was {made}"
    else:
        begin = f"Output {number} of {short_name(node)} is a view and {{what}}"
    block = "no_grad" if creation == "no_grad" else "inference_mode"
    error = RuntimeError(f"{begin}. {REASONS[creation]}".format(what=what, block=block))
    error.add_note(REPAIRS[creation])
    return error
