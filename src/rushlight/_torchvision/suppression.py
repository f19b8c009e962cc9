"""Non-maximum suppression: of overlapping boxes, keeps the one with the best score."""

from __future__ import annotations

import numpy as np


def nms(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> np.ndarray:
    """Returns the indices of the kept boxes, best score first.

    A box `(x1, y1, x2, y2)` is removed if its IoU with a kept box exceeds `threshold`.
    """
    order = np.argsort(-scores, kind="stable")
    x1, y1, x2, y2 = boxes[order].T  # (boxes,) each, best score first
    areas = (x2 - x1) * (y2 - y1)
    alive = np.ones(len(order), bool)
    selected = []
    with np.errstate(divide="ignore", invalid="ignore"):  # boxes without area: 0 / 0 is nan, which exceeds nothing
        for best in range(len(order)):
            if not alive[best]:
                continue
            selected.append(order[best])
            others = best + 1 + np.flatnonzero(alive[best + 1 :])
            width = np.minimum(x2[best], x2[others]) - np.maximum(x1[best], x1[others])
            height = np.minimum(y2[best], y2[others]) - np.maximum(y1[best], y1[others])
            common = np.maximum(width, 0) * np.maximum(height, 0)
            alive[others[common / (areas[best] + areas[others] - common) > threshold]] = False
    return np.array(selected, np.int64)
