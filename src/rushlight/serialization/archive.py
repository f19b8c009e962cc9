"""The zip archive of a checkpoint: uncompressed records, each at a multiple of 64 bytes.

Every record is `<archive name>/<record name>`. The local header is padded with an extra field `FB`, so that a mapped
file gives aligned memory; the checksum and the size follow the record, since the writer does not seek. The layout is
that of `caffe2/serialize/inline_container.cc` in PyTorch, byte for byte.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import NamedTuple

import numpy as np

from rushlight.core.errors import noted
from rushlight.serialization.options import OPTIONS

ALIGNMENT = 64
FULL_32 = 0xFFFFFFFF
FULL_16 = 0xFFFF
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
CENTRAL_HEADER = struct.Struct("<4s6H3I5H2I")
END_64 = struct.Struct("<4sQ2H2I4Q")
LOCATOR_64 = struct.Struct("<4sIQI")
END = struct.Struct("<4s4H2IH")
SIZES_FOLLOW = 0x0008
NAMES_ARE_UTF8 = 0x0800
CORRUPT = (
    "This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint "
    "file is corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the "
    "file was modified after saving."
)


class Entry(NamedTuple):
    """One record in the directory at the end of the archive."""

    name: bytes
    offset: int
    size: int
    checksum: int


class ArchiveWriter:
    """Writes records one after the other; never seeks, so any object with `write` will do."""

    def __init__(self, file, name: str):
        self.file, self.name = file, name
        self.position = 0
        self.entries: list[Entry] = []

    def write(self, name: str, content) -> None:
        """Adds a record of bytes, or of any object with contiguous memory."""
        content = memoryview(content).cast("B")
        full_name = f"{self.name}/{name}".encode()
        checksum = zlib.crc32(content) if OPTIONS.compute_crc32 else 0
        entry = Entry(full_name, self.position, len(content), checksum)
        self.entries.append(entry)
        self._put(local_header(entry))
        self._put(content)
        if entry.size:
            sizes = "<4sIQQ" if max(entry.size, entry.offset) >= FULL_32 else "<4sIII"
            self._put(struct.pack(sizes, b"PK\x07\x08", checksum, entry.size, entry.size))

    def close(self) -> None:
        """Adds the final records of a checkpoint, and the directory."""
        self.write("version", b"3\n")
        self.write(".data/serialization_id", self._identity())
        start = self.position
        for entry in self.entries:
            self._put(central_header(entry))
        self._put(self._end(start, self.position - start))

    def _identity(self) -> bytes:
        """Returns forty digits computed from names and content, so that equal objects give equal files."""
        names = zlib.crc32(b"".join(entry.name for entry in self.entries))
        content = zlib.crc32(b"".join(entry.checksum.to_bytes(4, "little") for entry in self.entries))
        return f"{names:020d}{content:020d}".encode()

    def _end(self, start: int, size: int) -> bytes:
        count = len(self.entries)
        return (
            END_64.pack(b"PK\x06\x06", 44, 0x031E, 45, 0, 0, count, count, size, start)
            + LOCATOR_64.pack(b"PK\x06\x07", 0, self.position, 1)
            + END.pack(
                b"PK\x05\x06", 0, 0, *[min(count, FULL_16)] * 2, min(size, FULL_32), min(start, FULL_32), 0
            )
        )  # fmt: skip

    def _put(self, content) -> None:
        self.file.write(content)
        self.position += len(content)


def local_header(entry: Entry) -> bytes:
    """Returns the header of a record, padded so that the record is aligned."""
    long = _long_sizes(entry, 2 if entry.size >= FULL_32 else 0)
    start = entry.offset + LOCAL_HEADER.size + len(entry.name) + len(long) + 4
    padding = -start % ALIGNMENT
    extra = long + b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    flags = NAMES_ARE_UTF8 | (SIZES_FOLLOW if entry.size else 0)
    header = LOCAL_HEADER.pack(b"PK\x03\x04", 0, flags, 0, 0, 0, 0, 0, 0, len(entry.name), len(extra))
    return header + entry.name + extra


def central_header(entry: Entry) -> bytes:
    """Returns the directory entry of a record."""
    long = _long_sizes(entry, 2 if entry.size >= FULL_32 else 0)
    size, offset = min(entry.size, FULL_32), min(entry.offset, FULL_32)
    flags = NAMES_ARE_UTF8 | (SIZES_FOLLOW if entry.size else 0)
    lengths = (len(entry.name), len(long), 0, 0, 0)
    header = CENTRAL_HEADER.pack(
        b"PK\x01\x02", 0, 0, flags, 0, 0, 0, entry.checksum, size, size, *lengths, 0, offset
    )  # fmt: skip
    return header + entry.name + long


def _long_sizes(entry: Entry, sizes: int) -> bytes:
    """Returns the extra field with 64-bit values for those that do not fit into 32 bits."""
    values = [entry.size] * sizes + [entry.offset] * (entry.offset >= FULL_32)
    return struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values) if values else b""


class Archive:
    """The records of a checkpoint. The directory is validated before anything is read.

    Raises RuntimeError for files that are not complete archives, for compressed or overlapping records (zip bombs), for
    names outside the archive's folder, and for a record that differs from its checksum.
    """

    def __init__(self, file):
        self.file = file
        file.seek(0, io.SEEK_END)
        self.end = file.tell()
        self.records = {info.filename: info for info in _directory(file)}
        first = next(iter(self.records), "")
        self.name = first.partition("/")[0]
        _check_names(self.records, self.name)
        self.ranges = {name: self._range(info) for name, info in self.records.items()}
        _check_overlaps(self.ranges)

    def __contains__(self, name: str) -> bool:
        return f"{self.name}/{name}" in self.records

    def range_of(self, name: str) -> tuple[int, int]:
        """Returns the position of a record in the file: its first byte and its length."""
        if name not in self:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found")
        if _is_packed(self.records[f"{self.name}/{name}"]):
            raise _compressed(name)
        return self.ranges[f"{self.name}/{name}"]

    def read(self, name: str) -> bytes:
        """Returns the bytes of a record."""
        content = np.empty(self.range_of(name)[1], np.uint8)
        self.read_into(name, content)
        return content.tobytes()

    def read_into(self, name: str, array: np.ndarray) -> None:
        """Fills an array with a record of the same size."""
        offset, size = self.range_of(name)
        memory = memoryview(array.view(np.uint8).data)
        self.file.seek(offset)
        if not fill(self.file, memory):
            raise RuntimeError(f"PytorchStreamReader failed reading file {name}: the file ends before it. {CORRUPT}")
        expected = self.records[f"{self.name}/{name}"].CRC
        # 0: written without checksums, after torch.serialization.set_crc32_options(False)
        if expected and zlib.crc32(memory) != expected:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: its bytes differ from its checksum. {CORRUPT}"
            )

    def _range(self, info: zipfile.ZipInfo) -> tuple[int, int]:
        if not 0 <= info.header_offset < self.end:
            raise _no_archive(f"the header of {info.filename!r} lies outside")
        self.file.seek(info.header_offset)
        header = self.file.read(LOCAL_HEADER.size)
        if len(header) < LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
            raise _no_archive(f"invalid header of {info.filename!r}")
        name_size, extra_size = LOCAL_HEADER.unpack(header)[-2:]
        if self.file.read(name_size) != info.orig_filename.encode(
            "utf-8" if info.flag_bits & NAMES_ARE_UTF8 else "cp437"
        ):
            raise _no_archive(f"the header of {info.filename!r} names another record")
        start = info.header_offset + LOCAL_HEADER.size + name_size + extra_size
        size = info.compress_size
        if start + size > self.end:
            raise _no_archive(f"{info.filename!r} lies outside")
        return start, size


def _directory(file) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    # What the standard library accepts from a damaged directory
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, OverflowError) as error:
        raise _no_archive("failed finding central directory") from error
    if len({info.filename for info in infos}) < len(infos):
        raise _no_archive("two records have one name")
    for info in infos:
        if _is_packed(info) and not is_code(info.filename):
            raise _compressed(info.filename)
    return infos


def is_code(name: str) -> bool:
    """Whether a record is source code of TorchScript, which is compressed and never read."""
    return name.partition("/")[2].startswith("code/")


def _is_packed(info: zipfile.ZipInfo) -> bool:
    return info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or bool(info.flag_bits & 1)


def _compressed(name: str) -> RuntimeError:
    refusal = RuntimeError(f"PytorchStreamReader failed reading file {name}: the record is compressed or encrypted")
    refusal.add_note(
        "torch.save does not compress records, and a compressed one may expand to any size. If you trust the file, "
        "repack it without compression (zip -0)."
    )
    return refusal


def _check_names(records: dict, folder: str) -> None:
    for name in records:
        head, _, rest = name.partition("/")
        if head != folder or not rest or "\\" in name or "\0" in name or {"", ".", ".."} & set(name.split("/")):
            raise noted(
                RuntimeError(
                    f"PytorchStreamReader failed reading zip archive: {name!r} is no name of a record in {folder!r}"
                ),
                "A name that leads out of the archive's folder can be a trap. Nothing was read.",
            )


def _check_overlaps(ranges: dict[str, tuple[int, int]]) -> None:
    end = 0
    for start, size, name in sorted((start, size, name) for name, (start, size) in ranges.items()):
        if start < end:
            raise _no_archive(f"the record {name!r} overlaps another one")
        end = start + size


def fill(file, memory: memoryview) -> bool:
    """Reads until the memory is full. Returns False if the file ends before that."""
    filled, into = 0, getattr(file, "readinto", None)
    while filled < len(memory):
        part = memory[filled : filled + (1 << 24)]
        if into is None:
            chunk = file.read(len(part))
            part[: len(chunk)] = chunk
            read = len(chunk)
        else:
            read = into(part)
        if not read:
            return False
        filled += read
    return True


def _no_archive(reason: str) -> RuntimeError:
    return RuntimeError(f"PytorchStreamReader failed reading zip archive: {reason}. {CORRUPT}")
