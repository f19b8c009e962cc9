"""`torch.distributed.checkpoint`: states that several processes save together, and as many or others load.

https://docs.pytorch.org/docs/stable/distributed.checkpoint.html
"""

from rushlight.distributed.checkpoint import state_dict as state_dict
from rushlight.distributed.checkpoint import stateful as stateful
from rushlight.distributed.checkpoint.agreement import CheckpointException
from rushlight.distributed.checkpoint.background import async_save
from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.loading import load
from rushlight.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.planner import (
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
)
from rushlight.distributed.checkpoint.saving import save

__all__ = [
    "BytesStorageMetadata", "CheckpointException", "ChunkStorageMetadata", "DefaultLoadPlanner", "DefaultSavePlanner",
    "FileSystemReader", "FileSystemWriter", "LoadPlan", "LoadPlanner", "Metadata", "ReadItem", "SavePlan",
    "SavePlanner", "TensorStorageMetadata", "WriteItem", "async_save", "load", "save",
]  # fmt: skip
