"""The history of a tensor that is a view: the edge that it has since its base was rewritten."""

from __future__ import annotations

from rushlight.core.graph import Leaf, function_and_number, watch
from rushlight.core.inplace_errors import OVERTAKEN, refusal
from rushlight.core.modes import MODE, change


def viewed(base) -> int:
    """Notes that there is a view of a tensor, and tells the generation of its history."""
    if base._generation is None:
        base._generation = 0
    return base._generation


def edge_of(tensor):
    """The edge of a tensor; for a view of memory whose history was rewritten, the newest one, found by replaying it."""
    base = tensor._base
    if base is None or tensor._generation == base._generation:
        return tensor._edge
    while base._base is not None:  # it has been turned in place since
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
    """The edge of a view that is made again, of the history that its base has now."""
    token = change(grad=True, inference=False)
    try:
        view = tensor._base
        for function, arguments in tensor._path:
            view = function(view, *arguments)
    finally:
        MODE.reset(token)
    return view._edge


def move_retained(tensor, old, new) -> None:
    """`retain_grad` follows a tensor to its newest node."""
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
