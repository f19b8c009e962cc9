"""`python -m rushlight provide-torch`: makes pip see a torch, so packages that need one install without PyTorch."""

from __future__ import annotations

import argparse
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import PathFinder
from importlib.metadata import distributions
from pathlib import Path

from rushlight._as_torch.distribution import FILES, write
from rushlight.version import TORCH_VERSION

DESCRIPTION = """Write the metadata of a distribution `torch`, without modules, into the environment of this Python, so
that pip takes the requirement `torch` of other packages for met. It is refused where PyTorch is installed. The packages
then find rushlight as `torch` in what `python -m rushlight` runs, and after `rushlight.install()`."""

PIN = f"torch=={TORCH_VERSION.partition('+')[0]}"  # pip accepts a version with any local part for this one


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m rushlight provide-torch", description=DESCRIPTION)
    parser.add_argument("--remove", action="store_true", help="take the metadata away again")
    options = parser.parse_args(arguments)
    folder = Path(sysconfig.get_path("purelib"))
    try:
        return remove(folder) if options.remove else provide(folder)
    except OSError as error:
        print(f"{folder} cannot be changed: {error.strerror or error}", file=sys.stderr)
        return 1


def provide(folder: Path) -> int:
    for distribution in distributions(name="torch"):
        if distribution.read_text("INSTALLER") != FILES["INSTALLER"]:
            print(
                f"torch {distribution.version} is installed here; `pip uninstall torch` takes it away", file=sys.stderr
            )
            return 1
    modules = PathFinder.find_spec("torch", [str(folder), sysconfig.get_path("platlib")])
    if modules is not None and modules.origin is not None:  # without its metadata, as other installers leave it
        print(f"torch is installed here: {modules.origin}", file=sys.stderr)
        return 1
    remove_ours(folder)  # possibly of another version
    print(f"wrote {write(folder)}; `python -m rushlight provide-torch --remove` takes it away")
    print(f"Now: python -m pip install PACKAGE {PIN}")
    print(f"(without `{PIN}` pip may choose a newer PyTorch, as the newest torchvision wants, and install that)")
    return 0


def remove(folder: Path) -> int:
    removed = remove_ours(folder)
    for path in removed:
        print(f"removed {path}")
    if not removed:
        print(f"there is nothing of rushlight's to remove in {folder}", file=sys.stderr)
    return 0 if removed else 1


def remove_ours(folder: Path) -> list[Path]:
    """Removes the metadata that this command wrote, and nothing else."""
    ours = [path for path in folder.glob("torch-*.dist-info") if text_of(path / "INSTALLER") == FILES["INSTALLER"]]
    for our in ours:
        shutil.rmtree(our)
    return ours


def text_of(file: Path) -> str | None:
    return file.read_text("utf-8") if file.is_file() else None
