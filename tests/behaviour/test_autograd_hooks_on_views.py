"""Hooks on a view that is written to, or whose base is: they are for what used the view before.

The step of a write in place starts at the base, so nothing leads to the view as it was.
"""

import pytest


@pytest.fixture
def base(torch):
    """A leaf and a result of it that has views."""
    x = torch.ones(3, requires_grad=True)
    return x, x * 1


WRITES = {
    "mul_": lambda torch, v: v.mul_(2),
    "copy_": lambda torch, v: v.copy_(torch.full_like(v, 2.0)),
    "fill_": lambda torch, v: v.fill_(2),
    "pow_": lambda torch, v: v.pow_(2),
    "index": lambda torch, v: v.__setitem__(..., 2.0),
    "relu": lambda torch, v: torch.nn.functional.relu(v, inplace=True),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("depth", [1, 2])
def test_hooks_of_a_view_are_dropped_when_it_is_written_to(torch, base, write, depth):
    x, y = base
    view, seen = y[0:2], []
    for _ in range(depth):
        view.register_hook(seen.append)
        view.grad_fn.register_prehook(lambda outputs: seen.append(outputs))
        view.grad_fn.register_hook(lambda inputs, outputs: seen.append(outputs))
        written, view = view, view[0:2]
    WRITES[write](torch, written)
    (y.sum() + written.sum()).backward()
    assert seen == []
    slope = {"mul_": 4.0, "copy_": 0.0, "fill_": 0.0, "pow_": 4.0, "index": 0.0, "relu": 2.0}[write]
    assert x.grad.tolist() == [slope, slope, 1.0]


def test_what_used_the_view_before_still_calls_them(torch, base):
    x, y = base
    view, seen = y[0:2], []
    view.register_hook(lambda g: seen.append(("before", g.tolist())))
    used = (view * 2).sum()
    view.mul_(2)
    view.register_hook(lambda g: seen.append(("after", g.tolist())))
    (y.sum() + used + 3 * view.sum()).backward()
    assert seen == [("after", [3.0, 3.0]), ("before", [2.0, 2.0])]
    assert x.grad.tolist() == [10.0, 10.0, 1.0]


def test_hooks_of_the_base_see_the_gradient_before_the_write(torch, base):
    x, y = base
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y[0:2].mul_(2)
    y.sum().backward()
    assert seen == [[2.0, 2.0, 1.0]]


def test_the_gradient_that_a_view_retains_is_that_of_what_was_written(torch, base):
    x, y = base
    view = y[0:2]
    view.retain_grad()
    view.mul_(2)
    (3 * view.sum()).backward()
    assert view.grad.tolist() == [3.0, 3.0] and x.grad.tolist() == [6.0, 6.0, 0.0]


def test_a_view_that_is_not_used_any_more_retains_none(torch, base):
    x, y = base
    view = y[0:2]
    view.retain_grad()
    y.retain_grad()
    view.mul_(2)
    y.sum().backward()
    assert view.grad is None and y.grad.tolist() == [1.0, 1.0, 1.0] and x.grad.tolist() == [2.0, 2.0, 1.0]


def test_of_another_view_the_new_history_has_to_be_asked_for(torch, base):
    """A hook joins those that are there, on the old history, until something asks for the newest step."""
    x, y = base
    view, seen = y[0:2], []
    view.register_hook(lambda g: seen.append("first"))
    y.mul_(2)
    view.register_hook(lambda g: seen.append("second"))
    assert view.grad_fn is not None
    view.register_hook(lambda g: seen.append("third"))
    view.sum().backward()
    assert seen == ["third"]


def test_a_write_of_a_function_into_a_view(torch, base):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x, y = base
    view, seen = y[0:2], []
    view.register_hook(seen.append)
    Double.apply(view)
    y.sum().backward()
    assert seen == [] and x.grad.tolist() == [2.0, 2.0, 1.0]


def test_gradients_of_gradients_through_such_a_write(torch, base):
    x, y = base
    view = y[0:2]
    view.register_hook(lambda g: None)
    view.pow_(3)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [3.0, 3.0, 1.0]
    assert torch.autograd.grad(first.sum(), x)[0].tolist() == [6.0, 6.0, 0.0]
