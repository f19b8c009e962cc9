"""`python -m rushlight bench`: compares rushlight with PyTorch on this machine, as a table, chart, page, or JSON."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rushlight.benchmark import report
from rushlight.benchmark.chart import chart
from rushlight.benchmark.machine import THREAD_VARIABLES, cores, processor
from rushlight.benchmark.measure import Row
from rushlight.benchmark.run import Plan, perform
from rushlight.benchmark.table import chosen

DESCRIPTION = """Measure rushlight on this machine, beside PyTorch where that is installed: both in one process, in
turns, after a check that they compute the same. Ratios are rushlight's time to PyTorch's: less is better."""
EPILOG = """The floor is what this machine needs at least: memory copied, matrices multiplied or NumPy called as often
as the case requires. * marks a case whose other side is NumPy, ! one that is over its bound."""

WIDTH = 80
PAGES = Path("docs/benchmarks")
PROFILED = ("training",)  # on the page


def main(arguments: Sequence[str]) -> int:
    """Measures, prints the table, writes the requested files; 1 if results differ or --check misses a bound."""
    options = parser().parse_args(arguments)
    if not chosen(options.only, options.quick):
        parser().error(f"no case has {options.only!r} in its name")
    if len(options.threads) == 1 and threads_are_set(options.threads[0]):
        runs, status = measured_here(options)
    else:
        runs, status = measured_in_children(options)
    if runs:
        write(options, runs)
    over = any(row["is_over"] for run in runs for _, row in report.rows_of(run))
    return status or int(options.check and over)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rushlight bench", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--quick", action="store_true", help="run every case once and compare the results; no timing")
    parser.add_argument("--only", metavar="REGEX", default="", help="the cases in whose family or name this is found")
    parser.add_argument("--threads", metavar="N", type=numbers, default=[default_threads()], help="such as 1, or 1,4")
    parser.add_argument("--seconds", metavar="S", type=float, default=2.0, help="for each case (2)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was measured")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="write a picture (SVG)")
    parser.add_argument(
        "--page",
        metavar="FILE",
        type=Path,
        nargs="?",
        const=PAGES / f"{report.page_name(processor())}.md",
        help=f"write the page of this processor and its picture (in {PAGES})",
    )
    parser.add_argument("--profile", action="store_true", help="also say where the time of each case goes")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a ratio is over its bound")
    return parser


def numbers(text: str) -> list[int]:
    """Parses the positive integers in `1,4`."""
    result = [int(part) for part in text.split(",")]
    if min(result) < 1:
        raise ValueError
    return result


def default_threads() -> int:
    """Returns the user's setting, else the number of processors of this process."""
    threads = os.environ.get("OMP_NUM_THREADS", "")
    return int(threads) if threads.isdigit() and int(threads) else cores()[0]


def threads_are_set(threads: int) -> bool:
    """Whether this process started with this number of threads: a BLAS reads the environment when it is loaded."""
    return all(os.environ.get(name) == str(threads) for name in THREAD_VARIABLES)


def measured_in_children(options: argparse.Namespace) -> tuple[list[dict], int]:
    """Returns the runs of one process per number of threads, one after the other."""
    runs: list[dict] = []
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "run.json")
        for threads in options.threads:
            environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads))}
            failed = subprocess.run(child_command(options, threads, file), env=environment).returncode != 0
            status = max(status, int(failed))
            if not file.exists():  # the process ended early, and has printed why
                return [], 1
            runs += json.loads(file.read_text("utf-8"))
            file.unlink()
    return runs, status


def child_command(options: argparse.Namespace, threads: int, file: Path) -> list[str]:
    command = [sys.executable, "-m", "rushlight", "bench", "--threads", str(threads), "--json", str(file)]
    command += ["--only", options.only, "--seconds", str(options.seconds)]
    command += [f"--{name}" for name in ("quick", "profile") if getattr(options, name)]
    return [*command, "--page", str(file.with_name("page.md"))] if options.page else command


def measured_here(options: argparse.Namespace) -> tuple[list[dict], int]:
    families = chosen(options.only, options.quick)
    profiled = tuple(families) if options.profile else PROFILED if options.page else ()
    plan = Plan(options.threads[0], options.seconds, options.quick, profiled)
    teller = Teller(sum(map(len, families.values())))
    result = perform(plan, families, teller.tell)
    teller.close()
    tell_summary(result.run, plan, result.different)
    return [result.run], int(bool(result.different))


class Teller:
    """Prints rows as they arrive, above a progress bar if tqdm is installed and output is a terminal."""

    def __init__(self, cases: int):
        self.family = ""
        self.bar = progress_bar(cases)
        self.print: Callable[[str], None] = print if self.bar is None else self.bar.write
        self.print(report.HEADING)

    def tell(self, family: str, row: Row | str) -> None:
        if family != self.family:
            self.print(f"{family}:")
            self.family = family
        self.print(report.line(row) if isinstance(row, Row) else f"DIFFERENT {row}")
        if self.bar is not None:
            self.bar.update()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def progress_bar(cases: int) -> Any:
    """Returns tqdm's bar, or None without tqdm or terminal."""
    if not sys.stderr.isatty():
        return None
    try:
        import tqdm
    except ModuleNotFoundError:
        return None
    return tqdm.tqdm(total=cases, unit="case", leave=False, bar_format="{desc}{n}/{total} {bar} {remaining} left")


def tell_summary(run: dict, plan: Plan, different: list[str]) -> None:
    """Prints the settings and the verdict."""
    print()
    for text in (*report.machine_lines(run), report.load_line(run)):
        print(textwrap.fill(text, WIDTH))
    if "torch" not in run["machine"]:
        print("PyTorch is not installed: only rushlight's times. `pip install torch` to compare")
    elif plan.quick:
        print("every case agrees with PyTorch" if not different else f"{len(different)} cases differ from PyTorch")
    else:
        print(textwrap.fill(report.verdict(run), WIDTH))
    for name, shares in run["profile"].items():
        print(f"\n{name}")
        for share in shares:
            print(f"  {100 * share['share']:3.0f} %{share['calls']:8.0f} x  {share['function']}"[:WIDTH])


def write(options: argparse.Namespace, runs: list[dict]) -> None:
    if options.json:
        options.json.write_text(json.dumps(runs, indent=1) + "\n", "utf-8")
    if options.plot:
        options.plot.write_text(chart(runs), "utf-8")
    if options.page:
        picture = options.page.with_suffix(".svg")
        picture.write_text(chart(runs), "utf-8")
        options.page.write_text(report.page(runs, picture.name), "utf-8")
