"""`torch.quasirandom`: Sobol sequences, which cover a cube more evenly than random points.

The numbers are PyTorch's, bit for bit: the directions are those of S. Joe and F. Y. Kuo, Constructing Sobol sequences
with better two-dimensional projections, SIAM J. Sci. Comput. 30 (2008), which SciPy ships as well; scrambling is
that of A. B. Owen by random matrices, drawn from a generator.
https://docs.pytorch.org/docs/stable/generated/torch.quasirandom.SobolEngine.html
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.dtype import DEFAULTS, SCALAR_NAMES, float32, float64
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.errors import noted, type_name
from rushlight.core.generator import Generator
from rushlight.core.tensor import Tensor, wrap
from rushlight.create.filled import zeros
from rushlight.create.random import randint
from rushlight.create.sizes import size_tuple

__all__ = ["SobolEngine"]

BITS = 30
WEIGHTS = np.int64(1) << np.arange(BITS - 1, -1, -1, dtype=np.int64)  # of the bits of a number, highest first


class SobolEngine:
    """Draws the points of a Sobol sequence in the unit cube, in order.

    `scramble` mixes their digits randomly, with its own generator, seeded by `seed` if given.

    `scramble` mixes their digits at random, by a generator of its own that starts from `seed`, if one is given.

    >>> SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = wrap(directions(*size_tuple("zeros", (dimension,))))
        self.shift = self._scrambled() if scramble else zeros(dimension, dtype=self.sobolstate.dtype)
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**BITS).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Dtype | None = None) -> Tensor:
        """Returns the next `n` points: (n, dimension), in the default dtype, float32 or float64.

        Raises NotImplementedError for another dtype, RuntimeError after 2 ** 30 points.
        """
        kind = DEFAULTS.floating if dtype is None else dtype
        if type(n) is not int:
            raise TypeError(f"_sobol_engine_draw(): argument 'n' (position 2) must be int, not {type_name(n)}")
        first = self.num_generated == 0
        if first and n == 1:
            result = self._first_point.to(kind)
        else:
            result = wrap(self._points(n - first, kind))
            if first:
                result = wrap(np.concatenate((self._first_point.to(kind)._array, result._array)))
        self.num_generated += n
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Dtype | None = None) -> Tensor:
        """Returns the next `2 ** m` points. Raises ValueError unless the total becomes a power of 2."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points "
                f"have been previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to do "
                "this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Restarts the sequence."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skips the next `n` points."""
        start = max(self.num_generated - 1, 0)
        stop = start + n - (self.num_generated == 0)
        check_count(stop)
        point = self.quasi._array
        for bit in range(BITS if stop > start else 0):
            met = sum(((end >> bit) - (end >> (bit + 1))) * sign for end, sign in ((stop, 1), (start, -1)))
            if met % 2:
                point ^= self.sobolstate._array[:, bit]
        self.num_generated += n
        return self

    def _points(self, n: int, kind: Dtype) -> np.ndarray:
        """Returns the next points after the first; each differs from the one before in one direction."""
        if kind not in (float32, float64):
            raise NotImplementedError(f"\"_sobol_engine_draw\" not implemented for '{SCALAR_NAMES[kind]}'")
        (n,) = size_tuple("_sobol_engine_draw", (n,)) if n >= 0 else size_tuple("empty", (n, self.dimension))
        start = max(self.num_generated - 1, 0)
        check_size_fits((n, self.dimension), kind.itemsize)
        check_count(start + n)
        check_size_fits((2, n + 1, self.dimension), self.quasi.itemsize)  # steps and points
        numbers = np.arange(start + 1, start + n + 1)
        places = np.log2(numbers & -numbers).astype(np.int64)
        steps = np.concatenate((self.quasi._array[None], self.sobolstate._array.T[places]))  # (n + 1, dimension)
        points = np.bitwise_xor.accumulate(steps, axis=0)
        self.quasi = wrap(points[-1].copy())
        return (points[1:] * 2.0**-BITS).astype(kind.numpy)

    def _scrambled(self) -> Tensor:
        """Scrambles the directions by random triangular matrices; returns a random first point."""
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        shift = randint(2, (self.dimension, BITS), generator=generator)._array @ WEIGHTS[::-1]
        mixing = np.tril(randint(2, (self.dimension, BITS, BITS), generator=generator)._array, -1)
        rows = mixing @ WEIGHTS + WEIGHTS  # (dimension, bit), with ones on the diagonals
        common = rows[:, None, :] & self.sobolstate._array[:, :, None]  # (dimension, direction, bit)
        self.sobolstate = wrap((np.bitwise_count(common) & 1).astype(np.int64) @ WEIGHTS)
        return wrap(shift)

    def __repr__(self) -> str:
        facts = [f"dimension={self.dimension}"]
        facts += ["scramble=True"] if self.scramble else []
        facts += [] if self.seed is None else [f"seed={self.seed}"]
        return f"{type(self).__name__}({', '.join(facts)})"


def check_count(last: int) -> None:
    """Raises RuntimeError if a sequence has no more points."""
    if last >= 2**BITS:
        raise noted(
            RuntimeError(f"a Sobol sequence of {BITS} bits has {2**BITS} points, which are used up"),
            "engine.reset() begins again; another sequence is SobolEngine(dimension, scramble=True).",
        )


@cache
def table() -> tuple[np.ndarray, np.ndarray]:
    """Returns the primitive polynomials and first numbers of Joe and Kuo, one row per dimension."""
    spec = find_spec("scipy")
    assert spec is not None and spec.origin is not None
    with np.load(Path(spec.origin).parent / "stats" / "_sobol_direction_numbers.npz") as stored:
        return stored["poly"], stored["vinit"]


def directions(dimension: int) -> np.ndarray:
    """Returns the directions of a sequence: (dimension, bit)."""
    polynomials, first = (x[:dimension] for x in table())
    numbers = np.ones((dimension, BITS), np.int64)
    degrees = np.frexp(polynomials)[1] - 1
    for degree in range(1, degrees.max() + 1):
        chosen = np.flatnonzero(degrees == degree)
        directions_ = numbers[chosen]
        directions_[:, :degree] = first[chosen, :degree]
        for place in range(degree, BITS):
            directions_[:, place] = directions_[:, place - degree]
            for back in range(1, degree + 1):
                taken = polynomials[chosen] >> (degree - back) & 1
                directions_[:, place] ^= taken * (directions_[:, place - back] << back)
        numbers[chosen] = directions_
    return numbers * WEIGHTS
