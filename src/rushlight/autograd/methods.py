"""What autograd adds to Tensor and Node: backward, hooks, retain_grad, grad and data."""

from __future__ import annotations

import warnings
import weakref

from rushlight.autograd import accumulate, gradients
from rushlight.autograd.gradients import backward_of_scalar
from rushlight.core.graph import GradientEdge, Leaf, Node, Output
from rushlight.core.handle import Hooks, RemovableHandle, register
from rushlight.core.history import edge_of
from rushlight.core.modes import current
from rushlight.core.storage import Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, alias, look_at
from rushlight.dispatch.create import check_tensor
from rushlight.dispatch.override import ABSENT, offered


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Adds the gradient of this tensor to the `grad` of the leaves that it depends on."""
    if gradient is None and inputs is None and not create_graph and type(self) is Tensor:
        if backward_of_scalar(self, retain_graph):
            return
    gradients.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def _node_and_number(tensor: Tensor) -> tuple:
    edge = edge_of(tensor)
    return (edge.node, edge.number) if type(edge) is Output else (edge, 0)


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge along which the gradient of a tensor travels. Raises RuntimeError if it has none."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, number = _node_and_number(tensor)
    if not isinstance(node, Leaf) and len(node.result_metas) <= number:
        # A pass may start from the edge alone, and then wants to know what shape a gradient has
        absent = (None,) * (number - len(node.result_metas))
        node.result_metas = (*node.result_metas, *absent, (tensor._array.shape, tensor._array.dtype))
    return GradientEdge(node.shown, number)


def _no_gradient() -> RuntimeError:
    error = RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    error.add_note("A hook is called with the tensor's gradient, and this tensor gets none: requires_grad is False.")
    return error


def register_hook(self, hook) -> RemovableHandle:
    """Calls `hook(grad)` with every gradient of this tensor; what it returns replaces the gradient."""
    if not self.requires_grad:
        raise _no_gradient()
    node, number = _node_and_number(self)
    if node is None:  # a view from under no_grad, which no gradient reaches
        return register(Hooks(), hook)
    hooks = (node.tensor_hooks or {}).get(number)
    if hooks is None:
        hooks = Hooks()
        node.tensor_hooks = {**(node.tensor_hooks or {}), number: hooks}
        node.special = node.hooked = True
    return register(hooks, hook)


def register_post_accumulate_grad_hook(self, hook) -> RemovableHandle:
    """Calls `hook(tensor)` after the gradient of this leaf has been accumulated."""
    if not self.requires_grad:
        raise _no_gradient()
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
    node, number = _node_and_number(self)
    if node is not None and not isinstance(node, Leaf):
        node.retained = {**(node.retained or {}), number: weakref.ref(self)}
        node.special = True


def _retains_grad(self) -> bool:
    node, number = _node_and_number(self)
    if node is None or isinstance(node, Leaf):
        return False
    reference = (node.retained or {}).get(number)
    return reference is not None and reference() is self


def _get_grad(self):
    edge = self._edge if self._base is None else edge_of(self)
    if edge is None:
        return self._grad
    try:
        return edge.grad  # which leaves have, and nothing else: to ask for the type takes half as long again
    except AttributeError:
        pass
    if self._grad is None and not _retains_grad(self):
        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
            "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
            "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make "
            "sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
            UserWarning,
            stacklevel=2,
        )
    return self._grad


def _delete_grad(self) -> None:
    accumulate.set_grad(self, None)


def detach(self):
    """The same memory without history: never requires grad, shares the version count."""
    if type(self) not in PLAIN_TYPES and (taken := offered(detach, self)) is not ABSENT:
        return taken
    detached = alias(self)
    if current().inference:
        detached._creation = None
    return detached


def detached(input):
    """The same memory as `input` without history, as a function: `torch.detach`."""
    if not isinstance(input, Tensor):
        check_tensor("detach", input)
    return input.detach()


def detach_(self):
    """Cuts this tensor off from its history, in place."""
    if self._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    edge = edge_of(self)
    if isinstance(edge, Leaf):
        self._grad = edge.grad
    self._edge = None
    return self


def _get_data(self):
    if type(self) not in PLAIN_TYPES and (taken := offered(_get_data, self)) is not ABSENT:
        return taken
    unwatched = alias(self)
    unwatched._storage = storage = Storage()
    storage.memory, storage.borrowed = self._storage.memory, self._storage.borrowed
    return unwatched


def _set_data(self, data) -> None:
    if not isinstance(data, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
    if isinstance(self._edge, Leaf) and not (data.is_floating_point() or data.is_complex()):
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    look_at(self, data._array)
    edge = self._edge
    if isinstance(edge, Leaf):
        edge.hold(self)


def _register_node_hook(self, hook) -> RemovableHandle:
    """Calls `hook(grad_inputs, grad_outputs)` after the node has run."""
    if self.post_hooks is None:
        self.post_hooks = Hooks()
        self.special = self.hooked = True
    return register(self.post_hooks, hook)


def _register_node_prehook(self, hook) -> RemovableHandle:
    """Calls `hook(grad_outputs)` before the node runs."""
    if self.pre_hooks is None:
        self.pre_hooks = Hooks()
        self.special = self.hooked = True
    return register(self.pre_hooks, hook)


def attach() -> None:
    """Gives Tensor and Node these methods; called once by the package root."""
    for function in (backward, register_hook, register_post_accumulate_grad_hook, retain_grad, detach, detach_):
        setattr(Tensor, function.__name__, function)
    Tensor.retains_grad = property(_retains_grad)
    Tensor.grad = property(_get_grad, accumulate.set_grad, _delete_grad)
    Tensor.data = property(_get_data, _set_data)
    Node.register_hook = _register_node_hook
    Node.register_prehook = _register_node_prehook
