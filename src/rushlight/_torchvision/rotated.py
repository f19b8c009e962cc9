"""How much of two rotated boxes is common."""

from __future__ import annotations

import numpy as np

EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))


def box_iou_rotated(ones: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The common part of the union of each pair of boxes `(x, y, width, height, degrees)`: (ones, others)."""
    a, b = corners(ones)[:, None], corners(others)[None, :]
    a, b = np.broadcast_arrays(a, b)  # (ones, others, 4, 2)
    found = [inside(a, b), inside(b, a), crossings(a, b)]
    points = np.concatenate([each for each, _ in found], 2)
    there = np.concatenate([each for _, each in found], 2)
    common = hull_area(points, there)
    areas = (ones[:, 2] * ones[:, 3])[:, None] + (others[:, 2] * others[:, 3])[None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(common > 0, common / (areas - common), 0).astype(ones.dtype)


def corners(boxes: np.ndarray) -> np.ndarray:
    """The corners in order: (boxes, 4, 2), in double precision."""
    x, y, width, height, degrees = boxes.T.astype(np.float64)
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    across = np.stack([cosine * width, -sine * width], 1) / 2
    down = np.stack([sine * height, cosine * height], 1) / 2
    middle = np.stack([x, y], 1)
    return np.stack([middle + s * across + t * down for s, t in ((1, 1), (1, -1), (-1, -1), (-1, 1))], 1)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def inside(points: np.ndarray, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corners, and which of them are in the other box."""
    sides = [box[..., j, :] - box[..., i, :] for i, j in EDGES]
    turns = [
        cross(side[..., None, :], points - box[..., i, None, :]) for side, (i, _) in zip(sides, EDGES, strict=True)
    ]
    signs = np.stack(turns, -1)
    slack = 1e-9 * np.abs(box).max()
    return points, (signs >= -slack).all(-1) | (signs <= slack).all(-1)


def crossings(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the sides of two boxes cross, and which of them do."""
    points, there = [], []
    for i, j in EDGES:
        along = a[..., j, :] - a[..., i, :]
        for k, m in EDGES:
            other = b[..., m, :] - b[..., k, :]
            between = b[..., k, :] - a[..., i, :]
            turn = cross(along, other)
            safe = np.where(turn == 0, 1, turn)
            s, t = cross(between, other) / safe, cross(between, along) / safe
            points.append(a[..., i, :] + s[..., None] * along)
            there.append((np.abs(turn) > 1e-14) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))
    return np.stack(points, 2), np.stack(there, 2)


def hull_area(points: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The area of the polygon whose corners are those of the points that are there, in any order."""
    count = np.maximum(there.sum(-1), 1)[..., None]
    middle = (points * there[..., None]).sum(-2) / count
    centred = np.where(there[..., None], points - middle[..., None, :], 0)
    angles = np.where(there, np.arctan2(centred[..., 1], centred[..., 0]), np.inf)
    order = np.argsort(angles, -1)
    ring = np.take_along_axis(centred, order[..., None], -2)
    first = ring[..., :1, :]
    known = np.take_along_axis(there, order, -1)[..., None]
    ring = np.where(known, ring, first)
    return np.abs(cross(ring, np.roll(ring, -1, -2)).sum(-1)) / 2
