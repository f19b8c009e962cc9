"""torch.autograd.forward_ad: tensors with tangents, inside a level and after it."""

import importlib

import pytest

# PyTorch's forward mode uses torch.jit.script, which is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


@pytest.fixture
def forward_ad(torch):
    return importlib.import_module(f"{torch.__name__}.autograd.forward_ad")


@pytest.fixture
def level(forward_ad):
    with forward_ad.dual_level() as level:
        yield level


@pytest.fixture
def x(torch):
    return torch.tensor([1.0, 2.0, 3.0])


@pytest.fixture
def t(torch):
    return torch.tensor([1.0, 0.5, 2.0])


@pytest.fixture
def d(forward_ad, level, x, t):
    return forward_ad.make_dual(x, t)


@pytest.fixture
def tangent(forward_ad):
    def tangent(tensor):
        result = forward_ad.unpack_dual(tensor).tangent
        return None if result is None else result.tolist()

    return tangent


# ---- levels


def test_the_level_is_number_0_and_there_is_one(forward_ad):
    with forward_ad.dual_level() as level:
        assert level == 0
        with pytest.raises(RuntimeError, match="^Nested forward mode AD is not supported at the moment$"):
            forward_ad.enter_dual_level()


def test_jvp_is_refused_in_a_level(torch, level, x, t):
    with pytest.raises(RuntimeError, match="^Nested forward mode AD is not supported at the moment$"):
        torch.func.jvp(torch.sin, (x,), (t,))


def test_a_level_is_refused_in_jvp(torch, forward_ad, x, t):
    def nested(x):
        with forward_ad.dual_level():
            return x

    with pytest.raises(RuntimeError, match="^Nested forward mode AD"):
        torch.func.jvp(nested, (x,), (t,))


def test_levels_are_ended_in_order(forward_ad):
    with pytest.raises(RuntimeError, match="^Dual level must be a positive number"):
        forward_ad.exit_dual_level()
    forward_ad.enter_dual_level()
    with pytest.raises(RuntimeError, match="^Trying to exit a forward AD level that was not the last one"):
        forward_ad.exit_dual_level(level=3)
    forward_ad.exit_dual_level(level=0)


def test_a_level_decorates_a_function(forward_ad, x, t):
    @forward_ad.dual_level()
    def doubled():
        return forward_ad.unpack_dual(forward_ad.make_dual(x, t) * 2).tangent

    assert doubled().tolist() == doubled().tolist() == [2.0, 1.0, 4.0]


def test_tangents_end_with_the_level(torch, forward_ad, x, t):
    written = torch.zeros(3)
    with forward_ad.dual_level():
        d = forward_ad.make_dual(x, t)
        result = d * 2
        written.copy_(d)
    for tensor in (d, result, written):
        assert forward_ad.unpack_dual(tensor).tangent is None
    assert repr(result) == "tensor([2., 4., 6.])"
    assert (d + written).tolist() == [2.0, 4.0, 6.0]
    assert d.numpy().tolist() == x.tolist()
    result.add_(1)
    assert result.tolist() == [3.0, 5.0, 7.0]
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(d * 2).tangent is None


# ---- making and unpacking


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda torch, x, t: (x, t[:2]), RuntimeError, "Trying to set a forward gradient that has a different size"),
        (lambda torch, x, t: (x.long(), t), ValueError, "Expected primal to be floating point or complex, but got: "),
        (lambda torch, x, t: (x, t.long()), ValueError, "Expected tangent to be floating point or complex, but got: "),
    ],
)
def test_what_does_not_fit_is_refused(torch, forward_ad, level, x, t, make, error, words):
    with pytest.raises(error, match=f"^{words}"):
        forward_ad.make_dual(*make(torch, x, t))


def test_a_tangent_of_a_tangent_is_refused(forward_ad, d, x, t):
    with pytest.raises(RuntimeError, match="^Making a dual Tensor based on a Tensor that already has a forward"):
        forward_ad.make_dual(d, t)
    with pytest.raises(RuntimeError, match="^Setting a forward grad that itself has a forward gradient"):
        forward_ad.make_dual(x, d)


def test_there_must_be_a_level(forward_ad, x, t):
    with pytest.raises(RuntimeError, match="^Trying to create a dual Tensor for forward AD but no level exists"):
        forward_ad.make_dual(x, t)
    with pytest.raises(RuntimeError, match="^Trying to access a forward AD level with an invalid index"):
        forward_ad.make_dual(x, t, level=0)
    assert forward_ad.unpack_dual(x) == (x, None)


def test_the_parts_share_memory_with_what_they_were_made_of(forward_ad, d, x, t):
    primal, tangent = forward_ad.unpack_dual(d)
    d.mul_(2)
    assert x.tolist() == primal.tolist() == [2.0, 4.0, 6.0]
    assert t.tolist() == tangent.tolist() == [2.0, 1.0, 4.0]


def test_a_tangent_of_another_layout_is_copied(torch, forward_ad, level):
    d = forward_ad.make_dual(torch.ones(2, 3), torch.ones(3, 2).t())
    assert forward_ad.unpack_dual(d).tangent.stride() == (3, 1)


# ---- reading


def test_reading_gives_the_primal(torch, d):
    assert d.tolist() == d.numpy().tolist() == [float(each) for each in d] == [1.0, 2.0, 3.0]
    assert d.sum().item() == 6.0
    assert bool(d[0] > 0)
    assert (d.argmax().item(), d.int().tolist()) == (2, [1, 2, 3])
    assert torch.equal(d, d.detach())


def test_a_dual_shows_its_tangent(d):
    assert repr(d) == "tensor([1., 2., 3.], tangent=tensor([1.0000, 0.5000, 2.0000]))"
    assert repr(d.sum()) == "tensor(6., tangent=3.5)"
    assert f"{d.sum():.1f}" == "6.0"


# ---- operators


def test_tangents_of_the_dtype_of_the_result(torch, forward_ad, d):
    for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.complex64):
        assert forward_ad.unpack_dual(d.to(dtype) * 2).tangent.dtype is dtype
    assert forward_ad.unpack_dual(d + torch.ones(3, dtype=torch.float64)).tangent.dtype is torch.float64


def test_what_is_not_differentiated_has_no_tangent(torch, d, tangent, x):
    assert tangent(d.detach()) is tangent(d.data) is tangent(torch.zeros_like(d)) is tangent(x * 2) is None
    assert tangent(d.clone().detach_()) is None


def test_no_grad_does_not_end_forward_mode(torch, d, tangent):
    with torch.no_grad():
        assert tangent(d * 2) == [2.0, 1.0, 4.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda torch, d: d // 2, "aten::floor_divide that does not support it."),
        (lambda torch, d: torch.cdist(d[None], d[None]), "_cdist_forward that does not support it because it has not"),
        (lambda torch, d: torch.add(d, 1, out=torch.empty(3)), "add_out that does not support it because it is an out"),
        (lambda torch, d: torch.add(torch.ones(3), 1, out=d), "add_out that does not support it because it is an out"),
        (lambda torch, d: torch.linalg.ldl_factor(d[None, :1]), "aten::linalg_ldl_factor_ex that does not support it."),
    ],
)
def test_operators_without_forward_mode(torch, d, call, words):
    with pytest.raises(NotImplementedError, match=f"^Trying to use forward AD with {words}"):
        call(torch, d)


def test_a_dual_keeps_its_size(d):
    with pytest.raises(RuntimeError, match="^cannot resize variables that has a forward grad$"):
        d.resize_(2)


# ---- in place


def test_a_write_writes_the_tangent(d, tangent):
    result = d + 1
    result.mul_(3)
    result[0] = 7.0
    assert (result.tolist(), tangent(result)) == ([7.0, 9.0, 12.0], [0.0, 1.5, 6.0])
    assert tangent(d) == [1.0, 0.5, 2.0]
    assert tangent(result.zero_()) == [0.0, 0.0, 0.0]


def test_a_write_through_a_view(d, tangent):
    result = d.clone()
    result[1:].mul_(2)
    result.view(3, 1)[0].add_(result[2])
    assert (result.tolist(), tangent(result)) == ([7.0, 4.0, 6.0], [5.0, 1.0, 4.0])


def test_a_plain_tensor_becomes_dual(torch, d, tangent):
    base = torch.zeros(2, 3)
    row, flat = base[0], base.view(-1)
    row.copy_(d)
    assert tangent(base) == [[1.0, 0.5, 2.0], [0.0, 0.0, 0.0]]
    assert tangent(row) == [1.0, 0.5, 2.0]
    assert tangent(flat) == [1.0, 0.5, 2.0, 0.0, 0.0, 0.0]
    flat[3] = d[2]
    assert tangent(base) == [[1.0, 0.5, 2.0], [2.0, 0.0, 0.0]]


def test_elements_are_collected(torch, d, tangent):
    result = torch.zeros(3)
    for i in range(3):
        result[i] = d[i] ** 2
    assert tangent(result) == [2.0, 2.0, 12.0]


def test_reshapes_in_place(d, tangent):
    result = d.clone()
    result.unsqueeze_(0)
    result.t_()
    assert tangent(result) == [[1.0], [0.5], [2.0]]


# ---- with gradients


def test_gradients_of_duals_are_dual(torch, forward_ad, level, x, t, tangent):
    leaf = x.clone().requires_grad_()
    d = forward_ad.make_dual(leaf, t)
    (gradient,) = torch.autograd.grad((d**3).sum(), d)
    assert gradient.tolist() == [3.0, 12.0, 27.0]
    assert tangent(gradient) == [6.0, 6.0, 36.0]


def test_backward_of_a_dual_and_of_a_tangent(torch, forward_ad, level, x, t):
    weight = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    result = (forward_ad.make_dual(x, t) * weight**2).sum()
    assert result.requires_grad
    result.backward(retain_graph=True)
    assert weight.grad.tolist() == [2.0, 8.0, 18.0]
    assert forward_ad.unpack_dual(weight.grad).tangent is None
    weight.grad = None
    forward_ad.unpack_dual(result).tangent.backward()
    assert weight.grad.tolist() == [2.0, 2.0, 12.0]


def test_a_module_with_dual_parameters(torch, forward_ad, level, x):
    module = torch.nn.Linear(3, 2)
    del module._parameters["weight"]
    module.weight = forward_ad.make_dual(torch.ones(2, 3), torch.ones(2, 3))
    assert forward_ad.unpack_dual(module(x)).tangent.tolist() == [6.0, 6.0]


# ---- switches


def test_the_current_level_is_a_number(forward_ad):
    assert forward_ad._current_level == -1
    with forward_ad.dual_level():
        assert forward_ad._current_level == 0
    assert forward_ad._current_level == -1


def test_tangents_can_be_switched_off(torch, forward_ad, d, tangent):
    with forward_ad._set_fwd_grad_enabled(False):
        assert forward_ad._is_fwd_grad_enabled() is False
        assert tangent(d * d) is None and tangent(d[1:]) is None
        with forward_ad._set_fwd_grad_enabled(True):
            assert tangent(d[1:]) == [0.5, 2.0]
        assert tangent(d.exp()) is None
    assert forward_ad._is_fwd_grad_enabled() is True
    assert tangent(d[1:]) == [0.5, 2.0]


def test_a_write_without_tangents_leaves_the_old_one(torch, forward_ad, d, tangent):
    with forward_ad._set_fwd_grad_enabled(False):
        d.mul_(10)
    assert d.tolist() == [10.0, 20.0, 30.0] and tangent(d) == [1.0, 0.5, 2.0]


def test_a_transform_has_tangents_also_where_they_are_off(torch, forward_ad, x, t):
    with forward_ad._set_fwd_grad_enabled(False):
        assert torch.func.jvp(lambda x: x * x, (x,), (t,))[1].tolist() == [2.0, 2.0, 12.0]


def test_inference_mode_has_no_tangents(torch, forward_ad):
    with torch.inference_mode():
        assert forward_ad._is_fwd_grad_enabled() is False


# ---- tangents of a batch, written to a tensor that has none


def test_batches_of_tangents_are_written_to_a_constant(torch):
    def written(x, y):
        y[:2].copy_(x)
        return y

    jacobian = torch.func.jacfwd(written)(torch.ones(2), torch.ones(3))
    assert jacobian.tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]


# ---- custom functions at duals, of which the graph goes on to leaves


def scaled(torch, forward, jvp, **members):
    """A function that multiplies by 2, with a `forward` and a `jvp` of its own."""
    members.update(forward=staticmethod(forward), jvp=staticmethod(jvp), backward=staticmethod(lambda ctx, g: 2 * g))
    return type("Scaled", (torch.autograd.Function,), members)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_the_jvp_of_a_function_computes_the_tangent(torch, forward_ad, level, x, t, tangent, requires_grad):
    def forward(ctx, x):
        ctx.save_for_forward(x)
        return x * x

    function = scaled(torch, forward, lambda ctx, t: 10 * ctx.saved_tensors[0].detach() * t)
    d = forward_ad.make_dual(x.requires_grad_(requires_grad), t)
    y = function.apply(d)
    assert y.tolist() == [1.0, 4.0, 9.0] and tangent(y) == [10.0, 10.0, 60.0]
    if requires_grad:
        (gradient,) = torch.autograd.grad(y.sum(), x)
        assert gradient.tolist() == [2.0, 2.0, 2.0]


def test_a_function_without_jvp_is_refused(torch, forward_ad, level, x, t):
    function = scaled(torch, lambda ctx, x: x * 2, None)
    del function.jvp
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        function.apply(forward_ad.make_dual(x.requires_grad_(), t))


def test_jvp_gets_only_what_was_saved_for_it(torch, d):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    def jvp(ctx, t):
        seen.append(ctx.saved_tensors)
        return 2 * t

    seen = []
    scaled(torch, forward, jvp).apply(d)
    assert seen == [()]


@pytest.mark.parametrize("requires_grad", [False, True])
def test_an_input_written_to_keeps_the_tangent_that_jvp_writes(torch, forward_ad, level, x, t, tangent, requires_grad):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    a = forward_ad.make_dual(x.requires_grad_(requires_grad), t).clone()
    assert scaled(torch, forward, lambda ctx, t: t.mul_(2)).apply(a) is a
    assert a.tolist() == [2.0, 4.0, 6.0] and tangent(a) == [2.0, 1.0, 4.0]
    with pytest.raises(RuntimeError, match="^An inplace custom Function is not modifying the forward mode gradients"):
        scaled(torch, forward, lambda ctx, t: 2 * t).apply(a.clone())
    with pytest.raises(RuntimeError, match="^An inplace custom Function is not returning the forward mode gradients"):
        scaled(torch, forward, lambda ctx, t: t.clone().mul_(2)).apply(a.clone())


WRONG_VIEWS = [
    (lambda t: t[:2].clone(), "the jvp is not returning a view.$"),
    (lambda t: t.clone()[:2], "the jvp is not returning a view of the given grad input"),
]


@pytest.mark.parametrize("requires_grad", [False, True])
def test_the_tangent_of_a_view_is_a_view(torch, forward_ad, level, x, t, tangent, requires_grad):
    d = forward_ad.make_dual(x.requires_grad_(requires_grad), t)
    assert tangent(scaled(torch, lambda ctx, x: x[:2], lambda ctx, t: t[:2]).apply(d)) == [1.0, 0.5]
    for jvp, message in WRONG_VIEWS:
        with pytest.raises(RuntimeError, match=message):
            scaled(torch, lambda ctx, x: x[:2], lambda ctx, t, jvp=jvp: jvp(t)).apply(d)


def test_a_tangent_of_what_has_none_is_refused(torch, d):
    def forward(ctx, x):
        y = x.clone()
        ctx.mark_non_differentiable(y)
        return y

    with pytest.raises(RuntimeError, match="Function's jvp returned a gradient at position 0, but"):
        scaled(torch, forward, lambda ctx, t: t.clone()).apply(d)
    with pytest.raises(RuntimeError, match=r"invalid number of forward gradients \(expected 1 but got 2\)"):
        scaled(torch, lambda ctx, x: x * 2, lambda ctx, t: (t, t)).apply(d)


# ---- tangents in memory of their own


KINDS = {"plain": lambda x: x, "conjugate": lambda x: x.conj(), "negative": lambda x: x._neg_view()}


@pytest.mark.parametrize("of_tangent", KINDS)
@pytest.mark.parametrize("of_primal", KINDS)
def test_a_tangent_is_a_lazy_conjugate_where_the_primal_is(torch, forward_ad, level, of_primal, of_tangent):
    x = KINDS[of_primal](torch.tensor([1 + 2j, 3 - 1j]))
    t = KINDS[of_tangent](torch.tensor([2 - 1j, 1j]))
    kept = forward_ad.unpack_dual(forward_ad.make_dual(x, t)).tangent
    assert (kept is t) == (of_primal == of_tangent) and torch.equal(kept, t)
    assert (kept.is_conj(), kept.is_neg()) == (x.is_conj(), x.is_neg())


def test_a_tangent_has_as_much_memory_as_its_primal(torch, forward_ad, level):
    x, t = torch.arange(5.0)[:4], torch.ones(4)
    d = forward_ad.make_dual(x, t)
    kept = forward_ad.unpack_dual(d).tangent
    kept.mul_(2)
    assert t.tolist() == [1.0, 1.0, 1.0, 1.0]
    assert forward_ad.unpack_dual(d.as_strided((5,), (1,), 0)).tangent.tolist()[:4] == [2.0, 2.0, 2.0, 2.0]


@pytest.mark.parametrize("number", [0.1, 2.0])
def test_rows_that_embedding_shortens_keep_their_tangents(torch, forward_ad, level, tangent, number):
    table = forward_ad.make_dual(torch.full((2, 2), number), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    rows = torch.nn.functional.embedding(torch.tensor([1, 1]), table, max_norm=1.0)
    assert tangent(rows) == [[3, 4], [3, 4]]
    assert rows.norm(dim=1).max() <= 1.00001


@pytest.mark.parametrize(
    "draw",
    [
        "torch.bernoulli(d)",
        "torch.poisson(d)",
        "torch.normal(d)",
        "torch.normal(d, d)",
        "torch.normal(0.0, d)",
        "d.bernoulli()",
    ],
)
def test_draws_have_tangents_that_are_zero(torch, forward_ad, level, tangent, draw):
    d = forward_ad.make_dual(torch.full((3,), 0.5), torch.ones(3))
    assert tangent(eval(draw, {"torch": torch, "d": d})) == [0, 0, 0]
