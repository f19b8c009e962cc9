"""torch.func.grad, grad_and_value and vjp: derivatives by one backward pass, and what they leave outside."""

import pytest


def values(torch, *shape):
    return torch.linspace(0.5, 2, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


def product(a, b, c):
    return (a * b.exp() + c**2).sum()


@pytest.mark.parametrize("argnums", [0, 1, -1, (0, 2), (2,), (-1, 0)])
def test_argnums_choose_the_arguments(torch, argnums):
    inputs = values(torch, 3), values(torch, 3) + 1, values(torch, 3) + 2
    leaves = [each.clone().requires_grad_() for each in inputs]
    expected = torch.autograd.grad(product(*leaves), leaves)
    result = torch.func.grad(product, argnums=argnums)(*inputs)
    if isinstance(argnums, int):
        assert torch.allclose(result, expected[argnums])
    else:
        assert type(result) is tuple
        for each, number in zip(result, argnums, strict=True):
            assert torch.allclose(each, expected[number])


@pytest.mark.parametrize(
    ("argnums", "words"),
    [
        (2, "Got argnum=2, but only 2 positional inputs"),
        (-3, "Got argnum=-3, but only 2 positional inputs"),
        ([0], "argnums must be int or Tuple"),
        ((), "argnums must be non-empty"),
        ((0, 0), "argnums elements must be unique"),
        ((0, -2), "argnums elements must be unique"),
        (("a",), "argnum must be int"),
    ],
)
def test_argnums_that_choose_nothing_are_refused(torch, argnums, words):
    with pytest.raises(RuntimeError, match=words):
        torch.func.grad(lambda a, b: a.sum(), argnums=argnums)(values(torch, 2), values(torch, 2))


def test_gradients_have_the_tree_of_the_argument(torch):
    tree = {"a": values(torch, 2), "b": [values(torch, 2), values(torch)]}
    result = torch.func.grad(lambda d: (d["a"] * d["b"][0]).sum() + d["b"][1].exp())(tree)
    assert list(result) == ["a", "b"]
    assert torch.equal(result["a"], tree["b"][0])
    assert torch.allclose(result["b"][1], tree["b"][1].exp())


def test_keyword_arguments_reach_the_function(torch):
    x = values(torch, 3)
    result = torch.func.grad(lambda a, factor: (a * factor).sum())(x, factor=x)
    assert torch.equal(result, x)


def test_aux_comes_behind_the_gradient(torch):
    x = values(torch, 3)
    gradient, aux = torch.func.grad(lambda a: ((a**2).sum(), {"twice": a * 2}), has_aux=True)(x)
    assert torch.equal(gradient, 2 * x)
    assert torch.equal(aux["twice"], 2 * x)
    assert not aux["twice"].requires_grad


def test_value_and_aux_come_together(torch):
    x = values(torch, 3)
    gradient, (value, aux) = torch.func.grad_and_value(lambda a: ((a**2).sum(), a + 1), has_aux=True)(x)
    assert torch.equal(gradient, 2 * x)
    assert torch.equal(value, (x**2).sum())
    assert torch.equal(aux, x + 1)


@pytest.mark.parametrize("result", [lambda a: a.sum(), lambda a: (a.sum(), a, a)])
def test_a_function_without_aux_is_refused_if_it_should_have_some(torch, result):
    with pytest.raises(RuntimeError, match="should be a tuple"):
        torch.func.grad(result, has_aux=True)(values(torch, 2))
    with pytest.raises(RuntimeError, match="should be a tuple"):
        torch.func.vjp(result, values(torch, 2), has_aux=True)


def test_aux_must_be_tensors(torch):
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type"):
        torch.func.grad(lambda a: (a.sum(), 3), has_aux=True)(values(torch, 2))


def test_a_vector_has_no_gradient(torch):
    with pytest.raises(RuntimeError, match="to return a scalar Tensor, got tensor with 1 dims"):
        torch.func.grad(lambda a: a * 2)(values(torch, 2))


def test_a_number_of_python_has_no_gradient(torch):
    with pytest.raises(RuntimeError, match="to return a Tensor, got <class 'float'>"):
        torch.func.grad(lambda a: 3.0)(values(torch, 2))


def test_an_argument_must_be_a_tensor(torch):
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor"):
        torch.func.grad(lambda a: a)("a")


def test_integers_have_no_gradient(torch):
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        torch.func.grad(lambda a: a.sum())(torch.arange(3))


def test_an_unused_argument_has_a_gradient_of_zeros(torch):
    result = torch.func.grad(lambda a, b: a.sum(), argnums=(0, 1))(values(torch, 2), values(torch, 3))
    assert torch.equal(result[1], torch.zeros(3, dtype=torch.float64))


def test_the_same_tensor_may_be_several_arguments(torch):
    x = values(torch, 3)
    first, second = torch.func.grad(lambda a, b: (a * b**2).sum(), argnums=(0, 1))(x, x)
    assert torch.allclose(first, x**2)
    assert torch.allclose(second, 2 * x**2)


def test_grads_nest(torch):
    grad = torch.func.grad
    x = torch.tensor(0.7, dtype=torch.float64)
    assert torch.allclose(grad(grad(grad(lambda y: y**4 + y.sin())))(x), 24 * x - x.cos())


def test_an_inner_gradient_does_not_confuse_the_outer_one(torch):
    grad = torch.func.grad
    x = torch.tensor(2.0)
    assert grad(lambda a: a * grad(lambda b: a + b)(torch.tensor(1.0)))(x) == 1.0
    assert grad(lambda a: grad(lambda b: a * b * b)(a))(x) == 8.0


def test_the_graph_goes_on_outside_of_the_input(torch):
    x = values(torch, 3).requires_grad_()
    y = torch.func.grad(lambda a: (a**3).sum())(x)
    assert y.requires_grad
    assert torch.allclose(torch.autograd.grad(y.sum(), x)[0], 6 * x)


def test_the_graph_goes_on_outside_of_what_the_function_uses(torch):
    w = values(torch, 3).requires_grad_()
    x = values(torch, 3) + 1
    y = torch.func.grad(lambda a: (a * a * w).sum())(x)
    assert torch.allclose(torch.autograd.grad(y.sum(), w)[0], 2 * x)


def test_nothing_is_recorded_for_nobody(torch):
    gradient, value = torch.func.grad_and_value(lambda a: (a**2).sum())(values(torch, 3))
    assert not gradient.requires_grad
    assert not value.requires_grad


def test_a_result_without_history_outside_has_none(torch):
    w = values(torch, 3).requires_grad_()
    (twice, product, same), _ = torch.func.vjp(lambda a: (a * 2, a * w, w), values(torch, 3))
    assert not twice.requires_grad
    assert product.requires_grad
    assert same is w


def test_an_input_that_is_returned_is_the_same_tensor(torch):
    x = values(torch, 3)
    y, _ = torch.func.vjp(lambda a: a, x)
    assert y is x


def test_no_grad_outside_is_not_obeyed_inside(torch):
    x = values(torch, 3).requires_grad_()
    with torch.no_grad():
        result = torch.func.grad(lambda a: (a**2).sum())(x)
    assert torch.allclose(result, 2 * x.detach())
    assert not result.requires_grad


def test_no_grad_inside_makes_a_constant(torch):
    def function(a):
        with torch.no_grad():
            constant = a**2
        return (a**3 - constant).sum()

    x = values(torch, 3)
    assert torch.allclose(torch.func.grad(function)(x), 3 * x**2)


def test_inference_mode_outside_is_left(torch):
    with torch.inference_mode():
        x = values(torch, 3)
        result = torch.func.grad(lambda a: (a**2).sum())(x)
    assert torch.allclose(result, 2 * x)


def test_autograd_may_be_used_inside(torch):
    def function(a):
        (slope,) = torch.autograd.grad((a**3).sum(), a, create_graph=True)
        return (slope**2).sum()

    x = values(torch, 3)
    assert torch.allclose(torch.func.grad(function)(x), 36 * x**3)


@pytest.mark.parametrize("transform", ["grad", "vmap"])
def test_backward_is_refused_inside(torch, transform):
    x = values(torch, 3, 2).requires_grad_()
    with pytest.raises(RuntimeError, match=r"backward\(\) called inside a functorch transform"):
        getattr(torch.func, transform)(lambda a: a.sum().backward())(x)


def test_requires_grad_is_refused_inside(torch):
    with pytest.raises(RuntimeError, match=r"You are attempting to call Tensor.requires_grad_\(\)"):
        torch.func.grad(lambda a: torch.zeros(2).requires_grad_().sum())(values(torch, 3))
    assert torch.zeros(2).requires_grad_().requires_grad


def test_writing_to_an_argument_is_refused(torch):
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        torch.func.grad(lambda a: a.mul_(2).sum())(values(torch, 3))


def test_the_function_keeps_its_name(torch):
    def loss(a):
        """What it does."""
        return a.sum()

    for made in (torch.func.grad(loss), torch.func.grad_and_value(loss), torch.func.jacrev(loss), torch.vmap(loss)):
        assert made.__name__ == "loss"
        assert made.__doc__ == "What it does."


# ---- vjp


def test_vjp_pulls_several_times(torch):
    x, first, second = values(torch, 3), values(torch, 3) + 1, values(torch, 3) + 2
    y, pull = torch.func.vjp(torch.sin, x)
    assert torch.equal(y, x.sin())
    for cotangent in (first, second):
        (gradient,) = pull(cotangent)
        assert torch.allclose(gradient, cotangent * x.cos())


def test_vjp_takes_trees_of_cotangents(torch):
    x = values(torch, 3)
    y, pull = torch.func.vjp(lambda a, b: {"product": a * b, "sum": (a.sum(),)}, x, x + 1)
    first, second = pull({"product": torch.ones_like(x), "sum": (torch.ones((), dtype=x.dtype),)})
    assert torch.allclose(first, x + 2)
    assert torch.allclose(second, x)
    assert list(y) == ["product", "sum"]


def test_vjp_refuses_cotangents_of_another_tree(torch):
    _, pull = torch.func.vjp(lambda a: (a, {"x": a}), values(torch, 3))
    words = r"Expected pytree structure of cotangents.*cotangents: \*, primal output: \(\*, \{'x': \*\}\)"
    with pytest.raises(RuntimeError, match=words):
        pull(values(torch, 3))


def test_vjp_refuses_cotangents_of_another_shape(torch):
    _, pull = torch.func.vjp(torch.sin, values(torch, 3))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        pull(values(torch, 2))


def test_vjp_refuses_outputs_without_derivative(torch):
    with pytest.raises(RuntimeError, match="All outputs of f must be floating-point or complex Tensors"):
        torch.func.vjp(lambda a: (a, a.long()), values(torch, 3))
    with pytest.raises(RuntimeError, match="return only tensors, got unsupported type <class 'int'>"):
        torch.func.vjp(lambda a: 3, values(torch, 3))
    with pytest.raises(RuntimeError, match="non-empty output"):
        torch.func.vjp(lambda a: (), values(torch, 3))


def test_what_vjp_pulls_can_be_differentiated(torch):
    x, v = values(torch, 3), values(torch, 3) + 1
    _, pull = torch.func.vjp(lambda a: a**3, x)
    result = torch.func.grad(lambda u: (pull(u)[0] ** 2).sum())(v)
    assert torch.allclose(result, 2 * v * 9 * x**4)


def test_vjp_of_complex_numbers(torch):
    x = torch.tensor([1 + 2j, 3 - 1j])
    _, pull = torch.func.vjp(lambda a: a * a, x)
    assert torch.allclose(pull(torch.ones_like(x))[0], 2 * x.conj())
