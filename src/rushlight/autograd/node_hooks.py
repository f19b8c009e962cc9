"""Runs hooks on tensors and nodes, and checks the gradients that they return."""

from __future__ import annotations

import numpy as np

import rushlight._generated.functions as functions
from rushlight.autograd.gradient_forms import all_outputs, as_tensor, joined
from rushlight.core.handle import active
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import RecordedArray


def no_gradient() -> RuntimeError:
    """The error for a hook on a tensor that gets no gradient."""
    error = RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    error.add_note("A hook is called with the tensor's gradient, and this tensor gets none: requires_grad is False.")
    return error


def run_tensor_hooks(hooks: dict, gradient: Tensor | None) -> Tensor | None:
    """Passes a gradient, None if undefined, through tensor hooks; each may return another like it."""
    for hook in active(hooks):
        changed = hook(gradient)
        if changed is not None:
            _check_replacement(hook, gradient, changed)
            gradient = changed
    return gradient


def _check_replacement(hook, gradient: Tensor | None, changed) -> None:
    if gradient is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(changed, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(changed).__name__}'")
    name = getattr(hook, "__name__", repr(hook))
    if changed.dtype is not gradient.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {gradient.type()} got {changed.type()})")
    if changed.shape != gradient.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")


def replacements(hook, changed, gradients: tuple) -> tuple:
    """Checks and returns the gradients that a hook of a node returned instead of `gradients`."""
    count = len(gradients)
    if isinstance(changed, Tensor) and count == 1:
        changed = (changed,)
    if not isinstance(changed, (tuple, Tensor)):
        raise TypeError(f"expected tuple, but hook returned '{type(changed).__name__}'")
    if len(changed) != count:
        name = getattr(hook, "__name__", repr(hook))
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(changed)}, but expected {count})"
        )
    for gradient, replacement in zip(gradients, changed, strict=True):
        if replacement is not None:
            _check_replacement(hook, gradient, replacement)
    return tuple(changed)


def run_post_accumulate_hooks(hooks: dict, tensor: Tensor) -> None:
    """Calls hooks with a leaf that has its gradient. Raises RuntimeError if one returns another tensor."""
    current = tensor
    for hook in active(hooks):
        changed = hook(current)
        if changed is not None and changed is not current:
            _check_replacement(hook, current, changed)
            current = changed
    if current is not tensor:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def run_node_hooks(task, node, g):
    """Passes a gradient through the tensor hooks of a node; what they leave is what `retain_grad` keeps."""
    gradients = all_outputs(node, g)
    for number, hooks in (node.tensor_hooks or {}).items():
        gradients[number] = task.as_waiting(run_tensor_hooks(hooks, as_tensor(gradients[number])))
    for number, reference in list((node.retained or {}).items()):
        tensor = reference()
        if tensor is not None and gradients[number] is not None:
            retain(tensor, as_tensor(gradients[number]), task.create)
    return joined(gradients)


def run_pre_hooks(task, node, g):
    """Passes the gradients of a node's outputs through the hooks that run before it."""
    gradients = tuple(map(as_tensor, all_outputs(node, g)))
    for hook in active(node.pre_hooks):
        changed = hook(gradients)
        if changed is not None:
            gradients = replacements(hook, changed, gradients)
    return joined(list(map(task.as_waiting, gradients)))


def run_post_hooks(task, node, results, g) -> tuple:
    """Passes the gradients that a node sends through the hooks that run after it."""
    inputs = tuple(map(as_tensor, results))
    outputs = tuple(map(as_tensor, all_outputs(node, g)))
    for hook in active(node.post_hooks):
        changed = hook(inputs, outputs)
        if changed is not None:
            inputs = replacements(hook, changed, inputs)
    return tuple(map(task.as_waiting, inputs))


def retain(tensor: Tensor, gradient: Tensor, create: bool) -> None:
    """Adds the gradient of a result to its `grad`, for `retain_grad`."""
    recorded = type(gradient._array) is RecordedArray
    if recorded:
        kept = functions.clone(gradient)
    else:
        kept = gradient if create else wrap(gradient._array.copy())
    if tensor._own_grad is None:
        tensor._own_grad = kept
    elif create or recorded:
        tensor._own_grad = functions.add(tensor._own_grad, kept)
    else:
        tensor._own_grad = wrap(np.add(plain(tensor._own_grad._array), kept._array, out=...))
