"""Object code on disk, so that the second process that needs a kernel does not compile it.

An entry is one file: the checksum of what follows, then that. It is written beside its place and renamed, so that
concurrent processes see a whole file or none; one whose checksum does not agree is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from pathlib import Path

CHECKSUM = hashlib.sha256().digest_size


def folder() -> Path:
    """Where entries are kept: RUSHLIGHT_CACHE, or the platform's folder for what can be made again."""
    named = os.environ.get("RUSHLIGHT_CACHE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "rushlight" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rushlight"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rushlight"


def key_of(*parts: str) -> str:
    """The name of an entry: a digest of everything that its content follows from."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read(key: str) -> bytes | None:
    """The content of an entry; None if there is none, or a damaged one."""
    try:
        found = (folder() / key).read_bytes()
    except OSError:
        return None
    checksum, content = found[:CHECKSUM], found[CHECKSUM:]
    return content if hashlib.sha256(content).digest() == checksum else None


def write(key: str, content: bytes) -> None:
    """Keeps an entry; where the folder cannot be written to, nothing is kept."""
    with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: a user without a home
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(name, place / key)
        except OSError:
            os.unlink(name)
            raise
