"""The memory that a tensor and its views share, and the count of writes to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.clock import LAST_WRITE, mark_write
from rushlight.core.errors import noted
from rushlight.core.fast_new import maker_of
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.source_lines import NOTING, note_writes
from rushlight.core.tables import enter, objects


class Storage:
    """One piece of memory. Made once per result, so its fields are class defaults until they are needed.

    `version` counts the writes; a value saved for backward remembers it and is refused when it has moved on.
    `rewritten` is set once a write has changed the history of the memory: from then on views ask for their newest edge.
    `memory` is the array that holds all of it, where that is not simply the owner of the tensor's array. `inference`
    marks memory made in inference mode, which has no version; `borrowed` memory that belongs to another library and
    cannot grow.
    """

    __slots__ = ("__dict__", "__weakref__", "version")

    version: int
    rewritten = False
    memory = None
    inference = False
    cut: tuple = ()  # (array, time) of results that were detached in place
    borrowed = False
    last: tuple | None = None  # the last write as (version, (code, instruction), operation); see `core.source_lines`
    writes: tuple = ()  # the last ones, as (version, place, operation), where lines are recorded

    def __init__(self):
        self.version = 0

    def written(self) -> None:
        """Counts a write."""
        self.version += 1
        mark_write(None)

    def cut_off(self, array) -> None:
        """Notes that a result, of this array, was detached in place: older nodes that saved it lead nowhere."""
        mark_write(None)
        self.cut = (*(pair for pair in self.cut if pair[0] is not array), (array, LAST_WRITE.tick))


class AnyStorage:
    """What the storages that programs see have in common: `torch.is_storage` is true of them."""

    dtype: Any  # of a typed one


new_storage = maker_of(Storage)  # quicker, but whoever makes one fills in the version


def count_writes(storages: list, by: str = "step") -> None:
    """Counts one write to each storage, all at the same time of the clock, by an optimizer or another method."""
    if {type(storage) for storage in storages} != {Storage}:
        storages = [storage for storage in storages if not storage.inference]
    for storage in storages:
        storage.version += 1
    mark_write(None)
    if NOTING:
        note_writes(storages, 1, by)


enter(objects, {"count_writes": count_writes})


class InferenceStorage(Storage):
    """Memory made in inference mode: it counts no writes, so what it holds cannot be saved for backward."""

    inference = True

    def __init__(self):
        """There is no version to begin with."""

    @property
    def version(self) -> int:  # type: ignore[override]  # there is none to read
        raise noted(
            RuntimeError(
                "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
                "in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor "
                "and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
            ),
            "tensor.clone() outside inference_mode gives an ordinary tensor.",
        )

    def written(self) -> None:
        """Counts nothing."""


def owner(array):
    """The array that owns the memory of `array`, seen through views of plain arrays."""
    while type(array.base) is type(array):
        array = array.base
    return array


def flat(root: np.ndarray) -> np.ndarray:
    """Memory as one dimension, in its own order, without copying."""
    if root.flags.c_contiguous:
        return root.reshape(-1)
    if root.flags.f_contiguous:
        return root.T.reshape(-1)
    order = np.argsort([-step for step in root.strides], kind="stable")
    return root.transpose(order).reshape(-1, copy=False)


def address(array) -> int:
    """The address of the first element of a raw array, or of the memory that owns it."""
    if isinstance(array, np.ndarray):
        return array.__array_interface__["data"][0]
    return address(array.array) if type(array) is Unresolved else id(array)
