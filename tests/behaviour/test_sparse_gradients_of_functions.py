"""Sparse gradients from the backward of custom functions: alone, next to dense ones, and over several passes."""

import pytest

import rushlight

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")  # PyTorch's, that invariants are not checked


@pytest.fixture
def fixed(torch):
    """Returns `apply(x, gradient)`: x itself, whose gradient is the given one."""

    class Fixed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, gradient):
            ctx.save_for_backward(gradient)
            return x.clone()

        @staticmethod
        def backward(ctx, _):
            return ctx.saved_tensors[0], None

    return Fixed.apply


def entry(torch, row, value):
    return torch.sparse_coo_tensor([[row]], torch.tensor([[value, value]]), (3, 2))


def test_a_sparse_gradient_stays_sparse(torch, fixed):
    x = torch.ones(3, 2, requires_grad=True)
    fixed(x, entry(torch, 1, 5.0)).sum().backward()
    assert x.grad.is_sparse and x.grad.to_dense().tolist() == [[0, 0], [5, 5], [0, 0]]


def test_two_sparse_gradients_are_added_up(torch, fixed):
    x = torch.ones(3, 2, requires_grad=True)
    (fixed(x, entry(torch, 1, 5.0)) + fixed(x, entry(torch, 2, 7.0))).sum().backward()
    assert x.grad.is_sparse and x.grad.to_dense().tolist() == [[0, 0], [5, 5], [7, 7]]


@pytest.mark.parametrize("dense_first", [False, True])
def test_sparse_and_dense_gradients_of_one_leaf_are_added_up(torch, fixed, dense_first):
    x = torch.ones(3, 2, requires_grad=True)
    terms = [fixed(x, entry(torch, 1, 5.0)), fixed(x, torch.ones(3, 2)), fixed(x, entry(torch, 2, 7.0))]
    if dense_first:
        terms = [terms[1], terms[0], terms[2]]
    (terms[0] + terms[1] + terms[2]).sum().backward()
    assert x.grad.to_dense().tolist() == [[1, 1], [6, 6], [8, 8]]


def test_dense_operators_before_and_after_a_sparse_gradient(torch, fixed):
    x, y = torch.ones(3, 2, requires_grad=True), torch.ones(3, 2, requires_grad=True)
    (fixed(x, entry(torch, 1, 5.0)) * y + (y * y) * 3).sum().backward()
    assert x.grad.to_dense().tolist() == [[0, 0], [5, 5], [0, 0]]
    assert y.grad.tolist() == [[7, 7]] * 3


def test_the_next_pass_adds_to_the_same_sparse_gradient(torch, fixed):
    x = torch.ones(3, 2, requires_grad=True)
    fixed(x, entry(torch, 1, 5.0)).sum().backward()
    held = x.grad
    fixed(x, entry(torch, 2, 7.0)).sum().backward()
    assert x.grad is held and held.to_dense().tolist() == [[0, 0], [5, 5], [7, 7]]
    fixed(x, torch.ones(3, 2)).sum().backward()
    assert x.grad is not held and x.grad.to_dense().tolist() == [[1, 1], [6, 6], [8, 8]]


def test_batches_of_gradients_pass_through_sparse_tensors():
    x = rushlight.eye(2, dtype=rushlight.float64).to_sparse().requires_grad_()
    for fast in (True, False):
        assert rushlight.autograd.gradcheck(
            lambda x: x.to_dense(), x, masked=True, check_batched_grad=True, fast_mode=fast
        )


def entries(torch):
    return torch.sparse_coo_tensor(torch.tensor([[1, 1]]), torch.tensor([1.0, 1.0]), (2,))


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("known", ["nothing", "dense", "sparse"])
def test_a_leaf_takes_a_sparse_gradient_from_the_program(torch, known, create_graph):
    x = torch.tensor([1.5, 1.5], requires_grad=True)
    before = {"nothing": None, "dense": torch.tensor([1.0, 2.0]), "sparse": entries(torch)}[known]
    x.grad = before
    x.backward(entries(torch), create_graph=create_graph)
    assert x.grad.layout is (torch.strided if known == "dense" else torch.sparse_coo)
    expected = {"nothing": [0.0, 2.0], "dense": [1.0, 4.0], "sparse": [0.0, 4.0]}[known]
    assert x.grad.to_dense().tolist() == expected
    if before is not None:
        assert (x.grad is before) is not create_graph
        assert (before.to_dense().tolist() == expected) is not create_graph


def test_a_sparse_gradient_from_the_program_passes_hooks_and_meets_others(torch):
    x = torch.tensor([1.5, 1.5], requires_grad=True)
    x.register_hook(lambda gradient: gradient * 2)
    torch.autograd.backward([x, x], [entries(torch), entries(torch)])
    assert x.grad.layout is torch.sparse_coo and x.grad.to_dense().tolist() == [0.0, 8.0]
    (gradient,) = torch.autograd.grad(x, x, entries(torch))
    assert gradient.layout is torch.sparse_coo and gradient.to_dense().tolist() == [0.0, 4.0]
    x.grad = None
    torch.autograd.backward([x, x * 3], [entries(torch), torch.ones(2)])
    assert x.grad.to_dense().tolist() == [6.0, 10.0]
