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
