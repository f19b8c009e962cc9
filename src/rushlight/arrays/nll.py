"""Negative log-likelihood and margin losses over classes, and their gradients.

Scores are (batch, classes, *size) or (classes,), targets (batch, *size) or (): integers. Targets equal to
`ignore_index` do not count. In memory, a target's score is at ((batch * classes) + target) * size + position.
"""

import math

import numpy as np

from rushlight.arrays.reduce import LONG, ONES, highest
from rushlight.arrays.spacing import starts
from rushlight.core.tables import primitive, xp

GAPS_AT_ONCE = 1 << 20  # maximum number of class pairs held at a time
INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)


@primitive
def negative_log_likelihood(scores, target, weight, ignore_index, reduction):
    """Minus the target's score, weighted: per target ("none"), their sum, or their weighted mean.

    >>> negative_log_likelihood(np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([0, 1]), None, -100, "mean")
    np.float64(2.5)
    """
    at, share, total = target_indices(scores.shape, target, weight, ignore_index, scores.dtype)
    picked = (
        scores.take(at) if scores.size else np.zeros(at.shape, scores.dtype)
    )  # without classes, all targets are ignored
    if share is not None and picked.ndim > 1:  # ignored scores may be NaN; -0.0 is negated below
        np.copyto(picked, -0.0, where=target.reshape(picked.shape) == ignore_index)
    if weight is not None:
        picked *= share
    if reduction == "none":
        return np.negative(picked, picked).reshape(target.shape)
    row = ONES.get(picked.dtype)
    is_small = row is not None and share is None and picked.ndim == 1 and picked.size <= LONG
    loss = picked.dot(row[: picked.size]) if is_small else np.add.reduce(picked, None)
    return (0 - loss) / total if reduction == "mean" else 0 - loss


def spread_over_classes(grad, target, weight, shape, ignore_index, reduction):
    """The gradient of `negative_log_likelihood`: each target's share of `grad`, negated, in scores of `shape`.

    >>> spread_over_classes(np.array(1.0), np.array([0, 1]), None, (2, 2), -100, "mean")
    array([[-0.5,  0. ],
           [ 0. , -0.5]])
    """
    at, share, total = target_indices(shape, target, weight, ignore_index, grad.dtype)
    share_of_grad = np.negative(grad / total if reduction == "mean" else grad)
    if reduction == "none":
        share_of_grad = share_of_grad.reshape(at.shape)
    if share is not None:
        share_of_grad = np.where(share, share_of_grad * share, 0)  # if all targets are ignored, infinity times zero
    size = math.prod(shape)
    return (xp.placed(size, at, share_of_grad, grad.dtype) if size else np.zeros(size, grad.dtype)).reshape(shape)


def smoothed_likelihood(scores, target, ignore_index, smoothing, reduction):
    """`negative_log_likelihood` of rows, where the share `smoothing` of each target is spread over all classes equally.

    >>> smoothed_likelihood(np.array([[-1.0, -3.0]]), np.array([0]), -100, 0.5, "none")
    array([1.5])
    """
    at, share, total = target_indices(scores.shape, target, None, ignore_index, scores.dtype)
    losses = xp.total(scores, 1).reshape(at.shape) * (-smoothing / scores.shape[1])
    losses -= scores.take(at) * (1 - smoothing)
    if share is not None:
        losses = np.where(share, losses, 0).astype(scores.dtype, copy=False)
    if reduction == "none":
        return losses.reshape(target.shape)
    loss = np.add.reduce(losses, None)
    return loss / total if reduction == "mean" else loss


def spread_smoothly(grad, target, shape, ignore_index, smoothing, reduction):
    """The gradient of `smoothed_likelihood`, in scores of `shape`.

    >>> spread_smoothly(np.array([1.0]), np.array([0]), (1, 2), -100, 0.5, "none")
    array([[-0.75, -0.25]])
    """
    at, share, total = target_indices(shape, target, None, ignore_index, grad.dtype)
    share_of_grad = np.negative(grad / total if reduction == "mean" else grad).astype(grad.dtype, copy=False)
    share_of_grad = np.broadcast_to(share_of_grad.reshape(-1, 1), (shape[0], 1))
    if share is not None:
        share_of_grad = np.where(share.reshape(-1, 1), share_of_grad, 0).astype(grad.dtype, copy=False)
    out = np.empty(shape, grad.dtype)
    out[...] = share_of_grad * (smoothing / shape[1])
    out.reshape(-1)[at.reshape(-1)] += share_of_grad[:, 0] * (1 - smoothing)
    return out


@primitive
def placed(size, at, values, dtype):
    """Returns zeros with values at flat positions (rows, ...), each within its row's part of the array."""
    out = np.zeros(size, dtype)
    out[at] = values
    return out


def target_indices(shape, target, weight, ignore_index, dtype):
    """Returns the indices of the targets' scores, the weight of each target (None if all are 1), and their sum.

    Raises IndexError for a target that is not a class.
    """
    if len(shape) == 2 and target.dtype is INT64 and target.size:
        # As unsigned, a negative target is too large as well.
        if not 0 <= ignore_index < shape[1] and highest(target.view(UINT64)) < shape[1]:
            rows = starts(*shape) if shape[0] <= LONG else starts.__wrapped__(*shape)
            if weight is None:
                return rows + target, None, shape[0]
            share = weight.take(target).astype(dtype, copy=False)
            return rows + target, share, np.add.reduce(share, None)
    batch, classes, *size = shape if len(shape) > 1 else (1, *shape)
    chosen = target.reshape(batch, math.prod(size)).astype(np.int64, copy=False)
    counted = None if weight is None else np.ones(chosen.shape, np.bool_)
    if 0 <= ignore_index < classes or (chosen.view(np.uint64) >= classes).any():
        counted = chosen != ignore_index
        wrong = chosen[counted & (chosen.view(np.uint64) >= classes)]
        if wrong.size:
            raise IndexError(f"Target {wrong[0]} is out of bounds.")
        chosen = np.where(counted, chosen, 0)
    at = np.arange(batch).reshape(batch, 1) * classes + chosen
    if size:
        at = at * math.prod(size) + np.arange(math.prod(size))
    if counted is None:
        return at, None, at.size
    share = counted.astype(dtype) if weight is None else np.where(counted, weight.take(chosen), 0).astype(dtype)
    return at, share, np.add.reduce(share, None)


def margin_losses(scores, target, weight, power, margin):
    """The amount, to a power, by which other classes come within `margin` of the target's score, weighted.

    Scores are (batch, classes); the loss is the mean over classes.
    """
    gaps, _ = margin_gaps(scores, target, margin)
    if power == 2:
        np.multiply(gaps, gaps, out=gaps)
    return np.add.reduce(gaps, 1) * margin_factor(scores, target, weight)


def margin_backward(scores, target, weight, power, margin):
    """The gradient of the sum of each row's `margin_losses`."""
    gaps, at = margin_gaps(scores, target, margin)
    factor = margin_factor(scores, target, weight)
    if power == 1:
        gradient = np.multiply(gaps > 0, np.reshape(factor, (-1, 1)), dtype=scores.dtype)
    else:
        gradient = np.multiply(gaps, np.reshape(factor * 2, (-1, 1)), out=gaps)
    gradient.reshape(-1)[at] = -np.add.reduce(gradient, 1)
    return gradient


def margin_gaps(scores, target, margin):
    """Returns, per row, by how much each score exceeds the target's minus `margin`; and the indices of the targets."""
    at = np.arange(0, scores.size, scores.shape[1]) + target
    gaps = np.add((margin - scores.reshape(-1).take(at))[:, None], scores, order="C")
    np.maximum(gaps, 0, out=gaps)
    gaps.reshape(-1)[at] = 0
    return gaps, at


def margin_factor(scores, target, weight):
    """Returns the factor of a gap: the weight of the target, if any, divided by the number of classes."""
    classes = scores.shape[1]
    return np.asarray(1 / classes, scores.dtype) if weight is None else weight[target] / scores.dtype.type(classes)


def multilabel_margin_losses(scores, target):
    """The amount by which each non-target class comes within 1 of each target's score, and its gradient.

    Scores are (batch, classes); a row of `target` lists classes up to the first -1.
    """
    listed = np.logical_and.accumulate(target >= 0, 1)
    listed = listed[:, : int(highest(np.add.reduce(listed, 1))) if listed.size else 0]
    losses, gradient = np.zeros(len(scores), scores.dtype), np.zeros(scores.shape, np.int64)
    rows = max(1, GAPS_AT_ONCE // max(1, listed.shape[1] * scores.shape[1]))
    for start in range(0, len(scores), rows):
        part = slice(start, start + rows)
        classes = np.where(listed[part], target[part, : listed.shape[1]], 0)
        losses[part] = _multilabel_margins(scores[part], classes, listed[part], gradient[part])
    count = scores.dtype.type(scores.shape[1])
    return losses / count, gradient.astype(scores.dtype) / count


def _multilabel_margins(scores, classes, listed, gradient):
    """Returns the losses of some rows, times the number of classes; adds each class's count of gaps to `gradient`."""
    rows = np.arange(len(scores))[:, None]
    is_target = np.zeros(scores.shape, np.bool_)
    np.logical_or.at(is_target, (rows, classes), listed)
    gaps = 1 - np.take_along_axis(scores, classes, 1)[:, :, None] + scores[:, None, :]  # (batch, target, class)
    counts = (gaps > 0) & listed[:, :, None] & ~is_target[:, None, :]
    np.add.reduce(counts, 1, np.int64, gradient)
    np.subtract.at(gradient, (rows, classes), np.add.reduce(counts, 2, np.int64))
    return np.add.reduce(np.where(counts, gaps, 0), (1, 2))
