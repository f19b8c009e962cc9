"""Compiled kernels by the dtypes and scalars of their arguments.

The key of an array is its dtype and whether it has dimensions; of a number, its value. An entry is a function of the
raw arguments that calls a kernel with those that it takes, and with its scalars as 0-d arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from rushlight.core.policy import Warmup
from rushlight.core.trace_pause import trace_paused
from rushlight.lower.conversions import BFLOAT16, WORD, unworded
from rushlight.lower.elementwise import BOOL, FLOATS, Kernels

ndarray = np.ndarray
MOST = 64  # entries of one formula: a number that changes at every step must not fill the memory
NO_KERNEL = False
SCALARS = frozenset((int, float, bool, str, type(None)))


def key_of(value):
    """The part of a key that an argument gives. Zeros by their names: 0.0 and -0.0 are equal."""
    cls = type(value)
    if cls is ndarray:
        return value.dtype if value.ndim else value.dtype.type
    return (value or repr(value)) if cls in SCALARS else cls


def key_with_scalar(value):
    """The same for a formula that has its numbers built in: a 0-d array counts as its value."""
    if type(value) is ndarray and not value.ndim:
        value = value.item()
    return key_of(value)


CACHES: list[KernelCache] = []  # of all formulas, for `forget`


class KernelCache:
    """The kernels of one formula, whose arguments have these names."""

    def __init__(self, kernels: Kernels, names: Sequence[str]):
        self.kernels, self.names = kernels, tuple(names)
        self.key_of = key_with_scalar if kernels.built_in else key_of
        self.known: dict[Any, Any] = {}
        self.in_place: dict[Any, Any] = {}  # kernels that write over the first argument
        self.warmup = Warmup(passes=4)
        CACHES.append(self)

    def find(self, key, arguments: tuple, dtype, results: Sequence[int | None] | None = None):
        """The call of a kernel, kept under a key; None before the warm-up is over, False if there is no kernel.

        With `results` it gives a tuple of those by number, or of None.
        """
        if not self.warmup.pays_off(max([x.size for x in arguments if type(x) is ndarray])):
            return None
        if len(self.known) >= MOST:
            self.known.clear()
        entry = self.known[key] = self._made(arguments, dtype, results) or NO_KERNEL
        return entry

    def find_in_place(self, key, arguments: tuple) -> Callable | None:
        """The call that writes over the first argument; None where no kernel has been found out of place."""
        if not self.known.get(key):
            return None
        if len(self.in_place) >= MOST:
            self.in_place.clear()
        entry = self.in_place[key] = self._made(arguments, arguments[0].dtype, None, in_place=True)
        return entry

    @trace_paused()
    def _made(self, arguments: tuple, dtype, results, in_place: bool = False) -> Callable | None:
        if dtype not in FLOATS or any([type(x) is ndarray and x.dtype not in (dtype, BOOL) for x in arguments]):
            return None
        values = dict(zip(self.names, arguments, strict=False))
        kernel, given = self.kernels.prepared(values, dtype)
        if kernel is None:
            return None
        if results is None and (kernel.ufunc is None or isinstance(kernel.gives[0], str)):
            return None  # a formula that returns an argument unchanged owes a copy
        positions = {name: at for at, name in enumerate(values)}
        taken = [positions[name] if given[name] is values[name] else None for name in kernel.takes]
        fixed = [given[name] for name, at in zip(kernel.takes, taken, strict=True) if at is None]
        gives = [-1 - x if isinstance(x, int) else positions[x] for x in kernel.gives]
        chosen = None if results is None else tuple([None if at is None else gives[at] for at in results])
        return call_of(len(values), tuple(taken), chosen, in_place=in_place)(kernel.ufunc, *fixed)


class ConvertingCache:
    """The kernels of one formula that convert what they load and store, by the dtype of the result too."""

    def __init__(self, kernels: Kernels):
        self.kernels = kernels
        self.key_of = key_with_scalar if kernels.built_in else key_of
        self.known: dict[tuple, Callable] = {}

    def run(self, values: dict[str, Any], dtype: np.dtype, rounded: np.dtype):
        """The result for arguments by name; None without a kernel, and where it would be an argument unchanged."""
        key = (dtype, rounded, *map(self.key_of, values.values()))
        entry = self.known.get(key)
        return self._first_run(key, values, dtype, rounded) if entry is None else entry(*values.values())

    def _first_run(self, key: tuple, values: dict[str, Any], dtype: np.dtype, rounded: np.dtype):
        entered = self.kernels.converted(values, dtype, (rounded,))
        if entered is None or isinstance(entered[0].gives[0], str):
            return None
        kernel, given = entered
        result = kernel(given)[0]
        positions = {name: at for at, name in enumerate(values)}
        words = {name for name, x in values.items() if type(x) is ndarray and x.dtype == BFLOAT16}
        taken = [positions[x] if x in words or given[x] is values[x] else None for x in kernel.takes]
        fixed = [given[x] for x, at in zip(kernel.takes, taken, strict=True) if at is None]
        if len(self.known) >= MOST:
            self.known.clear()
        make = call_of(len(values), tuple(taken), None, frozenset(map(positions.get, words)), result.dtype is WORD)
        self.known[key] = make(kernel.ufunc, *fixed)
        return unworded(result)


class ScalarCache:
    """The kernels of a formula for any scalars beside its arrays: one for a dtype, once the warm-up is over."""

    def __init__(self, kernels: Kernels):
        self.kernels, self.warmup = kernels, Warmup(passes=2)
        self.known: dict[np.dtype, np.ufunc] = {}

    def find(self, first: ndarray, values: dict[str, Any]) -> np.ufunc | None:
        """The kernel for arguments by name, the first of them an array; it takes all of them, in this order."""
        kernel = self.known.get(first.dtype)
        if kernel is None and first.dtype in FLOATS and self.warmup.pays_off(first.size):
            made, _ = self.kernels.prepared(values, first.dtype)
            if made is not None and made.takes == tuple(values):
                kernel = self.known[first.dtype] = made.ufunc
        return kernel


def forget() -> None:
    """Empties all caches, for tests that want to see kernels looked up again."""
    for each in CACHES:
        each.known.clear()
        each.in_place.clear()


@cache
def call_of(
    count: int,
    taken: tuple[int | None, ...],
    results: tuple[int | None, ...] | None,
    words: frozenset[int] = frozenset(),
    gives_words: bool = False,
    in_place: bool = False,
) -> Callable:
    """What makes the call of `count` arguments from a ufunc and the scalars that stand for None in `taken`.

    In `results`, numbers from 0 on are arguments, -1 and below results of the ufunc. The arguments in `words` are
    bfloat16, which the ufunc takes as words, and so may be its results. `in_place` writes over the first argument.
    """
    given = ", ".join(f"a{at}" for at in range(count))
    fixed = [f"f{number}" for number, at in enumerate(taken) if at is None]
    entering = [f"a{at}.view(WORD)" if at in words else f"a{at}" for at in range(count)]
    passed = ", ".join(f"f{number}" if at is None else entering[at] for number, at in enumerate(taken))
    body = f"ufunc({passed}{', out=a0' if in_place else ''})" + (".view(BFLOAT16)" if gives_words else "")
    if results is not None:
        own = [each for each in results if each is not None and each < 0]
        known = body if len(own) == 1 else "own" if len(set(own)) == 1 else "own[{}]"
        listed = ["None" if each is None else f"a{each}" if each >= 0 else known.format(-1 - each) for each in results]
        body = f"({', '.join(listed)},)" if len(own) < 2 else f"(lambda own: ({', '.join(listed)},))({body})"
    text = f"lambda {', '.join(['ufunc', *fixed])}: lambda {given}: {body}"
    return eval(compile(text, __file__, "eval"))  # under our file's name, as what explains an error looks for
