"""The memory that a tensor and its views share, and the count of writes to it."""

from __future__ import annotations


class Storage:
    """One piece of memory. Made once per result, so its fields are class defaults until they are needed.

    `version` counts the writes; a value saved for backward remembers it and is refused when it has moved on. `rewritten`
    is set once a write has changed the history of the memory: from then on views ask for their newest edge. `memory` is
    the array that holds all of it, where that is not simply the owner of the tensor's array. `inference` marks memory
    made in inference mode, which has no version.
    """

    version = 0
    rewritten = False
    memory = None
    inference = False


def owner(array):
    """The array that owns the memory of `array`, seen through views of plain arrays."""
    while type(array.base) is type(array):
        array = array.base
    return array
