"""The safetensors format: names, dtypes and shapes as JSON, then the bytes. https://huggingface.co/docs/safetensors

`from safetensors.torch import load_file` needs PyTorch; this module has the functions of that one. The package
`safetensors` checks and writes the files. Nothing is copied: it writes from the tensors' memory, and loaded tensors are
views of the mapped file.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable

import numpy as np

from rushlight.core.device import host
from rushlight.core.dtype import BY_NAME
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor, wrap
from rushlight.create.conversion import converted
from rushlight.serialization.atomic import replacing
from rushlight.serialization.stored import is_shared, map_file

DTYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
    "U64": "uint64", "I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "C64": "complex64",
}  # fmt: skip


def save_file(tensors: dict[str, Tensor], filename: str | os.PathLike, metadata: dict[str, str] | None = None) -> None:
    """Writes tensors by name to a file, which replaces an old one atomically.

    Raises ValueError for a tensor that is not contiguous, RuntimeError for tensors that share memory.
    """
    library = _library()
    arrays = _arrays(tensors)
    with replacing(filename) as file:
        library.serialize_file(_specifications(library, arrays), file.name, metadata)


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """Returns the bytes that `save_file` would write."""
    library = _library()
    arrays = _arrays(tensors)
    return bytes(library.serialize(_specifications(library, arrays), metadata))


def load_file(filename: str | os.PathLike, device="cpu") -> dict[str, Tensor]:
    """Loads the tensors of a file by name, on its memory, which is mapped as by `torch.load(mmap=True)`.

    Raises RuntimeError for a damaged file.
    """
    header, start, _ = contents(filename)
    with open(filename, "r+b" if is_shared() else "rb") as file:
        mapped = map_file(file)
    entries = ((name, entry["dtype"], entry["shape"], entry["data_offsets"]) for name, entry in header.items())
    return _on(device, {name: _tensor(mapped, start, *entry) for name, *entry in entries})


def contents(filename: str | os.PathLike) -> tuple[dict[str, dict], int, dict[str, str]]:
    """Returns what a file holds: dtype, shape and range of bytes by name, where the first byte is, and its metadata.

    Raises RuntimeError for a damaged file.
    """
    library = _library()
    try:
        with library.safe_open(filename, framework="numpy"):
            pass  # the package checks the header: every range is in the file, and none overlap
    except library.SafetensorError as error:
        raise RuntimeError(f"{os.fspath(filename)} is no whole safetensors file: {error}") from error
    with open(filename, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    return header, 8 + length, header.pop("__metadata__", {})


def load(data: bytes) -> dict[str, Tensor]:
    """Loads the tensors in the bytes of a file, by name. Raises RuntimeError for invalid bytes."""
    library = _library()
    try:
        entries = library.deserialize(data)
    except library.SafetensorError as error:
        raise RuntimeError(f"these bytes are no whole safetensors file: {error}") from error
    return {
        name: _tensor(bytearray(entry["data"]), 0, entry["dtype"], entry["shape"], (0, len(entry["data"])))
        for name, entry in entries
    }


def _library():
    try:
        import safetensors
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. Please install safetensors with: "
            "pip install safetensors"
        ) from error
    return safetensors


def _tensor(memory, start: int, dtype_name: str, shape: list[int], offsets: Iterable[int]) -> Tensor:
    if dtype_name not in DTYPES:
        raise RuntimeError(f"rushlight has no dtype for {dtype_name}")
    numpy_dtype = BY_NAME[DTYPES[dtype_name]].numpy
    begin, end = offsets
    count = (end - begin) // numpy_dtype.itemsize
    elements = np.frombuffer(memory, numpy_dtype, count, start + begin) if count else np.empty(0, numpy_dtype)
    return wrap(elements.reshape(shape))


def _on(device, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: converted(tensor, None, device) for name, tensor in tensors.items()}


def _arrays(tensors: dict[str, Tensor]) -> dict[str, np.ndarray]:
    """Returns the memory of the tensors, which must be contiguous and not shared."""
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
        if not tensor.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you "
                "are trying to save tensors which are reference of each other in which case it's recommended to save "
                "only the full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to "
                "pack it before saving."
            )
    _refuse_shared(tensors)
    return {name: host(tensor.detach()) for name, tensor in tensors.items()}


def _refuse_shared(tensors: dict[str, Tensor]) -> None:
    by_memory: dict[int, list[str]] = {}
    for name, tensor in tensors.items():
        if tensor.numel() and not tensor.is_meta:
            by_memory.setdefault(id(tensor._memory()), []).append(name)
    for names in by_memory.values():
        ordered = sorted(names, key=lambda name: tensors[name].data_ptr())
        for first, second in zip(ordered, ordered[1:], strict=False):
            if tensors[first].data_ptr() + tensors[first].nbytes > tensors[second].data_ptr():
                raise noted(
                    RuntimeError(
                        "Some tensors share memory, this will lead to duplicate memory on disk and potential "
                        f"differences when loading them again: {[set(names)]}."
                    ),
                    "Leave one of them out, or save clones of them.",
                )


def _specifications(library, arrays: dict[str, np.ndarray]) -> dict:
    return {
        name: library.TensorSpec(
            dtype=array.dtype.name, shape=array.shape, data_ptr=array.ctypes.data, data_len=array.nbytes
        )
        for name, array in arrays.items()
    }
