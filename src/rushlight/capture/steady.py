"""Tensors that come into a group from calls outside: another call may give them other sizes, or none at all.

Such a group is computed by its segment if the tensors are as they were, and call by call if not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rushlight.capture.calls import Call, Value, number_of
from rushlight.capture.grouping import Group
from rushlight.capture.paths import TensorMeta, meta_of
from rushlight.core.tensor import Tensor


def check_inputs(items: list, sample: Callable[[Any], Any]) -> None:
    """Has groups look at inputs that neither guards nor other groups fix; `sample` gives objects of the run."""
    steady: set[int] = set()
    for item in items:
        if type(item) is not Group:
            continue
        collected = [
            (at, meta_of(sample(each)))
            for at, each in enumerate(item.inputs)
            if type(each) is not Value and number_of(each) not in steady and isinstance(sample(each), Tensor)
        ]
        if collected:
            item.compiled = checking(item.compiled, item.plain, collected)
        else:
            steady |= item.numbers


def have_changed(calls: list[Call], inputs: Iterable[Any], sample: Callable[[Any], Any]) -> bool:
    """Whether an input has other sizes, or another history, than when the calls were made in the run."""
    seen: dict[Any, TensorMeta] = {}
    for call in calls:
        for expression, meta in call.seen.items():
            seen.setdefault(expression, meta)
    return any([each in seen and seen[each][:6] != meta_of(sample(each))[:6] for each in inputs])


def checking(compiled: Callable[..., list], plain: Callable[..., list], wanted: list[tuple[int, TensorMeta]]) -> Any:
    """Returns a function that calls one of two."""

    def call(*inputs: Tensor) -> list:
        for at, meta in wanted:
            if not isinstance(inputs[at], Tensor) or meta_of(inputs[at]) != meta:
                return plain(*inputs)
        return compiled(*inputs)

    return call
