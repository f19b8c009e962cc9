"""Copies containers of a dataset with other entries."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence


def like_mapping(source: Mapping, entries: dict):
    """Returns a mapping of the type of `source`, with its attributes if it can be copied; else a dict."""
    try:
        if not isinstance(source, MutableMapping):
            return type(source)(entries)  # type: ignore[call-arg]
        clone = copy.copy(source)
        clone.update(entries)
        return clone
    except TypeError:  # its constructor, or `update`, has another signature
        return entries


def like_sequence(source: Sequence, items: list):
    """Returns a sequence of the type of `source`, with its attributes if it can be copied; else a list."""
    try:
        if not isinstance(source, MutableSequence):
            return type(source)(items)  # type: ignore[call-arg]
        clone = copy.copy(source)
        for index, item in enumerate(items):
            clone[index] = item
        return clone
    except TypeError:  # as for ranges, and arrays of numbers
        return items


def is_named_tuple(value) -> bool:
    """Whether a value is a namedtuple, whose constructor takes its entries one by one."""
    return isinstance(value, tuple) and hasattr(value, "_fields")
