"""Object code on disk, so that each kernel is compiled once per machine.

An entry is one file: the checksum of its name and content, then the content. It is written under a temporary name and
renamed, so that concurrent processes see a whole file or none; an entry whose checksum differs is ignored. Errors of
the disk are ignored too.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import time
from pathlib import Path

SIZE = hashlib.sha256().digest_size  # of a checksum
UNFINISHED = "."  # prefix of temporary files
ABANDONED = 3600  # seconds after which temporary files are removed


def folder() -> Path:
    """Returns the folder of the entries: RUSHLIGHT_CACHE, or the platform's cache folder.

    Raises RuntimeError for a user without a home.
    """
    named = os.environ.get("RUSHLIGHT_CACHE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "rushlight" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rushlight"
    named = os.environ.get("XDG_CACHE_HOME", "")
    # Relative paths are ignored (XDG Base Directory Specification).
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "rushlight"


def key_of(*parts: str) -> str:
    """Returns the name of an entry: a digest of everything that determines its content."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def checksum(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + content).digest()


def read(key: str) -> bytes | None:
    """Returns the content of an entry; None if it is missing or damaged."""
    try:
        data = (folder() / key).read_bytes()
    except (OSError, RuntimeError):
        return None
    content = data[SIZE:]
    return content if checksum(key, content) == data[:SIZE] else None


def write(key: str, content: bytes) -> None:
    """Writes an entry; does nothing if the folder is not writable."""
    with contextlib.suppress(OSError, RuntimeError):
        directory = folder()
        directory.mkdir(parents=True, exist_ok=True)
        sweep(directory)
        # Readable by others: an image may be built by one user and run by another.
        temporary = directory / f"{UNFINISHED}{os.urandom(8).hex()}"
        try:
            with temporary.open("xb") as file:
                file.write(checksum(key, content) + content)
            temporary.replace(directory / key)
        finally:
            temporary.unlink(missing_ok=True)


@functools.cache
def sweep(directory: Path) -> None:
    """Removes temporary files of processes that ended early, once per process."""
    for file in directory.glob(f"{UNFINISHED}*"):
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < time.time() - ABANDONED:
                file.unlink()
