"""Mapped memory: files, and memory without a name that processes share."""

from __future__ import annotations

import mmap
import os
import sys
import tempfile

import numpy as np

from rushlight.core.storage import owner


class Mapping(mmap.mmap):
    """A mapped file. `filename` is its path if writes reach it, `descriptor` that of a file without a name."""

    filename: str | None = None
    descriptor: int | None = None

    def __del__(self):
        if self.descriptor is not None:
            os.close(self.descriptor)


def mapping_of(memory) -> Mapping | None:
    """Returns the mapped file that an array of bytes is in, or None."""
    holder = owner(memory).base if isinstance(memory, np.ndarray) else None
    while isinstance(holder, memoryview):
        holder = holder.obj
        holder = owner(holder).base if isinstance(holder, np.ndarray) else holder
    return holder if isinstance(holder, Mapping) else None


def shared_memory(count: int) -> np.ndarray:
    """Returns zeros in memory that processes share: those forked from this one, and those that it is sent to.

    The memory has no name in the file system, so it is freed even if a process is killed.
    """
    if os.name != "posix":
        return np.frombuffer(Mapping(-1, max(count, 1)), np.uint8, count)
    descriptor = _file_without_name()
    os.ftruncate(descriptor, max(count, 1))
    return described_memory(descriptor, count)


def _file_without_name() -> int:
    if sys.platform == "linux":
        return os.memfd_create("rushlight", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def described_memory(descriptor: int, count: int) -> np.ndarray:
    """Returns the memory of a descriptor, which is closed when the memory is freed."""
    mapping = Mapping(descriptor, max(count, 1))
    mapping.descriptor = descriptor
    return np.frombuffer(mapping, np.uint8, count)


def mapped_file(path: str, shared: bool, count: int) -> np.ndarray:
    """Returns the first bytes of a mapped file. If `shared`, writes reach the file, which is created or extended.

    Raises RuntimeError if there is no such file or it is too short.
    """
    mode = "read-write" if shared else "read-only"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as error:
        raise RuntimeError(f"unable to open file <{path}> in {mode} mode: {error.strerror} ({error.errno})") from None
    try:
        size = os.fstat(descriptor).st_size
        if size < count and shared:
            os.ftruncate(descriptor, count)
        elif size < count:
            raise RuntimeError(f"file <{path}> size <{size}> is smaller than the required mapping size <{count}>")
        if not count:
            return np.empty(0, np.uint8)
        mapping = Mapping(descriptor, count, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    finally:
        os.close(descriptor)
    mapping.filename = path if shared else None
    return np.frombuffer(mapping, np.uint8, count)
