"""Checkpoints as safetensors files, which Hugging Face's packages read: whole tensors, or the parts of each process.

A file of parts says in its metadata where each of them begins in the whole tensor. Names of files and metadata are
PyTorch's. The package `safetensors` is needed.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from rushlight.core.dtype import BY_NAME
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty
from rushlight.distributed.checkpoint.files import FileSystemReader, FileSystemWriter
from rushlight.serialization.safetensors import DTYPES, contents, save_file

__all__ = ["HuggingFaceStorageReader", "HuggingFaceStorageWriter"]

SUFFIX = ".safetensors"
INDEX = "model.safetensors.index.json"
SHARDED = "sharded"  # the folder of the parts, if whole tensors are made of them
PARTS = "DCP_SHARDING_INFO"


class HuggingFaceStorageWriter(FileSystemWriter):
    """Writes tensors as safetensors files into a folder, which is made. Raises ValueError for anything but tensors.

    Args:
        fqn_to_index_mapping: the number of the file, from 1 on, of each name; one file without it.
        save_distributed: each process writes a file of its parts. Without it one process saves whole tensors.
        enable_consolidation: whole tensors are made of the parts, which are in the folder `sharded`.
        thread_count, thread_count_consolidation: change nothing.
    """

    def __init__(
        self,
        path: str | os.PathLike,
        fqn_to_index_mapping: dict[str, int] | None = None,
        thread_count: int = 1,
        save_distributed: bool = False,
        enable_consolidation: bool = False,
        thread_count_consolidation: int = 1,
    ) -> None:
        self.whole_path = os.fspath(path)
        super().__init__(os.path.join(path, SHARDED) if enable_consolidation else path)
        self.fqn_to_index_mapping = fqn_to_index_mapping
        self.save_distributed, self.enable_consolidation = save_distributed, enable_consolidation

    def write(self, rank: int, values: Iterable[tuple[Any, Any]]) -> list[tuple[Any, dict[str, Any]]]:
        """Writes tensors, with their keys, to the files of a process; returns where each is."""
        numbers = self.fqn_to_index_mapping
        groups: dict[int, list[tuple[Any, Tensor]]] = {}
        for key, value in values:
            if not isinstance(value, Tensor):
                raise ValueError(f"safetensors files hold tensors only, and {key.fqn} is {type(value).__name__}")
            groups.setdefault(1 if numbers is None else numbers[key.fqn], []).append((key, value))
        last = 1 if numbers is None else max(numbers.values())
        positions = []
        for number, group in groups.items():
            name = file_name(number, last, rank + 1 if self.save_distributed else None)
            begins = {key.fqn: {"saved_offsets": list(key.offset or ())} for key, _ in group}
            metadata = {PARTS: json.dumps(begins), "DCP_VERSION": "1.0", "format": "pt"}
            tensors = {key.fqn: value.cpu().contiguous() for key, value in group}
            save_file(tensors, os.path.join(self.path, name), metadata)
            header, start, _ = contents(os.path.join(self.path, name))
            for key, value in group:
                at = start + header[key.fqn]["data_offsets"][0]
                positions.append((key, {"file": name, "at": at, "dtype": value.dtype.name, "shape": list(value.shape)}))
        return positions

    def finish(self, entries: dict[str, Any], rank: int | None = None) -> None:
        """Writes which file has which tensor; of parts, after whole tensors are made of them, or not at all."""
        if not self.save_distributed:
            write_index(self.path, entries, {name: entry["chunks"][0]["file"] for name, entry in entries.items()})
        elif self.enable_consolidation:
            consolidate(self.path, self.whole_path, self.fqn_to_index_mapping or dict.fromkeys(entries, 1))


class HuggingFaceStorageReader(FileSystemReader):
    """Reads tensors from the safetensors files in a folder: whole ones, or the parts that processes have saved."""

    def __init__(self, path: str | os.PathLike, thread_count: int = 1) -> None:
        super().__init__(path)

    def is_of_ranks(self, rank: int) -> bool:
        """Returns False: a process reads the files of all."""
        return False

    def entries(self, rank: int | None = None) -> dict[str, Any]:
        """Returns what is where, by name. Raises RuntimeError for a damaged file."""
        result: dict[str, Any] = {}
        for file in sorted(each for each in os.listdir(self.path) if each.endswith(SUFFIX)):
            header, start, metadata = contents(os.path.join(self.path, file))
            begins = json.loads(metadata[PARTS]) if PARTS in metadata else {}
            for name, each in header.items():
                shape = each["shape"]
                begin = begins[name]["saved_offsets"] if name in begins else [0] * len(shape)
                entry = result.setdefault(
                    name, {"path": [name], "dtype": DTYPES[each["dtype"]], "shape": [0] * len(shape), "chunks": []}
                )
                ends = [offset + length for offset, length in zip(begin, shape, strict=True)]
                entry["shape"] = list(map(max, entry["shape"], ends))
                chunk = {"file": file, "at": start + each["data_offsets"][0], "begin": begin, "shape": shape}
                if all(other["begin"] != begin for other in entry["chunks"]):  # several files may have a whole tensor
                    entry["chunks"].append(chunk)
        return result


def file_name(number: int, last: int, shard: int | None = None) -> str:
    """Returns the name of one of `last` files, of the parts of a process or of whole tensors."""
    part = "" if shard is None else f"shard-{shard:05}-"
    return f"{part}model-{number:05}-of-{last:05}{SUFFIX}"


def write_index(folder: str, entries: Mapping[str, Any], files: Mapping[str, str]) -> None:
    """Writes the file that says which file has which tensor."""
    sizes = [math.prod(entries[name]["shape"]) * BY_NAME[entries[name]["dtype"]].itemsize for name in files]
    with open(os.path.join(folder, INDEX), "w") as file:
        json.dump({"metadata": {"total_size": sum(sizes)}, "weight_map": dict(files)}, file, indent=2)


def consolidate(source: str, target: str, numbers: Mapping[str, int], mine: Iterable[int] | None = None) -> None:
    """Makes whole tensors of the parts in a folder. `numbers` says which file a tensor is written to.

    With `mine`, only the files of these numbers are written, and no index.
    """
    reader = HuggingFaceStorageReader(source)
    entries, last = reader.entries(), max(numbers.values())
    files: dict[int, list[str]] = {}
    for name, number in numbers.items():
        if name in entries:
            files.setdefault(number, []).append(name)
    for number in files if mine is None else sorted(files.keys() & set(mine)):
        tensors = {name: whole(reader, entries[name]) for name in files[number]}
        save_file(tensors, os.path.join(target, file_name(number, last)))
    if mine is None:
        write_index(target, entries, {name: file_name(numbers[name], last) for name in numbers if name in entries})


def whole(reader: HuggingFaceStorageReader, entry: dict[str, Any]) -> Tensor:
    """Returns a tensor that is put together from its parts."""
    result = empty(entry["shape"], dtype=BY_NAME[entry["dtype"]])
    for chunk in entry["chunks"]:
        ranges = zip(chunk["begin"], chunk["shape"], strict=True)
        result[tuple(slice(begin, begin + length) for begin, length in ranges)] = reader.chunk(entry, chunk)
    return result
