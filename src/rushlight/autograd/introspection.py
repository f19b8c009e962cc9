"""Attributes of a node for its saved values, by PyTorch's names: `grad_fn._saved_self`, `grad_fn._saved_dim`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd.saved_values import second_time, stale, tensor_of
from rushlight.core.errors import noted
from rushlight.core.graph import RELEASED, Leaf, Node, SavedAttribute
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.declare import DIMS
from rushlight.dispatch.saved import pack_one, shown_names

SAVED, RAW = "_saved_", "_raw_saved_"


class SavedTensor:
    """One saved value of a node, which can get a pair of hooks."""

    __module__ = "torch._C._autograd"

    node: Node
    position: int

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        raise noted(
            RuntimeError("Trying to create a SavedTensor object from Python is forbidden."),
            "A node has those of what it saved: y.grad_fn._raw_saved_self.",
        )

    @classmethod
    def of(cls, node: Node, position: int) -> SavedTensor:
        """Makes the object for a saved value of a node."""
        saved = object.__new__(cls)
        saved.node, saved.position = node, position
        return saved

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """Passes this value through the first hook now, and through the second when it is needed.

        Raises TypeError for anything but two functions, RuntimeError if the value has hooks or is freed.
        """
        pack_hook, unpack_hook = two_hooks(self, hooks)
        node, position = self.node, self.position
        if node.saved is RELEASED or node.packed is RELEASED:
            raise freed_before_hooks()
        if node.packed is not None and node.packed[position] is not None:
            raise hooked_before()
        source = tensor_of(node, position, node.saved[position])
        is_output = type(node).saves[position] in type(node).op.results
        box = pack_one(source, pack_hook, unpack_hook, is_output=is_output)
        packed = node.packed or (None,) * len(node.saved)
        node.packed = (*packed[:position], box, *packed[position + 1 :])
        if node.step is not node.hooked_step:
            node.step = node.general_step
        node.saved = (*node.saved[:position], None, *node.saved[position + 1 :])


def two_hooks(saved: SavedTensor, hooks: tuple) -> tuple:
    """Returns the two hooks of a call. Raises TypeError for anything else."""
    if len(hooks) != 2 or not all(map(callable, hooks)):
        raise TypeError(
            "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
            "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: "
            f"collections.abc.Callable) -> None\n\nInvoked with: {', '.join(map(repr, (saved, *hooks)))}"
        )
    return hooks


def freed_before_hooks() -> RuntimeError:
    """Returns the error for hooks on a value that a backward pass has freed."""
    return RuntimeError(
        "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
        "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
        "the graph a second time or if you need to access saved variables after calling backward."
    )


def hooked_before() -> RuntimeError:
    """Returns the error for hooks on a value that has hooks."""
    return RuntimeError(
        "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
        "allowed at a time."
    )


def names_shown(node) -> dict[str, str]:
    """Maps PyTorch's names of the saved values of a node to ours."""
    op: Any = getattr(type(node), "op", None)
    return {} if getattr(op, "arguments", None) is None else shown_names(op, type(node).saves, type(node).parameters)


def names_of(node) -> list[str]:
    """`dir(node)`: of the attributes for saved values, those that this node has."""
    shown, fixed = names_shown(node), type(node).parameters
    own = {SAVED + name for name in shown} | {RAW + name for name, ours in shown.items() if ours not in fixed}
    return [name for name in object.__dir__(node) if not name.startswith((SAVED, RAW)) or name in own]


def saved_attribute(node, attribute: str):
    """The value of `_saved_x` or `_raw_saved_x`. Raises AttributeError if the node saved nothing of that name."""
    prefix = RAW if attribute.startswith(RAW) else SAVED
    op: Any = getattr(type(node), "op", None)
    name = names_shown(node).get(attribute.removeprefix(prefix))
    if name is None:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '{attribute}'")
    if name in type(node).parameters:
        value = node.params[type(node).parameters.index(name)]
        role = next((argument.role for argument in op.arguments if argument.name == name), "")
        return (value,) if role == DIMS and isinstance(value, int) else _parameter(value)
    position = type(node).saves.index(name)
    if prefix == RAW:
        return SavedTensor.of(node, position)
    return _parameter(_tensor(node, position))


def _parameter(value):
    """A saved setting as PyTorch shows it: arrays, such as indices, as tensors."""
    if isinstance(value, (list, tuple)):
        return tuple([_parameter(each) for each in value])
    return wrap(value) if isinstance(value, np.ndarray) else value


def _tensor(node, position: int):
    if node.saved is RELEASED or node.packed is RELEASED:
        raise second_time(node)
    array, storage = node.saved[position], node.storages[position]
    if array is not None and storage is not None and storage.version != node.versions[position]:
        raise stale(node, position)
    result = tensor_of(node, position, array)
    if isinstance(result, Tensor) and isinstance(result._edge, Leaf) and result._edge.array is result._array:
        return result._edge.variable
    return result


def attach() -> None:
    """Gives nodes these attributes; called once by the package root."""
    SavedAttribute.find = staticmethod(saved_attribute)
    setattr(Node, "__dir__", names_of)  # noqa: B010
