"""Methods of Tensor and Node from autograd: backward, hooks, retain_grad, detach."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.autograd import calling, gradients, properties, steps
from rushlight.autograd.engine import ENGINE
from rushlight.autograd.gradients import backward_of_scalar
from rushlight.autograd.node_hooks import no_gradient
from rushlight.autograd.under_transforms import refuse_retain_grad
from rushlight.core.graph import GradientEdge, Leaf, Node, function_and_number, result_of, watch
from rushlight.core.handle import Hooks, RemovableHandle, register
from rushlight.core.history import edge_of
from rushlight.core.modes import TRANSFORMS, current
from rushlight.core.tensor import PLAIN_TYPES, Tensor, alias, look_at
from rushlight.core.traced import TRACED
from rushlight.create.filled import check_tensor
from rushlight.create.legacy import Variable
from rushlight.dispatch.override import ABSENT, offered


def backward(
    self,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Iterable[Any] | None = None,
) -> None:
    """Adds the gradient of this tensor to the `grad` of the leaves that it depends on."""
    if gradient is None and inputs is None and not create_graph and type(self) is Tensor:
        if not TRANSFORMS.get() and backward_of_scalar(self, retain_graph):
            return
    gradients.add_gradients(self, gradient, retain_graph, create_graph, inputs, stacklevel=3)


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge along which the gradient of a tensor travels. Raises RuntimeError if it has none."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    edge = edge_of(tensor)
    node = edge if isinstance(edge, Leaf) else result_of(edge, tensor._array)
    return GradientEdge(node.shown, function_and_number(edge)[1])


def _edge_to_watch(tensor: Tensor):
    """Returns the edge for a new hook: of a view whose base was written to, the old one if it has hooks."""
    edge = tensor._edge
    if tensor._base is not None and edge is not None:
        node, number = function_and_number(edge)
        if (node.tensor_hooks or {}).get(number):
            return edge
    return edge_of(tensor)


def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(grad)` with every gradient of this tensor; what it returns replaces the gradient."""
    if not self.requires_grad:
        raise no_gradient()
    node, number = function_and_number(_edge_to_watch(self))
    if node is None:  # a view from under no_grad, which no gradient reaches
        return register(Hooks(), hook)
    hooks = (node.tensor_hooks or {}).get(number)
    if hooks is None:
        hooks = Hooks()
        node.tensor_hooks = {**(node.tensor_hooks or {}), number: hooks}
        watch(node)
    return register(hooks, hook)


def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(tensor)` after the gradient of this leaf has been accumulated."""
    if not self.requires_grad:
        raise no_gradient()
    leaf = edge_of(self)
    if not isinstance(leaf, Leaf):
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if leaf.post_accumulate_hooks is None:
        leaf.post_accumulate_hooks = Hooks()
        leaf.hooked = True
    return register(leaf.post_accumulate_hooks, hook)


def retain_grad(self) -> None:
    """Keeps the gradient of this result in its `grad`, as leaves do anyway."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    refuse_retain_grad()
    node, number = function_and_number(edge_of(self))
    if node is not None and not isinstance(node, Leaf):
        node.retained = {**(node.retained or {}), number: weakref.ref(self)}
        watch(node)


def detach(self):
    """The same memory without history: never requires grad, shares the version count."""
    if type(self) not in PLAIN_TYPES and (taken := offered(detach, self)) is not ABSENT:
        return taken
    detached = alias(self)
    if type(self._array) in TRACED:
        look_at(detached, self._array.with_value(detach(self._array.value)))
    if current().inference:
        detached._creation = None
    return detached


def detached(input: Tensor):
    """The same memory as `input` without history, as a function: `torch.detach`."""
    if not isinstance(input, Tensor):
        if (result := offered(detached, input)) is not ABSENT:
            return result
        check_tensor("detach", input)
    return input.detach()


detached.__name__ = detached.__qualname__ = "detach"


def detach_(self):
    """Removes the history of this tensor, in place. A backward that needs its saved value raises."""
    if self._storage.inference or current().inference:
        return self  # nothing is recorded, and nothing is forgotten
    if self._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    edge = edge_of(self)
    if isinstance(edge, Leaf):
        self._keep_grad(edge.grad)
    elif edge is not None:
        self._storage.cut_off(self._array)
    self._edge = None
    if type(self._array) in TRACED:
        look_at(self, self._array.with_value(self._array.value.detach()))
    return self


def _register_node_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(grad_inputs, grad_outputs)` after the node has run."""
    if self.post_hooks is None:
        self.post_hooks = Hooks()
        watch(self)
    return register(self.post_hooks, hook)


def _register_node_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(grad_outputs)` before the node runs."""
    if self.pre_hooks is None:
        self.pre_hooks = Hooks()
        watch(self)
    return register(self.pre_hooks, hook)


def attach() -> None:
    """Gives Tensor and Node these methods; called once by the package root."""
    for function in (backward, register_hook, register_post_accumulate_grad_hook, retain_grad, detach, detach_):
        setattr(Tensor, function.__name__, function)
    properties.attach()
    steps.attach()
    Node.register_hook = _register_node_hook
    Node.register_prehook = _register_node_prehook
    Node.__call__ = calling.call  # type: ignore[method-assign]
    Variable._execution_engine = ENGINE
