"""The metadata of the distribution `torch` provided by rushlight, for `importlib.metadata`."""

from __future__ import annotations

from importlib.metadata import Distribution
from os import PathLike
from pathlib import Path

from rushlight.version import TORCH_VERSION

# Requirements of PyTorch that packages use without requiring them: pip installs them along.
BROUGHT = ("filelock", "fsspec>=0.8.5", "jinja2", "typing-extensions>=4.10.0")
REQUIRES = "".join(f"Requires-Dist: {x}\n" for x in ("rushlight", *BROUGHT))
METADATA = f"""Metadata-Version: 2.1
Name: torch
Version: {TORCH_VERSION}
Summary: PyTorch's names, by rushlight.
{REQUIRES}"""
# The metadata folder, and the contents of its files.
FOLDER = f"torch-{TORCH_VERSION}.dist-info"
FILES = {"METADATA": METADATA, "top_level.txt": "torch\n", "INSTALLER": "rushlight\n"}


class PyTorch(Distribution):
    """The distribution `torch`, without a folder on disk."""

    def read_text(self, filename: str | PathLike[str]) -> str | None:
        return FILES.get(str(filename))

    def locate_file(self, path: str | PathLike[str]) -> Path:
        return Path(__file__).parents[2] / path


def write(folder: Path) -> Path:
    """Writes the metadata files and their record into `folder`; returns their paths."""
    made = folder / FOLDER
    made.mkdir()
    record = "".join(f"{FOLDER}/{name},,\n" for name in (*FILES, "RECORD"))
    for name, text in {**FILES, "RECORD": record}.items():
        (made / name).write_text(text, "utf-8")
    return made
