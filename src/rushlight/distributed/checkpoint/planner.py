"""The interface of planners: which process writes and reads what.

save   set_up_planner -> create_local_plan -> create_global_plan (first process) -> finish_plan -> resolve_data each
load   set_up_planner -> create_local_plan -> create_global_plan (first process) -> finish_plan
       -> load_bytes each, resolve_tensor and commit_tensor each
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
)

__all__ = [
    "BytesIOWriteData", "LoadItemType", "LoadPlan", "LoadPlanner", "ReadItem", "SavePlan", "SavePlanner",
    "TensorWriteData", "WriteItem", "WriteItemType",
]  # fmt: skip


class WriteItemType(Enum):
    """A whole tensor, a part of a distributed one, or bytes."""

    TENSOR = auto()
    SHARD = auto()
    BYTE_IO = auto()


class LoadItemType(Enum):
    """Elements of a tensor, or bytes."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class BytesIOWriteData:
    """The number of bytes."""

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """A part, and the tensor of which it is one."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: Size


@dataclass(frozen=True)
class WriteItem:
    """One value, or one part of a tensor, that a process writes."""

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """Returns the bytes of the whole tensor; None if it is none."""
        if self.tensor_data is None:
            return None
        return self.tensor_data.size.numel() * self.tensor_data.properties.dtype.itemsize


@dataclass(frozen=True)
class ReadItem:
    """One value, or what a part in memory and a saved part have in common, that a process reads."""

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Size
    storage_index: MetadataIndex
    storage_offsets: Size
    lengths: Size


@dataclass(frozen=True)
class SavePlan:
    """What a process writes. `planner_data` goes to the first process with it."""

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclass
class LoadPlan:
    """What a process reads."""

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(ABC):
    """Decides what is saved: `DefaultSavePlanner` has all methods, to be overridden one by one."""

    @abstractmethod
    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:
        """Takes the state to be saved."""

    @abstractmethod
    def create_local_plan(self) -> SavePlan:
        """Returns what this process has."""

    @abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Returns what each process is to write, from what each has; only the first process calls it."""

    @abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Returns what this process writes, from what the first one has decided."""

    @abstractmethod
    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """Returns the tensor or the bytes of an item."""


class LoadPlanner(ABC):
    """Decides what is loaded: `DefaultLoadPlanner` has all methods, to be overridden one by one."""

    @abstractmethod
    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Takes the state to be overwritten, and what is in the checkpoint."""

    @abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """Returns what this process needs."""

    @abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Returns what each process is to read; only the first process calls it."""

    @abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """Returns what this process reads."""

    @abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Takes a value that is no tensor."""

    @abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """Returns the tensor into which the elements of an item are written."""

    @abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """Is called when the elements are in the tensor that `resolve_tensor` returned."""
