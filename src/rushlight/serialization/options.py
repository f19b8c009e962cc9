"""Settings: byte order, checksums, memory mapping, and the allow-list of checkpoints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from typing import Any

if sys.platform == "win32":
    MAP_SHARED = MAP_PRIVATE = None
else:
    from mmap import MAP_PRIVATE, MAP_SHARED


class SourceChangeWarning(Warning):
    """PyTorch's warning about a class whose source has changed since it was saved; never given here."""


class LoadEndianness(Enum):
    """The byte order of a checkpoint without a byte-order record."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class Options:
    """The settings; PyTorch keeps them per process."""

    def __init__(self):
        self.endianness: LoadEndianness | None = None
        self.compute_crc32 = True
        self.mapping = MAP_PRIVATE
        self.safe_globals: set = set()
        self.skip_data = False


OPTIONS = Options()


def get_default_load_endianness() -> LoadEndianness | None:
    """Returns the byte order of files without a byte-order record; None means little-endian."""
    return OPTIONS.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Sets the byte order of files without a byte-order record. Raises TypeError for other values."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    OPTIONS.endianness = endianness


def get_crc32_options() -> bool:
    """Whether `save` computes checksums."""
    return OPTIONS.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Sets whether `save` computes checksums; without them `load` cannot detect a changed byte."""
    OPTIONS.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """Returns how `load(mmap=True)` maps a file: `mmap.MAP_PRIVATE` or `mmap.MAP_SHARED`."""
    return OPTIONS.mapping


class set_default_mmap_options:
    """Sets how `load(mmap=True)` maps a file; as a context manager, for its block.

    With a private mapping, tensors can be written to and the file is unchanged; with a shared one, writes reach the
    file. Raises ValueError for other flags.
    """

    def __init__(self, flags: int) -> None:
        if sys.platform == "win32":
            raise RuntimeError("Changing the default mmap options is currently not supported for Windows")
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(f"Invalid argument in function set_default_mmap_options, got {flags}")
        self.previous = OPTIONS.mapping
        OPTIONS.mapping = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        OPTIONS.mapping = self.previous


def add_safe_globals(safe_globals: list[Callable | tuple[Callable, str]]) -> None:
    """Lets `load(weights_only=True)` create objects of these classes and call these functions.

    The name in the file is that of the object, or given as a pair: `(Class, "package.module.Class")`.
    """
    OPTIONS.safe_globals = OPTIONS.safe_globals | set(safe_globals)


def get_safe_globals() -> list[Callable | tuple[Callable, str]]:
    """Returns the entries added to the allow-list of `load(weights_only=True)`."""
    return list(OPTIONS.safe_globals)


def clear_safe_globals() -> None:
    """Removes the entries added to the allow-list of `load(weights_only=True)`."""
    OPTIONS.safe_globals = set()


class safe_globals:
    """Allows classes and functions, as `add_safe_globals` does, in a `with` block."""

    def __init__(self, safe_globals: list[Callable | tuple[Callable, str]]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception: Any) -> None:
        OPTIONS.safe_globals = OPTIONS.safe_globals - set(self.safe_globals)


class skip_data:
    """Leaves the memory of tensors out, in a `with` block: `save` writes zeros in its place, `load` reads nothing.

    A program that writes or reads the memory of a checkpoint itself so gets its layout, or its tensors.
    `materialize_fake_tensors` changes nothing: every tensor here has memory, or is on meta.
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors
        self.before = False

    def __enter__(self) -> None:
        self.before, OPTIONS.skip_data = OPTIONS.skip_data, True

    def __exit__(self, *exception: Any) -> None:
        OPTIONS.skip_data = self.before
