"""The standard's functions that make arrays, where PyTorch has other parameters or another meaning.

https://data-apis.org/array-api/2024.12/API_specification/creation_functions.html
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rushlight._generated import functions as F
from rushlight.core.dtype import DEFAULTS
from rushlight.core.tensor import Tensor
from rushlight.create import construction, filled, from_data, ranges


def _size(shape: int | Sequence[int]) -> tuple:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def empty(shape: int | tuple[int, ...], *, dtype=None, device=None) -> Tensor:
    """An array of undefined values."""
    return filled.empty(_size(shape), dtype=dtype, device=device)


def zeros(shape: int | tuple[int, ...], *, dtype=None, device=None) -> Tensor:
    """Zeros of a shape."""
    return filled.zeros(_size(shape), dtype=dtype, device=device)


def ones(shape: int | tuple[int, ...], *, dtype=None, device=None) -> Tensor:
    """Ones of a shape."""
    return filled.ones(_size(shape), dtype=dtype, device=device)


def full(shape: int | tuple[int, ...], fill_value: complex, *, dtype=None, device=None) -> Tensor:
    """An array full of one number, whose kind gives the dtype."""
    return filled.full(_size(shape), fill_value, dtype=dtype, device=device)


def asarray(obj, /, *, dtype=None, device=None, copy: bool | None = None) -> Tensor:
    """An array of numbers, nested sequences, an array or a buffer, which keeps the dtype that the buffer names.

    `copy=True` copies always, None where it must, and False never: it raises ValueError where it would have to.
    """
    if not isinstance(obj, (Tensor, np.ndarray)) and _is_buffer(obj):
        obj = np.asarray(obj)
        if not obj.flags.writeable and copy is not False:
            obj = obj.copy()
    return from_data.asarray(obj, dtype=dtype, device=device, copy=copy)


def _is_buffer(value) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def arange(start, /, stop=None, step=1, *, dtype=None, device=None) -> Tensor:
    """Steps from `start`, 0 if only an end is given, up to `stop`; none where the step leads away from it."""
    if stop is None:
        start, stop = 0, start
    if (stop - start) * step < 0:
        stop = start + 0 * stop  # keeps the kind of the number, on which the dtype depends
    return ranges.arange(start, stop, step, dtype=dtype, device=device)


def linspace(start, stop, /, num: int, *, dtype=None, device=None, endpoint: bool = True) -> Tensor:
    """`num` points, equally spaced, from `start` to `stop`, which `endpoint=False` leaves out."""
    if dtype is None:
        dtype = DEFAULTS.complex if isinstance(start, complex) or isinstance(stop, complex) else DEFAULTS.floating
    points = ranges.linspace(start, stop, num if endpoint else num + 1, dtype=dtype, device=device)
    return points if endpoint else points[:num]


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype=None, device=None) -> Tensor:
    """Ones on the `k`-th diagonal, counted from the main one upwards."""
    size = (n_rows, n_rows if n_cols is None else n_cols)
    return construction.from_array(np.eye(*size, k, (dtype or DEFAULTS.floating).numpy), device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The lower triangles of matrices, up to the `k`-th diagonal."""
    return F.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The upper triangles of matrices, from the `k`-th diagonal."""
    return F.triu(x, k)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid, by default with the first along the columns; PyTorch's default is "ij"."""
    return list(F.meshgrid(*arrays, indexing=indexing)) if arrays else []
