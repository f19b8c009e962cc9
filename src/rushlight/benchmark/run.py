"""A run of the benchmark in this process: loads the libraries, measures the cases, returns data."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType

from rushlight.benchmark import machine
from rushlight.benchmark.case import Case, Reading
from rushlight.benchmark.measure import Different, Row, measure, try_once
from rushlight.benchmark.profile import hot_spots
from rushlight.benchmark.startup import has_torch


@dataclass(frozen=True)
class Plan:
    """Settings of a run: threads, seconds per case, `quick` for one run per case, families to profile."""

    threads: int
    seconds: float = 2.0
    quick: bool = False
    profiled: tuple[str, ...] = ()


@dataclass
class Result:
    """The result of a run; `different` has reports of cases with different results."""

    run: dict
    different: list[str] = field(default_factory=list)


def libraries(threads: int) -> list[ModuleType]:
    """Returns rushlight, and PyTorch if installed, each set to a number of threads."""
    modules = [importlib.import_module(name) for name in ("rushlight", "torch") if name == "rushlight" or has_torch()]
    for module in modules:
        module.set_num_threads(threads)
    return modules


def perform(plan: Plan, families: dict[str, list[Case | Reading]], tell: Callable[[str, Row | str], None]) -> Result:
    """Measures cases in turn; passes each row, or difference, to `tell` at once."""
    modules = libraries(plan.threads)
    speed, before = machine.speed(plan.threads), machine.load()
    result = Result({"machine": machine.facts(plan.threads), "speed": speed._asdict(), "families": {}, "profile": {}})
    for family, case in each_case(families):
        try:
            row = (
                try_once(case, modules, speed)
                if plan.quick and isinstance(case, Case)
                else measure(case, modules, speed, plan.seconds, plan.threads)
            )
        except Different as error:
            result.different.append(str(error))
            tell(family, str(error))
            continue
        result.run["families"].setdefault(family, []).append(row.as_dict())
        tell(family, row)
        if family in plan.profiled and isinstance(case, Case):
            result.run["profile"][case.name] = hot_spots(case, modules[0])
    after = machine.load()
    others = machine.cores_of_others(before, after)
    result.run["load"] = {"before": before.average, "after": after.average, "cores_of_others": others}
    return result


def each_case(families: dict[str, list[Case | Reading]]) -> Iterator[tuple[str, Case | Reading]]:
    for family, cases in families.items():
        for case in cases:
            yield family, case
