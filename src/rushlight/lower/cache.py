"""Object code on disk, so that the second process that needs a kernel does not compile it.

An entry is one file: the checksum of its name and of what follows, then that. It is written beside its place and
renamed, so that concurrent processes see a whole file or none; one whose checksum does not agree is as good as none, be
it cut short or another's under this name. Whatever the disk refuses, a program goes on without.
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
UNFINISHED = "."  # how files begin that are being written
ABANDONED = 3600  # seconds after which nobody writes there any more


def folder() -> Path:
    """Where entries are kept: RUSHLIGHT_CACHE, or the platform's folder for what can be made again.

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
    # What is not absolute is to be ignored (XDG Base Directory Specification).
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "rushlight"


def key_of(*parts: str) -> str:
    """The name of an entry: a digest of everything that its content follows from."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def checksum(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + content).digest()


def read(key: str) -> bytes | None:
    """The content of an entry; None if there is none, or a damaged one."""
    try:
        found = (folder() / key).read_bytes()
    except (OSError, RuntimeError):
        return None
    content = found[SIZE:]
    return content if checksum(key, content) == found[:SIZE] else None


def write(key: str, content: bytes) -> None:
    """Keeps an entry; where the folder cannot be written to, nothing is kept."""
    with contextlib.suppress(OSError, RuntimeError):
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        sweep(place)
        # Whoever may read the folder may read the file: an image is built by one user and run by another.
        begun = place / f"{UNFINISHED}{os.urandom(8).hex()}"
        try:
            with begun.open("xb") as file:
                file.write(checksum(key, content) + content)
            begun.replace(place / key)
        finally:
            begun.unlink(missing_ok=True)


@functools.cache
def sweep(place: Path) -> None:
    """Once in a process, removes what writers have left that came to a sudden end."""
    for each in place.glob(f"{UNFINISHED}*"):
        with contextlib.suppress(OSError):
            if each.stat().st_mtime < time.time() - ABANDONED:
                each.unlink()
