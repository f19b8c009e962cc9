"""`python -m rushlight inspect FILE`: what is in a checkpoint, without running anything of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pickle import UnpicklingError

from rushlight.serialization.contents import inspect


def main(arguments: Sequence[str]) -> int:
    """Prints the contents; returns exit status 1 if the file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m rushlight inspect", description=__doc__)
    parser.add_argument("FILE", help="a checkpoint of torch.save, or .safetensors")
    options = parser.parse_args(arguments)
    try:
        print(inspect(options.FILE))
    except (OSError, RuntimeError, UnpicklingError, EOFError) as error:
        print(f"{options.FILE}: {error}", file=sys.stderr)
        return 1
    return 0
