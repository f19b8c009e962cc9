"""Copies the contents of a batch to pinned memory, from which a GPU can copy asynchronously."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rushlight.utils.data.nested import is_named_tuple, like_mapping, like_sequence


def pin_memory(data, device=None):
    """Pins every tensor of a batch, and every object with a method `pin_memory`; containers are kept."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return like_mapping(data, {key: pin_memory(value, device) for key, value in data.items()})
    if isinstance(data, Sequence):
        items = [pin_memory(item, device) for item in data]
        return type(data)(*items) if is_named_tuple(data) else like_sequence(data, items)
    return data
