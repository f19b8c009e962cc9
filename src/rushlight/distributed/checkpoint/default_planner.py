"""The planners that `save` and `load` use: everything in a nested state, by name; what several have, one writes."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty
from rushlight.distributed.checkpoint.contents import Part, flat, part_of, replaced
from rushlight.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.serialization import load as loaded
from rushlight.serialization import save as saved

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]


class DefaultSavePlanner(SavePlanner):
    """Saves all values of a state, each once.

    Without `flatten_state_dict` a dict or a list in the state is one value, which `torch.save` writes. What several
    processes have is written by the one with least to write, or the lowest with `dedup_save_to_lowest_rank`.
    `flatten_sharded_tensors`, `dedup_replicated_tensors` and `enable_plan_caching` change nothing.
    """

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:
        self.flatten_state_dict, self.dedup_save_to_lowest_rank = flatten_state_dict, dedup_save_to_lowest_rank
        self.state_dict: dict[str, Any] = {}
        self.mappings: dict[str, tuple] = {}

    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:
        """Takes the state to be saved."""
        self.state_dict, self.mappings = named(state_dict, self.flatten_state_dict)
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> SavePlan:
        """Returns an item for each value and each part that this process has."""
        items = [item for name, value in self.state_dict.items() if is_here(value) for item in [written(name, value)]]
        self.plan = SavePlan(items, planner_data=self.mappings)
        return self.plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Returns what each process writes. Raises ValueError if shapes or dtypes of parts of one tensor differ."""
        plans = shared_out(all_plans, self.dedup_save_to_lowest_rank)
        contents: dict[str, Any] = {}
        for item in (item for plan in plans for item in plan.items):
            add_to(contents, item)
        paths: dict[str, tuple] = {}
        for plan in plans:
            paths |= plan.planner_data or {}
        return plans, Metadata(contents, planner_data=paths)

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Returns the plan."""
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """Returns the tensor or the bytes of an item."""
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """Returns a value of the state, of a distributed tensor the part that is here."""
        value = self.state_dict[index.fqn]
        return part_of(value).values if isinstance(value, Tensor) else value

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """Returns what is written: tensors as they are, others as bytes by `torch.save`."""
        if write_item.type is not WriteItemType.BYTE_IO:
            return object
        saved(object, buffer := io.BytesIO())
        return buffer


class DefaultLoadPlanner(LoadPlanner):
    """Loads all values of a state, whose tensors are overwritten.

    `flatten_state_dict` is as it was saved. With `allow_partial_load` what the checkpoint lacks stays as it is.
    `flatten_sharded_tensors` changes nothing.
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ) -> None:
        self.flatten_state_dict, self.allow_partial_load = flatten_state_dict, allow_partial_load
        self.original_state_dict: dict[str, Any] = {}
        self.state_dict: dict[str, Any] = {}
        self.mappings: dict[str, tuple] = {}
        self.metadata: Metadata | None = None
        self.made: set[str] = set()  # tensors for which the state has something else in their place, such as None

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Takes the state to be overwritten, and what is in the checkpoint."""
        self.original_state_dict = state_dict
        self.state_dict, self.mappings = named(state_dict, self.flatten_state_dict)
        self.metadata, self.is_coordinator = metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """Returns what overlaps with the parts that this process has.

        Raises RuntimeError for a name that the checkpoint lacks, ValueError for another shape and for missing elements.
        """
        known = self.metadata.state_dict_metadata if self.metadata is not None else {}
        self.made = set()
        items: list[ReadItem] = []
        for name, value in self.state_dict.items():
            if name not in known:
                if self.allow_partial_load:
                    continue
                raise noted(
                    RuntimeError(f"Missing key in checkpoint state_dict: {name}."),
                    f"The checkpoint has {len(known)} names.",
                )
            if isinstance(content := known[name], TensorStorageMetadata) and not isinstance(value, Tensor):
                self.state_dict[name] = value = empty(content.size, dtype=content.properties.dtype)
                self.made.add(name)
            if is_here(value):
                items += needed(name, value, content)
        return LoadPlan(items)

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Returns the plans."""
        return global_plan

    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """Returns the plan."""
        return central_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Puts a value into the state."""
        self.put(read_item.dest_index.fqn, loaded(value, weights_only=True))

    def put(self, name: str, value: Any) -> None:
        """Replaces a value of the state."""
        replaced(self.original_state_dict, self.mappings.get(name, (name,)), value)

    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """Returns the elements of a tensor that are overwritten."""
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """Puts a tensor into the state that has something else in its place."""
        name = read_item.dest_index.fqn
        if name in self.made:
            self.put(name, self.state_dict[name])

    def lookup_tensor(self, index: MetadataIndex) -> Tensor:
        """Returns a tensor of the state, of a distributed one the part that is here."""
        return part_of(self.state_dict[index.fqn]).values

    def transform_tensor(self, read_item: ReadItem, tensor: Tensor) -> Tensor:
        """Returns the elements of a tensor that an item is about."""
        return tensor[slices(read_item.dest_offsets, read_item.lengths)]


def named(state: Mapping[str, Any], flattens: bool) -> tuple[dict[str, Any], dict[str, tuple]]:
    """Returns the values of a state by name, and their paths in it."""
    if not flattens:
        return dict(state), {name: (name,) for name in state}
    holding = list(flat(state))
    return {name: value for name, _, value in holding}, {name: path for name, path, _ in holding}


def is_here(value: Any) -> bool:
    """Whether this process is in the mesh of a distributed tensor; it has everything else."""
    return not isinstance(value, DTensor) or value.device_mesh.get_coordinate() is not None


def slices(begin: Size, lengths: Size) -> tuple[slice, ...]:
    """Returns the index of a part of a tensor."""
    return tuple(slice(at, at + length) for at, length in zip(begin, lengths, strict=True))


# ---- saving


def written(name: str, value: Any) -> WriteItem:
    """Returns the item of a value, or of the part of a tensor that is here."""
    if not isinstance(value, Tensor):
        return WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO)
    part = part_of(value)
    chunk = ChunkStorageMetadata(Size(part.begin), Size(part.values.shape))
    data = TensorWriteData(chunk, TensorProperties(value.dtype, value.requires_grad), Size(part.whole))
    kind = WriteItemType.SHARD if isinstance(value, DTensor) else WriteItemType.TENSOR
    return WriteItem(MetadataIndex(name, part.begin), kind, tensor_data=data)


def shared_out(plans: list[SavePlan], to_lowest: bool) -> list[SavePlan]:
    """Returns the plans with each part once: of those that have it, in that with least to write, or the first."""
    loads = [0] * len(plans)
    kept: list[list[WriteItem]] = [[] for _ in plans]
    holders: dict[tuple, list[tuple[int, WriteItem]]] = {}
    for rank, plan in enumerate(plans):
        for item in plan.items:
            sizes = None if item.tensor_data is None else item.tensor_data.chunk.sizes
            holders.setdefault((item.index, sizes), []).append((rank, item))
    for (_, sizes), holding in holders.items():
        if to_lowest or (sizes is not None and not sizes.numel()):
            rank, item = holding[0]
        else:
            rank, item = min(holding, key=lambda each: loads[each[0]])
        if item.tensor_data is not None:
            loads[rank] += item.tensor_data.chunk.sizes.numel() * item.tensor_data.properties.dtype.itemsize
        kept[rank].append(item)
    return [replace(plan, items=items) for plan, items in zip(plans, kept, strict=True)]


def add_to(contents: dict[str, Any], item: WriteItem) -> None:
    """Enters an item into what is in a checkpoint."""
    name, data = item.index.fqn, item.tensor_data
    own = BytesStorageMetadata() if data is None else TensorStorageMetadata(data.properties, data.size, [])
    known = contents.setdefault(name, own)
    if in_words(known) != in_words(own):
        raise ValueError(f"{name} has {in_words(own)} in one process, and {in_words(known)} in another")
    if data is not None:
        known.chunks.append(data.chunk)


def in_words(content: TensorStorageMetadata | BytesStorageMetadata) -> str:
    """Returns what must be the same in all processes."""
    if isinstance(content, BytesStorageMetadata):
        return "no tensor"
    return f"shape {tuple(content.size)} and dtype {content.properties.dtype}"


# ---- loading


def needed(name: str, value: Any, content: TensorStorageMetadata | BytesStorageMetadata) -> list[ReadItem]:
    """Returns what is read for a value: of a tensor all that the part here and the saved parts have in common."""
    if isinstance(content, BytesStorageMetadata):
        if isinstance(value, Tensor):
            raise ValueError(f"{name} is a tensor, and what was saved is none")
        nothing = Size((0,))
        return [ReadItem(LoadItemType.BYTE_IO, MetadataIndex(name), nothing, MetadataIndex(name), nothing, nothing)]
    part = part_of(value)
    if part.whole != tuple(content.size):
        raise ValueError(f"Size mismatch between saved {tuple(content.size)} and current: {part.whole} for {name}")
    items = [
        item for number, chunk in enumerate(content.chunks) if (item := common(name, part, chunk, number)) is not None
    ]
    if sum(item.lengths.numel() for item in items) < part.values.numel():
        raise noted(
            ValueError(f"The checkpoint has only some elements of {name} for this process."),
            "A checkpoint that was saved with use_collectives=False is loaded by the same processes, with the same "
            "placements.",
        )
    return items


def common(name: str, part: Part, chunk: ChunkStorageMetadata, number: int) -> ReadItem | None:
    """Returns what a part in memory and a saved one have in common."""
    here, there, lengths = [], [], []
    for own, length, other, size in zip(part.begin, part.values.shape, chunk.offsets, chunk.sizes, strict=True):
        begin, end = max(own, other), min(own + length, other + size)
        if begin >= end:
            return None
        here.append(begin - own)
        there.append(begin - other)
        lengths.append(end - begin)
    return ReadItem(
        LoadItemType.TENSOR, MetadataIndex(name, part.begin), Size(here),
        MetadataIndex(name, chunk.offsets, number), Size(there), Size(lengths),
    )  # fmt: skip
