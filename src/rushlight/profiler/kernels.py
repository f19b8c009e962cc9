"""Which function computes an operator now: one of NumPy, a formula of these, or a kernel that takes some calls over."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.tables import fast, forward, raw
from rushlight.declarations.declare import OPS
from rushlight.dispatch.plan import entry, plain
from rushlight.profiler.observed import OTHERWISE

OWN_NAMES = {name: own for own, name in OTHERWISE.items()}


def kernel_of(name: str) -> str:
    """Returns what computes an operator or a node, in a few words; nothing for other events.

    >>> kernel_of("aten::gelu").startswith(("NumPy formula", "kernel"))
    True
    """
    space, _, own = name.rpartition("::")
    if not space:
        return of_node(name)
    own = own if own in OPS else OWN_NAMES.get(own, own)
    if own not in OPS:
        own = own.removesuffix("_")
    for table in (fast, forward, raw):
        if callable(vars(table).get(own)):
            return in_words(table, own)
    return ""


def in_words(table: Any, name: str) -> str:
    """Returns what an entry of a table holds."""
    function = plain(table, name)
    known = getattr(function, "__name__", "")
    words = f"numpy.{known}" if known and getattr(np, known, None) is function else "NumPy formula"
    return words if entry(table, name) is function else f"kernel, or {words}"


def of_node(name: str) -> str:
    """Returns what computes the backward function of a node of an operator."""
    for op in OPS.values():
        for node in op.nodes:
            if node.__name__ == name:
                is_plain = entry(node, "backward") is plain(node, "backward")
                return "NumPy formula" if is_plain else "kernel, or NumPy formula"
    return ""
