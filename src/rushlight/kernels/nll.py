"""The scores of the right classes, and their sum: in one pass over the targets, for which NumPy makes five or more."""

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
                      batch: int64, classes: int64, inner: int64, ignored: int64, each: int64):  # fmt: skip
    """Minus the score of each target, if `each` is not 0; in `sums`, the sum of scores, how many, and what is wrong.

    Scores are (batch, classes, inner), targets (batch, inner).
    """
    total, many = float64(0), 0
    for row in range(batch):
        for k in range(inner):
            at = row * inner + k
            chosen, value = target[at], T(0)
            if chosen != ignored:
                if uint64(chosen) < uint64(classes):
                    value = scores[(row * classes + chosen) * inner + k]
                    total += float64(value)
                    many += 1
                else:
                    sums[2] = float64(1)
            if each != 0:
                out[at] = T(0) - value
    sums[0] = total
    sums[1] = float64(many)


@kernel_of("negative_log_likelihood", least=PICKED)
def negative_log_likelihood(scores, target, weight, ignore_index, reduction):
    """A target that is no class is NumPy's to refuse."""
    kind = number_of(scores)
    if weight is not None or type(target) is not np.ndarray or target.dtype != np.int64 or kind not in LEFT:
        return None
    if scores.ndim < 2 or type(scores) is not np.ndarray:
        return None
    batch, classes, inner = divided(scores.shape, 1)
    sums, is_each = np.zeros(3), reduction == "none"
    out = np.empty(target.shape if is_each else 1, scores.dtype)
    kernel = scores_of_targets.machine(kind)
    kernel(out, sums, packed(scores), packed(target), batch, classes, inner, ignore_index, is_each)
    total, many, wrong = sums
    if wrong:
        return None
    return out if is_each else scores.dtype.type((0 - total) / many if reduction == "mean" else 0 - total)
