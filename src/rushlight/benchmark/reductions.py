"""Reductions, sorting and indexing, which NumPy does on one thread."""

from __future__ import annotations

import numpy as np

from rushlight.benchmark.case import Case, Floor, case
from rushlight.benchmark.pointwise import backward_of, normal

BOUND = 1.0
SIDE = 2048
MILLION = 1_000_000
WORDS, FEATURES, TOKENS = 50_000, 128, 8192


def over_matrix(name: str, written: int, function) -> Case:
    """A case: `function(torch, x)` reads a matrix of 2048 x 2048 once and writes `written` elements."""

    def program(torch):
        x = normal(torch, SIDE, SIDE)
        return lambda: function(torch, x)

    return Case(name, program, f"{name} of {SIDE} x {SIDE}", BOUND, Floor(bytes=4 * (SIDE * SIDE + written)), 1e-3)


def places(torch, count: int = MILLION):
    """Returns random indices below a million, with repetitions."""
    return torch.tensor(np.random.default_rng(1).integers(0, MILLION, count))


REDUCTIONS = [
    over_matrix(f"{name}_dim_{dim}", SIDE, lambda torch, x, name=name, dim=dim: getattr(torch, name)(x, dim))
    for name in ("sum", "mean", "amax", "argmax", "var")
    for dim in (0, 1)
]
CUMSUMS = [
    over_matrix(f"cumsum_dim_{dim}", SIDE * SIDE, lambda torch, x, dim=dim: torch.cumsum(x, dim)) for dim in (0, 1)
]
sum_of_all = over_matrix("sum_of_all", 0, lambda torch, x: x.sum())
transpose = over_matrix("transpose_copy", SIDE * SIDE, lambda torch, x: x.t().contiguous())


@case(BOUND, Floor(bytes=(4 + 4 + 8) * MILLION))
def sort(torch):
    """sort of 1 M elements; where equal ones stand is each library's own choice."""
    x = normal(torch, MILLION)
    return lambda: torch.sort(x).values


@case(BOUND, Floor(bytes=4 * MILLION))
def topk(torch):
    """topk of 1 M elements, the first 100."""
    x = normal(torch, MILLION)
    return lambda: list(torch.topk(x, 100))


@case(BOUND, Floor(bytes=(4 + 4 + 8 + 4 + 8 + 4) * MILLION))
def gather(torch):
    """gather of 1 M elements, fwd+bwd."""
    x, index = normal(torch, MILLION, requires_grad=True), places(torch)
    return backward_of(lambda: x.gather(0, index), normal(torch, MILLION), x)


@case(BOUND, Floor(bytes=(4 + 4 + 8 + 8 + 4 + 4) * MILLION))
def scatter_add(torch):
    """scatter_add of 1 M elements, fwd+bwd."""
    x, index = normal(torch, MILLION, requires_grad=True), places(torch)
    zeros = torch.zeros(MILLION)
    return backward_of(lambda: zeros.scatter_add(0, index, x), normal(torch, MILLION), x)


@case(BOUND, Floor(bytes=(4 + 1 + 2 + 2 + 1 + 4) * MILLION))
def boolean_mask(torch):
    """x[mask] of 1 M elements, half of them chosen, fwd+bwd."""
    x = normal(torch, MILLION, requires_grad=True)
    mask = x.detach() > 0
    return backward_of(lambda: x[mask].sum(), None, x)


@case(BOUND, Floor(bytes=4 * (2 * TOKENS * FEATURES + WORDS * FEATURES)))
def embedding(torch):
    """Embedding(50k, 128) of 8192 ids, with the gradient of the table."""
    table = normal(torch, WORDS, FEATURES, requires_grad=True)
    ids = places(torch, TOKENS) % WORDS
    return backward_of(lambda: torch.nn.functional.embedding(ids, table), normal(torch, TOKENS, FEATURES), table)


CASES = [*REDUCTIONS, sum_of_all, *CUMSUMS, sort, topk, gather, scatter_add, boolean_mask, embedding, transpose]
