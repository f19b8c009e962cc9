"""The functions of the fake CuPy: the parameters that CuPy's have, arrays of the device only, NumPy's numbers."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rushlight.arrays.cuda.fake import pinned, streams
from rushlight.arrays.cuda.fake.array import ndarray, waits
from rushlight.arrays.cuda.fake.launch import arrays_in, cells_of, launch, wrap, write

FROM_CPU = frozenset(("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite"))
# What depends on the numbers, in shape or by an error: CuPy waits for them.
WAITING = frozenset(
    ("nonzero", "flatnonzero", "argwhere", "unique", "bincount", "extract", "array_equal", "allclose", "histogram",
     "cholesky", "inv", "solve", "eigh", "eigvalsh", "eig", "eigvals", "svd", "lstsq", "compress", "trim_zeros")
)  # fmt: skip
# Whose other arguments are not arrays of numbers: an array of the CPU there is taken for a list.
INDEXED = frozenset(("split", "array_split", "repeat", "transpose", "reshape", "pad"))


def signature_of(parameters: str) -> inspect.Signature:
    """Returns a signature that was recorded."""
    kind, result = inspect.Parameter.POSITIONAL_OR_KEYWORD, []
    for text in parameters.split():
        if text == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        name, default = text.strip("*="), None if text.endswith("=") else inspect.Parameter.empty
        stars = len(text) - len(text.lstrip("*"))
        special = {2: inspect.Parameter.VAR_KEYWORD, 1: inspect.Parameter.VAR_POSITIONAL}.get(stars)
        result.append(inspect.Parameter(name, special or kind, default=default))
        if special is inspect.Parameter.VAR_POSITIONAL:
            kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(result)


class Function:
    """A function of CuPy's, computed by NumPy's of that name unless `OWN` has one."""

    def __init__(self, name: str, compute: Callable, parameters: str):
        self.__name__, self.compute = name, compute
        self.signature = signature_of(parameters)

    def __call__(self, *args, **kwargs):
        try:
            self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.__name__}() {error}") from None
        blocking = kwargs.pop("blocking", False)
        if self.__name__ not in FROM_CPU:
            refuse_host(self.__name__, args, kwargs)
        elif args and not isinstance(args[0], ndarray):
            return self.from_cpu(args[0], blocking, *args[1:], **kwargs)
        if self.__name__ in WAITING:
            waits(self.__name__)
        if (out := kwargs.pop("out", None)) is not None:
            return written(self, args, kwargs, out)
        return launch(self.compute, args, kwargs)

    def from_cpu(self, value: Any, blocking: bool, *args: Any, **kwargs: Any) -> ndarray:
        """Copies numbers of the CPU at once, but for a queued copy of pinned memory.

        During a capture there are only numbers without dimensions, which CuPy gives to a kernel: for all others it
        queries an event.
        """
        if (capture := streams.current().capture) is not None:
            if arrays_in(value):
                return launch(self.compute, (value, *args), kwargs)
            if np.ndim(value):
                capture.refuse(907)
            array = wrap(self.compute(copied(value), *args, **kwargs), [])
            number = array.cells.copy()
            streams.current().queue(lambda: np.copyto(array.cells, number), [array.cells])
            return array
        if isinstance(value, np.ndarray) and value.ndim and pinned.is_memory_pinned(value.ctypes.data):
            array = pinned.queued_copy(lambda memory: self.compute(memory, *args, **kwargs), value)
            if blocking:
                streams.current().synchronize()
            return array
        if arrays_in(value):  # in a list
            streams.current().synchronize()
        return wrap(self.compute(copied(value), *args, **kwargs), [])  # new memory: no work needs to be done


def written(function: Function, args, kwargs, out: ndarray) -> ndarray:
    """The same into an array that was given."""
    result = launch(function.compute, args, kwargs)
    if out.shape != result.shape:
        raise ValueError("Out shape is mismatched")
    write(lambda: np.copyto(out.cells, result.cells, casting="same_kind"), out)
    return out


def copied(value: Any) -> Any:
    """Returns a copy of numbers of the CPU, so that the result has memory of its own."""
    return np.array(cells_of(value))


def refuse_host(name: str, args: tuple, kwargs: dict) -> None:
    """Raises TypeError for an array of the CPU."""
    for position, value in enumerate((*args, *kwargs.values())):
        parts = value if type(value) in (list, tuple) else (value,)
        if any(isinstance(part, np.ndarray) for part in parts) and not (position and name in INDEXED):
            raise TypeError(f"Unsupported type {np.ndarray}")


# ---- functions that are not NumPy's of that name


def as_cells(value: Any) -> Any:
    """Returns numbers of the CPU or of the fake as NumPy's: lists of arrays are stacked."""
    return np.asarray(value)


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0):
    return np.array(obj, dtype, copy=True, order=order or "K", ndmin=ndmin)


def asarray(a, dtype=None, order=None, *, copy=None):
    return np.asarray(a, dtype, order)


def where(condition, x=None, y=None):
    if x is None and y is None:
        return condition.nonzero()
    return np.where(condition, x, y)


def sort(a, axis=-1, kind=None):
    if not a.ndim:
        raise np.exceptions.AxisError("Sorting arrays with the rank of zero is not supported")
    return np.sort(a, axis, kind="stable")


def argsort(a, axis=-1, kind=None):
    return np.argsort(a, axis, kind="stable") if a.ndim else np.zeros((), np.intp)


def take(a, indices, axis=None):
    size, indices = a.size if axis is None else a.shape[axis], np.asarray(indices)
    if size and indices.dtype.kind in "iu":
        indices = np.mod(indices, size)  # which NumPy does in as many steps as indices are far, and garbage is far
    return np.take(a, indices, axis, mode="wrap")


def full(shape, fill_value, dtype=None, order="C"):
    return np.full(shape, fill_value, dtype, order)


def clip(a, a_min=None, a_max=None):
    return np.clip(a, a_min, a_max)


def norm(x, ord=None, axis=None, keepdims=False):
    return np.linalg.norm(x, ord, axis, keepdims)


def lexsort(keys):
    return np.lexsort(keys)


def as_strided(x, shape=None, strides=None):
    return np.lib.stride_tricks.as_strided(x, shape, strides)


class Errors(threading.local):
    """What each thread wants to hear of: CuPy looks at what cuSOLVER reports for "raise"."""

    linalg = "ignore"


ERRORS = Errors()


@contextmanager
def errstate(*, divide=None, over=None, under=None, invalid=None, linalg=None) -> Iterator[None]:
    """In the block, errors of linear algebra are raised or ignored; others are not implemented."""
    if not divide is over is under is invalid is None:
        raise NotImplementedError
    before, ERRORS.linalg = ERRORS.linalg, linalg or ERRORS.linalg
    try:
        yield
    finally:
        ERRORS.linalg = before


def converging(function: Callable) -> Callable:
    """Returns a function whose results are nan where NumPy's raises, unless the program wants to hear of it."""

    def compute(a, *args, **kwargs):
        try:
            return function(a, *args, **kwargs)
        except np.linalg.LinAlgError:
            if ERRORS.linalg == "raise":
                raise
        results = function(np.zeros_like(a), *args, **kwargs)
        if not isinstance(results, tuple):
            return np.full_like(results, np.nan)
        return type(results)(*(np.full_like(each, np.nan) for each in results))

    return compute


CONVERGING = {name: converging(getattr(np.linalg, name)) for name in ("svd", "eigh", "eigvalsh", "eig", "eigvals")}
OWN: dict[str, Callable] = {
    "array": array, "asarray": asarray, "where": where, "sort": sort, "argsort": argsort, "take": take,
    "full": full, "clip": clip, "as_strided": as_strided, **CONVERGING,
}  # fmt: skip


def copyto(dst, src, casting="same_kind", where=None) -> None:
    """Copies the numbers of an array or a scalar."""
    if isinstance(src, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    kind = src.dtype if hasattr(src, "dtype") else None
    if kind is not None and not np.can_cast(kind, dst.dtype, casting):
        raise TypeError(f"Cannot cast {kind} to {dst.dtype} in {casting} casting mode")
    source = src.cells if isinstance(src, ndarray) else src
    np.broadcast_to(source, dst.shape)
    mask = True if where is None else where.cells
    if isinstance(src, ndarray):
        streams.read([src.cells])
    write(lambda: np.copyto(dst.cells, source, casting="unsafe", where=mask), dst)


def put_along_axis(arr, indices, values, axis) -> None:
    streams.read([each.cells for each in arrays_in((indices, values))])
    write(lambda: np.put_along_axis(arr.cells, cells_of(indices), cells_of(values), axis), arr)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """Copies to the CPU."""
    return a.get(stream, order, out, blocking) if isinstance(a, ndarray) else np.asarray(a, order=order)


def result_type(*arrays_and_dtypes):
    return np.result_type(*(x.dtype if isinstance(x, ndarray) else x for x in arrays_and_dtypes))


def can_cast(from_, to, casting="safe"):
    return np.can_cast(from_.dtype if isinstance(from_, ndarray) else from_, to, casting)


def asked(function_: Callable) -> Callable:
    return lambda a: function_(a.cells if isinstance(a, ndarray) else a)


WHOLE: dict[str, Callable] = {
    "copyto": copyto, "put_along_axis": put_along_axis, "asnumpy": asnumpy, "result_type": result_type,
    "can_cast": can_cast, "errstate": errstate, "shape": asked(np.shape), "ndim": asked(np.ndim),
    "size": asked(np.size),
}  # fmt: skip
