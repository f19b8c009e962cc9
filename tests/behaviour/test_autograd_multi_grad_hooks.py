"""One hook for the gradients of several tensors: it is called once in every backward that reaches one of them."""

import threading

import pytest


def plain(gradients):
    """Numbers instead of gradients."""
    if isinstance(gradients, list):
        return [None if each is None else each.tolist() for each in gradients]
    return None if gradients is None else gradients.tolist()


@pytest.fixture
def register(torch):
    """A function: registers a hook for tensors, and gives the list of what it is called with."""

    def registered(tensors, mode="all"):
        seen = []
        torch.autograd.graph.register_multi_grad_hook(tensors, lambda g: seen.append(plain(g)), mode=mode)
        return seen

    return registered


@pytest.mark.parametrize("mode", ["all", "any"])
def test_it_is_called_in_every_backward(torch, register, mode):
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    seen = register((a, b), mode)
    for _ in range(3):
        (a * b).sum().backward()
    y = (a * b).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert seen == [[[1.0], [1.0]] if mode == "all" else [1.0]] * 5


@pytest.mark.parametrize("mode", ["all", "any"])
def test_a_sibling_without_a_gradient_is_not_waited_for(torch, register, mode):
    """Both results of one node are reached, and the gradient of one is None."""
    x = torch.ones(2, requires_grad=True)
    y, (first, second) = x * 3, (x * 4).unbind()
    seen = register((y, first, second), mode)
    z = y.sum() + first
    for _ in range(2):
        z.backward(retain_graph=True)
    torch.autograd.grad(z, y, retain_graph=True)
    every = [[1.0, 1.0], 1.0, None]
    assert seen == ([every, every, [[1.0, 1.0], None, None]] if mode == "all" else [1.0, 1.0, [1.0, 1.0]])


def test_what_a_pass_does_not_reach_is_not_waited_for(torch, register):
    a, b, c = (torch.ones(1, requires_grad=True) for _ in range(3))
    seen = register((a, b, c))
    (a * b).sum().backward()
    (a * b).sum().backward(inputs=[b])
    c.sum().backward()
    assert seen == [[[1.0], [1.0], None], [None, [1.0], None], [None, None, [1.0]]]


def test_an_undefined_gradient_counts(torch, register):
    class FirstIsNone(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None, g

    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    seen = register((a, b))
    FirstIsNone.apply(a, b).sum().backward()
    assert seen == [[None, [1.0]]]


def test_a_pass_inside_a_pass_is_counted_apart(torch, register):
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    seen = register((a, b))

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                (a * b).sum().backward()
            return g

    (Inner.apply(a) * b).sum().backward()
    assert len(seen) == 2


@pytest.mark.parametrize("mode", ["all", "any"])
def test_a_pass_that_failed_leaves_nothing_to_the_next(torch, register, mode):
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    seen = register((a, b), mode)
    c = b * 1
    c.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (a.sum() + c.sum()).backward()
    del seen[:]
    (a * b).sum().backward()
    assert seen == [[[1.0], [1.0]] if mode == "all" else [1.0]]


def test_threads_are_counted_apart(torch, register):
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    seen = register((a, b))
    threads = [threading.Thread(target=lambda: (a * b).sum().backward()) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [[[1.0], [1.0]]] * 4


def test_tensors_that_do_not_require_grad(torch, register):
    a, b = torch.ones(1, requires_grad=True), torch.ones(1)
    seen = register((a, b), "any")
    a.sum().backward()
    assert seen == [[1.0]]
    with pytest.raises(AssertionError, match="^Expected gradient function to be set"):
        register((a, b))


def test_its_handle_is_one_of_a_hook(torch):
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    seen = []
    handle = torch.autograd.graph.register_multi_grad_hook((a, b), seen.append)
    assert isinstance(handle, torch.utils.hooks.RemovableHandle)
    with handle:
        (a * b).sum().backward()
    (a * b).sum().backward()
    assert len(seen) == 1


def test_it_is_about_tensors_as_they_were(torch, register):
    """A write in place afterwards gives a tensor another step, which no hook waits for."""
    x = torch.ones(2, requires_grad=True)
    y, z = x * 2, x * 3
    seen = register((y, z))
    y.mul_(5)
    (y + z).sum().backward(retain_graph=True)
    z.sum().backward()
    assert seen == [[[5.0, 5.0], [1.0, 1.0]], [None, [1.0, 1.0]]]


def test_an_input_that_is_not_reached_is_not_waited_for(torch, register):
    x = torch.ones(2, requires_grad=True)
    y, z = x * 2, x * 3
    seen = register((y, z))
    torch.autograd.grad(z.sum(), [y, z], allow_unused=True)
    assert seen == [[None, [1.0, 1.0]]]
