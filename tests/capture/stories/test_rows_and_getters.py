"""Loops through rows of tensors, attributes set by their names, and functions of the module `operator`."""

import collections
import operator
import types

import pytest

import rushlight as torch


def rows(*, requires_grad=False):
    return torch.arange(6.0).reshape(3, 2).requires_grad_(requires_grad)


def rows_by_number(compile):
    def f(x, start):
        total = torch.zeros(2)
        for number, row in enumerate(x, start):
            total = total + row * number
        return total

    f = compile(f)
    return [f(rows() + change, start) for change in (0, 1, 2) for start in (0, 1, 0)] + [f(torch.ones(1, 2), 0)]


def rows_of_two(compile):
    def f(x, y):
        total = torch.zeros(2)
        for number, (a, b) in enumerate(zip(x, y, strict=False)):
            total = total + a * b * number
        return total, [a.sum() for a, _ in zip(x, [1, 2, 3], strict=True)]

    f = compile(f)
    return [f(rows() + change, rows()[: 3 - change]) for change in (0, 0, 1, 2, 0)]


def rows_one_by_one(compile):
    def f(x):
        iterator = iter(x)
        first = next(iterator)
        second = next(iterator, None)
        return first * 2, second, next(iterator, first), next(iterator, 3)

    f = compile(f)
    return [f(each) for each in (rows(), rows() + 1, rows()[:2], rows()[:2] + 1, rows()[:1], rows())]


def gradients_of_rows(compile):
    def f(x, y):
        return sum((a * b).sum() * number for number, (a, b) in enumerate(zip(x, y, strict=True), 1))

    f = compile(f)
    seen = []
    for change in range(3):
        x, y = rows(requires_grad=True), rows() + change
        f(x, y).backward()
        seen.append(x.grad)
    return seen


def rows_that_are_written(compile):
    def f(x):
        for number, row in enumerate(x):
            row.mul_(number)
        return x + 1

    f = compile(f)
    return [f(rows()), f(rows() + 1), f(rows() + 2)]


def attributes_by_name(compile):
    one = types.SimpleNamespace(n=1)

    def f(x, name):
        setattr(one, name, x * 2)
        one.rest = 3
        delattr(one, "rest")
        made = types.SimpleNamespace()
        made.n = one.n
        setattr(made, name, one.n)
        del made.n
        return getattr(one, name) + 1, hasattr(one, "rest"), vars(made)

    f = compile(f)
    seen = [f(rows(), "twice"), f(rows() + 1, "twice"), f(rows(), "other")]
    one.n = 2
    return [*seen, f(rows(), "twice"), sorted(vars(one)), one.twice]


def attributes_of_modules_by_name(compile):
    net = torch.nn.Linear(2, 2)

    def f(x):
        net.scale = 3
        y = net(x) * net.scale
        del net.scale
        net.bias = None
        return y, net(x)

    f = compile(f)
    with torch.no_grad():
        net.weight.fill_(0.5)
        net.bias.fill_(1.0)
    seen = [f(rows())]
    net.bias = torch.nn.Parameter(torch.ones(2))
    return [*seen, f(rows()), hasattr(net, "scale"), sorted(net._parameters)]


GETTERS = {
    "item": operator.itemgetter(1),
    "attribute": operator.attrgetter("n"),
    "method": operator.methodcaller("mul", 2),
}


def getters(compile):
    one = types.SimpleNamespace(n=torch.ones(2))

    def f(x, table):
        column = operator.itemgetter((slice(None), 0))(x)
        summed = operator.methodcaller("sum", dim=1)(x)
        return GETTERS["item"](x) + GETTERS["attribute"](one), GETTERS["method"](column), summed, GETTERS["item"](table)

    f = compile(f)
    seen = [f(rows() + change, [1, change]) for change in (0, 1, 1)]
    one.n = torch.zeros(2)
    seen += [f(rows(), (1, "a")), f(rows(), {1: 5})]
    kept = dict(GETTERS)
    GETTERS.update(item=operator.itemgetter(0), method=operator.methodcaller("add", 1))
    seen.append(f(rows(), [1, 2]))
    GETTERS.update(kept)
    return [*seen, f(rows(), [1, 2])]


def several_at_once(compile):
    one = types.SimpleNamespace(inner=types.SimpleNamespace(n=torch.ones(2), k=2))
    columns, numbers = operator.itemgetter(0, 2), operator.attrgetter("inner.n", "inner.k")

    def f(x):
        first, last = columns(x)
        n, k = numbers(one)
        return first * k + last + n, columns([x, 1, k])

    f = compile(f)
    seen = [f(rows()), f(rows() + 1)]
    one.inner.k = 3
    seen.append(f(rows()))
    one.inner = types.SimpleNamespace(n=torch.zeros(2), k=1)
    return [*seen, f(rows())]


def methods_with_tensors_by_name(compile):
    f = compile(lambda x, y: operator.methodcaller("add", y, alpha=2)(x))
    return [f(rows(), rows() + change) for change in range(3)]


def dictionaries_with_a_default(compile):
    kept = collections.defaultdict(int, a=1)

    def f(x, names):
        groups, counts = collections.defaultdict(list), collections.defaultdict(int)
        lazily = collections.defaultdict(lambda: x * 2)
        for number, name in enumerate(names):
            groups[name].append(x + number)
            counts[name] += 1
        counts["all"] = len(names)
        return sum(sum(each) for each in groups.values()), sorted(counts.items()), lazily["a"] + x, x * kept["a"]

    f = compile(f)
    seen = [f(rows(), names) for names in ("aab", "aab", "abc", "")]
    kept["a"] = 5
    return [*seen, f(rows(), "aab"), sorted(kept)]


def dictionaries_with_a_default_are_filled(compile):
    kept = collections.defaultdict(list)

    def f(x, name):
        kept[name] = x * 2
        return kept[name] + 1

    f = compile(f)
    return [f(rows(), "a"), f(rows() + 1, "a"), f(rows(), "b"), sorted(kept), kept["a"], kept["none"]]


class Counted:
    """An iterator of the program."""

    def __init__(self, values):
        self.values, self.at = values, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.values):
            raise StopIteration
        self.at += 1
        return self.values[self.at - 1]


class Doubled(Counted):
    """Another one, whose end comes from the first."""

    def __next__(self):
        return super().__next__() * 2


def iterators_of_the_program(compile):
    def f(x, count):
        total = x * 0
        for each in Counted([x] * count):
            total = total + each
        for each in Doubled([x, x + 1]):
            total = total * each
        return total, [each * 2 for each in Counted([1, 2])], next(Counted([x * 3])), next(Counted([]), 5)

    f = compile(f)
    return [f(rows() + change, count) for change, count in ((0, 2), (1, 2), (0, 0), (0, 3))]


def iterators_that_are_used_up(compile):
    kept = Counted([1, 2, 3])

    def f(x):
        for number in kept:
            x = x * number
        return x

    f = compile(f)
    seen = [f(rows()), kept.at, f(rows()), kept.at]
    kept.at = 1
    return [*seen, f(rows()), kept.at, f(rows())]


def an_iterator_without_values(compile):
    def f(x):
        return x * next(Counted([]))

    f = compile(f)
    seen = []
    for _ in range(3):
        try:
            seen.append(f(rows()))
        except StopIteration:
            seen.append("stopped")
    return seen


def methods_of_the_program_by_name(compile):
    class Scaled:
        def __init__(self, n):
            self.n = n

        def times(self, x, more=0):
            return x * self.n + more

    f = compile(lambda one, x: operator.methodcaller("times", x, more=1)(one))
    return [f(Scaled(n), rows()) for n in (1, 2, 1)]


def test_rows_and_getters(agree, story):
    agree(story)


@pytest.mark.parametrize("story", [rows_by_number, rows_of_two, gradients_of_rows, getters, iterators_of_the_program])
def test_rows_and_getters_are_replayed(agree, story):
    agree(story, replays=1)
