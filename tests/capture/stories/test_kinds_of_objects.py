"""Objects of many kinds: numbers, arrays, enums, dataclasses, partial and cached functions."""

import collections
import dataclasses
import decimal
import enum
import fractions
import functools
import types

import numpy as np

import rushlight as torch


def ones():
    return torch.ones(2)


class Holder:
    """An object with whatever attributes."""

    kind = "holder"

    def __init__(self, **entries):
        self.__dict__.update(entries)

    def scaled(self, x):
        return x * self.n


def numbers_of_ones_own(compile):
    class Number(int):
        pass

    class Text(str):
        pass

    f = compile(lambda x, n, s: (x * n, 1 if n else 2, n > 1, s == "a", s + "b", 1 if s else 2, n + 1, f"{n}", int(n)))
    return [
        f(ones(), n, s) for n, s in ((Number(2), Text("a")), (Number(0), Text("")), (Number(2), Text("a")), (2, "a"))
    ]


def truth_of_objects_in_c(compile):
    f = compile(lambda x, n: x * (2 if n else 3))
    return [
        f(ones(), n)
        for n in (
            *(decimal.Decimal(1), decimal.Decimal(0), decimal.Decimal(1), fractions.Fraction(1), fractions.Fraction(0)),
            *(np.bool_(True), np.bool_(False), np.float32(1), np.float32(0), np.int64(0), np.int64(3)),
            *(bytearray(b"a"), bytearray(), range(1), range(0), collections.deque([1]), collections.deque()),
            *(
                types.SimpleNamespace(),
                b"",
                b"a",
                {},
                {1: 2},
                set(),
                {1},
                frozenset(),
                memoryview(b"a"),
                memoryview(b""),
            ),
        )
    ]


def numbers_of_numpy(compile):
    f = compile(lambda x, n: (x * n, n > 1, n + 1, int(n), float(n), str(n), 1 if n == 2 else 3))
    return [
        f(ones(), n)
        for n in (
            np.float64(2),
            np.float64(3),
            np.float64(2),
            np.int64(2),
            np.float32(2),
            np.float32(-0.0),
            np.float32(0.0),
        )
    ]


def arrays(compile):
    f = compile(
        lambda x, a: (x * float(a.sum()), len(a), a.shape, list(a), sum(a), a[0], a.dtype, torch.from_numpy(a) * 2)
    )
    a = np.array([1.0, 2.0])
    seen = [f(ones(), a), f(ones(), a)]
    a[0] = 5
    seen += [f(ones(), a), f(ones(), np.array([1.0, 2.0, 3.0])), f(ones(), np.array([1, 2]))]
    return seen


def buffers_of_bytes(compile):
    data = bytearray(b"ab")
    f = compile(lambda x: (x * sum(data), max(data), list(data), bytes(data), len(data), data[0], 97 in data))
    seen = [f(ones()), f(ones())]
    data[0] = 1
    return [*seen, f(ones()), f(ones())]


def enums(compile):
    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    class Level(enum.IntEnum):
        LOW = 1
        HIGH = 2

    class Flag(enum.Flag):
        A = 1
        B = 2

    f = compile(
        lambda x, c, n, g: (
            x * c.value,
            c is Color.RED,
            c == Color.BLUE,
            c.name,
            n > 1,
            x * n,
            c,
            {Color.RED: 1}.get(c),
            bool(g & Flag.A),
        )
    )
    return [
        f(ones(), c, n, g)
        for c, n, g in (
            *((Color.RED, Level.LOW, Flag.A), (Color.BLUE, Level.LOW, Flag.A), (Color.RED, Level.HIGH, Flag.B)),
            *((Color.RED, Level.LOW, Flag.A | Flag.B), (Color.RED, 1, Flag.A), (Color.RED, Level.LOW, Flag.A)),
        )
    ]


@dataclasses.dataclass
class Point:
    a: torch.Tensor
    n: int = 2

    @property
    def twice(self):
        return self.a * 2


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: torch.Tensor
    n: int = 2


@dataclasses.dataclass(slots=True)
class Slotted:
    a: torch.Tensor
    n: int = 2


Pair = collections.namedtuple("Pair", "a n")


def dataclasses_change(compile):
    f = compile(lambda p: (p.a * p.n, p))
    seen = []
    for kind in (Point, Frozen, Slotted, Pair):
        p = kind(ones(), 2)
        seen += [f(p), f(p)]
        if kind in (Point, Slotted):
            p.n = 3
            seen += [f(p), f(p)]
            p.a = torch.zeros(3)
        seen += [f(p), f(kind(ones() * 3, 2)), f(kind(ones(), 4))]
    return seen


def dataclasses_are_made(compile):
    f = compile(
        lambda x, n: (
            Point(x * 2, n),
            Frozen(x * 3),
            Slotted(x, n=n),
            Pair(x + 1, n),
            dataclasses.replace(Point(x), n=n),
            Point(x).twice,
        )
    )
    return [f(ones() * i, n) for i, n in ((1, 2), (2, 2), (3, 3), (4, 2))]


def slots(compile):
    class Slots:
        __slots__ = ("n", "t")

    one = Slots()
    one.n, one.t = 2, ones()

    def f(x):
        one.t = x * one.n + one.t
        return one.t

    f = compile(f)
    seen = [f(ones()), f(ones())]
    one.n = 3
    seen += [f(ones()), f(ones())]
    one.t = torch.zeros(2)
    return [*seen, f(ones()), one.t]


def partials(compile):
    p = functools.partial(torch.mul, other=2)
    keep = [p]
    f = compile(lambda x: keep[0](x))
    seen = [f(ones()), f(ones())]
    p.keywords["other"] = 3
    seen += [f(ones()), f(ones())]
    keep[0] = functools.partial(torch.add, other=2)
    return [*seen, f(ones()), f(ones())]


def partials_of_functions_of_the_program(compile):
    n = [2]

    def scaled(x, by):
        return x * by * n[0]

    p = functools.partial(scaled, by=2)
    f = compile(lambda x: p(x))
    seen = [f(ones()), f(ones())]
    n[0] = 3
    seen += [f(ones()), f(ones())]
    p.keywords["by"] = 5
    return [*seen, f(ones()), f(ones())]


def cached_functions(compile):
    calls = []

    @functools.lru_cache
    def scale(n):
        calls.append(n)
        return n * 2

    f = compile(lambda x, n: x * scale(n))
    seen = [f(ones(), 2), f(ones(), 2), f(ones(), 3)]
    scale.cache_clear()
    return [*seen, f(ones(), 2), calls]


def cached_properties(compile):
    calls = []

    class One:
        n = 2

        @functools.cached_property
        def twice(self):
            calls.append(1)
            return self.n * 2

    one = One()
    f = compile(lambda x: x * one.twice)
    seen = [f(ones()), f(ones()), f(ones())]
    one.n = 5
    seen += [f(ones())]
    del one.twice
    return [*seen, f(ones()), f(ones()), calls]


def a_property_is_read_by_getattr(compile):
    made = []

    class One:
        @property
        def n(self):
            made.append(1)
            return len(made)

    one = One()
    f = compile(lambda x: (x * one.n, hasattr(one, "n")))
    return [f(ones()), f(ones()), f(ones()), made]


def getattr_with_a_default(compile):
    one = Holder()
    f = compile(lambda x: x * getattr(one, "n", 2) + (1 if hasattr(one, "m") else 0))
    seen = [f(ones()), f(ones())]
    one.n = 3
    seen += [f(ones()), f(ones())]
    one.m = 1
    seen += [f(ones()), f(ones())]
    del one.n, one.m
    return [*seen, f(ones())]


def test_a_change_of_an_object_is_seen(agree, story):
    agree(story)
