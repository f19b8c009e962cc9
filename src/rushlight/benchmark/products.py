"""Matrix products, which both libraries leave to the BLAS."""

from __future__ import annotations

from rushlight.benchmark.case import Case, Floor
from rushlight.benchmark.pointwise import normal

BOUND = 1.05


def product(name: str, words: str, first: tuple[int, ...], second: tuple[int, ...]) -> Case:
    """A case: the product of two tensors of these shapes, without gradients."""
    flops = 2 * second[-1]
    for size in first:
        flops *= size

    def program(torch):
        x, y = normal(torch, *first), normal(torch, *second)
        return lambda: x @ y

    return Case(name, program, words, BOUND, Floor(flops=flops), 1e-3)


CASES = [
    *(product(f"matmul_{n}", f"A product of two {n} x {n} matrices", (n, n), (n, n)) for n in (64, 256, 1024, 2048)),
    product("bmm_64", "64 products of 128 x 64 and 64 x 128", (64, 128, 64), (64, 64, 128)),
]
