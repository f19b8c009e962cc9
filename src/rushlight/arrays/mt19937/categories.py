"""Samples categories by weights."""

import numpy as np
from numpy import float32, float64, int64

from rushlight.arrays.mt19937.normals import exponential
from rushlight.arrays.mt19937.numbers import doubles
from rushlight.arrays.reduce import highest, lowest
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.tables import xp

SOME = 4  # partitions rows instead of sorting them if they have at least this many times the requested samples


def multinomial(generator, weights, count, replacement=False, exponential=exponential):
    """Draws `count` indices into the last dimension of `weights` (categories,) or (rows, categories), with
    probabilities proportional to the weights: int64 (count,) or (rows, count).

    With replacement, a float64 number is looked up in the cumulative weights, to the bit. Without, or for one sample,
    the indices are those of the largest weights divided by exponential numbers (the Gumbel-max trick, Gumbel 1954): to
    the bit where the quotients differ; equal ones, as of several zero weights, are in the order of their indices.
    Raises RuntimeError for weights that are no distribution.

    >>> from rushlight.core.generator import Generator
    >>> multinomial(Generator().manual_seed(0), np.array([1.0, 0.0, 3.0]), 5, replacement=True)
    array([2, 2, 2, 2, 2])
    """
    rows = weights.reshape(-1, weights.shape[-1])
    if replacement and count > 1:
        picked = _picked_again(generator, rows, count)
    else:
        picked = _picked_once(generator, rows, count, exponential)
    return picked.reshape(*weights.shape[:-1], count)


def _picked_again(generator, rows, count):
    cumulated = _cumulated(rows if rows.itemsize >= 4 else rows.astype(float32)).astype(float64, copy=False)
    drawn = doubles(generator, len(rows) * count)
    if len(rows) == 1:
        return cumulated[0].searchsorted(drawn)
    pairs = zip(cumulated, drawn.reshape(len(rows), count), strict=True)
    return np.array([row.searchsorted(numbers) for row, numbers in pairs], int64)


def _cumulated(rows):
    token = set_errors(xp.IGNORED)
    try:
        cumulated = np.add.accumulate(rows, 1)
        sums = cumulated[:, -1:].copy()
        # Nearly always, all rows are valid
        if not (rows.size and 0 < lowest(sums) and highest(sums) < np.inf and lowest(rows) >= 0):
            are_valid = ((rows >= 0) & np.isfinite(rows)).all(1) & (cumulated[:, -1] > 0)
            if not are_valid.all():
                raise _refusal(rows[np.argmin(are_valid)])
        cumulated /= sums
    finally:
        reset_errors(token)
    cumulated[:, -1] = 1
    return cumulated


def _refusal(row):
    """Returns the error for invalid weights of a row."""
    invalid = row[~((row >= 0) & np.isfinite(row))]
    if len(invalid):
        reason = "= infinity or NaN" if invalid[0] > 0 else "< 0"
        return _no_distribution(f"invalid multinomial distribution (encountering probability entry {reason})")
    return _no_distribution("invalid multinomial distribution (sum of probabilities <= 0)")


def _picked_once(generator, rows, count, exponential):
    token = set_errors(xp.IGNORED)
    try:
        _check(rows)
        quotients = rows / exponential(generator, rows.shape, rows.dtype)
    finally:
        reset_errors(token)
    if count == 1:
        return quotients.argmax(axis=1)[:, None]
    return _largest(quotients, count)


def _largest(quotients, count):
    """Returns the indices of the largest elements of each row, in order; of equal ones the first comes first."""
    if 0 < count * SOME <= quotients.shape[1]:
        least = np.partition(quotients, -count, axis=1)[:, -count, None]
        rows, columns = np.nonzero(quotients >= least)
        if len(columns) == len(quotients) * count:  # unless the smallest of them occurs more often
            columns, kept = columns.reshape(-1, count), quotients[rows, columns].reshape(-1, count)
            return np.take_along_axis(columns, np.argsort(-kept, axis=1, kind="stable"), 1)
    return np.argsort(-quotients, axis=1, kind="stable")[:, :count]


def _check(rows):
    """Raises RuntimeError unless every row is a distribution; the common case takes few passes."""
    if rows.size and np.minimum.reduce(rows, None) >= 0:
        sums = np.add.reduce(rows, 1)
        if 0 < np.minimum.reduce(sums) and np.maximum.reduce(sums) < np.inf:
            return
    if not ((rows >= 0) & np.isfinite(rows)).all():
        raise _no_distribution("probability tensor contains either `inf`, `nan` or element < 0")
    if (rows.sum(axis=1) == 0).any():
        raise _no_distribution("invalid multinomial distribution (sum of probabilities <= 0)")


def _no_distribution(message):
    error = RuntimeError(message)
    error.add_note("The weights of a row must be finite, at least 0, and not all 0; they need not sum to 1.")
    return error
