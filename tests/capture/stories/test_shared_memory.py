"""Tensors that have memory in common although neither is a view of the other: writes to one are seen in the other."""

import pytest

import rushlight as torch

SHARED = {
    "data": lambda x: x.data,
    "numpy": lambda x: torch.from_numpy(x.numpy()),
    "a slice by numpy": lambda x: torch.from_numpy(x.numpy()[1:]),
    "dlpack": lambda x: torch.from_dlpack(x),
    "storage": lambda x: torch.tensor([]).set_(x.untyped_storage(), 0, (4,)),
    "detach": lambda x: x.detach(),
    "a view": lambda x: x.view(2, 2),
    "itself": lambda x: x,
    "a copy": lambda x: x.clone(),
}


def numbers(n=0):
    return torch.arange(1.0, 5.0) + n


@pytest.mark.parametrize("name", SHARED)
def test_arguments(agree, name):
    """The program is made for arguments that have nothing in common."""

    def story(compile):
        def run(x, y):
            before = y * 2
            x.add_(1)
            return y * 3, before

        f = compile(run)
        seen = [f(numbers(n), numbers(n)) for n in range(3)]
        for n in range(3):
            x = numbers(n)
            seen.append((f(x, SHARED[name](x)), x))
        return seen

    agree(story, replays=1)


@pytest.mark.parametrize("name", SHARED)
def test_tensors_of_the_run(agree, name):
    def story(compile):
        def run(x):
            y = x * 2
            other = SHARED[name](y)
            other.add_(1)
            return y * 3, other * 1, y

        f = compile(run)
        return [f(numbers(n)) for n in range(4)]

    agree(story)


def written_by_data(compile):
    def run(x):
        y = x * 2
        z = y.exp()
        y.data.add_(1)
        return z * y, y

    f = compile(run)
    return [(y, z, y._version, z._version) for y, z in [f(numbers(n)) for n in range(4)]]


def an_item_by_data(compile):
    def run(x):
        y = x * 2
        y.data[0] = 5
        y.data.copy_(y.data * 2 + 1)
        return y

    f = compile(run)
    return [(y, y._version) for y in [f(numbers(n)) for n in range(4)]]


def an_argument_by_data(compile):
    def run(x):
        out = x.sin()
        x.data.mul_(2)
        return out

    f = compile(run)
    seen = []
    for n in range(4):
        x = numbers(n).requires_grad_()
        f(x).sum().backward()
        seen.append((x, x.grad, x._version))
    return seen


def averages_by_data(compile):
    averages, values = [torch.zeros(4) for _ in range(3)], [numbers(n) for n in range(3)]

    def run():
        for average, value in zip(averages, values, strict=True):
            average.data.mul_(0.9).add_(value.data, alpha=0.1)

    f = compile(run)
    for _ in range(4):
        f()
        values[0].add_(1)
    return averages, [each._version for each in averages]


def test_data(agree, story):
    agree(story)
