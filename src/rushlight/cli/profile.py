"""`python -m rushlight profile SCRIPT [ARGS...]`: run a program, and show which of its lines took the time.

After the program has ended, a table shows its lines with the operators that they ran, what computed these, and how much
longer they took than the memory or the processor of this machine allows. A timeline is written as an SVG picture. The
last two million calls are kept.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from rushlight.benchmark.machine import SIDE, best_seconds, bytes_per_second, cores, flops_per_second
from rushlight.cli.run import run_path
from rushlight.create.filled import ones
from rushlight.profiler.by_line import report
from rushlight.profiler.machine import Machine
from rushlight.profiler.recorder import Recorder, Settings
from rushlight.profiler.timeline import timeline

MOST = 2_000_000  # calls


def main(arguments: Sequence[str]) -> int:
    """Runs the program; returns its exit status."""
    options = parser().parse_args(arguments)
    recorder = Recorder(Settings(with_flops=True, line=True, moved=True, most=MOST))
    recorder.start()
    try:
        return run_path(options.SCRIPT, options.ARGS)
    finally:
        recorder.stop()
        events = recorder.events()
        print(report(events, this_machine(), (recorder.end - recorder.origin) / 1e3, options.lines), file=sys.stderr)
        picture = options.svg or f"{os.path.splitext(os.path.basename(options.SCRIPT))[0]}.profile.svg"
        with open(picture, "w", encoding="utf-8") as file:
            file.write(timeline(events))
        print(f"\nThe timeline: {picture}", file=sys.stderr)
        if options.trace:
            events.export_chrome_trace(options.trace)


def this_machine() -> Machine:
    """Measures what the machine can do, with all cores: by NumPy, or by our kernel of products if that is faster."""
    matrix = ones(SIDE, SIDE)
    ours = 2 * SIDE**3 / best_seconds(lambda: matrix @ matrix)
    return Machine(bytes_per_second(cores()[0]), max(ours, flops_per_second()))


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments before the program's own."""
    parser = argparse.ArgumentParser(
        prog="python -m rushlight profile", description=(__doc__ or "").split("\n\n")[1], allow_abbrev=False
    )
    parser.add_argument("--lines", type=int, default=12, metavar="N", help="how many lines are shown (default: 12)")
    parser.add_argument("--svg", metavar="FILE", help="where the timeline is written (default: SCRIPT.profile.svg)")
    parser.add_argument("--trace", metavar="FILE", help="also write a trace for chrome://tracing and Perfetto")
    parser.add_argument("SCRIPT", help="the program")
    parser.add_argument("ARGS", nargs=argparse.REMAINDER, help="its arguments")
    return parser
