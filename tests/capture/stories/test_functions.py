"""Functions of the program: methods, super, defaults, code and attributes that change between calls."""

import functools

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


def arguments_out_of_iterators(compile):
    def difference(x, y):
        return x - y * 3

    def f(a, b):
        pairs = {"a": a, "b": b}
        return (
            difference(*map(lambda each: each + 1, [a, b])),
            difference(*(each * 2 for each in (a, b))),
            difference(*pairs.values()),
            difference(*next(zip([a], [b], strict=True))),
            torch.stack(*map(list, [[a, b]])),
        )

    f = compile(f)
    return [f(ones(), ones() * 2) for _ in range(3)]


def builtin_types_as_dtypes(compile):
    f = compile(lambda x: (x * 5).to(bool).to(float).to(int) + 8)
    return [f(ones()) for _ in range(3)]


def literals_written_in_place(compile):
    def f(x):
        total, rest = 1, 1
        total += x
        rest -= x
        return total, rest

    f = compile(f)
    return [f(ones()) for _ in range(3)]


def a_list_in_itself(compile):
    def f(x):
        kept = [x * 2]
        kept.append(kept)
        return kept[1][1][0]

    f = compile(f)
    return [f(ones()) for _ in range(3)]


def names_that_are_keywords(compile):
    f = compile(lambda x: x.random_(**{"from": 3, "to": 4}) + 1)
    return [f(ones()) for _ in range(3)]


def sizes_spread_over_arguments(compile):
    f = compile(lambda x: torch.ones(*x.shape) + x.new_zeros(*x.size()))
    return [f(ones()) for _ in range(3)]


def parts_by_slices(compile):
    f = compile(lambda x: (x[None, ..., :1], x[slice(1, None, 2)], x[[0, 1]], torch.unsqueeze(x, 0)[:, 1:]))
    return [f(ones()) for _ in range(3)]


def decorated(compile):
    factor = [2]

    def times(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return function(*args, **kwargs) * factor[0]

        return inner

    f = compile(times(lambda x, n=1: x + n))
    seen = [f(ones()), f(ones(), 3), f(ones(), n=3), f(x=ones())]
    factor[0] = 5
    return [*seen, f(ones()), f(ones(), 3), f(ones(), n=3), f(x=ones())]


def static_and_class_methods(compile):
    class One:
        n = 2

        @staticmethod
        def static(x):
            return x * 2

        @classmethod
        def of_class(cls, x):
            return x * cls.n

    one = One()
    f = compile(lambda x: (One.static(x), one.static(x), One.of_class(x), one.of_class(x)))
    seen = [f(ones()), f(ones())]
    One.n = 3
    seen += [f(ones()), f(ones())]
    One.static = staticmethod(lambda x: x * 7)
    seen += [f(ones()), f(ones())]
    One.of_class = classmethod(lambda cls, x: x * 9)
    return [*seen, f(ones()), f(ones())]


def super_is_changed(compile):
    class Base:
        def go(self, x):
            return x * 2

    class Made(Base):
        def go(self, x):
            return super().go(x) + 1

    one = Made()
    f = compile(lambda x: one.go(x))
    seen = [f(ones()), f(ones())]
    Base.go = lambda self, x: x * 5
    return [*seen, f(ones()), f(ones())]


def bound_methods_as_arguments(compile):
    one, two = Holder(n=2), Holder(n=3)
    f = compile(lambda x, go: go(x))
    seen = [f(ones(), one.scaled), f(ones(), one.scaled), f(ones(), two.scaled)]
    one.n = 7
    return [*seen, f(ones(), one.scaled), f(ones(), torch.sin), f(ones(), lambda x: x * 3), f(ones(), lambda x: x * 4)]


def functions_made_anew(compile):
    def scale(n):
        return lambda x: x * n

    f = compile(lambda x, go: go(x))
    return [f(ones(), scale(n)) for n in (1, 2, 1, 3, torch.tensor(2.0), torch.tensor(3.0))]


def defaults_and_keywords(compile):
    def f(x, n=2, *more, k=3, **named):
        return x * n + k + sum(more) + sum(named.values()), list(named)

    g = compile(f)
    seen = [
        g(ones()),
        g(ones()),
        g(ones(), 5),
        g(ones(), n=5),
        g(ones(), k=5),
        g(ones(), 1, 2, 3),
        g(ones(), z=1, y=2),
        g(ones(), y=2, z=1),
    ]
    f.__defaults__ = (7,)
    seen += [g(ones()), g(ones())]
    f.__kwdefaults__ = {"k": 9}
    seen += [g(ones()), g(ones())]
    f.__kwdefaults__["k"] = 11
    return [*seen, g(ones()), g(ones()), g(ones(), 2), g(ones())]


def a_default_that_is_a_list(compile):
    def f(x, kept=[]):  # noqa: B006
        kept.append(x.sum())
        return len(kept), kept

    f = compile(f)
    return [f(ones()), f(ones()), f(ones())]


def the_code_of_the_function(compile):
    def f(x):
        return x * 2

    g = compile(f)
    seen = [g(ones()), g(ones())]
    f.__code__ = (lambda x: x * 5).__code__
    return [*seen, g(ones()), g(ones())]


def attributes_of_functions(compile):
    def f(x):
        f.calls += 1
        return x * f.scale

    f.calls, f.scale = 0, 2
    g = compile(f)
    seen = [g(ones()), g(ones())]
    f.scale = 5
    return [*seen, g(ones()), g(ones()), f.calls]


def test_a_change_of_a_function_is_seen(agree, story):
    agree(story)
