"""Lists of integers as indices: they are constants of a program, as long as the list is as it was."""

import pytest

import rushlight as torch
from rushlight import func

X = torch.arange(12.0).reshape(3, 4)
INDICES = {
    "rows": lambda x: x[[0, 2]] * 2,
    "columns": lambda x: x[:, [0, -1]].sin(),
    "pairs": lambda x: x[[0, 1], [1, 2]],
    "nested": lambda x: x[[[0, 1]], [[1, 2]]],
    "in a tuple": lambda x: x[([0, 1],)],
    "behind dots": lambda x: x[..., [1]],
    "with a new dimension": lambda x: x[[1], :, None] + 1,
}


@pytest.mark.parametrize("name", INDICES)
def test_a_list_of_constants(agree, name):
    taken = INDICES[name]

    def story(compile):
        plain = compile(taken)
        batch = compile(func.vmap(lambda row: taken(torch.stack([row, row * 2, row - 1]))))
        gradient = compile(func.grad(lambda x: (taken(x) ** 2).sum()))
        return [(f(X), f(X + 1), f(X * 2)) for f in (plain, batch, gradient)]

    agree(story, replays=2)


def test_a_list_of_the_program_changes(agree):
    def story(compile):
        wanted = [0, 2]
        f = compile(lambda x: x[wanted] * 2)
        g = compile(lambda x, at: x[:, at] + 1)
        seen = [f(X), f(X + 1), g(X, [0, 1]), g(X + 1, [0, 1]), g(X, [1, 2]), g(X, [3])]
        wanted[0] = 1
        seen.append(f(X))
        wanted.append(0)
        return [*seen, f(X), f(X + 1)]

    agree(story)


def test_a_list_that_is_too_long_for_the_tensor(agree, attempt):
    def story(compile):
        f = compile(lambda x: x[[0, 2]])
        return f(X), f(X + 1), str(attempt(f, X[:2])).split("\n")[0]

    agree(story)
