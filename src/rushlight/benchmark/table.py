"""All cases by family, in the order of the table."""

from __future__ import annotations

import re

from rushlight.benchmark import (
    calls,
    compiled,
    convolution,
    layers,
    loading,
    memory,
    optimizers,
    pointwise,
    products,
    reductions,
    small,
    startup,
    threads,
    training,
    transforms,
)
from rushlight.benchmark.case import Case, Reading

FAMILIES: dict[str, list[Case | Reading]] = {
    "small tensors": [*small.CASES],
    "optimizers": [*optimizers.CASES],
    "large elementwise": [*pointwise.CASES],
    "reductions and order": [*reductions.CASES],
    "products": [*products.CASES],
    "training": [*training.CASES],
    "convolution": [*convolution.CASES],
    "layers": [*layers.CASES],
    "transforms": [*transforms.CASES],
    "compiled": [*compiled.CASES],
    "loading": [*loading.CASES],
    "memory": [*memory.CASES],
    "startup": [*startup.CASES],
}
# Measured only if selected by family or name.
BESIDE: dict[str, list[Case | Reading]] = {"single calls": [*calls.CASES], "threads": [*threads.CASES]}


def chosen(pattern: str, quick: bool = False) -> dict[str, list[Case | Reading]]:
    """Returns the cases whose name or family matches a regular expression; the table if it is empty.

    A quick run compares results, so it skips readings.
    """
    families = {**FAMILIES, **BESIDE} if pattern else FAMILIES
    selected = {
        family: [
            case
            for case in cases
            if re.search(pattern, f"{family}: {case.name}") and not (quick and isinstance(case, Reading))
        ]
        for family, cases in families.items()
    }
    return {family: cases for family, cases in selected.items() if cases}
