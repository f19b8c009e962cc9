"""The score of the right class among many, and its transpose. Scores are (N, C, ...), classes (N, ...)."""

from __future__ import annotations

import numpy as np


def places(target, classes: int, ignore_index: int):
    """Valid class numbers in an extra dimension 1, and which targets count."""
    counted = target != ignore_index
    safe = np.where(counted, target, 0).astype(np.intp)
    if safe.size and (safe.min() < 0 or safe.max() >= classes):
        wrong = safe[(safe < 0) | (safe >= classes)].reshape(-1)[0]
        raise IndexError(f"Target {wrong} is out of bounds.")
    return safe, counted


def weights_of(safe, counted, weight, dtype):
    """What each target weighs."""
    return counted.astype(dtype) if weight is None else np.where(counted, weight[safe], 0).astype(dtype)


def negative_log_likelihood(input, target, weight, ignore_index: int, reduction: str):
    """(loss, total weight)."""
    scores = input if input.ndim > 1 else input[None]
    target = target if input.ndim > 1 else target[None]
    safe, counted = places(target, scores.shape[1], ignore_index)
    chosen = np.take_along_axis(scores, safe[:, None], 1)[:, 0]
    share = weights_of(safe, counted, weight, scores.dtype)
    losses = -chosen * share
    total = np.asarray(share.sum(dtype=share.dtype))
    if reduction == "none":
        return losses if input.ndim > 1 else losses[0], total
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    loss = losses.sum(dtype=losses.dtype)
    return np.asarray(loss / total if reduction == "mean" else loss), total


def spread_over_classes(g, target, weight, total, shape: tuple, ignore_index: int, reduction: str):
    """Each loss's gradient in the place of its class."""
    scores = shape if len(shape) > 1 else (1, *shape)
    target = target if len(shape) > 1 else target[None]
    safe, counted = places(target, scores[1], ignore_index)
    share = -weights_of(safe, counted, weight, g.dtype) * (g if reduction != "none" or len(shape) > 1 else g[None])
    if reduction == "mean":
        share = share / total
    out = np.zeros(scores, g.dtype)
    np.put_along_axis(out, safe[:, None], share[:, None].astype(g.dtype), 1)
    return out.reshape(shape)
