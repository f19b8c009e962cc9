"""`python -m rushlight convert FROM TO`: the tensors of a checkpoint in another format, without PyTorch."""

from __future__ import annotations

import argparse
import os
import sys
import zipfile
from collections.abc import Sequence
from pickle import UnpicklingError

import numpy as np

from rushlight.core.device import host
from rushlight.core.dtype import REDUCED, float16
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import from_numpy
from rushlight.serialization import contents, save
from rushlight.serialization.safetensors import save_file

DESCRIPTION = """Write the tensors of a checkpoint in another format, which the ending of TO names. FROM is read without
running anything of it, also where it holds whole models. Nested dictionaries become dotted names; what is no tensor is
left out."""
ENDINGS = {".npz": "an archive of NumPy", ".safetensors": "safetensors", ".pt": "torch.save", ".pth": "torch.save"}


def main(arguments: Sequence[str]) -> int:
    """Converts a file; returns exit status 1 if it cannot be read."""
    endings = ", ".join(f"{ending} ({name})" for ending, name in ENDINGS.items())
    parser = argparse.ArgumentParser(prog="python -m rushlight convert", description=DESCRIPTION)
    parser.add_argument("FROM", help=f"a checkpoint: {endings}, or another file of torch.save")
    parser.add_argument("TO", help=f"the file to write: {', '.join(ENDINGS)}")
    parser.add_argument("--only", metavar="NAME", default="", help="only what stands under NAME, such as model")
    options = parser.parse_args(arguments)
    ending = os.path.splitext(options.TO)[1]
    if ending not in ENDINGS:
        parser.error(f"TO ends in {', '.join(ENDINGS)}, not {ending or 'nothing'}")
    try:
        tensors, others = read(options.FROM, options.only)
    except (OSError, RuntimeError, UnpicklingError, EOFError) as error:
        print(f"{options.FROM}: {error}", file=sys.stderr)
        return 1
    if not tensors:
        print(f"{options.FROM} has no tensors{f' under {options.only}' if options.only else ''}", file=sys.stderr)
        return 1
    widened = write(options.TO, ending, tensors)
    print(
        f"{options.TO}: {len(tensors)} tensor{'s' * (len(tensors) != 1)}, "
        f"{sum(tensor.nbytes for tensor in tensors.values()):,} bytes"
    )
    if others:
        print(f"left out, as no tensors: {', '.join(others[:5])}{', ...' if len(others) > 5 else ''}")
    if widened:
        print(f"stored as float32, which NumPy knows: {', '.join(widened[:5])}{', ...' if len(widened) > 5 else ''}")
    return 0


def read(path: str, only: str) -> tuple[dict[str, Tensor], list[str]]:
    """Returns the tensors of a file by name, and the names of everything else."""
    values = dict(contents.flat(archived(path) if path.endswith(".npz") else contents.read(path, "cpu")[1]))
    if only:
        values = {name.removeprefix(f"{only}."): value for name, value in values.items() if name.startswith(f"{only}.")}
    tensors = {name: value for name, value in values.items() if isinstance(value, Tensor)}
    return tensors, [name for name in values if name not in tensors]


def archived(path: str) -> dict[str, Tensor]:
    """Returns the arrays of a NumPy archive."""
    with np.load(path, allow_pickle=False) as archive:
        return {name: from_numpy(archive[name]) for name in archive.files}


def write(path: str, ending: str, tensors: dict[str, Tensor]) -> list[str]:
    """Writes tensors in the format of a suffix; returns the names of those with dtypes that NumPy lacks."""
    if ending == ".npz":
        widened = [name for name, tensor in tensors.items() if tensor.dtype in REDUCED - {float16}]
        # np.savez gives some names a special meaning
        with zipfile.ZipFile(path, "w") as archive:
            for name, tensor in tensors.items():
                array = host(tensor.detach().float() if name in widened else tensor.detach())
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
        return widened
    if ending == ".safetensors":
        save_file({name: tensor.detach().contiguous().clone() for name, tensor in tensors.items()}, path)
    else:
        save({name: tensor.detach() for name, tensor in tensors.items()}, path)
    return []
