"""`gradcheck` and `gradgradcheck`: right derivatives pass, wrong ones are named, unsuitable inputs are refused."""

import importlib

import pytest


def leaf(torch, values, dtype=None):
    return torch.tensor(values, dtype=dtype or torch.float64, requires_grad=True)


@pytest.fixture
def gradcheck_error(torch):
    return importlib.import_module(f"{torch.__name__}.autograd.gradcheck").GradcheckError


def custom(torch, forward, backward):
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Custom", (torch.autograd.Function,), members).apply


@pytest.fixture
def wrong(torch):
    """Doubles, and claims a slope of three."""
    return custom(torch, lambda ctx, value: value * 2, lambda ctx, gradient: gradient * 3)


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: x * w.exp(),
        lambda x, w: (x @ w).sin(),
        lambda x, w: (x.sum(), w.cumsum(0)),
        lambda x, w: x.softmax(0) / (w * w + 1),
        lambda x, w: x[[0, 0, 1]] + w[-1],
        lambda x, w: x.clone().mul_(w),
    ],
    ids=["product", "dot", "two outputs", "softmax", "index", "in place"],
)
def test_right_derivatives_pass_both_checks(torch, function, fast_mode):
    inputs = leaf(torch, [0.3, -1.2]), leaf(torch, [0.7, 0.4])
    assert torch.autograd.gradcheck(function, inputs, fast_mode=fast_mode)
    assert torch.autograd.gradgradcheck(function, inputs, fast_mode=fast_mode)


def test_one_input_needs_no_tuple(torch):
    assert torch.autograd.gradcheck(torch.exp, leaf(torch, [1.0, 2.0]))


def test_inputs_without_gradient_are_passed_along(torch):
    inputs = leaf(torch, [1.0, 2.0]), torch.tensor([0, 0, 1]), 3
    assert torch.autograd.gradcheck(lambda x, index, factor: x[index] * factor, inputs)


def test_inputs_are_left_as_they_were(torch):
    x = leaf(torch, [1.0, 2.0])
    torch.autograd.gradcheck(torch.exp, x)
    assert x.tolist() == [1.0, 2.0] and x.grad is None


def test_outputs_of_integers_are_left_out(torch):
    assert torch.autograd.gradcheck(lambda x: (x * 2, x.argmax()), leaf(torch, [1.0, 2.0]))


def test_an_empty_input_passes(torch):
    assert torch.autograd.gradcheck(lambda x: x * 2, leaf(torch, []))


@pytest.mark.parametrize("fast_mode", [False, True])
def test_a_wrong_derivative_is_named_with_both_jacobians(torch, wrong, gradcheck_error, fast_mode):
    with pytest.raises(gradcheck_error, match="^Jacobian mismatch for output 0 with respect to input 0,") as failure:
        torch.autograd.gradcheck(wrong, leaf(torch, [1.0, 2.0]), fast_mode=fast_mode)
    assert isinstance(failure.value, RuntimeError)
    assert "numerical:" in str(failure.value) and "analytical:" in str(failure.value)


def test_the_output_and_the_input_at_fault_are_counted(torch, wrong, gradcheck_error):
    inputs = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    with pytest.raises(gradcheck_error, match="^Jacobian mismatch for output 1 with respect to input 1,"):
        torch.autograd.gradcheck(lambda x, w: (x * 2, x + wrong(w)), inputs)


def test_without_exceptions_the_answer_is_false(torch, wrong):
    assert torch.autograd.gradcheck(wrong, leaf(torch, [1.0, 2.0]), raise_exception=False) is False


def test_tolerances_are_the_callers(torch, wrong):
    assert torch.autograd.gradcheck(wrong, leaf(torch, [1.0, 2.0]), atol=10.0)
    assert torch.autograd.gradcheck(wrong, leaf(torch, [1.0, 2.0]), rtol=1.0)


def test_single_precision_is_warned_about(torch):
    x = leaf(torch, [1.0, 2.0], torch.float32)
    with pytest.warns(UserWarning, match="^Input #0 requires gradient and is not a double precision floating point"):
        assert torch.autograd.gradcheck(torch.exp, x, eps=1e-2, atol=1e-1, rtol=1e-1)


def test_no_input_with_gradient_is_refused(torch):
    with pytest.raises(ValueError, match="^gradcheck expects at least one input tensor to require gradient, but none"):
        torch.autograd.gradcheck(torch.exp, torch.tensor([1.0, 2.0]))


def test_an_input_that_overlaps_itself_is_refused(torch):
    x = torch.ones(1, dtype=torch.float64).expand(3).requires_grad_()
    with pytest.raises(RuntimeError, match="^The 0th input has a dimension with stride 0. gradcheck only supports"):
        torch.autograd.gradcheck(torch.exp, x)


def test_an_output_cut_off_from_its_input_is_noticed(torch, gradcheck_error):
    with pytest.raises(gradcheck_error, match="^Numerical gradient for function expected to be zero"):
        torch.autograd.gradcheck(lambda x: x.detach(), leaf(torch, [1.0, 2.0]))


def test_a_backward_that_changes_from_call_to_call_is_noticed(torch, gradcheck_error):
    calls = []

    def backward(ctx, gradient):
        calls.append(1)
        return gradient * (2 + len(calls) * 1e-7)

    function = custom(torch, lambda ctx, value: value * 2, backward)
    x = leaf(torch, [1.0, 2.0])
    with pytest.raises(gradcheck_error, match="^Backward is not reentrant, i.e., running backward with same input and"):
        torch.autograd.gradcheck(function, x)
    assert torch.autograd.gradcheck(function, x, nondet_tol=1e-3)


def test_undefined_gradients_are_tried(torch):
    def forward(ctx, value):
        ctx.set_materialize_grads(False)
        return value * 2

    function = custom(torch, forward, lambda ctx, gradient: gradient * 2)
    with pytest.raises(TypeError, match="NoneType"):
        torch.autograd.gradcheck(function, leaf(torch, [1.0, 2.0]))
    assert torch.autograd.gradcheck(function, leaf(torch, [1.0, 2.0]), check_undefined_grad=False)


def test_batched_gradients_can_be_checked_too(torch):
    assert torch.autograd.gradcheck(lambda x: x.sin() * x.sum(), leaf(torch, [1.0, 2.0]), check_batched_grad=True)


def test_a_wrong_second_derivative_passes_the_first_check_only(torch, gradcheck_error):
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return value**3

    def backward(ctx, gradient):
        (value,) = ctx.saved_tensors
        return gradient * 3 * value * value.detach()

    function = custom(torch, forward, backward)
    x = leaf(torch, [1.0, 2.0])
    assert torch.autograd.gradcheck(function, x)
    with pytest.raises(gradcheck_error, match="^Jacobian mismatch for output 0 with respect to input 0,"):
        torch.autograd.gradgradcheck(function, x)
    assert torch.autograd.gradgradcheck(function, x, raise_exception=False) is False


def test_second_derivatives_at_gradients_of_the_callers_choice(torch):
    x, weights = leaf(torch, [1.0, 2.0]), leaf(torch, [0.5, -1.0])
    assert torch.autograd.gradgradcheck(lambda value: value**3, x, weights)


def test_complex_derivatives(torch):
    z = leaf(torch, [1.0 + 2.0j, 0.5 - 1.0j], torch.complex128)
    assert torch.autograd.gradcheck(lambda value: value * value.conj(), z)
    assert torch.autograd.gradcheck(lambda value: value.abs(), z)
    assert torch.autograd.gradgradcheck(lambda value: value * value, z)


def test_a_forgotten_conjugate_is_noticed(torch, gradcheck_error):
    function = custom(torch, lambda ctx, value: value * 2j, lambda ctx, gradient: gradient * 2j)
    z = leaf(torch, [1.0 + 2.0j], torch.complex128)
    with pytest.raises(
        gradcheck_error,
        match="^While considering the imaginary part of complex outputs only, Jacobian mismatch for output 0 with "
        "respect to input 0,",
    ):
        torch.autograd.gradcheck(function, z)


# ---- forward mode


WARNING_OF_PYTORCH = "ignore:.torch.jit.script. is deprecated:DeprecationWarning"


@pytest.mark.filterwarnings(WARNING_OF_PYTORCH)
@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_forward_mode_is_checked(torch, fast_mode, dtype):
    x = (torch.arange(3).to(getattr(torch, dtype)) * 0.3 + 0.5).requires_grad_()
    options = {"check_forward_ad": True, "check_batched_forward_grad": True, "check_batched_grad": True}
    assert torch.autograd.gradcheck(lambda a: (a.sin() * a, a.sum()), (x,), fast_mode=fast_mode, **options)
    assert torch.autograd.gradcheck(torch.exp, (x,), check_forward_ad=True, check_backward_ad=False)


@pytest.mark.filterwarnings(WARNING_OF_PYTORCH)
def test_forward_over_reverse_is_checked(torch):
    x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda a: a.sin() * a.sum(), (x,), check_fwd_over_rev=True)
    assert torch.autograd.gradgradcheck(
        torch.exp, (x,), check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False
    )


@pytest.mark.filterwarnings(WARNING_OF_PYTORCH)
@pytest.mark.parametrize("fast_mode", [False, True])
def test_a_wrong_jvp_is_noticed(torch, fast_mode, gradcheck_error):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def jvp(ctx, v):
            return v * 3

    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Wrong.apply, (x,))
    assert not torch.autograd.gradcheck(
        Wrong.apply, (x,), check_forward_ad=True, raise_exception=False, fast_mode=fast_mode
    )
    words = "Jacobian computed with forward mode mismatch for output 0 with respect to input 0"
    with pytest.raises(gradcheck_error, match=words):
        torch.autograd.gradcheck(Wrong.apply, (x,), check_forward_ad=True, fast_mode=fast_mode)


# ---- functions that look at the level of forward mode


@pytest.mark.parametrize("fast_mode", [False, True])
def test_a_wrong_tangent_in_the_level_is_found(torch, fast_mode):
    forward_ad = importlib.import_module(f"{torch.__name__}.autograd.forward_ad")

    def wrong(x, y):
        if forward_ad._current_level >= 0:
            primal, tangent = forward_ad.unpack_dual(y)
            y = forward_ad.make_dual(primal, tangent * 1.1)
        return x + y

    x, y = (torch.rand(2, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(lambda x, y: x + y, (x, y), check_forward_ad=True, fast_mode=fast_mode)
    with pytest.raises(RuntimeError, match="forward mode mismatch for output 0 with respect to input 1"):
        torch.autograd.gradcheck(wrong, (x, y), check_forward_ad=True, fast_mode=fast_mode)


def test_fast_mode_takes_numbers_in_forward_mode(torch):
    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch.sin, (x,), check_forward_ad=True, fast_mode=True)


# ---- sparse inputs


LAYOUTS = ["sparse_coo", "sparse_csr", "sparse_csc"]
# PyTorch says at the first sparse tensor that it does not check indices, and that compressed ones are in beta.
of_sparse = pytest.mark.filterwarnings("ignore:Sparse:UserWarning")


def sparse_leaf(torch, layout):
    values = torch.tensor([[1.5, 0.0], [0.5, 2.0]], dtype=torch.float64)
    return values.to_sparse(layout=getattr(torch, layout)).requires_grad_()


@of_sparse
@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_gradients_of_sparse_inputs_are_checked(torch, layout, masked, fast_mode):
    function = lambda x: x.to_dense(masked_grad=masked) * 3  # noqa: E731
    x = sparse_leaf(torch, layout)
    assert torch.autograd.gradcheck(function, (x,), masked=masked, fast_mode=fast_mode)


@of_sparse
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_wrong_gradient_of_a_sparse_input_is_found(torch, layout, gradcheck_error):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 3 * g

    x = sparse_leaf(torch, layout)
    with pytest.raises(gradcheck_error, match="Jacobian mismatch for output 0 with respect to input 0"):
        torch.autograd.gradcheck(lambda x: Wrong.apply(x.to_dense()), (x,))


@of_sparse
def test_a_sparse_and_a_dense_input_are_checked_together(torch):
    dense = torch.tensor([[1.0], [2.0]], dtype=torch.float64, requires_grad=True)
    x = sparse_leaf(torch, "sparse_coo")
    assert torch.autograd.gradcheck(lambda x, y: x.to_dense(masked_grad=False) @ y, (x, dense))


@pytest.mark.filterwarnings(WARNING_OF_PYTORCH)
@pytest.mark.parametrize("fast_mode", [False, True])
def test_forward_mode_of_a_single_number_is_checked(torch, fast_mode):
    x, other = torch.tensor(2.0, dtype=torch.float64, requires_grad=True), torch.tensor(5.0, dtype=torch.float64)
    for function in (lambda x: x - other, lambda x: (other * x).sin()):
        assert torch.autograd.gradcheck(function, (x,), check_forward_ad=True, fast_mode=fast_mode)


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("size", [1, 3])
def test_a_sparse_gradient_of_a_dense_input_is_refused(torch, gradcheck_error, fast_mode, size):
    function = custom(torch, lambda ctx, value: value.clone(), lambda ctx, gradient: gradient.to_sparse())
    words = r"grad is incorrect layout \(torch.sparse_coo is not torch.strided\)"
    with pytest.raises(gradcheck_error, match=words):
        torch.autograd.gradcheck(function, leaf(torch, [1.0] * size), fast_mode=fast_mode)
