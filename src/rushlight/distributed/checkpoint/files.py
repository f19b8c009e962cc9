"""The files of a checkpoint: a folder with one file of bytes per process, and `.metadata`, which says what is where.

`.metadata` is JSON and is written last, so a folder without it is not a checkpoint. Each value is

    {"path": [...], "dtype": "float32", "shape": [8, 4], "chunks": [{"file", "at", "begin", "shape"}, ...]}   a tensor
    {"path": [...], "value": 3}                                                                a number or a text
    {"path": [...], "file", "at", "length"}                                                    anything else, by `save`

Without collectives each process writes a file like `.metadata` for itself, which says where its own values are.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from rushlight.core.dtype import BY_NAME
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor, wrap
from rushlight.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorProperties,
    TensorStorageMetadata,
)
from rushlight.serialization import save as saved

__all__ = ["FileSystemReader", "FileSystemWriter"]

METADATA = ".metadata"
FORMAT = "rushlight checkpoint 1"
SIMPLE = (bool, float, int, str, type(None))


class FileSystemWriter:
    """Writes a checkpoint into a folder, which is made. Raises OSError if that fails.

    Each process writes one file, which is on the disk when `write` returns. So PyTorch's other settings, which say how
    and with how many threads files are written, change nothing.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
    ) -> None:
        self.path, self.overwrite = os.fspath(path), overwrite

    def start(self, rank: int | None = None) -> None:
        """Makes the folder. What is in it already is no checkpoint from now on, of a rank only without collectives."""
        os.makedirs(self.path, exist_ok=True)
        for each in {METADATA, metadata_of(rank)}:
            metadata = os.path.join(self.path, each)
            if os.path.exists(metadata):
                if not self.overwrite:
                    raise RuntimeError(f"Checkpoint already exists in {self.path} and overwrite is False.")
                with suppress(FileNotFoundError):  # another process has removed it
                    os.remove(metadata)

    def write(self, rank: int, values: Iterable[tuple[Any, Any]]) -> list[tuple[Any, dict[str, Any]]]:
        """Writes values, with their keys, to the file of a process: arrays as they are in memory, and bytes.

        Returns where each is. The file has its name once it is complete.
        """
        name = f"__{rank}_0.distcp"
        positions: list[tuple[Any, dict[str, Any]]] = []
        with open(os.path.join(self.path, name + ".part"), "wb") as file:
            for key, value in values:
                if type(value) in SIMPLE:
                    positions.append((key, {"value": value}))
                    continue
                at, more = file.tell(), dict[str, Any]()
                if isinstance(value, Tensor):
                    file.write(np.ascontiguousarray(value.cpu()._array).view(np.uint8).data if value.numel() else b"")
                    more = {"dtype": value.dtype.name, "shape": list(value.shape)}
                else:
                    file.write(value.getbuffer())
                    more = {"length": file.tell() - at}
                positions.append((key, {"file": name, "at": at, **more}))
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, os.path.join(self.path, name))
        return positions

    def finish(self, entries: dict[str, Any], rank: int | None = None) -> None:
        """Writes what is where, of a rank only without collectives."""
        path = os.path.join(self.path, metadata_of(rank))
        with open(path + ".part", "w") as file:
            json.dump({"format": FORMAT, "entries": entries}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".part", path)


class FileSystemReader:
    """Reads a checkpoint from a folder. Raises OSError or RuntimeError if there is none."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = os.fspath(path)

    def is_of_ranks(self, rank: int) -> bool:
        """Whether each process has written for itself, without collectives."""
        return not os.path.exists(os.path.join(self.path, METADATA)) and os.path.exists(
            os.path.join(self.path, metadata_of(rank))
        )

    def entries(self, rank: int | None = None) -> dict[str, Any]:
        """Returns what is where, by name, of a rank only without collectives."""
        with open(os.path.join(self.path, metadata_of(rank)), "rb") as file:
            text = file.read()
        try:
            content = json.loads(text)
        except ValueError:
            content = {}
        if content.get("format") != FORMAT:
            raise RuntimeError(
                f"{self.path} has no checkpoint that rushlight has written: PyTorch's have another format."
            )
        return content["entries"]

    def read_metadata(self) -> Metadata:
        """Returns what is in the checkpoint."""
        return metadata_from(self.entries())

    def chunk(self, entry: dict[str, Any], chunk: dict[str, Any]) -> Tensor:
        """Returns a part of a tensor; only what is used of it is read."""
        dtype = BY_NAME[entry["dtype"]].numpy
        shape = tuple(chunk["shape"])
        if 0 in shape:
            return wrap(np.empty(shape, dtype))
        path = os.path.join(self.path, chunk["file"])
        count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        raw = np.memmap(path, np.uint8, "r", chunk["at"], (count,))
        return wrap(np.asarray(raw).view(dtype).reshape(shape))

    def bytes_of(self, entry: dict[str, Any]) -> io.BytesIO:
        """Returns the bytes of a value that is no tensor."""
        if "value" in entry:
            saved(entry["value"], buffer := io.BytesIO())
            buffer.seek(0)
            return buffer
        with open(os.path.join(self.path, entry["file"]), "rb") as file:
            file.seek(entry["at"])
            return io.BytesIO(file.read(entry["length"]))


def metadata_of(rank: int | None) -> str:
    """Returns the name of the file that says where values are, of all processes or of one."""
    return METADATA if rank is None else f"__{rank}{METADATA}"


def metadata_from(entries: dict[str, Any]) -> Metadata:
    """Returns what is in a checkpoint as planners see it."""
    contents = {name: content_of(entry) for name, entry in entries.items()}
    return Metadata(contents, planner_data={name: tuple(entry["path"]) for name, entry in entries.items()})


def content_of(entry: dict[str, Any]) -> TensorStorageMetadata | BytesStorageMetadata:
    if "chunks" not in entry:
        return BytesStorageMetadata()
    chunks = [ChunkStorageMetadata(Size(chunk["begin"]), Size(chunk["shape"])) for chunk in entry["chunks"]]
    return TensorStorageMetadata(TensorProperties(BY_NAME[entry["dtype"]]), Size(entry["shape"]), chunks)
