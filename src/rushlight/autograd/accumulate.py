"""Accumulating gradients into leaves.

In place, or out of place if the gradients get a graph. A buffer without another reference is taken over; one that the
program, a saved value or another leaf also holds is copied.
"""

from __future__ import annotations

from collections.abc import Iterable
from sys import getrefcount

import numpy as np
from numpy import ndarray

import rushlight._generated.functions as functions
from rushlight.autograd.node_hooks import run_post_accumulate_hooks, run_post_hooks, run_pre_hooks
from rushlight.core.dtype import C_NAMES, SCALAR_NAMES
from rushlight.core.errors import noted
from rushlight.core.fork_locks import LockOfProcess
from rushlight.core.graph import SAME, Leaf
from rushlight.core.lazy_conj_neg import Unresolved, marks_of, plain
from rushlight.core.policy import LARGE
from rushlight.core.strides import is_dense, laid_out_like
from rushlight.core.tables import xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor, may_have_meta_key, wrap
from rushlight.core.traced import RecordedArray

# Concurrent backward passes may share a leaf; the additions must not overlap.
LOCK = LockOfProcess()


def into_leaf(task, leaf: Leaf, g) -> None:
    """Adds a gradient, None if it is undefined, to the `grad` of a leaf, between the hooks of the leaf node."""
    if leaf.pre_hooks:
        g = run_pre_hooks(task, leaf, g)
    if g is not None:
        with LOCK.lock:
            is_first = leaf.grad is None
            _into_grad(leaf, g, task.create)
            if is_first and leaf.grad is not None and type(g) is ndarray:
                g = leaf.grad._array  # a hook that changes `grad` in place changes what later hooks get, too
    if leaf.post_accumulate_hooks:
        run_post_accumulate_hooks(leaf.post_accumulate_hooks, leaf.variable)
    if leaf.post_hooks:
        run_post_hooks(task, leaf, (), g)


def into_all(leaves: dict) -> list:
    """Adds gradients to the `grad` of leaves and removes them from the dictionary, the last references of the pass.

    Leaves with hooks or an undefined gradient are left alone; returns them with their gradients.
    """
    rest = []
    with LOCK.lock:
        while leaves:
            leaf, g = leaves.popitem()
            if g is None or leaf.hooked:
                rest.append((leaf, g))
            elif type(g) is not ndarray:
                _into_grad(leaf, g, False)
            elif leaf.grad is not None:
                _add(leaf, g)
            elif getrefcount(g) <= UNSHARED and g.strides == leaf.strides and (g.base is None or is_whole(g)):
                leaf.grad = wrap(g)
            else:
                _into_grad(leaf, g, False)
    return rest


def is_whole(g: ndarray) -> bool:
    """Whether a gradient that is a view covers all memory of an array without another reference."""
    base = g.base
    return (
        type(base) is ndarray and base.base is None and base.nbytes == g.nbytes and getrefcount(base) <= UNSHARED_BASE
    )


def _into_grad(leaf: Leaf, g, create: bool) -> None:
    """Adds a gradient that may have other references to the `grad` of a leaf, under the lock."""
    known = leaf.grad
    if isinstance(g, Tensor) and g._carrier is not None:
        if known is None:
            leaf.grad = g if create else g.detach().clone()
        elif not create and not known.requires_grad and (known._carrier is None or known.layout is g.layout):
            known.add_(g)
        else:
            leaf.grad = sum_of(known, g)
    elif create:
        g = g if isinstance(g, Tensor) else wrap(np.asarray(g))
        leaf.grad = _copied(leaf, g) if known is None else sum_of(known, _resolved(g))
    elif isinstance(g, Tensor) and known is not None and known._edge is None and is_written_in_place(known):
        known.add_(g)
    elif isinstance(g, Tensor):
        leaf.grad = functions.clone(g).detach() if known is None else sum_of(known, g)
    elif known is None:
        leaf.grad = wrap(copied_for(leaf.array, np.asarray(g)))
    else:
        _add(leaf, g)


def is_written_in_place(gradient: Tensor) -> bool:
    """Whether a gradient off the CPU is added to in its memory, which a captured step or the program may read."""
    return type(gradient._array) is RecordedArray or (gradient._carrier is None and gradient.is_cuda)


def sum_of(first: Tensor, second: Tensor) -> Tensor:
    """Returns the sum of two gradients, of which the first may be sparse and the second dense."""
    if first._carrier is not None is second._carrier:
        first, second = second, first
    return functions.add(first, second)


def _add(leaf: Leaf, g) -> None:
    known = leaf.grad
    if known._carrier is not None:
        leaf.grad = functions.add(wrap(g), known)
        return
    if known._edge is not None:
        # Not in place: the program may still differentiate a gradient with history.
        leaf.grad = wrap(np.add(plain(known._array), g, out=...))
        return
    array = known._array
    try:
        if array.size >= LARGE and type(g) is ndarray and g.dtype == array.dtype:
            xp.add_into(array, g)
        else:
            np.add(array, g, out=array, casting="unsafe")
    except TypeError:
        if type(array) is not Unresolved:
            raise
        array[...] = array.resolved() + g
    (known._store or known._storage).written()


def _copied(leaf: Leaf, g: Tensor) -> Tensor:
    """Copies a gradient, with its graph, in the layout of the leaf."""
    if g._edge is None:
        return wrap(copied_for(leaf.array, plain(g._array)))
    return functions.copy_values(wrap(np.empty_like(leaf.array, g._array.dtype)), g)


def _resolved(g: Tensor) -> Tensor:
    """Materializes a lazily conjugated or negated gradient."""
    return functions.clone(g) if True in marks_of(g._array) else g


def copied_for(leaf, g):
    """A copy of a gradient with the strides of the leaf's array where that is dense, else contiguous."""
    if leaf.flags.c_contiguous or g.shape != leaf.shape or not is_dense(leaf):
        return in_order(g)
    return xp.overwrite(laid_out_like(leaf, g.dtype), g)


def in_order(g):
    """Returns a contiguous copy."""
    return xp.in_order(g) if g.size >= LARGE else g.copy()


def _measure_unshared() -> int:
    """Measures the number of references that `into_all` holds to a gradient."""
    leaves = {0: np.empty(1)}
    leaf, g = leaves.popitem()
    return getrefcount(g)


def _measure_unshared_base() -> int:
    """Measures the number of references that `is_whole` holds to the base of a gradient."""
    g = np.empty(1).reshape(1, 1)
    base = g.base
    return getrefcount(base)


UNSHARED = _measure_unshared()
UNSHARED_BASE = _measure_unshared_base()


UNFIT = "A gradient has the shape, dtype and device of its tensor."


def set_grad(tensor: Tensor, gradient: Tensor | None) -> None:
    """Assigns `tensor.grad`. Raises if the gradient does not fit the tensor."""
    edge = tensor._edge
    if type(edge) is Leaf:
        if gradient is not None and (
            type(gradient) is not Tensor
            or gradient is tensor
            or ((alike := gradient._meta_key) is None or alike is not tensor._meta_key)
            and not _share_meta_key(tensor, gradient, edge)
            or edge.grad_dtype is not SAME
        ):
            _check_grad(tensor, gradient)
        edge.grad = gradient
    else:
        if gradient is not None:
            _check_grad(tensor, gradient)
        tensor._keep_grad(gradient)


def _share_meta_key(tensor: Tensor, gradient: Tensor, leaf: Leaf) -> bool:
    """Whether a gradient has the dtype and shape of its leaf; if so, both get the same `Tensor._meta_key`."""
    array = gradient._array
    # `leaf.shape` is stored: `array.shape` makes a new tuple each time.
    if leaf.array is not tensor._array or type(array) is not ndarray or array.dtype is not leaf.dtype:
        return False
    shape = array.shape
    if shape != leaf.shape:
        return False
    if may_have_meta_key(array):
        gradient._meta_key = tensor._meta_key = tensor._meta_key or (shape, leaf.dtype)
    return True


def clear(tensors: Iterable[Tensor], set_to_none: bool) -> None:
    """Removes the gradients of tensors, or makes them zeros without history, for `zero_grad`."""
    for tensor in tensors:
        edge = tensor._edge
        if set_to_none and type(edge) is Leaf and (type(tensor) is Tensor or type(tensor) in PLAIN_TYPES):
            edge.grad = None
        elif (gradient := tensor.grad) is not None:
            if set_to_none:
                tensor.grad = None
            else:
                _make_zero(gradient)


def _make_zero(gradient: Tensor) -> None:
    if gradient.grad_fn is None:
        gradient._require_grad(False)
    else:
        gradient.detach_()
    gradient.zero_()


def _check_grad(tensor: Tensor, gradient) -> None:
    if not isinstance(gradient, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(gradient).__name__}")
    if gradient is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    complaint = _misfit(tensor, gradient)
    if complaint:
        raise noted(RuntimeError(complaint), UNFIT)


def _misfit(tensor: Tensor, gradient: Tensor) -> str:
    """PyTorch's message if a tensor cannot be the gradient of another, "" if it can."""
    if gradient.shape != tensor.shape:
        return (
            f"attempting to assign a gradient of size '{list(gradient.shape)}' to a tensor of size "
            f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    wanted = tensor.dtype if tensor._grad_dtype is SAME else tensor._grad_dtype
    if wanted is not None and gradient.dtype is not wanted:
        return (
            f"attempting to assign a gradient with dtype '{C_NAMES[gradient.dtype]}' to a tensor with grad_dtype "
            f"'{SCALAR_NAMES[wanted]}'. The gradient must match the tensor's grad_dtype (defaults to the "
            "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow "
            "any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match."
        )
    if gradient.device != tensor.device:
        return (
            f"attempting to assign a gradient with device type '{gradient.device.type}' to a tensor with device type "
            f"'{tensor.device.type}'. Please ensure that the gradient and the tensor are on the same device"
        )
    return ""
