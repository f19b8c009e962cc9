"""`python -m torch.utils.bottleneck SCRIPT [ARGS...]`: run a program twice, and show its functions and its operators.

The first run is under cProfile, the second under `torch.autograd.profiler`. `python -m rushlight profile SCRIPT` runs a
program once, and shows its lines too.
"""

import argparse
import cProfile
import platform
import pstats
from collections.abc import Sequence

import numpy as np

from rushlight.cli.run import run_path
from rushlight.profiler.autograd_profiler import profile
from rushlight.version import __version__

SHOWN = 15  # rows of each table
RULE = "-" * 80


def main(arguments: Sequence[str]) -> int:
    """Runs the program; returns its exit status."""
    options = parser().parse_args(arguments)
    status, functions = with_functions(options.SCRIPT, options.ARGS)
    if status:
        return status
    operators = profile()
    with operators:
        status = run_path(options.SCRIPT, list(options.ARGS))
    titled("Environment Summary")
    print(f"rushlight {__version__}, NumPy {np.__version__}, Python {platform.python_version()}, {platform.platform()}")
    titled("cProfile output")
    functions.sort_stats("tottime").print_stats(SHOWN)
    titled("autograd profiler output (CPU mode)")
    print(f"        top {SHOWN} events sorted by cpu_time_total\n")
    print(operators.key_averages().table(sort_by="cpu_time_total", row_limit=SHOWN))
    return status


def with_functions(script: str, arguments: Sequence[str]) -> tuple[int, pstats.Stats]:
    """Runs a program under cProfile; returns its exit status and the times of its functions."""
    recorder = cProfile.Profile()
    recorder.enable()
    try:
        status = run_path(script, list(arguments))
    finally:
        recorder.disable()
    return status, pstats.Stats(recorder)


def titled(title: str) -> None:
    print(f"{RULE}\n  {title}\n{RULE}")


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments before the program's own."""
    parser = argparse.ArgumentParser(
        prog="python -m torch.utils.bottleneck", description=(__doc__ or "").split("\n\n")[0], allow_abbrev=False
    )
    parser.add_argument("SCRIPT", help="the program; it is run twice")
    parser.add_argument("ARGS", nargs=argparse.REMAINDER, help="its arguments")
    return parser
