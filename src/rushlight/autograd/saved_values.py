"""Values that a node saved for backward: checked for staleness, as raw arrays or as Tensors with history."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.core.errors import about, noted
from rushlight.core.graph import RELEASED, Leaf, Output, function_and_number, short_name
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.modes import current
from rushlight.core.tables import objects
from rushlight.dispatch.saved import unpack


def refuse(node, starts: tuple) -> None:
    """Raises RuntimeError if what a node saved has been freed, or changed since."""
    if node.saved is RELEASED:
        raise second_time(node, starts)
    refuse_stale(node, starts)


def refuse_stale(node, starts: tuple = ()) -> None:
    """Raises RuntimeError if a saved value was changed in place since; `starts` are the edges at which a pass began."""
    position = 0
    versions = node.versions
    for storage in node.storages:
        if storage is not None and node.saved[position] is not None:
            if storage.version != versions[position]:
                raise stale(node, position, starts)
            if storage.cut:
                refuse_detached(node, position)
        position += 1


def refuse_detached(node, position: int) -> None:
    """Raises RuntimeError if a tensor was detached in place after it was saved; a saved result may be."""
    array = node.saved[position]
    if type(node).saves[position] not in type(node).op.results and is_cut(node, array, node.storages[position]):
        raise noted(
            RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                "supported, please use out-of-place `.detach()` instead"
            ),
            f"{node.name()} kept its `{type(node).saves[position]}` of shape {tuple(array.shape)} for the gradient: "
            "write x = x.detach() in place of x.detach_().",
        )


def is_cut(node, array, storage) -> bool:
    """Whether the tensor of an array was detached in place after the node had saved it."""
    return any(array is other and node.created < time for other, time in storage.cut)


def saved_raw(node, starts: tuple = ()) -> tuple:
    """The saved values as raw arrays."""
    saved = node.saved
    refuse_stale(node, starts)
    if node.packed is None:
        return saved
    return tuple(
        array if box is None else plain(unpack(box)._array) for box, array in zip(node.packed, saved, strict=True)
    )


def saved_tensors(node, starts: tuple = ()) -> tuple:
    """The saved values as Tensors with history."""
    if node.packed is None:
        refuse_stale(node, starts)
    return as_tensors(node)


def as_constants(node) -> tuple:
    """The saved values as Tensors without history, for steps that record nothing."""
    values = []
    for position, array in enumerate(node.saved):
        if array is None or node.storages[position] is None:
            values.append(array.item() if type(array) is np.ndarray else array)
            continue
        tensor = objects.tensor(None)
        tensor._array, tensor._store = array, node.storages[position]
        tensor._meta_key = tensor._base = tensor._edge = tensor._generation = None
        values.append(tensor)
    return tuple(values)


def as_tensors(node) -> tuple:
    """The saved values as Tensors with history, without a check for staleness."""
    return tuple([tensor_of(node, position, array) for position, array in enumerate(node.saved)])


def tensor_of(node, position: int, array):
    """One saved value as a Tensor; numbers and absent values as they are."""
    if node.packed is not None and node.packed[position] is not None:
        return _unpacked(node, position)
    if array is None or node.storages[position] is None:
        return array.item() if isinstance(array, np.ndarray) else array
    tensor = objects.tensor(None)
    tensor._array, tensor._store = array, node.storages[position]
    tensor._meta_key = tensor._base = tensor._generation = None
    tensor._edge = edge_of_saved(node, type(node).saves[position])
    return tensor


def _unpacked(node, position: int):
    box = node.packed[position]
    unpacked = unpack(box)
    edge = edge_of_saved(node, type(node).saves[position])
    if unpacked._edge is edge:
        return unpacked
    tensor = objects.tensor(None)
    tensor._array, tensor._store, tensor._edge = unpacked._array, unpacked._storage, edge
    tensor._meta_key = tensor._base = tensor._generation = None
    return tensor


def edge_of_saved(node, name: str):
    """Returns the edge of a saved value: that of an input, or the node itself for its own result."""
    op = type(node).op
    if name in op.results:
        if name not in op.differentiable_results:
            return None
        return node if node.outputs == 1 else Output(node, op.differentiable_results.index(name))
    inputs = [argument.name for argument in op.arguments if argument.name in op.derivatives]
    return node.edges[inputs.index(name)] if name in inputs else None


def stale(node, position: int, starts: tuple = ()) -> RuntimeError:
    """The error for a saved value of a node that was changed after it was saved."""
    array, storage = node.saved[position], node.storages[position]
    name = type(node).saves[position]
    edge = node if node.in_place else edge_of_saved(node, name)
    error = stale_error(array, edge, storage.version, node.versions[position])
    note = (
        f"{node.name()} kept its `{name}` of shape {tuple(array.shape)} to compute a gradient, and the memory was "
        "written to since. Write x = x + 1 instead of x += 1, or change a clone()."
    )
    return about(error, "modified_in_place", note, node=node, position=position, starts=starts)


def stale_error(array, edge, version: int, expected: int) -> RuntimeError:
    """PyTorch's complaint about a saved value that was changed in place."""
    name = SCALAR_NAMES[BY_NUMPY[array.dtype]]
    kind = f"CPU{name}Type" if name == "BFloat16" or array.dtype.kind == "c" else f"torch.{name}Tensor"
    origin = ""
    if edge is not None and not isinstance(edge, Leaf):
        node, number = function_and_number(edge)
        origin = f", which is output {number} of {short_name(node)},"
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(array.shape)}]{origin} is at version {version}; expected version {expected} instead. Hint: "
        f"{_hint()}"
    )


def _hint() -> str:
    if current().anomaly is None:
        return (
            "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False)."
        )
    return (
        "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
        "was changed in there or anywhere later. Good luck!"
    )


def release(node, freed=()) -> None:
    """Frees what a node saved. `freed` says which line did it, for the error of a second backward."""
    if node.saved:
        node.saved, node.storages, node.versions = RELEASED, freed, ()
    if node.packed:
        node.packed = RELEASED


SECOND_TIME = (
    "Two losses share one graph: add them and call backward() once, or pass retain_graph=True to the first call. A "
    "state from the last iteration (hidden state, running average) brings its graph along: detach() it."
)


def second_time(node, starts: tuple = ()) -> RuntimeError:
    """The error for saved values that are freed, at `node`, in a pass from the edges `starts`."""
    error = RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    )
    return about(error, "second_backward", SECOND_TIME, node=node, starts=starts)
