"""The files of `_generated/` on disk: tests whether they are stale, and replaces them atomically.

`digest.txt` has hashes of the sources and of the files written from them; comparing takes a few milliseconds. This
module imports nothing of the package, so that it works before anything is generated.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
    import msvcrt

PACKAGE = Path(__file__).resolve().parents[1]
FOLDER = PACKAGE / "_generated"
DIGEST = "digest.txt"
# The folders that the text depends on: declarations, generator, and the names that both import.
SOURCES = ("core", "arrays", "declarations", "dispatch")


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def source_digest(package: Path) -> str:
    """Returns one hash of all Python files that the generated text may depend on."""
    paths = sorted(path for folder in SOURCES for path in package.joinpath(folder).rglob("*.py"))
    lines = [f"{path.relative_to(package).as_posix()} {digest_of(path.read_bytes())}" for path in paths]
    return digest_of("\n".join(lines).encode())


def is_fresh(package: Path = PACKAGE) -> bool:
    """Returns whether the files exist, are unchanged, and were written from the present sources."""
    folder = package / "_generated"
    try:
        first, *lines = folder.joinpath(DIGEST).read_text("utf-8").splitlines()
        written = [line.rsplit(" ", 1) for line in lines]
        return first == source_digest(package) and all(
            digest_of(folder.joinpath(name).read_bytes()) == digest for name, digest in written
        )
    except (FileNotFoundError, ValueError):
        return False


def stale_names(texts: dict[str, str]) -> list[str]:
    """Returns the names of files that are missing or differ from their text."""
    return [name for name, text in texts.items() if read(FOLDER / name) != text.encode()]


def read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def refresh(sources: Callable[[], dict[str, str]]) -> list[str]:
    """Writes stale files under a lock; returns their names.

    A process that waits for the lock finds fresh files. The digest is removed first and written last, so that the
    files of a killed process count as stale.
    """
    with locked(FOLDER / ".lock"):
        if is_fresh():
            return []
        FOLDER.joinpath(DIGEST).unlink(missing_ok=True)
        texts = sources()
        names = stale_names(texts)
        for name in names:
            write(FOLDER / name, texts[name])
        for path in FOLDER.glob("*.py"):  # of a removed family
            if path.name not in texts and path.name != "__init__.py":
                path.unlink()
        digests = [f"{name} {digest_of(text.encode())}" for name, text in texts.items()]
        write(FOLDER / DIGEST, "\n".join([source_digest(PACKAGE), *digests, ""]))
        return names


def write(path: Path, text: str) -> None:
    """Replaces a file atomically: a reader sees the old text or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(text.encode())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds a lock between processes; the system releases it when the process ends."""
    with path.open("a+b") as file:
        if fcntl is None:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if fcntl is None:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
