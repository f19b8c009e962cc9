"""The node of a custom function: its saved tensors, and how it calls the backward of the program."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

import rushlight._generated.functions as functions
from rushlight.autograd.function_context import BackwardCFunction, FunctionCtx
from rushlight.autograd.gradient_forms import accepted
from rushlight.autograd.introspection import SavedTensor, freed_before_hooks, hooked_before, two_hooks
from rushlight.autograd.saved_values import second_time, stale_error
from rushlight.core.errors import about, noted
from rushlight.core.graph import RELEASED, SAME, Leaf, Output, TensorNode
from rushlight.core.history import edge_of
from rushlight.core.tensor import Tensor, alias, wrap
from rushlight.dispatch.saved import pack_one, unpack


class FunctionNode(TensorNode):
    """The node of a custom function."""

    __module__ = FunctionCtx.__module__
    function: Any = None
    attributes: dict  # of `ctx`
    _context: Any = None  # a weak reference to the `ctx`, to avoid a cycle
    _cleared = False  # whether the program has taken the saved tensors, which it may do once
    _constant: tuple[int, ...] = ()  # outputs through which no gradient goes
    _is_tensor: Sequence[bool] = ()  # per argument of forward
    _input_metas: tuple = ()  # (shape, dtype) per tensor argument

    @property
    def shown(self) -> BackwardCFunction:
        """The `ctx` of the function: the same object while it is referenced."""
        shown = self._context and self._context()
        if shown is None:
            shown = self.function._backward_cls._of(self)
            self._context = weakref.ref(shown)
        return shown

    def restored(self) -> tuple:
        """The tensors that were saved. Raises RuntimeError once they have been freed or changed in place."""
        if self.saved is RELEASED:
            raise second_time(self)
        if self._cleared:
            raise RuntimeError(
                "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
            )
        if not self.saved:
            return self.attributes.get("to_save") or ()
        values = tuple(None if value is None else value.restored(self) for value in self.saved)
        if self.function.clear_saved_tensors_on_access:
            self.saved, self._cleared = (), True
        return values

    def raw_saved(self) -> tuple:
        """Returns an object for each saved tensor, without unpacking it. Raises RuntimeError once they are freed."""
        if self.saved is RELEASED:
            raise second_time(self)
        return tuple([SavedByFunction.of(self, position) for position in range(len(self.saved or ()))])

    def edge(self, number: int):
        """Returns the edge of an output of this node."""
        return self if self.outputs == 1 else Output(self, number)

    def run(self, gradients: list) -> tuple:
        """Calls the backward of the program and checks the gradients that it returns."""
        if self.attributes.get("materialize_grads", True):
            absent = () if self.attributes.get("_materialize_non_diff_grads", True) else self._constant
            gradients = [
                self._zeros(number) if g is None and number not in absent else g for number, g in enumerate(gradients)
            ]
        results = type(self.function).call_backward(self.function, self.shown, gradients)
        results = tuple(results) if isinstance(results, (tuple, list)) else (results,)
        return self._checked(results)

    def _zeros(self, number: int):
        meta = self.result_metas[number]
        return None if meta is None else wrap(np.zeros(*meta))

    def _checked(self, results: tuple) -> tuple:
        expected = len(self._is_tensor)
        if len(results) > expected and all(x is None for x in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise noted(
                RuntimeError(
                    f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                    f"{len(results)})"
                ),
                f"backward of {self.function.__name__} returns one gradient per argument of forward after ctx, None "
                "for those that need none.",
            )
        for position, (gradient, is_tensor) in enumerate(zip(results, self._is_tensor, strict=True)):
            if gradient is None:
                continue
            if not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {position + 1}, but "
                    "the corresponding forward input was not a Variable"
                )
            if not isinstance(gradient, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(gradient).__name__})")
        tensors = [gradient for gradient, is_tensor in zip(results, self._is_tensor, strict=True) if is_tensor]
        # A gradient without an edge, of an argument that does not require grad, need not fit: hooks see it unchanged.
        return tuple(
            gradient if gradient is None or edge is None else self._fitted(position, gradient, edge)
            for position, (gradient, edge) in enumerate(zip(tensors, self.edges, strict=True))
        )

    def _fitted(self, position: int, gradient: Tensor, edge) -> Tensor:
        shape, dtype = self._input_metas[position]
        if type(edge) is Leaf and edge.grad_dtype is not SAME:
            dtype = accepted(edge) or gradient._array.dtype
        if gradient._array.shape != shape:
            if not _expands(shape, gradient._array.shape):
                raise noted(
                    RuntimeError(
                        f"Function {self.name()} returned an invalid gradient at index {position} - got "
                        f"{list(gradient._array.shape)} but expected shape compatible with {list(shape)}"
                    ),
                    f"backward of {self.function.__name__} returns one gradient per argument of forward, each in the "
                    "shape of its argument.",
                )
            gradient = functions.sum_to_size_of(gradient, shape)
        return functions.cast(gradient, dtype)


def _expands(shape: tuple, target: tuple) -> bool:
    """Whether a tensor of `shape` broadcasts to `target`."""
    if len(shape) > len(target):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(target), strict=False))


class Kept:
    """One tensor that a custom function saved: an input as the very object, an output without a reference cycle."""

    __slots__ = ("box", "number", "tensor", "version")

    def __init__(self, tensor: Tensor, number: int | None, hooks):
        self.number = number  # of the output that it is, None for anything else
        self.version = tensor._storage.version  # raises for an inference tensor
        self.box: Any = None
        self.tensor: Any = tensor if number is None else alias(tensor)
        if hooks:
            self.box = pack_one(tensor, *hooks[-1], is_output=number is not None)
            self.tensor = None

    def pack(self, node: FunctionNode, pack_hook, unpack_hook) -> None:
        """Passes the tensor through a hook, and stores what that returns instead."""
        tensor = self.restored(node)
        self.box = pack_one(tensor, pack_hook, unpack_hook, is_output=self.number is not None)
        self.tensor = None

    def restored(self, node: FunctionNode | None) -> Tensor:
        """The tensor again. Raises RuntimeError if it was changed in place since."""
        if self.box is not None:
            return self._relinked(unpack(self.box), node)
        tensor = self.tensor
        if tensor._storage.version != self.version:
            raise self._stale(node)
        return tensor if self.number is None else self._relinked(tensor, node)

    def _relinked(self, tensor: Tensor, node: Any) -> Tensor:
        edge = self.box.edge if self.number is None else node.edge(self.number)
        if tensor._edge is edge:
            return tensor
        restored = alias(tensor)
        restored._edge = edge
        return restored

    def _stale(self, node: Any) -> RuntimeError:
        edge = edge_of(self.tensor) if self.number is None else node.edge(self.number)
        error = stale_error(self.tensor._array, edge, self.tensor._storage.version, self.version)
        return about(error, "kept_modified", node=node, kept=self)


class SavedByFunction(SavedTensor):
    """One saved tensor of a custom function, which can get a pair of hooks."""

    __module__, __qualname__ = SavedTensor.__module__, SavedTensor.__qualname__

    def register_hooks(self, *hooks: Any) -> None:
        """Passes this tensor through the first hook now, and through the second when it is needed.

        Raises TypeError for anything but two functions, RuntimeError if the value is None, has hooks or is freed.
        """
        pack_hook, unpack_hook = two_hooks(self, hooks)
        if self.node.saved is RELEASED:
            raise freed_before_hooks()
        kept = self.node.saved[self.position]
        if kept is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if kept.box is not None:
            raise hooked_before()
        kept.pack(self.node, pack_hook, unpack_hook)
