"""Gradients and hooks of leaves: what is there, set, added up or switched on between calls and inside."""

import rushlight as torch


def ones():
    return torch.ones(2)


def leaf(*elements):
    return torch.tensor(elements, requires_grad=True)


def gradient_is_there_or_not(compile):
    f = compile(lambda p: (1 if p.grad is None else 2, isinstance(p.grad, torch.Tensor), p.grad))
    p = leaf(1.0, 2.0)
    seen = [f(p), f(p)]
    p.grad = torch.ones(2)
    seen += [f(p), f(p)]
    p.grad = torch.zeros(2)
    seen += [f(p)]
    p.grad = None
    return [*seen, f(p)]


def gradient_was_there(compile):
    f = compile(lambda p: (1 if p.grad is None else 2, 3 if p.grad else 4))
    p = leaf(2.0)
    p.grad = torch.ones(1)
    seen = [f(p), f(p)]
    p.grad = None
    seen += [f(p)]
    p.grad = torch.zeros(1)
    return [*seen, f(p)]


def gradient_is_used(compile):
    def f(p):
        with torch.no_grad():
            p -= 0.1 * p.grad
        p.grad.zero_()
        return p * 2

    f = compile(f)
    p = leaf(1.0, 2.0)
    seen = []
    for _ in range(4):
        (p * p).sum().backward()
        seen.append(f(p))
    return [*seen, p]


def gradient_is_set_to_none(compile):
    def f(p):
        p.grad = None
        (p * p).sum().backward()
        return p.grad, p.grad is not None

    f = compile(f)
    p = leaf(1.0, 2.0)
    return [f(p), f(p), f(p), p]


def gradient_accumulates(compile):
    def f(p):
        (p * p).sum().backward()
        return p.grad * 2

    f = compile(f)
    p = leaf(1.0, 2.0)
    return [f(p), f(p), f(p), p]


def a_hook_is_added(compile):
    f = compile(lambda p: (p * p).sum())
    p, log = leaf(1.0, 2.0), []
    seen = []
    for at in range(5):
        if at == 2:
            handle = p.register_hook(lambda g: (log.append(1), g * 2)[1])
        if at == 4:
            handle.remove()
        f(p).backward()
        seen.append(p.grad.clone())
    return seen, log


def a_hook_inside(compile):
    log = []

    def f(p):
        y = p * 2
        y.register_hook(lambda g: log.append(g.clone()))
        y.retain_grad()
        return (y * y).sum(), y

    f = compile(f)
    p = leaf(1.0, 2.0)
    seen = []
    for _ in range(3):
        loss, y = f(p)
        loss.backward()
        seen += [p.grad.clone(), y.grad]
    return seen, log


def requires_grad_is_toggled(compile):
    f = compile(lambda p, x: (p * x, p.requires_grad))
    p = leaf(1.0, 2.0)
    seen = []
    for on in (True, False, True, False):
        p.requires_grad_(on)
        seen += [f(p, ones()), f(p, leaf(1.0, 2.0))]
    return seen


def requires_grad_is_toggled_inside(compile):
    def f(x):
        x.requires_grad_()
        y = (x * x).sum()
        y.backward()
        return x.grad, y

    f = compile(f)
    return [f(ones()), f(ones()), f(leaf(1.0, 2.0)), f(ones() * 2)]


def test_a_change_of_a_gradient_is_seen(agree, story):
    agree(story)
