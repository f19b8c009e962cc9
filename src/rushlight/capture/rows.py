"""Rows of tensors that loops go through, also within `zip` and `enumerate`: parts of the list of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.capture.calls import Part, Result
from rushlight.capture.origins import INSIDE
from rushlight.capture.watch import Watched, Watcher
from rushlight.core.tensor import Tensor


class Rows(NamedTuple):
    """The rows of a tensor so far, and where the next one is in what an iterator gives."""

    number: int  # of the call that makes the list
    seen: list
    position: tuple[int, ...] = ()


def of_tensor(w: Watcher, state: Watched, tensor: Tensor) -> Rows:
    """Notes the list of all rows of a tensor."""
    state.boundary = True
    noted = w.note(list, [tensor], {}, pure=True)
    rows: list = []
    if noted is not INSIDE:
        w.samples[noted.number] = rows
    return Rows(noted.number, rows)


def inside(w: Watcher, state: Watched, function: Any, values: list) -> list[Rows]:
    """Returns the rows that `zip`, `enumerate` or `iter` of some values gives."""
    result: list[Rows] = []
    for at, value in enumerate(values, int(function is enumerate)):
        own = [of_tensor(w, state, value)] if isinstance(value, Tensor) else w.rows.get(id(value), [])
        result += own if function is iter else [each._replace(position=(at, *each.position)) for each in own]
    return result


def of_iterator(w: Watcher, state: Watched, function: Any, args: list) -> Callable[[Any], None]:
    """Notes the tensors that `zip`, `enumerate` or `iter` goes through."""
    collected = inside(w, state, function, args[:1] if function is enumerate else args)

    def done(value: Any) -> None:
        w.fresh(value)
        if collected:
            w.rows[id(value)] = collected

    return done


def taken(w: Watcher, iterator: Any, value: Any) -> None:
    """Notes the rows in what an iterator has given."""
    for rows in w.rows.get(id(iterator), ()):
        row = value
        for at in rows.position:
            row = row[at]
        if rows.number == INSIDE.number:
            w.made_inside(row)
            continue
        w.origin(row, Part(Result(rows.number), len(rows.seen)))
        rows.seen.append(row)
