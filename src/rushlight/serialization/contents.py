"""`rushlight.inspect`: lists the contents of a checkpoint without loading it or running its code."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.serialization import restricted
from rushlight.serialization.archive import Archive
from rushlight.serialization.inert import Inert, Reader
from rushlight.serialization.legacy import load_legacy
from rushlight.serialization.names import ALLOWED, named_safe_globals
from rushlight.serialization.safetensors import load_file
from rushlight.serialization.stored import StoredMemory

MEMBERS = ("_parameters", "_buffers", "_modules")  # the tables of a pickled module, omitted from parameter names
CONTAINERS = (Tensor, dict, list, tuple, set, frozenset, Inert)  # a list that contains any of these is split
SHOWN = 40  # maximum number of characters of a value
SHORT = 8  # maximum number of elements of a list
QUOTES = "'\""


class Entry(NamedTuple):
    """One tensor in a file."""

    shape: tuple[int, ...]
    dtype: str
    bytes: int


class Contents:
    """The contents of a checkpoint; its repr is a table.

    `tensors` by dotted name; `unreadable` maps names of tensors that `rushlight.load` cannot create to their kind;
    `values` are the plain values; `names` are all classes and functions in the file, `refused` those that
    `rushlight.load` does not allow by default.
    """

    def __init__(self, kind: str, obj: Any, names: set[str]):
        self.kind = kind
        self.tensors: dict[str, Entry] = {}
        self.unreadable: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self.names = sorted(names)
        self.refused = sorted(names - ALLOWED.keys() - named_safe_globals().keys())
        for name, value in flat(obj):
            if isinstance(value, Tensor):
                self.tensors[name] = Entry(tuple(value.shape), value.dtype.name, value._array.nbytes)
            elif is_unreadable(value):
                self.unreadable[name] = value.kind
            else:
                self.values[name] = shown(value)

    @property
    def bytes(self) -> int:
        """Returns the size of all tensors."""
        return sum(entry.bytes for entry in self.tensors.values())

    def __repr__(self):
        rows = [(name, str(entry.shape), entry.dtype, f"{entry.bytes:,}") for name, entry in self.tensors.items()]
        widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
        lines = [f"{self.kind}: {len(rows)} tensor{'s' * (len(rows) != 1)}, {self.bytes:,} bytes"]
        lines += [f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c:<{widths[2]}}  {d:>{widths[3]}}" for a, b, c, d in rows]
        lines += [f"  {name} = {value}" for name, value in self.values.items()]
        lines += [f"  {name} is a {kind} tensor, which load() cannot read" for name, kind in self.unreadable.items()]
        if self.refused:
            lines.append(f"load() would refuse: {', '.join(self.refused)}")
        return "\n".join(lines)


def inspect(f) -> Contents:
    """Lists the tensors, plain values and names in a checkpoint, from a path or a file.

    No code of the file runs, and tensor data are not read, so it is safe for untrusted files and fast for large ones.
    Raises pickle.UnpicklingError or RuntimeError for a damaged file.

    >>> import io
    >>> import rushlight as torch
    >>> file = io.BytesIO()
    >>> torch.save({"model": torch.nn.Linear(2, 3).state_dict(), "epoch": 7}, file)
    >>> torch.inspect(file)
    zip archive of torch.save: 2 tensors, 36 bytes
      model.weight  (3, 2)  float32  24
      model.bias    (3,)    float32  12
      epoch = 7
    """
    return Contents(*read(f, "meta"))


def read(f, map_location) -> tuple[str, Any, set[str]]:
    """Returns the format of a file, its object, and its names; inert objects replace disallowed ones."""
    if isinstance(f, (str, os.PathLike)):
        if os.fsdecode(f).endswith(".safetensors"):
            return "safetensors", load_file(f), set()
        with open(f, "rb") as file:
            return read(file, map_location)
    f.seek(0)
    head = f.read(4)
    f.seek(0)
    return _read_archive(f, map_location) if head == b"PK\x03\x04" else _read_legacy(f)


def _read_archive(file, map_location) -> tuple[str, Any, set[str]]:
    archive = Archive(file)
    content = archive.read("data.pkl")
    names = restricted.names_in(io.BytesIO(content))
    scripted = "constants.pkl" in archive
    file_format = "TorchScript archive, which rushlight cannot run" if scripted else "zip archive of torch.save"
    obj = Reader(io.BytesIO(content), StoredMemory(archive, map_location)).load()
    return file_format, obj, names


def _read_legacy(file) -> tuple[str, Any, set[str]]:
    names: set[str] = set()

    def reader(source, persistent_load=None):
        start = source.tell()
        names.update(restricted.names_in(source))
        source.seek(start)
        return Reader(source, persistent_load)

    return "file of torch.save before PyTorch 1.6", load_legacy(file, None, reader, True), names


def flat(obj: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tensors and plain values in nested containers, by dotted name.

    A container that occurs several times is split at the first, so recursive and deeply nested files are safe.
    """
    waiting, seen = [("", obj, False)], set()
    while waiting:
        name, value, within_object = waiting.pop()
        parts = parts_of(value)
        if parts is None:
            if isinstance(value, Tensor) or is_unreadable(value) or (name and not within_object):
                yield name, value
        elif id(value) not in seen:
            seen.add(id(value))
            inside = within_object or isinstance(value, Inert)
            waiting += [(joined(name, key), part, inside) for key, part in reversed(parts)]


def is_unreadable(value: Any) -> bool:
    """Whether an inert object replaces a tensor of a kind that rushlight lacks."""
    return isinstance(value, Inert) and value.kind is not None


def joined(name: str, key: Any) -> str:
    """Returns the name of a part; the tables of a pickled module are omitted."""
    if key in MEMBERS:
        return name
    return f"{name}.{shown(key).strip(QUOTES)}" if name else shown(key).strip(QUOTES)


def parts_of(value: Any) -> list[tuple[Any, Any]] | None:
    """Returns the entries of a container with keys; None for values that are shown as they are."""
    if isinstance(value, dict):
        return list(value.items())
    if type(value) in (list, tuple) and any(isinstance(item, CONTAINERS) for item in value):
        return list(enumerate(value))
    if is_unreadable(value):
        return None  # its parts are not listed
    if isinstance(value, Inert):
        state = value.state if isinstance(value.state, dict) else {"state": value.state}
        arguments = value.arguments if isinstance(value.arguments, tuple) else ()
        parts = [*enumerate(arguments), *state.items(), *value.items.items(), *enumerate(value.elements)]
        return parts if any(isinstance(item, CONTAINERS) for _, item in parts) else None
    return None


def shown(value: Any) -> str:
    """Formats a plain value in few characters."""
    if type(value) in (list, tuple, set, frozenset) and len(value) > SHORT:
        return f"<{type(value).__name__} of {len(value)}>"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
