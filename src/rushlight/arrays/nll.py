"""The scores of the right classes among many, and the transpose: gradients put in the places of the classes.

Scores are (batch, classes, *size) or (classes,), targets (batch, *size) or (): whole numbers. A target that is the
ignored one counts nothing. A target's score stands, in the memory of the scores, at ((batch * classes) + target) * size
+ position.
"""

import math

import numpy as np

from rushlight.arrays.reduce import LONG, ONES, highest
from rushlight.arrays.spacing import starts
from rushlight.core.tables import primitive, xp

GAPS_AT_ONCE = 1 << 20  # how many pairs of classes are held at a time
INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)


@primitive
def negative_log_likelihood(scores, target, weight, ignore_index, reduction):
    """Minus the target's score, weighted: of each target ("none"), their sum, or their weighted mean.

    >>> negative_log_likelihood(np.array([[-1.0, -2.0], [-3.0, -4.0]]), np.array([0, 1]), None, -100, "mean")
    np.float64(2.5)
    """
    at, share, total = places(scores.shape, target, weight, ignore_index, scores.dtype)
    found = scores.take(at) if scores.size else np.zeros(at.shape, scores.dtype)  # without classes, all are ignored
    if share is not None and found.ndim > 1:  # what is ignored may be no number: less than nothing, and negated below
        np.copyto(found, -0.0, where=target.reshape(found.shape) == ignore_index)
    if weight is not None:
        found *= share
    if reduction == "none":
        return np.negative(found, found).reshape(target.shape)
    row = ONES.get(found.dtype)
    few = row is not None and share is None and found.ndim == 1 and found.size <= LONG
    loss = found.dot(row[: found.size]) if few else np.add.reduce(found, None)
    return (0 - loss) / total if reduction == "mean" else 0 - loss


def spread_over_classes(grad, target, weight, shape, ignore_index, reduction):
    """The transpose of `negative_log_likelihood`: each target's share of `grad`, negated, in scores of `shape`.

    >>> spread_over_classes(np.array(1.0), np.array([0, 1]), None, (2, 2), -100, "mean")
    array([[-0.5,  0. ],
           [ 0. , -0.5]])
    """
    at, share, total = places(shape, target, weight, ignore_index, grad.dtype)
    each = np.negative(grad / total if reduction == "mean" else grad)
    if reduction == "none":
        each = each.reshape(at.shape)
    if share is not None:
        each = np.where(share, each * share, 0)  # of nothing but ignored targets, infinity times zero
    size = math.prod(shape)
    return (xp.placed(size, at, each, grad.dtype) if size else np.zeros(size, grad.dtype)).reshape(shape)


def smoothed_likelihood(scores, target, ignore_index, smoothing, reduction):
    """`negative_log_likelihood` of rows, where a share of each target, `smoothing`, goes to all classes alike.

    >>> smoothed_likelihood(np.array([[-1.0, -3.0]]), np.array([0]), -100, 0.5, "none")
    array([1.5])
    """
    at, share, total = places(scores.shape, target, None, ignore_index, scores.dtype)
    losses = xp.total(scores, 1).reshape(at.shape) * (-smoothing / scores.shape[1])
    losses -= scores.take(at) * (1 - smoothing)
    if share is not None:
        losses = np.where(share, losses, 0).astype(scores.dtype, copy=False)
    if reduction == "none":
        return losses.reshape(target.shape)
    loss = np.add.reduce(losses, None)
    return loss / total if reduction == "mean" else loss


def spread_smoothly(grad, target, shape, ignore_index, smoothing, reduction):
    """The transpose of `smoothed_likelihood`, in scores of `shape`.

    >>> spread_smoothly(np.array([1.0]), np.array([0]), (1, 2), -100, 0.5, "none")
    array([[-0.75, -0.25]])
    """
    at, share, total = places(shape, target, None, ignore_index, grad.dtype)
    each = np.negative(grad / total if reduction == "mean" else grad).astype(grad.dtype, copy=False)
    each = np.broadcast_to(each.reshape(-1, 1), (shape[0], 1))
    if share is not None:
        each = np.where(share.reshape(-1, 1), each, 0).astype(grad.dtype, copy=False)
    out = np.empty(shape, grad.dtype)
    out[...] = each * (smoothing / shape[1])
    out.reshape(-1)[at.reshape(-1)] += each[:, 0] * (1 - smoothing)
    return out


@primitive
def placed(size, at, values, dtype):
    """Zeros but for values at positions (rows, ...), which lie in the row's share of the array."""
    out = np.zeros(size, dtype)
    out[at] = values
    return out


def places(shape, target, weight, ignore_index, dtype):
    """Where the targets' scores stand; what each target weighs, None if all weigh 1; and how much they weigh together.

    Raises IndexError for a target that is no class.
    """
    if len(shape) == 2 and target.dtype is INT64 and target.size:
        # Seen as unsigned, a negative number is too large as well.
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
    """By how much (to a power) the classes other than the target come within `margin` of its score, weighted.

    Scores are (batch, classes), of which the loss is the mean.
    """
    gaps, _ = margin_gaps(scores, target, margin)
    if power == 2:
        np.multiply(gaps, gaps, out=gaps)
    return np.add.reduce(gaps, 1) * margin_factor(scores, target, weight)


def margin_backward(scores, target, weight, power, margin):
    """The derivative of the sum of each row's `margin_losses`."""
    gaps, at = margin_gaps(scores, target, margin)
    factor = margin_factor(scores, target, weight)
    if power == 1:
        slopes = np.multiply(gaps > 0, np.reshape(factor, (-1, 1)), dtype=scores.dtype)
    else:
        slopes = np.multiply(gaps, np.reshape(factor * 2, (-1, 1)), out=gaps)
    slopes.reshape(-1)[at] = -np.add.reduce(slopes, 1)
    return slopes


def margin_gaps(scores, target, margin):
    """What each score but the target's is above the target's less `margin`, row after row; where the targets' are."""
    at = np.arange(0, scores.size, scores.shape[1]) + target
    gaps = np.add((margin - scores.reshape(-1).take(at))[:, None], scores, order="C")
    np.maximum(gaps, 0, out=gaps)
    gaps.reshape(-1)[at] = 0
    return gaps, at


def margin_factor(scores, target, weight):
    """What a gap counts: the weight of the target, if there are weights, over the number of classes."""
    classes = scores.shape[1]
    return np.asarray(1 / classes, scores.dtype) if weight is None else weight[target] / scores.dtype.type(classes)


def multilabel_margin_losses(scores, target):
    """By how much each class that is no target comes within 1 of each target's score, and the slope of their sum.

    Scores are (batch, classes); a row of `target` lists classes up to the first -1.
    """
    listed = np.logical_and.accumulate(target >= 0, 1)
    listed = listed[:, : int(highest(np.add.reduce(listed, 1))) if listed.size else 0]
    losses, slopes = np.zeros(len(scores), scores.dtype), np.zeros(scores.shape, np.int64)
    rows = max(1, GAPS_AT_ONCE // max(1, listed.shape[1] * scores.shape[1]))
    for start in range(0, len(scores), rows):
        part = slice(start, start + rows)
        named = np.where(listed[part], target[part, : listed.shape[1]], 0)
        losses[part] = _multilabel_margins(scores[part], named, listed[part], slopes[part])
    count = scores.dtype.type(scores.shape[1])
    return losses / count, slopes.astype(scores.dtype) / count


def _multilabel_margins(scores, named, listed, slopes):
    """The losses of some rows, times the number of classes; into zeros how many gaps each class counts in."""
    rows = np.arange(len(scores))[:, None]
    is_target = np.zeros(scores.shape, np.bool_)
    np.logical_or.at(is_target, (rows, named), listed)
    gaps = 1 - np.take_along_axis(scores, named, 1)[:, :, None] + scores[:, None, :]  # (batch, target, class)
    counts = (gaps > 0) & listed[:, :, None] & ~is_target[:, None, :]
    np.add.reduce(counts, 1, np.int64, slopes)
    np.subtract.at(slopes, (rows, named), np.add.reduce(counts, 2, np.int64))
    return np.add.reduce(np.where(counts, gaps, 0), (1, 2))
