"""The file of a saved module: plain data and tensors in an archive of `torch.save`, read without running anything."""

from __future__ import annotations

import os
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.serialization.reading import load
from rushlight.serialization.writing import save

FORMAT = "rushlight jit"
VERSION = 1
PARTS = {"kind": str, "name": str, "training": bool, "graphs": dict, "parts": dict, "parameters": dict,
         "buffers": dict, "constants": dict, "extra": dict}  # fmt: skip


def write(f: Any, contents: dict[str, Any], extra: dict[str, Any] | None) -> None:
    """Writes the contents of a module and further texts to a path or an open file."""
    texts = {name: text if isinstance(text, bytes) else str(text).encode() for name, text in (extra or {}).items()}
    # `bytes` are no plain data of a checkpoint: as text, one character for each
    extra_files = {name: text.decode("latin-1") for name, text in texts.items()}
    save({"format": FORMAT, "version": VERSION, **contents, "extra": extra_files}, f)


def read(f: Any, map_location: Any) -> dict[str, Any]:
    """Returns the contents of a path or an open file.

    Raises ValueError for a path without a file, RuntimeError for a file with anything else.
    """
    if isinstance(f, str | os.PathLike):
        if not os.path.exists(f):
            raise ValueError(f"The provided filename {f} does not exist")
        if os.path.isdir(f):
            raise ValueError(f"The provided filename {f} is a directory")
    try:
        contents = load(f, map_location=map_location, weights_only=True)
    except RuntimeError as error:
        if "TorchScript" not in str(error):
            raise
        raise noted(
            RuntimeError("rushlight cannot run TorchScript archives"),
            "rushlight.inspect(path) lists its tensors. Make the model in Python and load its state_dict; "
            "torch.jit.save here writes a file that torch.jit.load here reads.",
        ) from None
    checked(contents)
    return contents


def checked(contents: Any) -> None:
    """Raises RuntimeError unless contents are those of a saved module."""
    if not isinstance(contents, dict) or contents.get("format") != FORMAT:
        raise noted(
            RuntimeError("the file is no module saved by torch.jit.save"),
            "torch.load reads a checkpoint of torch.save.",
        )
    if contents.get("version") != VERSION:
        raise RuntimeError(f"the file has version {contents.get('version')!r} of the format, and {VERSION} is known")
    for name, kind in PARTS.items():
        if type(contents.get(name)) is not kind:
            raise RuntimeError(f"the file is no saved module: its {name!r} is no {kind.__name__}")
    for name in ("parameters", "buffers", "constants"):
        if not all(isinstance(value, Tensor) for value in contents[name].values()):
            raise RuntimeError(f"the file is no saved module: its {name!r} are no tensors")
    names = [*contents["graphs"], *contents["parts"], *contents["parts"].values(), *contents["extra"]]
    names += [key for part in ("parameters", "buffers", "constants") for key in contents[part]]
    if not all(type(name) is str for name in names):
        raise RuntimeError("the file is no saved module: a name is no text")
    if contents["kind"] not in ("module", "function") or (
        contents["kind"] == "function" and "forward" not in contents["graphs"]
    ):
        raise RuntimeError(f"the file is no saved module: its kind is {contents['kind']!r}")
