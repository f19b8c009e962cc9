"""Properties of tensors for autograd: `grad`, `data`, and their private names."""

from __future__ import annotations

import warnings

from rushlight.autograd import accumulate
from rushlight.autograd.node_hooks import no_gradient
from rushlight.core.dtype import C_NAMES, SCALAR_NAMES, dtype
from rushlight.core.errors import type_name
from rushlight.core.graph import SAME, Leaf, function_and_number, watch
from rushlight.core.history import edge_of
from rushlight.core.storage import Storage
from rushlight.core.tensor import PLAIN_TYPES, Tensor, alias, look_at
from rushlight.core.traced import TRACED, is_batched
from rushlight.dispatch.override import ABSENT, offered


def retains_grad(self) -> bool:
    """Whether a result keeps its gradient."""
    node, number = function_and_number(edge_of(self))
    if node is None or isinstance(node, Leaf):
        return False
    reference = (node.retained or {}).get(number)
    return reference is not None and reference() is self


def _get_grad(self):
    # One of several views from a call keeps its edge, even after a write to its base leaves nothing leading there
    edge = self._edge if self._base is None or self._creation is not None else edge_of(self)
    if edge is None:
        return self._own_grad
    try:
        return edge.grad  # only leaves have it; testing the type takes half as long again
    except AttributeError:
        pass
    if self._own_grad is None and not retains_grad(self):
        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
            "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
            "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make "
            "sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
            UserWarning,
            stacklevel=2,
        )
    return self._own_grad


def _delete_grad(self) -> None:
    accumulate.set_grad(self, None)


def _get_grad_quietly(self):
    """Returns `_grad`: as `grad`, without the warning about results that do not retain their gradients."""
    edge = self._edge if self._base is None or self._creation is not None else edge_of(self)
    return edge.grad if isinstance(edge, Leaf) else self._own_grad


def _get_data(self):
    if type(self) not in PLAIN_TYPES and (taken := offered(_get_data, self)) is not ABSENT:
        return taken
    if is_batched(self):
        raise RuntimeError("accessing `data` under vmap transform is not allowed")
    unwatched = alias(self)
    if type(self._array) in TRACED:
        look_at(unwatched, self._array.with_value(_get_data(self._array.value)))
    unwatched._storage = storage = Storage()
    storage.memory, storage.borrowed = self._storage.memory, self._storage.borrowed
    return unwatched


def _set_data(self, data) -> None:
    if not isinstance(data, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
    if data._carrier is not None or data.is_meta != self.is_meta:
        words = "but `variable` and `tensor` have incompatible tensor type."
        raise RuntimeError(f"Attempted to call `variable.set_data(tensor)`, {words}")
    if is_batched(self) or is_batched(data):
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")
    if isinstance(self._edge, Leaf) and not (data.is_floating_point() or data.is_complex()):
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    look_at(self, data._array)
    edge = self._edge
    if isinstance(edge, Leaf):
        edge.hold(self)


def _get_grad_dtype(self):
    """The dtype that a gradient must have, None for any."""
    edge = edge_of(self)
    if not (edge is None or isinstance(edge, Leaf)):
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return self.dtype if self._grad_dtype is SAME else self._grad_dtype


def _set_grad_dtype(self, wanted) -> None:
    edge = edge_of(self)
    if not (wanted is None or isinstance(wanted, dtype)):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type_name(wanted)}")
    if not (edge is None or isinstance(edge, Leaf)):
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    gradient = self.grad
    if gradient is not None and wanted is not None and gradient.dtype is not wanted:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{SCALAR_NAMES[wanted]}' because there is already a gradient with dtype "
            f"'{C_NAMES[gradient.dtype]}'. Please clear the gradient (.grad = None) before changing grad_dtype, or "
            "ensure the new grad_dtype matches the existing gradient's dtype."
        )
    self._grad_dtype = wanted
    if edge is not None:
        edge.grad_dtype, edge.hooked = wanted, True


def _delete_data(self) -> None:
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def _get_grad_fn(self):
    return self.grad_fn


def _detach_in_place(self, wanted) -> None:
    if wanted is not None:
        raise RuntimeError("_grad_fn can be only set to None")
    self.detach_()


def _delete_grad_fn(self) -> None:
    raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")


def _get_backward_hooks(self):
    """The hooks on the gradient of this tensor by number, None if there are none."""
    node, number = function_and_number(edge_of(self))
    return None if node is None or node.tensor_hooks is None else node.tensor_hooks.get(number)


def _set_backward_hooks(self, hooks) -> None:
    node, number = function_and_number(edge_of(self))
    if node is None:
        if hooks:
            raise no_gradient()
        return
    kept = {**(node.tensor_hooks or {})}
    kept.pop(number, None)
    node.tensor_hooks = {**kept, number: hooks} if hooks is not None else kept
    watch(node)


def _delete_backward_hooks(self) -> None:
    raise RuntimeError("Deletion of _backwards_hooks not allowed!")


def attach() -> None:
    """Gives Tensor these properties; called once by the package root."""
    Tensor.retains_grad = property(retains_grad)
    Tensor.grad = property(_get_grad, accumulate.set_grad, _delete_grad)
    Tensor._grad = property(_get_grad_quietly, accumulate.set_grad, _delete_grad)
    Tensor.grad_dtype = property(_get_grad_dtype, _set_grad_dtype)
    Tensor.data = property(_get_data, _set_data, _delete_data)
    Tensor._grad_fn = property(_get_grad_fn, _detach_in_place, _delete_grad_fn)
    Tensor._backward_hooks = property(_get_backward_hooks, _set_backward_hooks, _delete_backward_hooks)
