"""Containers like the ones that a data set gives, with other entries."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence


def like_mapping(source: Mapping, entries: dict):
    """A mapping of the type of `source`, and with its attributes if it can be copied; else a dict."""
    try:
        if not isinstance(source, MutableMapping):
            return type(source)(entries)  # type: ignore[call-arg]
        clone = copy.copy(source)
        clone.update(entries)
        return clone
    except TypeError:  # its constructor, or its update, takes something else
        return entries


def like_sequence(source: Sequence, items: list):
    """A sequence of the type of `source`, and with its attributes if it can be copied; else a list."""
    try:
        if not isinstance(source, MutableSequence):
            return type(source)(items)  # type: ignore[call-arg]
        clone = copy.copy(source)
        for place, item in enumerate(items):
            clone[place] = item
        return clone
    except TypeError:  # as with ranges, and with arrays of numbers only
        return items


def is_named_tuple(value) -> bool:
    """Whether a value is a tuple with names, which is made of its entries one by one."""
    return isinstance(value, tuple) and hasattr(value, "_fields")
