"""Iterators of Python's library around tensors, and questions to torch, in functions that are one program."""

import collections
import functools
import itertools
import math
import operator

import pytest

import rushlight as torch


def tensors():
    return torch.arange(3.0), torch.ones(3)


def calls(by, run, times=4):
    """Calls a function, compiled, with other elements each time."""
    f = by(run)
    return [f(*[each + n for each in tensors()]) for n in range(times)]


def choices_of_tensors(compile):
    def run(x, y):
        result = x
        for one, other in itertools.combinations([x, y, x * 2], 2):
            result = result + one * other
        for one, other in itertools.pairwise((x, y, result)):
            result = result - one * other
        for order in itertools.permutations((1, 2, 3)):
            result = result * order[0]
        for one, other in itertools.combinations_with_replacement([x, y], 2):
            result = result + one - other
        return result

    return calls(compile, run)


def sums_so_far(compile):
    def run(x, y):
        plain, by = list(itertools.accumulate([x, y, x])), list(itertools.accumulate([1, 2, 3], operator.mul))
        return plain, by, [*itertools.accumulate([x, y], lambda one, other: one * other, initial=y)]

    return calls(compile, run)


def sums_of_numbers_of_a_tensor(compile):
    def run(x, y):
        numbers = [*itertools.accumulate([int(y.sum()), 2, 3])]
        return x * numbers[-1], numbers

    f = compile(run)
    x, y = tensors()
    return [f(x, y), f(x + 1, y), f(x, y + 1), f(x, y), f(x, y + 1)]


def selected_tensors(compile):
    def run(x, y):
        return [each * 2 for each in itertools.compress([x, y, x], [1, 0, 1])]

    return calls(compile, run)


def tensors_selected_by_tensors(compile):
    def run(x, y):
        return [*itertools.compress([x, y], [x.sum() > 5, y.sum() > 5])]

    return calls(compile, run, times=8)


def an_iterator_twice(compile):
    def run(x, y):
        one, other = itertools.tee([x, y, x + y])
        return sum(one), [each * 2 for each in other]

    return calls(compile, run)


def a_chain_of_lists(compile):
    def run(x, y):
        result = 0
        for each in itertools.chain.from_iterable([[x, y], (part for part in (x + 1, 2)), [1, 2]]):
            result = result + each
        return result

    return calls(compile, run)


def pairs_in_a_list(compile):
    def run(x, y):
        pairs = list(enumerate([x, y], start=1))
        return pairs, tuple(zip((x, y), (1, 2), strict=True)), list({"x": x, "y": y}.items())

    return calls(compile, run)


def dictionaries_of_one_value(compile):
    def run(x, y):
        table = collections.OrderedDict.fromkeys(["a", "b"], x * 2)
        other = collections.defaultdict.fromkeys("ab", y)
        other["a"] = other["b"] + 1
        return table, table["a"] is table["b"], other["a"], other.default_factory

    return calls(compile, run)


def a_dictionary_with_defaults(compile):
    def run(x, y):
        groups = collections.defaultdict(list)
        for n in range(4):
            groups[n % 2].append(x * n)
        return groups, len(groups.values())

    f = compile(run)
    made = [f(*[each + n for each in tensors()])[0] for n in range(4)]
    return [(each["new"], each, each.default_factory is list) for each in made]


def the_number_of_values(compile):
    def run(table):
        return len(table.values()) + len(table.items()), sum(table.values())

    f = compile(run)
    x, y = tensors()
    return [f({"x": x, "y": y}), f({"x": x + 1, "y": y}), f({"x": x}), f({"x": y, "y": x})]


def types_of_tensors(compile):
    def run(x, y):
        half = x.to(torch.float16)
        return y.type(half.type()), y.type(torch.int32), y.type(), y.layout, hasattr(x.shape, "_fields")

    return calls(compile, run)


def questions_to_torch(compile):
    def run(x, y):
        wide = torch.promote_types(x.dtype, torch.float64)
        if torch.distributed.is_available() and not torch.cuda.is_initialized():
            y = y + 1
        return x.to(wide), torch.finfo(wide).eps * y, torch.result_type(x, y) == torch.float32

    return calls(compile, run)


def questions_about_modes(compile):
    def run(x, y):
        with torch.autocast("cpu", torch.bfloat16):
            inside = torch.is_autocast_enabled("cpu")
            x = x * 2 if inside else x
        return x, y.to(torch.get_autocast_dtype("cpu")), inside, torch.is_autocast_enabled("cpu")

    f = compile(run)
    seen = [f(*tensors()) for _ in range(3)]
    with torch.autocast("cpu", torch.float16):
        seen += [f(*tensors()) for _ in range(3)]
    return seen + [f(*tensors()) for _ in range(3)]


# What functions in C make of a number that they get out of an iterator.
THROUGH_ITERATORS = {
    "map": lambda n, table: list(map(abs, iter([n]))),
    "map of a slice": lambda n, table: list(map(operator.neg, itertools.islice([n, 2.0], 1))),
    "sum": lambda n, table: sum(itertools.chain([n], [1.0])),
    "max": lambda n, table: max(itertools.chain([n], [1.0])),
    "sorted": lambda n, table: sorted(reversed([n, 1.0])),
    "any": lambda n, table: any(itertools.chain([n], [0.0])),
    "views": lambda n, table: (max(table.values()), sum(table.values()), 2.0 in table.values()),
    "math": lambda n, table: (math.fsum(iter([n, 1.0])), math.prod(itertools.repeat(n, 2))),
    "filter": lambda n, table: [*filter(None, itertools.chain([n], [1.0]))],
    "compress by a slice": lambda n, table: list(itertools.compress("ab", itertools.islice([n, 2.0], 2))),
    "compress by a generator": lambda n, table: list(itertools.compress("ab", (each for each in [n, 2.0]))),
    "compress by map": lambda n, table: list(itertools.compress("ab", map(lambda each: each, [n, 2.0]))),
    "accumulate": lambda n, table: list(itertools.accumulate(itertools.chain([n], [2.0]))),
    "accumulate by max": lambda n, table: list(itertools.accumulate([n, 1.0], max)),
    "accumulate from": lambda n, table: list(itertools.accumulate([2.0], lambda x, y: x * y, initial=n)),
    "reduce": lambda n, table: functools.reduce(operator.add, iter([n, 1.0])),
}


@pytest.mark.parametrize("name", THROUGH_ITERATORS)
def test_a_number_of_a_tensor_that_a_function_in_c_gets_out_of_an_iterator(agree, name):
    made = THROUGH_ITERATORS[name]

    def story(compile):
        def run(x):
            number = x.sum().item()
            return made(number, {"a": number, "b": 1.0}), x + 1

        f = compile(run)
        return [f(torch.full((2,), each)) for each in (0.0, 1.0, 2.0, -3.0, 0.0, 1.0, 4.0)]

    agree(story)


def test_iterators(agree, story):
    agree(story, replays=2)
