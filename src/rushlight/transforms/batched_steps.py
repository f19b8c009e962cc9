"""Steps on batches: what nodes do with a gradient that `vmap` has batched, on arrays with the batch in front.

A pass inside `vmap` calls operators on traced tensors, each of which finds its rule. Where the gradient and the saved
values are plain arrays below one level, and no graph is made, a step needs none of that:

    elementwise     the backward function itself, on raw arrays: a batch in front broadcasts with operands without one
    in RULES        a function of tensors that have the batch in front

A node that is special takes its other step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

import rushlight._generated.functions as F
from rushlight.autograd.saved_values import refuse, release
from rushlight.core.clock import LAST_WRITE
from rushlight.core.graph import RELEASED
from rushlight.core.policy import MEDIUM, WAITING, notice
from rushlight.core.tables import fast, raw, xp
from rushlight.core.tensor import Tensor
from rushlight.core.traced import BatchedArray
from rushlight.dispatch.planned import made_of

ALL = slice(None)
NUMBERS = frozenset((int, float, bool, type(None)))


def step(level, task, node, g: Tensor, edges) -> list | None:
    """Returns the gradients that a node sends for a batched gradient; None if another step has to."""
    if type(g._array) is not BatchedArray or not g._array.batched:
        return None
    value = g._array.value
    array = value._array
    if type(array) is not ndarray or not is_plain(node, array.dtype):
        return None
    op, saved = node.op, node.saved
    rule = of_elements if op.kind == "elementwise" else RULES.get(op.name)
    if rule is None:
        return None
    if saved and (saved is RELEASED or node.created < LAST_WRITE.tick):
        refuse(node, task.starts)
    arrays, batched = [], []
    for each in saved:
        if type(each) is BatchedArray and each.level is level:
            batched.append(each.batched)
            each = each.value._array
        else:
            batched.append(False)
        if type(each) is not ndarray and type(each) not in NUMBERS:
            return None
        arrays.append(each)
    if (results := rule(node, arrays, batched, value, edges)) is None:
        return None
    if saved and not task.keep:
        release(node, task.freed)
    if WAITING:
        count(results)
    return [None if each is None else g if each is value else made_of(BatchedArray(level, each)) for each in results]


def count(results: list) -> None:
    """Counts work until kernels pay off, as wherever else arrays are made."""
    for each in results:
        if each is not None and (size := each._array.size) >= MEDIUM:
            notice(size)


def is_plain(node, dtype) -> bool:
    """Whether a node computes gradients of a dtype by its backward function as it is, and nothing else."""
    if not (dtype is F.FLOAT32 or dtype is F.FLOAT64) or node.metas is not None or node.computes_in is not None:
        return False
    return node.packed is None and node.outputs == 1 and node.backward is type(node).backward


def of_elements(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of an elementwise operator whose operands have the shape of its result."""
    array, results = g._array, list[Any]()
    for result in node.backward(raw, node, saved, array, edges):
        if result is None:
            results.append(None)
        elif result is array:
            results.append(g)
        elif type(result) is ndarray and result.shape == array.shape:
            results.append(made_of(result))
        else:
            return None
    return results


# ---- the rules: functions of a node, its saved arrays, whether they have the batch, the gradient, and the edges


def reshaped(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of a view in another shape."""
    return (F.reshape(g, (g._array.shape[0], *node.params[0])),)


def of_sum(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of a sum over all dimensions, or with the dimensions kept."""
    shape, dim, keepdim = node.params
    size, *rest = g._array.shape
    if not keepdim:
        if rest:
            return None
        g = F.reshape(g, (size, *[1] * len(shape)))
    return (F.expand(g, (size, *shape)),)


def of_slice(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of a slice."""
    shape, dim, start, end, step = node.params
    return (F.putitem(g, (g._array.shape[0], *shape), (ALL,) * (dim + 1) + (slice(start, end, step), ...)),)


def of_log_softmax(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of the logarithm of a softmax."""
    ((dim,), (out,), array) = node.params, saved, g._array
    if array.ndim < 2:
        return None
    return (made_of(array - raw.exp(out) * raw.sum(array, dim if dim < 0 else dim + 1, True)),)


def transposed(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of the transpose of a matrix."""
    return (F.transpose(g, 1, 2),) if g._array.ndim == 3 else None


def of_mm(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of the product of two matrices."""
    (input, mat2), array = saved, g._array
    of_input, of_mat2 = edges
    return (
        None if of_input is None else made_of(times(array, mat2.swapaxes(-1, -2), batched[1])),
        None if of_mat2 is None else made_of(transposed_times(input, array)),
    )


def of_affine(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of the sum of a matrix, or a row for all, and the product of two matrices."""
    shape, _, beta, alpha, flipped = node.params
    if not beta == 1 == alpha:
        return None
    (mat1, mat2), array = saved, g._array
    of_input, of_mat1, of_mat2 = edges
    d_mat1 = d_mat2 = None
    if of_mat1 is not None:
        d_mat1 = made_of(times(array, mat2 if flipped else mat2.swapaxes(-1, -2), batched[1]))
    if of_mat2 is not None:
        d_mat2 = made_of(transposed_times(array, mat1) if flipped else transposed_times(mat1, array))
    return None if of_input is None else summed_to(g, shape), d_mat1, d_mat2


def of_addmv(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of the sum of a vector and the product of a matrix and a vector."""
    shape, _, beta, alpha = node.params
    if not beta == 1 == alpha or (edges[0] is not None and shape != g._array.shape[1:]):
        return None
    return None if edges[0] is None else g, *of_mv(node, saved, batched, g, edges[1:])


def of_mv(node, saved: list, batched: list, g: Tensor, edges) -> Any:
    """The step of the product of a matrix and a vector."""
    (mat, vec), array = saved, g._array
    of_mat, of_vec = edges
    d_mat = d_vec = None
    if of_mat is not None:
        d_mat = made_of(fast.multiply(array[:, :, None], vec[..., None, :]))
    if of_vec is not None:
        d_vec = made_of(times(array[:, None], mat, batched[0])[:, 0] if batched[0] else xp.dot(array, mat))
    return d_mat, d_vec


def times(rows, matrix, batched: bool):
    """Returns (B, n, m) times one matrix (m, k), or a batch of them."""
    if batched:
        return xp.matmul(rows, matrix)
    size, count, inner = rows.shape
    return xp.dot(rows.reshape(size * count, inner), matrix).reshape(size, count, matrix.shape[1])


def transposed_times(one, two):
    """Returns the transposes of matrices (n, m), times others (n, k); of one or both there is a batch."""
    return xp.matmul(one.swapaxes(-1, -2), two)


def summed_to(g: Tensor, shape: tuple) -> Tensor:
    """Returns (B, n, m) summed to samples of a shape, (n, m) or one that broadcasts to it."""
    size, count, length = g._array.shape
    if shape == (count, length):
        return g
    if shape == (length,):
        return F.reshape(g, (size, length)) if count == 1 else F.sum(g, (1,))
    return F.reshape(F.sum_to_size_of(g, (size, *[1] * (2 - len(shape)), *shape)), (size, *shape))


RULES: dict[str, Callable] = {
    "addmv": of_addmv,
    "affine": of_affine,
    "log_softmax": of_log_softmax,
    "mm": of_mm,
    "mv": of_mv,
    "slice_view": of_slice,
    "squeeze": reshaped,
    "sum": of_sum,
    "t": transposed,
    "unsafe_view": reshaped,
    "view": reshaped,
}
