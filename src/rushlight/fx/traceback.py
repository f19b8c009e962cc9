"""`torch.fx.traceback`: what new nodes take over from the node that is being run, and annotations of a program."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from rushlight.core.origin import is_ours

__all__ = [
    "annotate", "annotate_fn", "format_stack", "get_current_meta", "has_preserved_node_meta", "preserve_node_meta",
    "set_current_meta", "set_stack_trace",
]  # fmt: skip

# Values and shapes are not among them: the new node has its own.
TAKEN_OVER = (
    "stack_trace", "nn_module_stack", "torch_fn", "source_fn_stack", "original_aten", "recompute", "quantization_tag",
    "custom", "partitioner_tag", "ac_graph_id",
)  # fmt: skip


class State(threading.local):
    """The notes that new nodes get, and whether they get any, in each thread."""

    def __init__(self) -> None:
        self.meta: dict[str, Any] = {}
        self.preserved = False


STATE = State()


def has_preserved_node_meta() -> bool:
    """Whether new nodes take over notes."""
    return STATE.preserved


def get_current_meta() -> dict[str, Any]:
    """Returns the notes that new nodes get."""
    return {name: value for name, value in STATE.meta.items() if name in TAKEN_OVER}


@contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Within the block, new nodes take over the notes of the node that is being run."""
    before, meta = STATE.preserved, STATE.meta
    STATE.preserved, STATE.meta = enable, dict(meta)
    try:
        yield
    finally:
        STATE.preserved, STATE.meta = before, meta


@contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """Within the block, the notes of a node are those that new nodes get, where `preserve_node_meta` is on."""
    before = STATE.meta
    if STATE.preserved and node.meta:
        STATE.meta = dict(node.meta)
    try:
        yield
    finally:
        STATE.meta = before


def set_stack_trace(stack: list[str]) -> None:
    """Sets the stack trace that new nodes get."""
    if STATE.preserved and stack:
        STATE.meta["stack_trace"] = "".join(stack)


@contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Within the block, nodes get these values in `node.meta["custom"]`.

    >>> import rushlight as torch
    >>> def program(x):
    ...     with torch.fx.traceback.annotate({"part": "head"}):
    ...         return x + 1
    >>> with torch.fx.traceback.preserve_node_meta():
    ...     traced = torch.fx.symbolic_trace(program)
    >>> [node.meta.get("custom") for node in traced.graph.nodes]
    [None, {'part': 'head'}, None]
    """
    before = STATE.meta
    STATE.meta = {**before, "custom": {**before.get("custom", {}), **annotation_dict}}
    try:
        yield
    finally:
        STATE.meta = before


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable[[Callable], Callable]:
    """Decorates a function so that nodes of its calls are annotated."""

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def annotated(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return annotated

    return decorate


def format_stack() -> list[str]:
    """Returns the stack trace that new nodes get; without one, that of the caller."""
    if STATE.preserved:
        return [STATE.meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


def stack_of_program() -> list[traceback.FrameSummary]:
    """Returns the frames of the caller that are not in this package."""
    return [frame for frame in traceback.extract_stack() if not is_ours(frame.filename)]
