"""Several runs of a model as one: arguments of calls that differ are numbers that depend on sizes."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from rushlight.core.origin import Place, is_ours
from rushlight.core.traced import NO_RANDOMNESS
from rushlight.export.sizes import varying
from rushlight.graph.trace import Array, Left, Ref

WRAPPERS = (
    "_call_impl",
    "_wrapped_call_impl",
    "forward",
    "offering",
    "wrapper",
    "__call__",
)  # functions without a name


class Mismatch(Exception):
    """The runs differ in more than numbers."""

    def __init__(self, place: Place | None = None):
        self.place = place


def merged_value(values: list) -> Any:
    """Returns an argument in all runs as one."""
    first = values[0]
    if any([type(value) is not type(first) for value in values]):
        raise Mismatch
    if type(first) in (Ref, Array, Left, str, bool, type(None), type(...)):
        if any([value != first for value in values]):
            raise Mismatch
        return first
    if isinstance(first, tuple | list):
        return merged_items(values)
    if isinstance(first, slice):
        return slice(*[merged_value([getattr(x, name) for x in values]) for name in ("start", "stop", "step")])
    if type(first) in (int, float):
        return varying(values)
    return first


def merged_items(values: list) -> Any:
    """Returns sequences in all runs as one; those with an element for each position may differ in length."""
    lengths = {len(value) for value in values}
    kind = list if isinstance(values[0], list) else tuple
    if len(lengths) == 1:
        return kind([merged_value(list(each)) for each in zip(*values, strict=True)])
    if all([value and all([type(each) is int and each == value[0] for each in value]) for value in values]):
        return Repeated(varying([value[0] for value in values]), varying([len(value) for value in values]))
    raise Mismatch


class Repeated(NamedTuple):
    """A sequence of equal numbers whose length may change: the batch sizes of the steps of a recurrent layer."""

    item: Any
    length: Any


def is_draw(error: RuntimeError) -> bool:
    """Whether an error says that a recorded run draws random numbers."""
    return str(error) == NO_RANDOMNESS or str(error).startswith("vmap: we do not yet support")


def place_of_error(error: BaseException) -> str:
    """Returns ", in operator() at the line of the program (`text`)" of an error that an operator of ours raised."""
    frames = traceback.extract_tb(error.__traceback__)
    last = max([number for number, frame in enumerate(frames) if not is_ours(frame.filename)], default=None)
    if last is None:
        return ""
    called = [frame.name for frame in frames[last + 1 :] if frame.name not in WRAPPERS]
    line = f"{frames[last].filename}:{frames[last].lineno} (`{frames[last].line}`)"
    return f", in {called[0].strip('_')}() at {line}" if called else f", at {line}"
