"""Replaces a file atomically: writes a temporary file next to it, syncs it to disk, and renames it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Opens a file that replaces `path` if the block succeeds, and is deleted otherwise.

    A link keeps pointing to its file, which is replaced; a special file such as `/dev/null` is written directly. Raises
    RuntimeError, as PyTorch does, if the folder does not exist or `path` is a folder.
    """
    target = os.path.realpath(os.fsdecode(path))
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise _refusal(f"Parent directory {folder} does not exist.", f"Make it first: os.makedirs({folder!r}).")
    if os.path.isdir(target):
        raise _refusal(f"open file failed with strerror: Is a directory: {target}", "Name a file in this folder.")
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            yield file
        return
    temporary = f"{target}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    """Syncs the folder, so that the new name survives a power failure, on systems that can open folders."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refusal(message: str, repair: str) -> RuntimeError:
    error = RuntimeError(message)
    error.add_note(repair)
    return error
