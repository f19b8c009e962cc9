"""Gradients that do not come: hooks see them as None, in every kind of node."""

import pytest

MATRIX = [[2.0, 1.0], [0.5, 3.0]]


@pytest.fixture
def matrix(torch):
    """A function: a fresh matrix that is the result of an operation."""
    return lambda: torch.tensor(MATRIX, dtype=torch.float64, requires_grad=True) * 1


SEVERAL = {
    "unbind": lambda torch, x: x.unbind(1),
    "iteration": lambda torch, x: tuple(x),
    "split": lambda torch, x: x.split(1),
    "split_with_sizes": lambda torch, x: x.split_with_sizes([1, 1]),
    "chunk": lambda torch, x: x.chunk(2),
    "unsafe_chunk": lambda torch, x: x.unsafe_chunk(2),
    "unsafe_split": lambda torch, x: x.unsafe_split(1),
    "var_mean": lambda torch, x: torch.var_mean(x),
    "std_mean": lambda torch, x: torch.std_mean(x),
    "aminmax": lambda torch, x: torch.aminmax(x),
    "eigh": lambda torch, x: torch.linalg.eigh(x),
    "svd": lambda torch, x: torch.linalg.svd(x),
    "qr": lambda torch, x: torch.linalg.qr(x),
    "slogdet": lambda torch, x: torch.linalg.slogdet(x),
    "lu": lambda torch, x: torch.linalg.lu(x)[1:],
    "eig": lambda torch, x: torch.linalg.eig(x),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_hooks_on_all_results_of_one_node_are_called(torch, matrix, name):
    count = sum(each.requires_grad for each in SEVERAL[name](torch, matrix()))
    for used in range(count):
        results = [each for each in SEVERAL[name](torch, matrix()) if each.requires_grad]
        seen = []
        for number, each in enumerate(results):
            each.register_hook(lambda g, number=number, seen=seen: seen.append((number, g is None)))
        results[used].abs().sum().backward()
        assert seen == [(number, number != used) for number in range(count)]


@pytest.mark.parametrize("materialize", [True, False])
def test_hooks_on_results_of_a_function_are_called_before_zeros_are_made(torch, materialize):
    received = []

    class Three(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 1, x * 2, x * 3

        @staticmethod
        def backward(ctx, *gradients):
            received.extend(gradients)
            return gradients[1] * 2

    x, seen = torch.ones(2, requires_grad=True), []
    results = Three.apply(x)
    for each in results:
        each.register_hook(seen.append)
    results[1].sum().backward()
    assert [g if g is None else g.tolist() for g in seen] == [None, [1.0, 1.0], None]
    absent = [0.0, 0.0] if materialize else None
    assert [g if g is None else g.tolist() for g in received] == [absent, [1.0, 1.0], absent]
    assert x.grad.tolist() == [2.0, 2.0]


class Nothing:
    """Makes a function whose backward gives None."""

    def __new__(cls, torch):
        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1

            @staticmethod
            def backward(ctx, g):
                return None

        return Function


def test_hooks_behind_a_function_that_gives_none(torch):
    """Those of the result, of its node, and of the leaf: tensor hooks first, the node's own around the step."""
    x = torch.ones(2, requires_grad=True)
    y, seen = x * 2, []
    y.register_hook(lambda g: seen.append(("y", g)))
    y.grad_fn.register_prehook(lambda outputs: seen.append(("before", outputs)))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(("after", inputs[0], outputs)))
    x.register_hook(lambda g: seen.append(("x", g)))
    leaf = y.grad_fn.next_functions[0][0]
    leaf.register_prehook(lambda outputs: seen.append(("leaf", outputs)))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(("accumulated", leaf.grad)))
    leaf.register_hook(lambda inputs, outputs: seen.append(("end", inputs, outputs)))
    Nothing(torch).apply(y).sum().backward()
    assert seen == [
        ("y", None),
        ("before", (None,)),
        ("after", None, (None,)),
        ("x", None),
        ("leaf", (None,)),
        ("accumulated", None),
        ("end", (), (None,)),
    ]
    assert x.grad is None


def test_none_cannot_be_replaced(torch):
    first, second = torch.ones(2, requires_grad=True).unbind()
    first.register_hook(lambda g: torch.ones(()))
    with pytest.raises(RuntimeError, match="^can't replace a None gradient with a non-None value"):
        second.backward()


def test_a_result_without_a_gradient_retains_none(torch):
    first, second = torch.ones(2, requires_grad=True).unbind()
    first.retain_grad()
    second.retain_grad()
    second.backward()
    assert first.grad is None and second.grad.item() == 1


def test_grad_at_a_sibling_calls_its_hooks(torch):
    first, second = torch.ones(2, requires_grad=True).unbind()
    seen = []
    first.register_hook(seen.append)
    result = torch.autograd.grad(second * 1, [first, second], allow_unused=True)
    assert seen == [None] and result[0] is None and result[1].item() == 1


def test_gradcheck_meets_a_hook_that_does_not_bear_none(torch):
    def function(x):
        def hook(g):
            if g is None:
                raise RuntimeError("x is undefined")

        y = x.clone()
        y.register_hook(hook)
        return y

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    with pytest.warns(UserWarning, match="New undefined gradient support checking"):
        with pytest.raises(RuntimeError, match="Expected backward function to handle undefined output grads"):
            torch.autograd.gradcheck(function, (x,))


def test_outputs_that_have_no_gradient_may_stay_none(torch):
    """`ctx._materialize_non_diff_grads`: of what was marked and of integers; the others get their zeros."""
    seen = []

    class Four(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx._materialize_non_diff_grads = materialize
            marked = x.clone()
            ctx.mark_non_differentiable(marked)
            return x.clone(), marked, torch.tensor([1, 2]), x * 3

        @staticmethod
        def backward(ctx, *gradients):
            seen.append([g if g is None else g.tolist() for g in gradients])
            return gradients[0], None

    x = torch.tensor(2.0, requires_grad=True)
    Four.apply(x, True)[0].backward()
    Four.apply(x, False)[0].backward()
    assert seen == [[1.0, 0.0, [0, 0], 0.0], [1.0, None, None, 0.0]]


def test_materialized_gradients_can_be_differentiated_again(torch):
    x, a = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    first = torch.autograd.grad(x * a, x, create_graph=True)
    second = torch.autograd.grad(first, x, create_graph=True, materialize_grads=True)
    third = torch.autograd.grad(second, x, materialize_grads=True)
    assert second[0].item() == 0 and second[0].requires_grad and second[0].is_leaf
    assert third[0].item() == 0 and not third[0].requires_grad
