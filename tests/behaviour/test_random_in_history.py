"""Draws are part of a history: their gradients are zeros, and their nodes have PyTorch's names."""

import importlib

import pytest

DRAWS = [
    ("torch.bernoulli(p)", "BernoulliBackward0"),
    ("p.bernoulli()", "BernoulliBackward0"),
    ("torch.poisson(p)", "PoissonBackward0"),
    ("torch.normal(p, 1.0)", "NormalBackward1"),
    ("torch.normal(0.0, p)", "NormalBackward2"),
    ("torch.normal(p, p)", "NormalBackward3"),
]
IN_PLACE = [
    ("bernoulli_()", "BernoulliBackward2"),
    ("bernoulli_(p)", "BernoulliBackward1"),
    ("cauchy_()", "CauchyBackward0"),
    ("exponential_()", "ExponentialBackward0"),
    ("geometric_(0.5)", "GeometricBackward0"),
    ("log_normal_()", "LogNormalBackward0"),
    ("normal_()", "NormalBackward0"),
    ("random_()", "RandomBackward2"),
    ("random_(9)", "RandomBackward1"),
    ("random_(2, 9)", "RandomBackward0"),
    ("uniform_()", "UniformBackward0"),
]
WARNING_OF_PYTORCH = "ignore:`torch.jit.script` is deprecated"
# What PyTorch has no derivative of, with its name for the function.
WITHOUT = [
    ("torch.binomial(p, q)", "binomial"),
    ("torch.binomial(q, p)", "binomial"),
    ("torch.binomial(p, p[0])", "binomial"),
    ("torch.bernoulli(p, 0.5)", "bernoulli"),
    ("p.bernoulli(0.5)", "bernoulli"),
    ("torch._sample_dirichlet(p)", "_sample_dirichlet"),
    ("torch._dirichlet_grad(p, q, 2 * q)", "_dirichlet_grad"),
    ("torch._dirichlet_grad(q, p, 2 * q)", "_dirichlet_grad"),
    ("torch._dirichlet_grad(q, q, p)", "_dirichlet_grad"),
    ("torch.floor_divide(p, q)", "floor_divide"),
    ("torch.heaviside(p, q)", "heaviside"),
    ("torch.histogram(p, 2)[0]", "histogram"),
    ("torch.linalg.ldl_factor_ex(p[:, :2])[0]", "linalg_ldl_factor_ex"),
]


@pytest.mark.parametrize(("draw", "node"), DRAWS)
def test_the_gradient_of_a_draw_is_zero(torch, draw, node):
    p = torch.full((2, 3), 0.5, requires_grad=True)
    drawn = eval(draw, {"torch": torch, "p": p})
    assert drawn.grad_fn.name() == node
    (drawn * p).sum().backward()
    assert p.grad.tolist() == drawn.tolist()


@pytest.mark.parametrize(("draw", "node"), IN_PLACE)
@pytest.mark.parametrize("start", ["2 * p", "(2 * p)[0]", "q.clone()"])
def test_the_gradient_of_a_draw_in_place_is_zero(torch, draw, node, start):
    torch.func.vmap(torch.sin)(torch.ones(2))  # a process in which transforms were used is like another
    p, q = torch.full((2, 3), 0.5, requires_grad=True), torch.full((2, 3), 0.5)
    x = eval(start, {"p": p, "q": q})
    drawn = eval(f"x.{draw}", {"x": x, "p": p[0]})
    if start == "2 * p" or draw == "bernoulli_(p)":
        assert drawn is x
        assert drawn._base is not None or drawn.grad_fn.name() == node
        (drawn * p).sum().backward()
        assert p.grad.tolist() == (drawn + torch.zeros(2, 3)).tolist() or drawn.ndim == 1
    else:
        assert drawn.requires_grad == (start != "q.clone()")


@pytest.mark.parametrize(("call", "function"), WITHOUT)
def test_without_a_derivative_backward_raises(torch, call, function):
    p, q = torch.full((2, 3), 0.5, requires_grad=True), torch.full((2, 3), 0.5)
    drawn = eval(call, {"torch": torch, "p": p, "q": q})
    assert drawn.requires_grad
    assert type(drawn.grad_fn).__name__ == "NotImplemented"
    assert drawn.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match=f"^derivative for aten::{function} is not implemented$"):
        drawn.sum().backward()


@pytest.mark.filterwarnings(WARNING_OF_PYTORCH)
@pytest.mark.parametrize(("call", "function"), [row for row in WITHOUT if "_ex" not in row[0]])
def test_without_a_derivative_forward_mode_raises(torch, call, function):
    p, q = torch.full((2, 3), 0.5), torch.full((2, 3), 0.5)
    message = f"^Trying to use forward AD with aten::{function} that does not support it."
    forward_ad = importlib.import_module(f"{torch.__name__}.autograd.forward_ad")
    with forward_ad.dual_level(), pytest.raises(NotImplementedError, match=message):
        eval(call, {"torch": torch, "p": forward_ad.make_dual(p, torch.ones(2, 3)), "q": q})


@pytest.mark.filterwarnings(WARNING_OF_PYTORCH)
def test_the_derivative_of_gamma_draws_is_not_pushed_forward(torch):
    forward_ad = importlib.import_module(f"{torch.__name__}.autograd.forward_ad")
    draws = {
        "_standard_gamma": torch._standard_gamma,
        "_standard_gamma_grad": lambda x: torch._standard_gamma_grad(x, x),
    }
    for name, draw in draws.items():
        message = f"^Trying to use forward AD with {name} that does not support it because it has not been implemented"
        with forward_ad.dual_level(), pytest.raises(NotImplementedError, match=message):
            draw(forward_ad.make_dual(torch.ones(3), torch.ones(3)))
    output = torch.ones(3, requires_grad=True)
    assert not torch._standard_gamma_grad(torch.ones(3), output).requires_grad


NUMBER = "must be float, not Tensor$"
NO_FORM = "received an invalid combination of arguments"
REFUSED = [
    ("x.exponential_(one)", NUMBER),
    ("x.geometric_(one / 2)", NUMBER),
    ("x.log_normal_(one, 1)", NUMBER),
    ("x.cauchy_(1, one)", NUMBER),
    ("x.normal_(one)", NUMBER),
    ("x.uniform_(0, one)", NUMBER),
    ("torch.normal(one, 1.0, (2,))", NO_FORM),
    ("x.bernoulli(p=one)", NO_FORM),
    ("torch.binomial(x, 0.5)", r"^binomial\(\): argument 'prob' \(position 2\) must be Tensor, not float$"),
    ("torch.binomial(2, x)", r"^binomial\(\): argument 'count' \(position 1\) must be Tensor, not int$"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_a_parameter_that_requires_grad_is_no_number(torch, call, message):
    with pytest.raises(TypeError, match=message):
        eval(call, {"torch": torch, "x": torch.full((2,), 0.5), "one": torch.tensor(1.0, requires_grad=True)})


def test_binomial_numbers_need_one_dtype(torch):
    x = torch.full((2,), 0.5)
    for count, prob, kind, words in [
        (x.double(), x, RuntimeError, "^Found dtype Float but expected Double$"),
        (x, x.half(), RuntimeError, "^Found dtype Half but expected Float$"),
        (x.half(), x.half(), NotImplementedError, "^\"binomial_cpu\" not implemented for 'Half'$"),
    ]:
        with pytest.raises(kind, match=words):
            torch.binomial(count, prob)


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
