"""The short way to a kernel: what arguments are like decides which one takes them, and is found out once.

What counts of an array is its dtype and whether it has dimensions, of a number its value. A way is a function of the
raw arguments that calls a kernel with those that it takes, and with its numbers as the arrays that NumPy likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from rushlight.lower.conversions import BFLOAT16, WORD, unworded
from rushlight.lower.elementwise import BOOL, FLOATS, Kernels
from rushlight.lower.sizes import Patience

ndarray = np.ndarray
MOST = 64  # ways that one formula keeps: a number that changes at every step must not fill the memory
NO_KERNEL = False
PLAIN = frozenset((int, float, bool, str, type(None)))


def kind(value):
    """What counts of an argument. Zeros by their names: 0.0 and -0.0 are one key."""
    given = type(value)
    if given is ndarray:
        return value.dtype if value.ndim else value.dtype.type
    return (value or repr(value)) if given in PLAIN else given


def kind_with_number(value):
    """The same for a formula that looks at numbers, of which an array without dimensions is one."""
    if type(value) is ndarray and not value.ndim:
        value = value.item()
    return kind(value)


FORMULAS: list[Ways] = []  # those of all formulas, for `forget`


class Ways:
    """The ways of one formula, of arguments by these names, by what counts of them."""

    def __init__(self, kernels: Kernels, names: Sequence[str]):
        self.kernels, self.names = kernels, tuple(names)
        self.kind = kind_with_number if kernels.built_in else kind
        self.known: dict[Any, Any] = {}
        self.places: dict[Any, Any] = {}  # ways to where the first argument stands
        self.patience = Patience(passes=4)
        FORMULAS.append(self)

    def find(self, key, arguments: tuple, dtype, results: Sequence[int | None] | None = None):
        """The way of such arguments, which is kept by that key; None while it is not worth a kernel, False if there
        is none. With `results`, it gives a tuple of those by number, or of None.
        """
        if not self.patience.ends(max([each.size for each in arguments if type(each) is ndarray])):
            return None
        if len(self.known) >= MOST:
            self.known.clear()
        found = self.known[key] = self._made(arguments, dtype, results) or NO_KERNEL
        return found

    def place(self, key, arguments: tuple) -> Callable | None:
        """The way that writes to where the first of such arguments stands, once there is one that makes a result."""
        if not self.known.get(key):
            return None
        if len(self.places) >= MOST:
            self.places.clear()
        found = self.places[key] = self._made(arguments, arguments[0].dtype, None, in_place=True)
        return found

    def _made(self, arguments: tuple, dtype, results, in_place: bool = False) -> Callable | None:
        if dtype not in FLOATS or any(
            [type(each) is ndarray and each.dtype not in (dtype, BOOL) for each in arguments]
        ):
            return None
        values = dict(zip(self.names, arguments, strict=False))
        kernel, given = self.kernels.prepared(values, dtype)
        if kernel is None:
            return None
        if results is None and (kernel.ufunc is None or isinstance(kernel.gives[0], str)):
            return None  # a formula that gives an argument back unchanged owes a copy
        places = {name: at for at, name in enumerate(values)}
        taken = [places[name] if given[name] is values[name] else None for name in kernel.takes]
        fixed = [given[name] for name, at in zip(kernel.takes, taken, strict=True) if at is None]
        gives = [-1 - each if isinstance(each, int) else places[each] for each in kernel.gives]
        chosen = None if results is None else tuple([None if at is None else gives[at] for at in results])
        return written(len(values), tuple(taken), chosen, in_place=in_place)(kernel.ufunc, *fixed)


class ConvertingWays:
    """The ways to the kernels that convert what they load, by what counts of the arguments and the result's dtype."""

    def __init__(self, kernels: Kernels):
        self.kernels = kernels
        self.kind = kind_with_number if kernels.built_in else kind
        self.known: dict[tuple, Callable] = {}

    def run(self, values: dict[str, Any], dtype: np.dtype, rounded: np.dtype):
        """The result of arguments by name; None without a kernel, and of what would give an argument back."""
        key = (dtype, rounded, *map(self.kind, values.values()))
        way = self.known.get(key)
        return self._found(key, values, dtype, rounded) if way is None else way(*values.values())

    def _found(self, key: tuple, values: dict[str, Any], dtype: np.dtype, rounded: np.dtype):
        entered = self.kernels.converted(values, dtype, (rounded,))
        if entered is None or isinstance(entered[0].gives[0], str):
            return None
        kernel, given = entered
        found = kernel(given)[0]
        places = {name: at for at, name in enumerate(values)}
        words = {name for name, each in values.items() if type(each) is ndarray and each.dtype == BFLOAT16}
        taken = [places[each] if each in words or given[each] is values[each] else None for each in kernel.takes]
        fixed = [given[each] for each, at in zip(kernel.takes, taken, strict=True) if at is None]
        if len(self.known) >= MOST:
            self.known.clear()
        made = written(len(values), tuple(taken), None, frozenset(map(places.get, words)), found.dtype is WORD)
        self.known[key] = made(kernel.ufunc, *fixed)
        return unworded(found)


class WithNumbers:
    """The kernels of a formula whatever the numbers beside its arrays are: one for a dtype, once it is worth one."""

    def __init__(self, kernels: Kernels):
        self.kernels, self.patience = kernels, Patience(passes=2)
        self.known: dict[np.dtype, np.ufunc] = {}

    def find(self, first: ndarray, values: dict[str, Any]) -> np.ufunc | None:
        """That for arguments by name, the first of them an array; it takes all of them, in this order."""
        kernel = self.known.get(first.dtype)
        if kernel is None and first.dtype in FLOATS and self.patience.ends(first.size):
            found, _ = self.kernels.prepared(values, first.dtype)
            if found is not None and found.takes == tuple(values):
                kernel = self.known[first.dtype] = found.ufunc
        return kernel


def forget() -> None:
    """Lets all ways be found anew, by whoever wants to see them."""
    for each in FORMULAS:
        each.known.clear()
        each.places.clear()


@cache
def written(
    count: int,
    taken: tuple[int | None, ...],
    results: tuple[int | None, ...] | None,
    words: frozenset[int] = frozenset(),
    gives_words: bool = False,
    in_place: bool = False,
) -> Callable:
    """What makes a way of so many arguments out of a ufunc and the numbers that stand for None in `taken`.

    Of `results`, those from 0 on are arguments, and -1 and below what the ufunc gives. The arguments in `words` are
    bfloat16, which the ufunc takes as words, and so may be what it gives. `in_place` writes over the first argument.
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
    return eval(f"lambda {', '.join(['ufunc', *fixed])}: lambda {given}: {body}")
