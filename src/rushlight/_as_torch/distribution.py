"""What `importlib.metadata` says of the distribution `torch` where rushlight stands in its place."""

from __future__ import annotations

from importlib.metadata import Distribution
from os import PathLike
from pathlib import Path

from rushlight.version import TORCH_VERSION

# What PyTorch requires and packages use without requiring it themselves: pip brings it along with them.
BROUGHT = ("filelock", "fsspec>=0.8.5", "jinja2", "typing-extensions>=4.10.0")
REQUIRES = "".join(f"Requires-Dist: {x}\n" for x in ("rushlight", *BROUGHT))
METADATA = f"""Metadata-Version: 2.1
Name: torch
Version: {TORCH_VERSION}
Summary: PyTorch's names, by rushlight.
{REQUIRES}"""
# The folder in which installers and `importlib.metadata` look, and the texts of its files.
FOLDER = f"torch-{TORCH_VERSION}.dist-info"
FILES = {"METADATA": METADATA, "top_level.txt": "torch\n", "INSTALLER": "rushlight\n"}


class PyTorch(Distribution):
    """The distribution `torch`, of which there is no folder."""

    def read_text(self, filename: str | PathLike[str]) -> str | None:
        return FILES.get(str(filename))

    def locate_file(self, path: str | PathLike[str]) -> Path:
        return Path(__file__).parents[2] / path


def write(folder: Path) -> Path:
    """Write the files and their record into `folder`; returns where they are."""
    made = folder / FOLDER
    made.mkdir()
    record = "".join(f"{FOLDER}/{name},,\n" for name in (*FILES, "RECORD"))
    for name, text in {**FILES, "RECORD": record}.items():
        (made / name).write_text(text, "utf-8")
    return made
