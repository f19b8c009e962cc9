"""Indexing of arrays of the fake CuPy: indices out of range wrap around, and masks wait for the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import ndarray, seen, waits
from rushlight.arrays.cuda.fake.launch import launch, write


def is_basic(index: tuple) -> bool:
    return all(each is None or each is Ellipsis or isinstance(each, (int, slice, np.integer)) for each in index)


def prepared(array: ndarray, index: Any) -> tuple:
    """Returns an index in NumPy's terms."""
    parts = list(index) if isinstance(index, tuple) else [index]
    taken = sum(1 if not is_mask(part) else part.ndim for part in parts if part is not None and part is not Ellipsis)
    dimension = 0
    for position, part in enumerate(parts):
        if part is Ellipsis:
            dimension += array.ndim - taken
        elif is_mask(part):
            parts[position] = part.cells if isinstance(part, ndarray) else part
            dimension += part.ndim
        elif part is not None:
            parts[position] = wrapped(part, array.shape[dimension] if dimension < array.ndim else 0)
            dimension += 1
    return tuple(parts)


def is_mask(part: Any) -> bool:
    return hasattr(part, "dtype") and part.dtype == np.bool_


def wrapped(part: Any, length: int) -> Any:
    """Wraps the indices of an array around, as CuPy does; a number that is out of range raises later."""
    if isinstance(part, ndarray):
        if not part.ndim and part.base is None and part.dtype.kind not in "iu":
            raise IndexError("arrays used as indices must be of integer or boolean type.")
        return part.cells.astype(np.intp) % length if length else part.cells
    if isinstance(part, (np.ndarray, list)):
        return np.asarray(part) % length if length else np.asarray(part, np.intp)
    return part


def wait_for_masks(index: Any) -> None:
    """Waits for masks, whose number of True the shape of a result depends on."""
    if any(map(is_mask, index if isinstance(index, tuple) else (index,))):
        waits("mask")


def getitem(array: ndarray, index: Any):
    wait_for_masks(index)
    parts = prepared(array, index)
    if is_basic(parts):
        cells = array.cells[(*parts, ...)] if Ellipsis not in parts else array.cells[parts]
        return seen(array, cells)
    sources = [each for each in (index if isinstance(index, tuple) else (index,)) if isinstance(each, ndarray)]
    return launch(lambda cells, *_: cells[prepared(array, index)], (array, *sources), {})


def setitem(array: ndarray, index: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        if not (type(index) is slice and index == slice(None)):
            raise TypeError(f"Unsupported type {np.ndarray}")
        if value.dtype != array.dtype or value.shape != array.shape:
            raise ValueError(
                "copying a numpy.ndarray to a cupy.ndarray by empty slice assignment must ensure arrays have same "
                "shape and dtype"
            )
    wait_for_masks(index)
    values = value.cells if isinstance(value, ndarray) else value
    parts = prepared(array, index)
    np.broadcast_to(values, array.cells[parts].shape)  # an error is raised here, not when the work is run
    if isinstance(value, ndarray):
        streams.read([value.cells])
    write(lambda: array.cells.__setitem__(prepared(array, index), values), array)
