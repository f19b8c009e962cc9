"""Every case there is, by family, in the order of the table."""

from __future__ import annotations

import re

from rushlight.benchmark import (
    convolution,
    loading,
    optimizers,
    pointwise,
    products,
    reductions,
    small,
    startup,
    training,
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
    "loading": [*loading.CASES],
    "startup": [*startup.CASES],
}


def chosen(pattern: str) -> dict[str, list[Case | Reading]]:
    """The cases in whose name or family a regular expression is found."""
    found = {
        family: [case for case in cases if re.search(pattern, f"{family}: {case.name}")]
        for family, cases in FAMILIES.items()
    }
    return {family: cases for family, cases in found.items() if cases}
