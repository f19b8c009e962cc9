"""Resampling along the last dimensions of raw arrays: every new position is a weighted sum of a few old ones.

The indices and weights of a dimension are (new size, taps), indices in ascending order along the first; dimensions are
processed one after the other. Cubic convolution with a = -0.75: Keys, 1981. Antialiasing filters: Turkowski, "Filters
for common resampling tasks", 1990.
"""

from functools import lru_cache

import numpy as np

from rushlight.core.tables import primitive

CUBIC = -0.75
CUBIC_WIDE = -0.5  # for antialiased downsampling, PyTorch follows PIL


@primitive
def resampled(array, settings):
    """Returns `array` at new positions: `settings` holds, for each of the last dimensions, the arguments of `taps`.

    >>> resampled(np.array([0.0, 1.0]), [(2, 4, "linear", False, None, np.float64)])
    array([0.  , 0.25, 0.75, 1.  ])
    """
    for axis, setting in enumerate(settings, array.ndim - len(settings)):
        total = None
        for indices, weights in columns(axis, array.ndim, *setting):
            part = array.take(indices, axis)
            if weights is not None:
                part = part * weights
            total = part if total is None else total + part
        array = total
    return array


def resampled_bytes(array, settings):
    """`resampled` of integers, rounded after each dimension, the last one first, with fixed-point weights.

    The precision is the highest at which the largest weight fits into 16 bits, as in PIL. The products are integers
    that float64 holds exactly, so BLAS may add them.
    """
    info = np.iinfo(array.dtype)
    for axis in reversed(range(array.ndim - len(settings), array.ndim)):
        size, new_size, *_ = settings[axis - array.ndim]
        indices, weights = taps(*settings[axis - array.ndim])
        matrix = np.zeros((new_size, size))
        np.add.at(matrix, (np.arange(new_size)[:, None], indices), 1.0 if weights is None else weights)
        precision = 0
        while precision < 22 and int(0.5 + matrix.max() * (1 << (precision + 1))) < 1 << 15:
            precision += 1
        matrix = np.trunc(matrix * (1 << precision) + np.copysign(0.5, matrix))
        total = np.moveaxis(array, axis, -1).astype(np.float64) @ matrix.T + (1 << precision >> 1)
        exact = np.floor(total / (1 << precision)).clip(info.min, info.max)
        array = np.moveaxis(exact.astype(array.dtype), -1, axis)
    return np.ascontiguousarray(array)


@primitive
def resampled_input(grad, settings):
    """The transpose of `resampled`.

    >>> resampled_input(np.ones(4), [(2, 4, "linear", False, None, np.float64)])
    array([2., 2.])
    """
    for axis, setting in enumerate(settings, grad.ndim - len(settings)):
        weights, total = taps(*setting)[1], None
        for tap, (reached, starts, run) in enumerate(runs(*setting)):
            part = grad if weights is None else grad * along(weights[:, tap], axis, grad.ndim)
            if run and total is None:
                total = sums_of_runs(part, run, axis)
                continue
            if total is None:
                total = np.zeros((*grad.shape[:axis], setting[0], *grad.shape[axis + 1 :]), grad.dtype)
            if len(reached):
                total[(slice(None),) * axis + (reached,)] += np.add.reduceat(part, starts, axis, grad.dtype)
        grad = total
    return grad


FEW = 8  # runs up to this length are added one position after the other: NumPy's reduceat has more overhead


def sums_of_runs(array, run, axis):
    """The sums of `run` neighbours along an axis."""
    parts = [(slice(None),) * axis + (slice(begin, None, run),) for begin in range(run)]
    total = array[parts[0]] + array[parts[1]]
    for part in parts[2:]:
        total += array[part]
    return total


@lru_cache(maxsize=256)
def runs(size, new_size, *settings):
    """Returns for each tap the indices that are read, where the run of new positions that read each begins, and the
    length of all runs, if they are equally long, short, and read every index.
    """
    result = []
    for column in taps(size, new_size, *settings)[0].T:
        reached, starts = np.unique(column, return_index=True)
        run = new_size // size if size and len(reached) == size else 0
        even = 1 < run <= FEW and run * size == new_size and np.array_equal(starts, np.arange(0, new_size, run))
        result.append((reached, starts, run if even else 0))
    return result


def along(values, axis, rank):
    return values.reshape(-1, *[1] * (rank - 1 - axis))


@lru_cache(maxsize=256)
def columns(axis, rank, *settings):
    """Returns the indices and weights of each tap, shaped for `take` and multiplication along an axis."""
    indices, weights = taps(*settings)
    return [
        (np.ascontiguousarray(column), None if weights is None else along(weights[:, tap].copy(), axis, rank))
        for tap, column in enumerate(indices.T)
    ]


@lru_cache(maxsize=256)
def taps(size, new_size, kind, align_corners, factor, dtype):
    """Indices and weights of a dimension; no weights if each index counts alone. `factor` is the requested scale."""
    step = spacing(size, new_size, align_corners, factor, dtype)
    at = np.arange(new_size).astype(dtype)
    if kind in ("nearest", "nearest-exact"):
        source = at * step if kind == "nearest" else (at + dtype(0.5)) * step
        return np.minimum(np.floor(source.astype(np.float32)).astype(np.int64), size - 1)[:, None], None
    if size == new_size and (kind == "linear" or kind.startswith("wide")):
        return np.arange(size)[:, None], None
    if kind.startswith("wide"):
        return wide_taps(size, new_size, kind.removeprefix("wide-"), step, dtype)
    source = at * step if align_corners else (at + dtype(0.5)) * step - dtype(0.5)
    if kind == "linear":
        source = np.maximum(source, dtype(0))
        first = np.minimum(np.floor(source).astype(np.int64), size - 1)
        share = (source - first.astype(dtype)).clip(0, 1)
        return np.stack((first, np.minimum(first + 1, size - 1)), 1), np.stack((1 - share, share), 1)
    first = np.floor(source).astype(np.int64)
    distance = source - first.astype(dtype)
    offsets = np.arange(-1, 3)
    weights = cubic(np.abs(distance[:, None] - offsets.astype(dtype)), dtype(CUBIC))
    return (first[:, None] + offsets).clip(0, size - 1), weights


def spacing(size, new_size, align_corners, factor, dtype):
    """Returns the distance between new positions in the old dimension."""
    if align_corners:
        return dtype(size - 1) / dtype(new_size - 1) if new_size > 1 else dtype(0)
    return dtype(1 / factor) if factor is not None and factor > 0 else dtype(size) / dtype(new_size)


def wide_taps(size, new_size, kind, step, dtype):
    """A filter stretched over all positions that a step of more than 1 skips; its weights add up to 1."""
    reach, shape = {
        "linear": (1, lambda x: 1 - x),
        "cubic": (2, lambda x: cubic(x, dtype(CUBIC_WIDE))),
        "lanczos": (3, lambda x: np.sinc(x) * np.sinc(x / 3)),
    }[kind]
    stretch = np.maximum(step, dtype(1))
    centre = step * (np.arange(new_size).astype(dtype) + dtype(0.5))
    begin = np.maximum((centre - stretch * reach + dtype(0.5)).astype(np.int64), 0)
    end = np.minimum((centre + stretch * reach + dtype(0.5)).astype(np.int64), size)
    indices = begin[:, None] + np.arange(max(int(np.maximum.reduce(end - begin, None, initial=1)), 1))
    distance = np.abs((indices.astype(dtype) - centre[:, None] + dtype(0.5)) / stretch)
    weights = np.where((indices < end[:, None]) & (distance < reach), shape(distance), dtype(0))
    weights = weights / weights.sum(1, keepdims=True, dtype=dtype)
    last = np.maximum(end - 1, 0)[:, None]
    return np.minimum(indices, last), shared_at_the_end(weights, last - begin[:, None])


def shared_at_the_end(weights, last):
    """Splits the last valid weight of each row over the unused taps of the row.

    These taps all read the same index, so that no other is read: a weight of 0 would make NaN of an infinity. The
    powers of two add up to the weight exactly.

    >>> shared_at_the_end(np.array([[0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]]), np.array([[1], [3]]))
    array([[0.5  , 0.25 , 0.125, 0.125],
           [0.25 , 0.25 , 0.25 , 0.25 ]])
    """
    columns = np.arange(weights.shape[1])
    parts = np.minimum(columns - last + 1, weights.shape[1] - 1 - last)
    shares = np.ldexp(np.take_along_axis(weights, last, 1), -np.maximum(parts, 0))
    return np.where(columns >= last, shares, weights).astype(weights.dtype, copy=False)


def cubic(x, a):
    """Keys' kernel at distances 0 to 2."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0)).astype(x.dtype)
