"""The memory that a tensor and its views share, and its version counter."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.clock import LAST_WRITE, mark_write
from rushlight.core.errors import noted
from rushlight.core.fast_new import maker_of
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.source_lines import NOTING, note_writes
from rushlight.core.strides import extent, is_dense
from rushlight.core.tables import enter, objects


class Storage:
    """One piece of memory. Made once per result, so most fields are class defaults until they are set.

    `version` counts the writes; backward refuses a saved value if the version has changed. `rewritten` is set after a
    write that changed the history of the memory: from then on views look up their newest edge. `memory` is the array
    that covers all of it, if that is not the owner of the tensor's array. `inference` marks memory made in inference
    mode, which has no version; `borrowed` marks memory of another library, which cannot grow.
    """

    __slots__ = ("__dict__", "__weakref__", "version")

    version: int
    rewritten = False
    memory = None
    inference = False
    cut: tuple = ()  # (array, time) of results that were detached in place
    borrowed = False
    pinned = False  # whether a GPU can copy from it by itself; see `torch.Tensor.pin_memory`
    last: tuple | None = None  # the last write as (version, (code, instruction), operation); see `core.source_lines`
    writes: tuple = ()  # the last writes, as (version, place, operation), if lines are recorded

    def __init__(self):
        self.version = 0

    def written(self) -> None:
        """Counts a write."""
        self.version += 1
        mark_write(None)

    def cut_off(self, array) -> None:
        """Records that a result with this array was detached in place: older nodes that saved it lead nowhere."""
        mark_write(None)
        self.cut = (*(pair for pair in self.cut if pair[0] is not array), (array, LAST_WRITE.tick))


class AnyStorage:
    """Base class of the storages that programs see: `torch.is_storage` is true for them."""

    dtype: Any  # of a typed storage

    def _elements_for(self, dtype) -> Any:
        """Returns the memory as an array of a dtype, for `torch.tensor(storage)`."""
        raise NotImplementedError


new_storage = maker_of(Storage)  # faster than the class; the caller must set the version


def count_writes(storages: list, by: str = "step") -> None:
    """Counts one write to each storage, with one tick of the clock; `by` names the optimizer or method."""
    if {type(storage) for storage in storages} != {Storage}:
        storages = [storage for storage in storages if not storage.inference]
    for storage in storages:
        storage.version += 1
    mark_write(None)
    if NOTING:
        note_writes(storages, 1, by)


enter(objects, {"count_writes": count_writes})


class InferenceStorage(Storage):
    """Memory made in inference mode: it has no version, so its values cannot be saved for backward."""

    inference = True

    def __init__(self):
        """Sets no version."""

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
    """Returns the array that owns the memory of `array`, following views of the same array type."""
    while type(array.base) is type(array):
        array = array.base
    return array


def flat(root: np.ndarray) -> np.ndarray:
    """Returns memory as a 1-d view, in its own order."""
    if root.flags.c_contiguous:
        return root.reshape(-1)
    if root.flags.f_contiguous:
        return root.T.reshape(-1)
    if not is_dense(root):  # laid out by NumPy's as_strided
        return np.lib.stride_tricks.as_strided(root, (extent(root) // root.itemsize,), (root.itemsize,))
    order = np.argsort([-step for step in root.strides], kind="stable")
    return root.transpose(order).reshape(-1, copy=False)


def has_storage(array) -> bool:
    """Whether a raw array has memory of its own: that of a sample of `vmap` has not, at any level."""
    while (value := getattr(array, "value", None)) is not None:  # inside a transform
        if array.shown is None:
            return False
        array = value._array
    return True


def address(array) -> int:
    """Returns the address of the first element of a raw array, or of the memory that owns it."""
    if isinstance(array, np.ndarray):
        return array.__array_interface__["data"][0]
    if (shown := getattr(array, "shown", None)) is not None:
        return address(shown._array)
    if (pointer := getattr(getattr(array, "data", None), "ptr", None)) is not None:
        return pointer
    return address(array.array) if type(array) is Unresolved else id(array)
