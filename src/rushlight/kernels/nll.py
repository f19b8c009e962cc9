"""Negative log likelihood: scores of the target classes and their sum, in one pass over the targets (NumPy: five)."""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import PICKED
from rushlight.kernels.arguments import divided, number_of, packed
from rushlight.lower.native import Element, float32, float64, int64, native, pointer, uint64
from rushlight.lower.registry import kernel_of

T = Element("T")
LEFT = {float32, float64}


@native(light=True)
def scores_of_targets(out: pointer(T), sums: pointer(float64), scores: pointer(T), target: pointer(int64),
                      batch: int64, classes: int64, inner: int64, ignored: int64, unreduced: int64):  # fmt: skip
    """Stores minus the score of each target if `unreduced`; in `sums`: sum of scores, count, 1 if a target is invalid.

    Scores are (batch, classes, inner), targets (batch, inner).
    """
    total, count = float64(0), 0
    for row in range(batch):
        for k in range(inner):
            index = row * inner + k
            chosen, value = target[index], T(0)
            if chosen != ignored:
                if uint64(chosen) < uint64(classes):
                    value = scores[(row * classes + chosen) * inner + k]
                    total += float64(value)
                    count += 1
                else:
                    sums[2] = float64(1)
            if unreduced != 0:
                out[index] = T(0) - value
    sums[0] = total
    sums[1] = float64(count)


@kernel_of("negative_log_likelihood", least=PICKED)
def negative_log_likelihood(scores, target, weight, ignore_index, reduction):
    """Leaves invalid targets to NumPy, which raises."""
    dtype = number_of(scores)
    if weight is not None or type(target) is not np.ndarray or target.dtype != np.int64 or dtype not in LEFT:
        return None
    if scores.ndim < 2 or type(scores) is not np.ndarray:
        return None
    batch, classes, inner = divided(scores.shape, 1)
    sums, is_each = np.zeros(3), reduction == "none"
    out = np.empty(target.shape if is_each else 1, scores.dtype)
    kernel = scores_of_targets.machine(dtype)
    kernel(out, sums, packed(scores), packed(target), batch, classes, inner, ignore_index, is_each)
    total, count, wrong = sums
    if wrong:
        return None
    return out if is_each else scores.dtype.type((0 - total) / count if reduction == "mean" else 0 - total)
