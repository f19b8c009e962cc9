"""An operator of a graph: its keywords, which are the frontend's, its results, what it refuses, and its numbers."""

from collections.abc import Callable
from typing import NamedTuple

COMMON = ("compute_data_type", "name")


class Operator(NamedTuple):
    name: str
    operands: tuple[str, ...]
    settings: tuple[str, ...]
    results: Callable  # of operands and settings: for each result, whether there is one
    check: Callable  # of the dtype of the graph, operands and results
    compute: Callable  # of operands in float64, settings and the shapes of results
