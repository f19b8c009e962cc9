"""`torch.PyTorchFileReader`: reads single records of a checkpoint."""

from __future__ import annotations

import os
from typing import IO

import numpy as np

from rushlight.core.dtype import dtype as Dtype
from rushlight.core.dtype import uint8
from rushlight.core.tensor import Tensor, wrap

from .archive import Archive

__all__ = ["PyTorchFileReader"]


class PyTorchFileReader:
    """Reads records of a file that `torch.save` wrote, from a path or an open file.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save(torch.ones(2), file)
    >>> reader = torch.PyTorchFileReader(file)
    >>> reader.get_storage_from_record("data/0", 8, torch.UntypedStorage).view(torch.float32)
    tensor([1., 1.])
    """

    def __init__(self, name_or_buffer: str | os.PathLike[str] | IO[bytes]) -> None:
        if isinstance(name_or_buffer, str | os.PathLike):
            path = os.fspath(name_or_buffer)
            try:
                self._file: IO[bytes] = open(path, "rb")  # noqa: SIM115  it stays open as long as the reader
            except OSError as error:
                raise RuntimeError(
                    f"open file failed because of errno {error.errno} on fopen: {error.strerror}, file path: {path}"
                ) from error
        else:
            self._file = name_or_buffer
        self._archive = Archive(self._file)

    def has_record(self, name: str) -> bool:
        return name in self._archive

    def get_all_records(self) -> list[str]:
        return [name.partition("/")[2] for name in self._archive.records]

    def get_record(self, name: str) -> bytes:
        return self._archive.read(name)

    def get_record_offset(self, name: str) -> int:
        """Returns the position in the file of a record's first byte."""
        return self._archive.range_of(name)[0]

    def get_record_size(self, name: str) -> int:
        return self._archive.range_of(name)[1]

    def get_storage_from_record(self, name: str, numel: int, dtype: Dtype | type) -> Tensor:
        """Returns a tensor on the memory of a record. With a dtype it has no elements and only holds the memory, as in
        PyTorch; with `torch.UntypedStorage` its elements are the first `numel` bytes.
        """
        content = np.empty(self.get_record_size(name), np.uint8)
        self._archive.read_into(name, content)
        memory = wrap(content)
        if isinstance(dtype, Dtype) and dtype is not uint8:
            return memory.view(dtype)[:0]
        return memory[:numel]

    def serialization_id(self) -> str:
        """Returns the identifier of a checkpoint."""
        return self.get_record(".data/serialization_id").decode()
