"""Errors after a change: what was written stays, and blocks are left as they are in Python."""

import types

import rushlight as torch
from rushlight import nn


def ones():
    return torch.ones(2)


def leaf(*elements):
    return torch.tensor(elements, requires_grad=True)


def try_(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return error


def written_before_an_error(compile):
    def f(x, y):
        x.add_(1)
        x.add_(torch.linalg.cholesky(y).sum())
        return x

    f = compile(f)
    x, good, bad = ones(), torch.eye(2), -torch.eye(2)
    return [try_(f, x, good).clone(), f(x, good).clone(), try_(f, x, bad), x.clone(), f(x, good).clone()]


def finally_after_an_error(compile):
    one = types.SimpleNamespace(busy=False, n=0)

    def f(x, y):
        one.busy = True
        try:
            z = torch.linalg.cholesky(y)
        finally:
            one.busy = False
        return z.sum() + x

    f = compile(f)
    good, bad = torch.eye(2), -torch.eye(2)
    return [f(ones(), good), f(ones(), good), try_(f, ones(), bad), one.busy, f(ones(), good), one]


def a_block_is_left_by_an_error(compile):
    class Depth:
        n = 0
        log = []

        def __enter__(self):
            Depth.n += 1

        def __exit__(self, kind, error, trace):
            Depth.n -= 1
            Depth.log.append(kind)
            return kind is not None

    depth = Depth()

    def f(x, y):
        with depth:
            x = x + torch.linalg.cholesky(y).sum()
        return x

    f = compile(f)
    good, bad = torch.eye(2), -torch.eye(2)
    return [f(ones(), good), f(ones(), good), try_(f, ones(), bad), Depth.n, f(ones(), good), Depth.n, Depth.log]


def a_hook_raises_after_a_change(compile):
    m, log = nn.Linear(2, 2, bias=False), []
    m.weight.data.fill_(1.0)

    def hook(module, args, out):
        log.append(1)
        if len(log) == 3:
            raise ValueError("third")

    m.register_forward_hook(hook)
    f = compile(lambda x: m(x) + 1)
    return [try_(f, ones()) for _ in range(5)], log


def the_mode_is_left_by_an_error(compile):
    def f(x, y):
        x.add_(1)
        with torch.no_grad():
            z = torch.linalg.cholesky(y)
        return z.sum() + x

    f = compile(f)
    good, bad = torch.eye(2), -torch.eye(2)
    return [
        f(ones(), good),
        f(ones(), good),
        try_(f, ones(), bad),
        torch.is_grad_enabled(),
        f(leaf(1.0, 2.0) * 1, good),
    ]


def test_an_error_leaves_what_it_leaves_in_python(agree, story):
    agree(story)
