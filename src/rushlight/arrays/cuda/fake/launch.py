"""How the fake CuPy runs a function: at once on the default stream, queued on another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.array import made, ndarray, seen, spoil

UNWARNED = np.errstate(all="ignore")  # a GPU does not report overflow or NaN


def cells_of(value: Any) -> Any:
    """Returns NumPy's arrays for those of the fake, in lists and tuples too."""
    if isinstance(value, ndarray):
        return value.cells
    if type(value) in (list, tuple):
        return type(value)(map(cells_of, value))
    return value


def arrays_in(value: Any) -> list[ndarray]:
    if isinstance(value, ndarray):
        return [value]
    return [x for each in value for x in arrays_in(each)] if type(value) in (list, tuple) else []


def launch(function: Callable, arguments: tuple, keywords: dict) -> Any:
    """Calls a function of NumPy's on arrays of the fake, and returns arrays of the fake."""
    stream = streams.current()
    stream.queue(nothing) if not stream.ptr else None
    function = UNWARNED(function)
    sources = arrays_in((arguments, list(keywords.values())))
    streams.read([source.cells for source in sources])
    arguments, keywords = cells_of(arguments), {name: cells_of(value) for name, value in keywords.items()}
    result = function(*arguments, **keywords)  # of a queued one, the shapes and dtypes
    wrapped = wrap(result, sources)
    if stream.ptr:
        owned = [x.cells for x in arrays_in(wrapped) if x.base is None]
        for cells in owned:
            spoil(cells) if stream.capture is None else cells.fill(0)  # not read before the launch; 0 is an index
        if owned:
            stream.queue(lambda: fill(owned, function(*arguments, **keywords), sources), owned)
    return wrapped


def nothing() -> None:
    """Work that does nothing: queued on the default stream it waits for the others."""


def fill(targets: list[np.ndarray], result: Any, sources: list[ndarray]) -> None:
    """Writes the results of a queued function into the arrays that were returned for them."""
    values = [x.cells for x in arrays_in(wrap(result, sources)) if x.base is None]
    for target, value in zip(targets, values, strict=True):
        np.copyto(target, value)


def write(function: Callable[[], object], target: ndarray) -> None:
    """Runs a function that writes into an array, or queues it."""
    streams.current().queue(UNWARNED(function), [target.cells])


def wrap(result: Any, sources: list[ndarray]) -> Any:
    """Returns results as arrays of the fake: views of a source where NumPy made one."""
    if isinstance(result, (np.ndarray, np.generic)):
        if isinstance(result, np.ndarray):
            for source in sources:
                if result.size and np.may_share_memory(result, source.cells):
                    return seen(source, result, ndarray)
        return made(result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(wrap(each, sources) for each in result))
    return type(result)(wrap(each, sources) for each in result) if isinstance(result, (tuple, list)) else result
