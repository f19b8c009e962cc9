"""Intersection over union of rotated boxes."""

from __future__ import annotations

import numpy as np

EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))


def box_iou_rotated(ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Returns the IoU of each pair of boxes `(x, y, width, height, degrees)`: (ones, others)."""
    a, b = corners(ones)[:, None], corners(others)[None, :]
    a, b = np.broadcast_arrays(a, b)  # (ones, others, 4, 2)
    candidates = [inside(a, b), inside(b, a), crossings(a, b)]
    points = np.concatenate([points for points, _ in candidates], 2)
    valid = np.concatenate([valid for _, valid in candidates], 2)
    common = hull_area(points, valid)
    areas = (ones[:, 2] * ones[:, 3])[:, None] + (others[:, 2] * others[:, 3])[None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(common > 0, common / (areas - common), 0).astype(ones.dtype)


def corners(boxes: np.ndarray) -> np.ndarray:
    """Returns the corners in order: (boxes, 4, 2), in float64."""
    x, y, width, height, degrees = boxes.T.astype(np.float64)
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    across = np.stack([cosine * width, -sine * width], 1) / 2
    down = np.stack([sine * height, cosine * height], 1) / 2
    middle = np.stack([x, y], 1)
    return np.stack([middle + s * across + t * down for s, t in ((1, 1), (1, -1), (-1, -1), (-1, 1))], 1)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def inside(points: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the corners, and which of them are in the other box."""
    sides = [box[..., j, :] - box[..., i, :] for i, j in EDGES]
    turns = [
        cross(side[..., None, :], points - box[..., i, None, :]) for side, (i, _) in zip(sides, EDGES, strict=True)
    ]
    signs = np.stack(turns, -1)
    slack = 1e-9 * np.abs(box).max()
    return points, (signs >= -slack).all(-1) | (signs <= slack).all(-1)


def crossings(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the intersections of the sides of two boxes, and which of them exist."""
    points, valid = [], []
    for i, j in EDGES:
        along = a[..., j, :] - a[..., i, :]
        for k, m in EDGES:
            side = b[..., m, :] - b[..., k, :]
            between = b[..., k, :] - a[..., i, :]
            turn = cross(along, side)
            safe = np.where(turn == 0, 1, turn)
            s, t = cross(between, side) / safe, cross(between, along) / safe
            points.append(a[..., i, :] + s[..., None] * along)
            valid.append((np.abs(turn) > 1e-14) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))
    return np.stack(points, 2), np.stack(valid, 2)


def hull_area(points: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Returns the area of the polygon of the valid points, in any order."""
    count = np.maximum(valid.sum(-1), 1)[..., None]
    middle = (points * valid[..., None]).sum(-2) / count
    centred = np.where(valid[..., None], points - middle[..., None, :], 0)
    angles = np.where(valid, np.arctan2(centred[..., 1], centred[..., 0]), np.inf)
    order = np.argsort(angles, -1)
    ring = np.take_along_axis(centred, order[..., None], -2)
    first = ring[..., :1, :]
    ordered_valid = np.take_along_axis(valid, order, -1)[..., None]
    ring = np.where(ordered_valid, ring, first)
    return np.abs(cross(ring, np.roll(ring, -1, -2)).sum(-1)) / 2
