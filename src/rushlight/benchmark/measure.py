"""Measures a case: both libraries in one process, in turns, after checking that their results agree."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from types import ModuleType

import numpy as np

from rushlight.benchmark.case import Case, Reading, Sides, Speed, Step

SECONDS_PER_TURN = 0.01
# Rounds: at least; enough once the requested time has passed; at most. Below ENOUGH_ROUNDS, four times that time.
MIN_ROUNDS, ENOUGH_ROUNDS, MAX_ROUNDS = 3, 9, 101
PAUSE = 0.03  # how long threads of a BLAS wait for work before they sleep
PLACEMENTS = 5  # of the arrays, since their pages decide cache conflicts; odd, so that each goes first


class Different(AssertionError):
    """The two libraries have different results, so their times are not comparable."""


@dataclass(frozen=True)
class Row:
    """One row of the table: medians of the turns in seconds (or bytes), and the ratio with its quartiles."""

    name: str
    words: str
    ours: float
    theirs: float | None
    ratio: float | None
    quartiles: tuple[float, float] | None
    bound: float | None
    floor: float | None
    rounds: int
    unit: str
    other: str

    @property
    def is_over(self) -> bool:
        return self.bound is not None and self.ratio is not None and self.ratio > self.bound

    def once(self) -> Row:
        """Removes the ratio, which means nothing after single runs."""
        return replace(self, ratio=None, quartiles=None)

    def as_dict(self) -> dict:
        return asdict(self) | {"is_over": self.is_over}


def row_of(case: Case | Reading, turns: list[Sides], floor: float | None = None) -> Row:
    """Returns medians and quartiles of measurements in turns."""
    ratios = [turn.ours / turn.theirs for turn in turns if turn.theirs]
    first, middle, third = statistics.quantiles(ratios * 2, n=4, method="inclusive") if ratios else (None,) * 3
    return Row(
        name=case.name,
        words=case.words,
        ours=statistics.median(turn.ours for turn in turns),
        theirs=statistics.median(turn.theirs for turn in turns if turn.theirs) if ratios else None,
        ratio=middle,
        quartiles=None if first is None or third is None else (first, third),
        bound=case.bound,
        floor=floor,
        rounds=len(turns),
        unit=case.unit if isinstance(case, Reading) else "s",
        other=case.other if isinstance(case, Reading) else "torch",
    )


def measure(case: Case | Reading, modules: list[ModuleType], speed: Speed, seconds: float, threads: int) -> Row:
    """Measures a case for about `seconds`. Raises Different if the results differ."""
    if isinstance(case, Reading):
        return row_of(case, case.read(7, len(modules) > 1))
    placements = [checked_steps(case, modules) for _ in range(PLACEMENTS)]
    return row_of(case, take_turns(placements, seconds, PAUSE if threads > 1 else 0), case.floor.seconds(speed))


def try_once(case: Case, modules: list[ModuleType], speed: Speed) -> Row:
    """Runs a case once and compares the results; the time of a single run says little."""
    steps = [case.program(module) for module in modules]
    times, results = zip(*map(timed, steps), strict=True)
    refuse_if_different(case, list(results))
    return row_of(case, [Sides(times[0], times[1] if len(times) > 1 else None)], case.floor.seconds(speed)).once()


def timed(step: Step) -> tuple[float, list[np.ndarray]]:
    start = time.perf_counter()
    result = step()
    return time.perf_counter() - start, list(numbers(result))


def checked_steps(case: Case, modules: list[ModuleType]) -> list[Step]:
    """Returns the step of each library after two runs: the second run uses what the first one changed."""
    steps = [case.program(module) for module in modules]
    for _ in range(2):
        refuse_if_different(case, [list(numbers(step())) for step in steps])
    return steps


def refuse_if_different(case: Case, results: list[list[np.ndarray]]) -> None:
    """Raises Different if shapes, integers, or values relative to their array's maximum differ."""
    if len(results) == 1:
        return
    for ours, theirs in zip(*results, strict=True):
        if ours.shape != theirs.shape:
            raise Different(f"{case.name}: rushlight gives the shape {ours.shape}, torch {theirs.shape}")
        size = norm if case.by_norm else largest
        scale, difference = size(theirs), size(ours.astype("float64") - theirs)
        if not difference <= (case.tolerance * scale if theirs.dtype.kind == "f" else 0):
            raise Different(f"{case.name}: rushlight and torch differ by {difference:.2g} in numbers up to {scale:.2g}")


def largest(array: np.ndarray) -> float:
    return float(np.abs(array).max(initial=0))


def norm(array: np.ndarray) -> float:
    return float(np.sqrt(np.square(array, dtype="float64").sum()))


def numbers(result: object) -> Iterator[np.ndarray]:
    """Returns copies of the arrays in a step's result: None, a number, a tensor or a sequence."""
    if isinstance(result, list | tuple):
        for item in result:
            yield from numbers(item)
    elif hasattr(result, "detach"):
        yield result.detach().numpy()
    elif result is not None:
        yield np.asarray(result)


def seconds_of(step: Step, runs: int) -> float:
    start = time.perf_counter()
    for _ in range(runs):
        step()
    return (time.perf_counter() - start) / runs


def runs_per_turn(step: Step, pause: float) -> int:
    """Returns how many runs fill a turn; a single run next to the other library's threads would take much longer."""
    seconds = turn(step, 1, pause)
    if seconds < SECONDS_PER_TURN / 10:
        seconds = turn(step, 10, pause)
    return max(1, round(SECONDS_PER_TURN / seconds))


def take_turns(placements: list[list[Step]], seconds: float, pause: float) -> list[Sides]:
    """Times the steps in turns, each first every second time; the other library's threads sleep before a turn.

    Each placement has a step of every library; each round uses the next placement.
    """
    runs = [runs_per_turn(step, pause) for step in placements[0]]
    start = time.perf_counter()
    turns: list[Sides] = []
    while not enough(len(turns), time.perf_counter() - start, seconds):
        steps = placements[len(turns) % len(placements)]
        order = range(len(steps)) if len(turns) % 2 else reversed(range(len(steps)))
        times = {side: turn(steps[side], runs[side], pause) for side in order}
        turns.append(Sides(times[0], times.get(1)))
    return turns


def enough(rounds: int, passed: float, seconds: float) -> bool:
    """Whether the rounds and seconds so far suffice for the requested seconds."""
    return rounds >= MIN_ROUNDS and (
        passed > 4 * seconds or (rounds >= ENOUGH_ROUNDS and passed > seconds) or rounds >= MAX_ROUNDS
    )


def turn(step: Step, runs: int, pause: float) -> float:
    if pause:
        time.sleep(pause)
    step()
    return seconds_of(step, runs)
