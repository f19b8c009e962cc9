"""Draws are part of a history: their gradients are zeros, and their nodes have PyTorch's names."""

import pytest

DRAWS = [
    ("torch.bernoulli(p)", "BernoulliBackward0"),
    ("p.bernoulli()", "BernoulliBackward0"),
    ("torch.poisson(p)", "PoissonBackward0"),
    ("torch.normal(p, 1.0)", "NormalBackward1"),
    ("torch.normal(0.0, p)", "NormalBackward2"),
    ("torch.normal(p, p)", "NormalBackward3"),
]


@pytest.mark.parametrize(("draw", "node"), DRAWS)
def test_the_gradient_of_a_draw_is_zero(torch, draw, node):
    p = torch.full((2, 3), 0.5, requires_grad=True)
    drawn = eval(draw, {"torch": torch, "p": p})
    assert drawn.grad_fn.name() == node
    (drawn * p).sum().backward()
    assert p.grad.tolist() == drawn.tolist()


@pytest.mark.parametrize("draw", [draw for draw, _ in DRAWS])
def test_without_a_gradient_to_come_there_is_no_node(torch, draw):
    assert not eval(draw, {"torch": torch, "p": torch.full((3,), 0.5)}).requires_grad


def test_more_categories_than_can_be_counted_are_refused(torch):
    with pytest.raises(RuntimeError, match=r"^number of categories cannot exceed 2\^24$"):
        torch.multinomial(torch.ones(1, dtype=torch.float64).expand(2**24 + 1), 3)


@pytest.mark.complex32
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_small_complex_numbers_may_require_grad(torch):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = x.chalf()
    assert y.dtype is torch.complex32
    y.backward(torch.tensor([2 + 1j, 3], dtype=torch.complex32))
    assert x.grad.tolist() == [2, 3]
    assert torch.zeros(2, dtype=torch.complex32).requires_grad_().requires_grad
