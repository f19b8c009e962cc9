"""In-place operations, and what they do to views.

Writing through a view changes the memory under everything that shares it, so the history must say so:

    base ──view──▶ v            v.mul_(y)            base' = write_view(base, value, path of v)   "CopySlices"
      │                  ─────────────────────▶      v'    = the view again, replayed on base'
      └────view────▶ w          (w sees it)          w'    = likewise, when somebody next asks for its edge

The value is computed by the ordinary operator, copied into the memory, and counted as a write. Then the tensor, or the
base if the tensor is a view, gets a new edge; `base._generation` counts these rewrites, and a view whose own
`_generation` is behind replays its path (`core.tensor.edge_of`).
"""

from __future__ import annotations

import numpy as np

from rushlight.core import dtype as dtypes
from rushlight.core.graph import Leaf, Node, Output, tick
from rushlight.core.modes import current
from rushlight.core.storage import Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, edge_of, new
from rushlight.dispatch.override import ABSENT, overridden
from rushlight.ops.declare import OPS


def write(function, tensor: Tensor, arguments: tuple, keywords: dict) -> Tensor:
    """Runs `function` on a tensor and puts the result in its place; returns the tensor.

    Raises RuntimeError where PyTorch forbids the write: nothing has changed then.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{function.__name__}_(): argument 'input' (position 1) must be Tensor, not {type(tensor).__name__}")
    if type(tensor) not in PLAIN_TYPES:
        taken = _overridden(function, tensor, arguments, keywords)
        if taken is not ABSENT:
            return taken
    result = function(tensor, *arguments, **keywords)
    return assign(tensor, result, function.__name__)


def _overridden(function, tensor, arguments, keywords):
    class call:
        pass

    call.function = lambda *given, **named: write(function, given[0], given[1:], named)
    call.function.__name__ = function.__name__ + "_"
    return overridden(call, (tensor, *arguments), current(), keywords)


def assign(tensor: Tensor, result: Tensor, name: str) -> Tensor:
    """Makes `result`, just computed from it, the new value of a tensor."""
    modes = current()
    check_fits(tensor, result)
    edge = result._edge
    check_writable(tensor, modes, recorded=edge is not None)
    if edge is not None:
        keep_old_values(edge, tensor)
    np.copyto(tensor._array, result._array, casting="unsafe")
    tensor._storage.version += 1
    if edge is not None:
        share_result(edge, result, tensor)
        rewrite(tensor, edge, result)
    return tensor


def check_fits(tensor: Tensor, result: Tensor) -> None:
    """An in-place result must have the tensor's shape and a dtype that it can hold."""
    if result._array.shape != tensor._array.shape:
        error = RuntimeError(
            f"output with shape {list(tensor._array.shape)} doesn't match the broadcast shape {list(result._array.shape)}"
        )
        error.add_note("An in-place operation cannot make its tensor larger: write x = x + y in place of x += y.")
        raise error
    if result._array.dtype != tensor._array.dtype and not dtypes.can_cast(result.dtype, tensor.dtype):
        names = dtypes.SCALAR_NAMES
        error = RuntimeError(
            f"result type {names[result.dtype]} can't be cast to the desired output type {names[tensor.dtype]}"
        )
        error.add_note(f"Make the tensor {result.dtype!r} first, or drop the in-place form.")
        raise error


def check_writable(tensor: Tensor, modes, *, recorded: bool) -> None:
    """Raises where PyTorch forbids to change a tensor in place."""
    if tensor._storage.inference and not modes.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
            "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    check_expanded(tensor)
    edge = edge_of(tensor) if modes.grad else None
    if not modes.grad or (edge is None and not recorded):
        return
    if tensor._base is not None:
        _check_view(tensor, edge)
    if isinstance(edge, Leaf):
        error = RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        error.add_note(
            "Its old value would be lost and its gradient would belong to nothing. To update a parameter, write the line "
            "under `with torch.no_grad():`; to compute with it, use the out-of-place form."
        )
        raise error


def check_expanded(tensor: Tensor) -> None:
    """More than one element in one place cannot be written element by element."""
    array = tensor._array
    if isinstance(array, np.ndarray) and 0 in array.strides:
        for length, step in zip(array.shape, array.strides, strict=True):
            if step == 0 and length > 1:
                raise RuntimeError(
                    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                    "location. Please clone() the tensor before performing the operation."
                )


CREATION_ERRORS = {
    "no_grad": (
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case "
        "is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
        "either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want "
        "the inplace to be tracked)."
    ),
    "inference": (
        "A view was created in inference mode and is being modified inplace in normal mode. Given that this use case is "
        "ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
        "either both inside the inference_mode block (if you don't want the inplace to be tracked) or both outside (if you "
        "want the inplace to be tracked)."
    ),
    "many": (
        "Output {number} of {name} is a view and is being modified inplace. This view is the output of a function that "
        "returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace "
        "the inplace operation by an out-of-place one."
    ),
    "function": (
        "Output {number} of {name} is a view and is being modified inplace. This view was created inside a custom Function "
        "(or because an input was returned as-is) and the autograd logic to handle view+inplace would override the custom "
        "backward associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can "
        "fix this by cloning the output of the custom Function."
    ),
}


def _check_view(tensor: Tensor, edge) -> None:
    if tensor._creation is not None:
        node, number = (edge.node, edge.number) if type(edge) is Output else (edge, 0)
        name = "A view" if node is None else node.name()
        raise RuntimeError(CREATION_ERRORS[tensor._creation].format(number=number, name=name))
    if edge is not None and isinstance(edge_of(tensor._base), Leaf):
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


def keep_old_values(edge, tensor: Tensor) -> None:
    """A saved input that the write is about to destroy is copied first, as PyTorch does for the tensor itself.

    Only the operand that is written to is kept: another operand on the same memory is left to be found stale.
    """
    node = edge.node if type(edge) is Output else edge
    names = type(node).saves
    if not names or node.saved is None or type(node).op.arguments[0].name != names[0]:
        return
    if node.saved and node.saved[0] is tensor._array:
        node.saved = (tensor._array.copy(), *node.saved[1:])
        node.storages = (Storage(), *node.storages[1:])


def share_result(edge, result: Tensor, tensor: Tensor) -> None:
    """A saved result now lives in the tensor's own memory, so later writes to it are noticed."""
    node = edge.node if type(edge) is Output else edge
    for position, array in enumerate(node.saved or ()):
        if array is result._array:
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
    storage = tensor._storage
    storage.rewritten = True
    base = tensor._base
    if base is None:
        move_retained(tensor, edge)
        tensor._edge = edge
        tensor._generation += 1
        return
    retained = tensor._edge if is_retained(tensor) else None
    node = new(write_node())
    node.created = tick()
    node.edges = (edge_of(base), edge)
    node.params = (result._array.shape, tensor._path)
    node.metas = ((base._array.shape, base._array.dtype), (result._array.shape, result._array.dtype))
    move_retained(base, node)
    base._edge = node
    base._generation += 1
    if retained is not None:
        move_retained(tensor, edge_of(tensor), retained)


def is_retained(tensor: Tensor) -> bool:
    """Whether the gradient of this result is kept."""
    edge = tensor._edge
    node = edge.node if type(edge) is Output else edge
    return node is not None and node.retained is not None


def move_retained(tensor: Tensor, edge, old=None) -> None:
    """`retain_grad` follows a tensor to its newest node."""
    old = tensor._edge if old is None else old
    if old is None or isinstance(old, Leaf):
        return
    node, number = (old.node, old.number) if type(old) is Output else (old, 0)
    reference = (node.retained or {}).get(number)
    if reference is None or reference() is not tensor:
        return
    del node.retained[number]
    node, number = (edge.node, edge.number) if type(edge) is Output else (edge, 0)
    node.retained = {**(node.retained or {}), number: reference}
