"""Expands one value to all dimensions, and renames entries of states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(count, name="parse"):
    """Returns a function that makes a tuple of `count` from one value, and returns sequences as they are."""

    def parse(value):
        return tuple(value) if isinstance(value, Iterable) else (value,) * count

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Removes a prefix from names in a state, in place: `"module."` of a wrapped model, for the model itself.

    >>> state = {"module.weight": 1, "other": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> sorted(state)
    ['other', 'weight']
    """
    _without_prefix(state_dict, prefix)
    metadata = getattr(state_dict, "_metadata", {})
    if prefix.rstrip(".") in metadata:
        metadata[""] = metadata.pop(prefix.rstrip("."))
    _without_prefix(metadata, prefix)


def _without_prefix(entries: dict[str, Any], prefix: str) -> None:
    for name in [name for name in entries if name.startswith(prefix)]:
        entries[name[len(prefix) :]] = entries.pop(name)
