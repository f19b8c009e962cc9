"""Whole safetensors files from those that several processes have saved, under PyTorch's names."""

from __future__ import annotations

from typing import Any

from rushlight.distributed.barriers import barrier
from rushlight.distributed.checkpoint.hf_storage import HuggingFaceStorageReader, consolidate, file_name, write_index
from rushlight.distributed.state import get_rank, get_world_size, is_initialized

__all__ = ["consolidate_safetensors_files", "consolidate_safetensors_files_on_every_rank"]


def consolidate_safetensors_files(
    input_dir: str, output_dir: str, fqn_to_index_mapping: dict[str, int], num_threads: int = 1
) -> None:
    """Makes whole tensors of the parts in a folder, and writes them and their index to another.

    The mapping says in which file, from 1 on, a tensor is. `num_threads` changes nothing.
    """
    consolidate(input_dir, output_dir, fqn_to_index_mapping)


def consolidate_safetensors_files_on_every_rank(
    input_dir: str,
    output_dir: str,
    fqn_to_index_mapping: dict[str, int],
    num_threads: int = 1,
    process_group: Any = None,
) -> None:
    """Does the same in all processes of a group: each writes some of the files, and the first one the index."""
    rank, size = (get_rank(process_group), get_world_size(process_group)) if is_initialized() else (0, 1)
    numbers = set(fqn_to_index_mapping.values())
    consolidate(input_dir, output_dir, fqn_to_index_mapping, [each for each in numbers if each % size == rank])
    if rank == 0:
        entries = HuggingFaceStorageReader(input_dir).entries()
        names = {name: file_name(number, max(numbers)) for name, number in fqn_to_index_mapping.items()}
        write_index(output_dir, entries, {name: file for name, file in names.items() if name in entries})
    if is_initialized():
        barrier(process_group)
