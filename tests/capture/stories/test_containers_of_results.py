"""Calls whose results are dictionaries and lists of tensors, to any depth: which of them are the same object."""

from typing import NamedTuple

import pytest

import rushlight as torch
from rushlight import func
from rushlight.nn import functional as F

X = torch.tensor([1.0, 2.0])
TREE = {"a": X, "b": X + 1}


def tree(x):
    """Returns the gradients of a loss for a dictionary."""
    return func.grad(lambda held: (held["a"].sin() * held["b"]).sum())({"a": x, "b": x * 2})


def nested(x):
    """Returns lists in a dictionary in a tuple."""
    return func.vmap(lambda row: ({"a": [row * 2, row + 1], "b": (row, row.sin())}, row.sum()))(torch.stack([x, x]))


def deep(x):
    """Returns a dictionary of dictionaries."""
    return func.hessian(lambda held: (held["a"] ** 2 * held["b"]).sum())({"a": x, "b": x + 1})


class Pair(NamedTuple):
    """Two tensors."""

    one: torch.Tensor
    other: torch.Tensor


def named(x):
    """Returns a tuple with names, as the argument is, and one of the library."""
    pair = func.grad(lambda pair: (pair.one * pair.other).sum())(Pair(x, x + 1))
    return pair, pair.one + 1, torch.max(torch.stack([x, x * 2]), 0)


def changed(x):
    result = tree(x)
    result["c"] = x
    return result, list(result)


def kept_twice(x):
    result = tree(x)
    return result, result, [result]


def taken_apart(x):
    result = nested(x)
    first = result[0]["a"]
    first.append(x)
    return first, result[0]["b"][1], len(result)


def whole_and_part(x):
    result = nested(x)
    return result, result[0], result[0]["a"]


def used_inside(x):
    result = tree(x)
    return {key: value * 2 for key, value in result.items()}, sum(result.values())


def passed_on(x):
    return torch.stack(list(tree(x).values())), torch.cat([*nested(x)[0]["a"]])


def constant_parts(x):
    return func.hessian(lambda y: (y * y).sum())(x), func.jacfwd(lambda y: y * 3)(x)


def a_constant_twice(x):
    result = func.hessian(lambda y: (y * y).sum())(x)
    return result, result, result + x


def rows(x):
    matrix = torch.stack([x, x + 1])
    by_rows = func.vmap(lambda sample: [row.sum() for row in sample])(torch.stack([matrix, matrix * 2]))
    numbered = func.jacrev(lambda m: sum([row * n for n, row in enumerate(m)]))(matrix)
    return by_rows, numbered, func.vmap(lambda m: [a + b for a, b in zip(m, m, strict=True)])(matrix[None])


def kept_inside(x):
    def keeping(y):
        kept, table = [], {}
        doubled = y * 2
        kept.append(doubled)
        table["y"] = kept
        doubled[0] = 5.0
        table["y"].append(y)
        return table["y"][0] * table["y"][1]

    return func.jvp(keeping, (x,), (x,)), func.grad(lambda y: keeping(y).sum())(x)


def with_none(x):
    """Returns tuples with None in them."""
    matrix = torch.stack([x, x + 1])[None]
    attended = F.multi_head_attention_forward(
        matrix, matrix, matrix, 2, 1, torch.ones(6, 2), torch.ones(6), None, None, False, 0.0, torch.ones(2, 2),
        torch.ones(2), need_weights=False,
    )  # fmt: skip
    loss, weights = attended[0].sum(), attended[1]
    return attended, loss, weights, (attended, [attended[1]])


FUNCTIONS = [
    tree, with_none, nested, deep, named, changed, kept_twice, taken_apart, whole_and_part, used_inside, passed_on,
    constant_parts, a_constant_twice, rows, kept_inside,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_what_a_call_gives(agree, function):
    def story(compile):
        f = compile(function)
        results = [f(X + change) for change in (0, 0, 1, 2)]
        for each in torch.utils._pytree.tree_leaves(results[1:3]):
            if isinstance(each, torch.Tensor):
                each.mul_(0)  # is the caller's alone
        return results[0], results[3], f(X), f(X + 3)

    agree(story)


@pytest.mark.parametrize("function", [tree, with_none, nested, deep, named, constant_parts])
def test_one_program_computes_them(function):
    torch.compiler.reset()
    f = torch.compile(function, options={"trial": False})
    for change in range(3):
        f(X + change)
    (programs,) = f._rushlight_compiled.programs.values()
    (program,) = programs
    assert len(program.segments) == 1
    assert not program.left


def test_a_list_made_before_a_call_that_cannot_be_recorded(agree):
    def story(compile):
        p = torch.nn.Parameter(torch.ones(2, 3))

        def f(x, y):
            rows = list(y)
            x.data.add_(1)
            return rows, [x * i for i in range(2)]

        f = compile(f)
        return [f(p, TREE["b"].reshape(1, 2)) for _ in range(4)], p.detach()

    agree(story, replays=2)
