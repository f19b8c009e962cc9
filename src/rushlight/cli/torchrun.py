"""`python -m rushlight torchrun`: starts a program in several processes, on one machine or many.

With `--report` it shows in the end how each rank has spent the time of each step.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import Any

from rushlight.distributed import run
from rushlight.distributed.agent import Agent
from rushlight.distributed.errors import DistError
from rushlight.distributed.meeting import Place
from rushlight.distributed.stores import TCPStore
from rushlight.profiler.rank import Rank
from rushlight.profiler.ranks import later, picture_of, read, report, timed
from rushlight.profiler.timeline import timeline

COLLECTING = timedelta(seconds=20)  # that the records of other machines may be late
RUNNER = ("-m", "rushlight")  # after which options of the runner are written


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    parser = run.get_args_parser()
    parser.add_argument("--report", action="store_true", help="show how each rank has spent the time of each step")
    parser.add_argument(
        "--steps", type=int, default=12, metavar="N", help="of which the last N are shown (default: 12)"
    )
    parser.add_argument("--svg", metavar="FILE", help="where the timeline is written (default: SCRIPT.report.svg)")
    return run.main(arguments, parser, launched)


def launched(options: argparse.Namespace) -> None:
    """Runs the program in its processes, and with `--report` shows what ranks have recorded."""
    settings = run.settings_of(options)
    if not options.report:
        Agent(settings).run()
        return
    if options.no_python:
        raise ValueError("--report needs a program in Python, without --no-python")
    if options.steps < 1:
        raise ValueError(f"--steps {options.steps}: at least one")
    with TemporaryDirectory(prefix="rushlight-report-") as folder:
        settings.command = recording(settings.command, folder)
        Agent(settings).run(lambda store, place: show(collected(folder, place, store), options))


def recording(command: Sequence[str], folder: str) -> list[str]:
    """Returns the command line of a process that records."""
    k = list(command).index(RUNNER[1]) + 1
    return [*command[:k], "--record-rank", folder, *command[k:]]


def recorded(folder: str, program: Callable[[], int]) -> int:
    """Runs a program as a rank that is recorded; returns its exit status."""
    rank = Rank()
    try:
        return program()
    finally:
        rank.write(folder)


def collected(folder: str, place: Place, store: TCPStore) -> list[dict[str, Any]]:
    """Returns what the ranks of all machines have recorded; on machines but the first, gives it to that one."""
    mine = read(folder)
    if place.machines == 1:
        return mine
    offset = time.time_ns() - time.perf_counter_ns()
    if place.machine:
        with suppress(DistError):  # the first machine has gone, and this one says so when it ends
            store.set(f"recorded/{place.machine}", json.dumps([offset, mine]))
        return []
    result = mine
    for machine in range(1, place.machines):
        key = f"recorded/{machine}"
        try:
            store.wait([key], COLLECTING)
        except DistError:
            print(f"torchrun: machine {machine} has sent no record", file=sys.stderr)
            continue
        theirs, ranks = json.loads(store.get(key))
        result += [later(each, theirs - offset) for each in ranks]
    return result


def show(recorded: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """Prints the table and writes the picture."""
    if not recorded:
        return
    ranks = timed(recorded)
    print(f"\n{report(ranks, options.steps)}", file=sys.stderr)
    if (drawn := picture_of(ranks)) is None:
        print("\nNo timeline: no step is kept that all ranks have made.", file=sys.stderr)
        return
    name, events, bands = drawn
    picture = options.svg or f"{os.path.splitext(os.path.basename(options.training_script))[0]}.report.svg"
    with open(picture, "w", encoding="utf-8") as file:
        file.write(timeline(events, bands))
    print(f"\nThe timeline of {name}: {picture}", file=sys.stderr)
