"""Compiled programs in turns with our eager code, PyTorch as written and by torch.compile, and JAX's jit.

    python benchmarks/compiled_in_turns.py                     # needs torch; JAX where it is installed
    python benchmarks/compiled_in_turns.py --only 'jvp|adam' --threads 2 --check

The programs are the cases of `python -m rushlight bench` in the family "compiled", and those of them that JAX can state
as a pure function are written once more for it. All run in one process, on as many cores as `--threads` says, in turns;
a side that raises, or whose results differ from ours, is not timed. The ratios are our time to that of the fastest
other side, to our eager code and to PyTorch as written.
"""

import argparse
import os
import re
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--only", default="", metavar="REGEX", help="the cases in whose name this is found")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--seconds", type=float, default=3, help="for each case")
parser.add_argument("--without", default="", metavar="REGEX", help="leave out sides in whose name this is found")
parser.add_argument("--check", action="store_true", help="exit status 1 if a ratio is over its bound")
OPTIONS = parser.parse_args()
# Before a library counts the cores.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: OPTIONS.threads])
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(OPTIONS.threads)

import numpy as np  # noqa: E402
import torch  # noqa: E402

import rushlight  # noqa: E402
from rushlight.benchmark import compiled  # noqa: E402
from rushlight.benchmark.measure import numbers  # noqa: E402

try:
    import programs_in_jax
except ImportError:
    programs_in_jax = None

# Of our time to that of the fastest other side, to our eager code, to PyTorch as written; None: no bound.
SMALL, POINTWISE, LARGE, GENERATION = (0.8, None, 0.1), (1.0, None, 0.6), (1.0, 0.8, None), (None, 0.5, None)
BOUNDS = {
    **dict.fromkeys(("chain_20", "rnn_cell", "euler", "jvp", "hessian", "adam", "pinn", "small_mlp"), SMALL),
    **dict.fromkeys(("chain_4m", "gated_sum", "entropy", "layer_norm"), POINTWISE),
    **dict.fromkeys(("mlp_step", "gpt_step", "lstm_step", "cnn_step", "gan"), LARGE),
    "generation": GENERATION,
}
TURN, ROUNDS = 0.01, 9  # seconds; at least so many turns


class AsWritten:
    """rushlight under another name: the cases do not compile for it."""

    __name__ = "rushlight as written"

    def __getattr__(self, name):
        return getattr(rushlight, name)


def sides_of(case, name):
    """Yields the name and the step of each side, ours first."""
    yield "rushlight", case.program(rushlight)
    yield "eager", case.program(AsWritten())
    yield "torch", case.program(torch)
    yield "torch.compile", torch.compile(case.program(torch))
    program = programs_in_jax and programs_in_jax.PROGRAMS.get(name)
    if program:
        yield "jax", program()


def agreeing(case, sides):
    """Returns the sides whose results are ours, after two runs; a run uses what the one before it changed."""
    steps, wrong = dict(sides), set()
    for _ in range(2):
        ours, *others = list(results_of(steps))
        for name, values in others:
            pairs = list(zip(ours[1], values, strict=False))
            if len(ours[1]) != len(values) or not all(close(*pair, case.tolerance) for pair in pairs):
                wrong.add(name)
    for name in wrong:
        print(f"  {name} gives another result, and is not timed")
    return {name: step for name, step in steps.items() if name not in wrong}


def results_of(steps):
    """Yields the name and the numbers of each side, and removes one that raises: PyTorch's compiler refuses some."""
    for name, step in list(steps.items()):
        try:
            yield name, list(numbers(step()))
        except Exception as error:
            if name == "rushlight":
                raise
            print(f"  {name} raises {type(error).__name__}, and is not timed: {str(error).splitlines()[0]}")
            del steps[name]


def close(one, other, tolerance):
    scale = float(np.abs(other).max(initial=0))
    return one.size == other.size and np.abs(one.ravel() - other.ravel()).max(initial=0) <= 2 * tolerance * scale


def seconds_of(step, runs):
    start = time.perf_counter()
    for _ in range(runs):
        step()
    return (time.perf_counter() - start) / runs


def measure(steps):
    """Returns the median seconds of each side, and of our time to each other side's in the same round."""
    for step in steps.values():
        for _ in range(3):
            step()
    runs = {name: max(1, round(TURN / seconds_of(step, 1))) for name, step in steps.items()}
    runs = {name: max(1, round(TURN / seconds_of(step, runs[name]))) for name, step in steps.items()}
    rounds, start = [], time.perf_counter()
    while len(rounds) < ROUNDS or time.perf_counter() - start < OPTIONS.seconds:
        order = list(steps) if len(rounds) % 2 else list(reversed(steps))
        rounds.append({name: seconds_of(steps[name], runs[name]) for name in order})
    times = {name: statistics.median([each[name] for each in rounds]) for name in steps}
    ratios = {name: statistics.median([each["rushlight"] / each[name] for each in rounds]) for name in steps}
    return times, ratios


def written(seconds):
    scale, unit = (1e6, "us") if seconds < 1e-3 else (1e3, "ms")
    return f"{seconds * scale:.3g} {unit}"


def main():
    torch.set_num_threads(OPTIONS.threads)
    over = []
    print(f"{OPTIONS.threads} of {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}")
    for case in compiled.CASES:
        name = case.name.removeprefix("compiled_")
        if not re.search(OPTIONS.only, name):
            continue
        sides = [
            (side, step)
            for side, step in sides_of(case, name)
            if not (OPTIONS.without and re.search(OPTIONS.without, side))
        ]
        times, ratios = measure(agreeing(case, sides))
        peers = {side: ratio for side, ratio in ratios.items() if side not in ("rushlight", "eager")}
        compared = (max(peers.values(), default=None), ratios.get("eager"), ratios.get("torch"))
        bounds = BOUNDS[name]
        bad = [ratio and bound and ratio > bound for ratio, bound in zip(compared, bounds, strict=True)]
        over += [name] * any(bad)
        shown = [
            f"{words} {ratio:.2f}{'!' if wrong else ''}" + (f" of {bound}" if bound else "")
            for words, ratio, bound, wrong in zip(("peer", "eager", "torch"), compared, bounds, bad, strict=True)
            if ratio
        ]
        print(f"{name:11}", *[f"{side} {written(t)}," for side, t in times.items()], ", ".join(shown), flush=True)
    print(f"over a bound: {', '.join(over) or 'none'}; load {os.getloadavg()[0]:.1f}")
    return 1 if OPTIONS.check and over else 0


if __name__ == "__main__":
    sys.exit(main())
