"""Custom functions under transforms: their own vmap and jvp, and the rule made of forward and backward."""

import pytest

# PyTorch's forward mode uses torch.jit.script, and its linearize a traced graph: they warn of that.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning"),
]


def values(torch, *shape):
    return torch.linspace(0.5, 2, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


def scaled_square(torch, **extra):
    """The square of a tensor times a number: a custom function with `extra` attributes."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x, n):
            return x**2 * n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.n = inputs
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x * ctx.n, None

    for name, value in extra.items():
        setattr(Square, name, value)
    return Square


def slope(ctx, v, _):
    (x,) = ctx.saved_tensors
    return v * 2 * x * ctx.n


def test_gradients_of_any_order(torch):
    square = scaled_square(torch).apply
    grad, x = torch.func.grad, values(torch, 3)
    assert torch.allclose(grad(lambda a: square(a, 3).sum())(x), 6 * x)
    twice = grad(lambda a: grad(lambda b: square(b, 3).sum())(a).pow(2).sum())(x)
    assert torch.allclose(twice, 72 * x)


def test_a_generated_rule_serves_every_order_of_transforms(torch):
    square = scaled_square(torch, generate_vmap_rule=True).apply
    x = values(torch, 3, 2)
    assert torch.allclose(torch.vmap(lambda a: square(a, 3))(x), 3 * x**2)
    assert torch.allclose(torch.vmap(torch.vmap(lambda a: square(a, 3)), in_dims=1, out_dims=1)(x), 3 * x**2)
    assert torch.allclose(torch.vmap(torch.func.grad(lambda a: square(a, 3).sum()))(x), 6 * x)
    assert torch.allclose(torch.func.grad(lambda a: torch.vmap(lambda b: square(b, 3))(a).sum())(x), 6 * x)
    row = x[0]
    assert torch.allclose(torch.func.jacrev(lambda a: square(a, 3))(row), torch.diag(6 * row))


def test_a_generated_rule_sums_over_a_shared_input(torch):
    class Product(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, w):
            return x * w

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return g * w, g * x

    x, w = values(torch, 5, 3).requires_grad_(), values(torch, 3).requires_grad_()
    y = torch.vmap(Product.apply, in_dims=(0, None))(x, w)
    of_x, of_w = torch.autograd.grad(y.sum(), [x, w])
    assert torch.allclose(of_x, w.expand(5, 3))
    assert torch.allclose(of_w, x.sum(0))


def test_a_generated_rule_is_of_jvp_too(torch):
    square = scaled_square(torch, generate_vmap_rule=True, jvp=staticmethod(slope)).apply
    x, v = values(torch, 3, 2), values(torch, 3, 2) + 1
    y, along = torch.vmap(lambda a, b: torch.func.jvp(lambda c: square(c, 3), (a,), (b,)))(x, v)
    assert torch.allclose(y, 3 * x**2)
    assert torch.allclose(along, 6 * x * v)
    assert torch.allclose(torch.func.jacfwd(lambda a: square(a, 3))(x[0]), torch.diag(6 * x[0]))


def test_a_rule_of_its_own_gets_the_size_of_the_batch(torch):
    seen = []

    def vmap(info, in_dims, x, n):
        seen.append((info.batch_size, info.randomness, in_dims[1]))
        return function.apply(x, n), in_dims[0]

    function = scaled_square(torch, vmap=staticmethod(vmap))
    x = values(torch, 2, 3)
    result = torch.vmap(lambda a: function.apply(a, 3), in_dims=1, randomness="same")(x)
    assert torch.allclose(result, 3 * x.T**2)
    assert seen == [(3, "same", None)]


def test_a_rule_of_its_own_is_not_asked_without_a_batch(torch):
    function = scaled_square(torch, vmap=staticmethod(lambda *_: pytest.fail("there is no batch")))
    y = values(torch, 2)
    assert torch.vmap(lambda a: a.sum() + function.apply(y, 2))(values(torch, 3, 2)).shape == (3, 2)


def test_jvp_is_asked_for_tangents(torch):
    square = scaled_square(torch, jvp=staticmethod(slope)).apply
    x, v = values(torch, 3), values(torch, 3) + 1
    y, along = torch.func.jvp(lambda a: square(a, 3), (x,), (v,))
    assert torch.allclose(y, 3 * x**2)
    assert torch.allclose(along, 6 * x * v)


def test_a_reverse_pass_goes_through_jvp(torch):
    square = scaled_square(torch, jvp=staticmethod(slope)).apply
    x, v = values(torch, 3), values(torch, 3) + 1
    result = torch.func.grad(lambda a: torch.func.jvp(lambda b: square(b, 3), (a,), (v,))[1].sum())(x)
    assert torch.allclose(result, 6 * v)


def test_forward_mode_reaches_a_function_of_the_older_form(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_forward(x)
            return x * x

        @staticmethod
        def jvp(ctx, v):
            (x,) = ctx.saved_tensors
            return 2 * x * v

    x, v = values(torch, 3), values(torch, 3) + 1
    with torch.autograd.forward_ad.dual_level():
        y = Double.apply(torch.autograd.forward_ad.make_dual(x, v))
        primal, tangent = torch.autograd.forward_ad.unpack_dual(y)
    assert torch.allclose(primal, x * x)
    assert torch.allclose(tangent, 2 * x * v)


def both(info, in_dims, x, n):
    return x, 0


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({}, "You tried to vmap over Square, but it does not have vmap support"),
        (
            {"generate_vmap_rule": True, "vmap": staticmethod(both)},
            "it has both generate_vmap_rule=True and an overridden vmap staticmethod",
        ),
        ({"vmap": staticmethod(lambda *_: 3)}, "Expected the vmap staticmethod to have two returns"),
    ],
)
def test_vmap_wants_one_rule(torch, extra, words):
    square = scaled_square(torch, **extra).apply
    with pytest.raises(RuntimeError, match=words):
        torch.vmap(lambda a: square(a, 3))(values(torch, 3, 2))


def test_jvp_is_wanted_in_forward_mode(torch):
    square = scaled_square(torch).apply
    with pytest.raises(RuntimeError, match="You must implement the jvp function for custom autograd.Function"):
        torch.func.jvp(lambda a: square(a, 3), (values(torch, 3),), (values(torch, 3),))


@pytest.mark.parametrize("transform", ["grad", "vmap"])
def test_transforms_want_setup_context(torch, transform):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        getattr(torch.func, transform)(lambda a: Double.apply(a).sum())(values(torch, 3))
    x = values(torch, 3).requires_grad_()
    assert torch.equal(torch.autograd.grad(Double.apply(x).sum(), x)[0], torch.full((3,), 2.0, dtype=x.dtype))


# ---- what is refused


class KeepsItsInput:
    """Members of a function that returns its input and saves it."""

    forward = staticmethod(lambda x: x)
    setup_context = staticmethod(lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]))
    backward = staticmethod(lambda ctx, g: 2 * g)


def test_an_input_that_is_returned_as_it_is_cannot_be_saved(torch):
    function = type("Keeps", (KeepsItsInput, torch.autograd.Function), {})
    for x in (torch.ones(2), torch.ones(2, requires_grad=True)):
        with pytest.raises(RuntimeError, match="^An input that has been returned as-is as output is being saved"):
            function.apply(x)


def test_out_dims_of_a_rule_are_like_its_results(torch):
    rules = {"tensor": lambda info, dims, x: (x, (0,)), "list": lambda info, dims, x: ([x], (0,))}
    for rule in rules.values():
        function = type("Same", (KeepsItsInput, torch.autograd.Function), {"vmap": staticmethod(rule)})
        with pytest.raises(RuntimeError, match=r"returned an incompatible \(output, out_dims\) tuple"):
            torch.vmap(function.apply)(torch.ones(3, 2))


def test_a_rule_gets_the_dimensions_of_lists(torch):
    def rule(info, dims, x, others):
        seen.append(dims)
        return x + others[0] + others[1], 0

    seen = []
    members = {"vmap": staticmethod(rule), "forward": staticmethod(lambda x, others: x)}
    function = type("Sum", (KeepsItsInput, torch.autograd.Function), members)
    x, shared = torch.ones(3, 2), torch.ones(2)
    result = torch.vmap(lambda a: function.apply(a, [a, shared]))(x)
    assert seen == [(0, [0, None])] and torch.equal(result, torch.full((3, 2), 3.0))


def test_tensors_by_name_are_refused_under_vmap(torch):
    members = {"vmap": staticmethod(lambda info, dims, x, y: (x, 0)), "forward": staticmethod(lambda x, *, y: x)}
    function = type("Named", (KeepsItsInput, torch.autograd.Function), members)
    with pytest.raises(NotImplementedError, match="^Run vmap on autograd.Function with kwarg-only Tensor args"):
        torch.vmap(lambda a: function.apply(a, y=a))(torch.ones(3, 2))


def test_retain_grad_is_refused_in_a_transform(torch):
    with pytest.raises(RuntimeError, match=r"^You are attempting to call Tensor.retain_grad\(\) inside of a function"):
        torch.func.grad(lambda x: x.sin().retain_grad())(torch.ones(()))
