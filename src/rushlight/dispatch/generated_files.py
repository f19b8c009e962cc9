"""The files of `_generated/` on disk: whether they are stale, and writing them so that nobody reads half a file.

`digest.txt` beside them says what they were written from and what was written: the sources and the files are compared
with it by their hashes, which takes a few milliseconds. This module imports nothing of the package, so that it can be
asked before anything is generated.
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
# What the text depends on: the declarations, the generator, and the names that both find in the layers below.
SOURCES = ("core", "arrays", "declarations", "dispatch")


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def source_digest(package: Path) -> str:
    """One hash of every Python file that the generated text may depend on."""
    paths = sorted(path for folder in SOURCES for path in package.joinpath(folder).rglob("*.py"))
    lines = [f"{path.relative_to(package).as_posix()} {digest_of(path.read_bytes())}" for path in paths]
    return digest_of("\n".join(lines).encode())


def is_fresh(package: Path = PACKAGE) -> bool:
    """Whether the files are there, unchanged, and written from the sources as they are."""
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
    """The files that are missing, or are not what would be written."""
    return [name for name, text in texts.items() if read(FOLDER / name) != text.encode()]


def read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def refresh(sources: Callable[[], dict[str, str]]) -> list[str]:
    """Writes what is stale, one process at a time; returns the names.

    Who comes while another process writes waits for it, and finds fresh files. The digest is removed first and written
    last: a process that is killed leaves files that are seen to be stale.
    """
    with locked(FOLDER / ".lock"):
        if is_fresh():
            return []
        FOLDER.joinpath(DIGEST).unlink(missing_ok=True)
        texts = sources()
        names = stale_names(texts)
        for name in names:
            write(FOLDER / name, texts[name])
        for path in FOLDER.glob("*.py"):  # of a family that is no more
            if path.name not in texts and path.name != "__init__.py":
                path.unlink()
        digests = [f"{name} {digest_of(text.encode())}" for name, text in texts.items()]
        write(FOLDER / DIGEST, "\n".join([source_digest(PACKAGE), *digests, ""]))
        return names


def write(path: Path, text: str) -> None:
    """Replaces a file at once: a reader sees the old text or the new one."""
    begun = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        begun.write_bytes(text.encode())
        begun.replace(path)
    finally:
        begun.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds a lock between processes, which the system releases when its holder ends."""
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
