"""Losses over classes on the device: a capture does not wait for the check of targets."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.cuda.conditions import holds, is_deferred
from rushlight.arrays.nll import target_indices as looked_at


def target_indices(shape, target, weight, ignore_index, dtype):
    """Returns the indices of the targets' scores, the weight of each target, and their sum."""
    if not is_deferred():
        return looked_at(shape, target, weight, ignore_index, dtype)
    batch, classes, *size = shape if len(shape) > 1 else (1, *shape)
    chosen = target.reshape(batch, math.prod(size)).astype(np.int64, copy=False)
    counted = chosen != ignore_index
    if chosen.size:
        holds(np.all(~counted | (chosen.view(np.uint64) < classes)), "Target is out of bounds.")
    chosen = np.where(counted, chosen, 0)
    at = np.arange(batch).reshape(batch, 1) * classes + chosen
    if size:
        at = at * math.prod(size) + np.arange(math.prod(size))
    share = counted.astype(dtype) if weight is None else np.where(counted, weight.take(chosen), 0).astype(dtype)
    return at, share, np.add.reduce(share, None)
