"""The checks of declarations, each on an operator that breaks just the promise it tests."""

import copy

import numpy as np
import pytest

import rushlight as torch
from rushlight.declarations.declare import OPS
from rushlight.dispatch.lazy_modules import load_all
from rushlight.testing import declared, oracle
from rushlight.testing.draw import Draw

load_all()  # lazy modules too
MUL, EXP, SELECT = OPS["mul"], OPS["exp"], OPS["unsqueeze"]


def case_of(op, *arguments, **changes):
    """Returns a case of an operator with changes."""
    changed = copy.copy(op)
    vars(changed).update(changes)
    return declared.Case(changed, 0, arguments)


@pytest.fixture
def r():
    return Draw("test")


def function_of(forward, backward):
    """Returns a custom function, whose backward may be wrong."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Custom", (torch.autograd.Function,), members).apply


def wrong_once(ctx, gradient):
    return gradient * 3


def wrong_twice(ctx, gradient):
    (value,) = ctx.saved_tensors
    return gradient * 2 * value.detach()


def squared(ctx, value):
    ctx.save_for_backward(value)
    return value * value


def without_graph(ctx, gradient):
    return gradient * (2 if torch.is_grad_enabled() else 3)


def writing(value):
    value._array[...] = 0
    return value * 1


def in_memory_order(value):
    return torch.from_numpy(value.detach().numpy().ravel(order="K").copy())


def keeping_more(value):
    result = value.exp()
    result.grad_fn.saved = (value._array.copy(),)
    return result


DOUBLED = function_of(lambda ctx, value: value * 2, wrong_once)
BROKEN = {
    "check_first_derivative": {"function": DOUBLED},
    "check_second_derivative": {"function": function_of(squared, wrong_twice)},
    "check_graph_of_gradients": {"function": function_of(lambda ctx, value: value * 2, without_graph)},
    "check_method": {"function": torch.sin},
    "check_inplace": {"inplace_function": torch.exp},
    "check_out": {"function": lambda value, out=None: value.exp()},
    "check_purity": {"function": writing},
    "check_sharing": {"function": lambda value: value.detach()},
    "check_layout": {"function": in_memory_order},
    "check_saved": {"function": keeping_more},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_noticed(r, name):
    check = getattr(declared, name)
    check(case_of(EXP, r(3, 2).T))
    with pytest.raises((AssertionError, ValueError)):
        check(case_of(EXP, r(3, 2).T, **BROKEN[name]))


def test_a_missing_gradient_is_noticed(r):
    def partly(value, other):
        return value * other.detach()

    with pytest.raises(AssertionError, match="^mul, sample 0: .*: the first derivative is"):
        declared.check_first_derivative(case_of(MUL, r(3), r(3), function=partly))


def test_a_derivative_is_checked_for_the_declared_arguments():
    (factored, *_) = declared.cases(OPS["linalg_cholesky"])
    declared.check_first_derivative(factored)
    with pytest.raises(AssertionError, match="the first derivative is"):
        declared.check_first_derivative(case_of(factored.op, *factored.arguments, domain=None))


def test_a_view_that_copies_is_noticed(r):
    declared.check_sharing(case_of(SELECT, r(3), 0))
    with pytest.raises(AssertionError, match="a view that does not share the memory of its input"):
        declared.check_sharing(case_of(SELECT, r(3), 0, function=lambda value, dim: value.clone()))


def test_a_write_of_another_shape_is_noticed(r):
    def widened(value, other):
        value._array = np.zeros((2, 3))
        return value

    with pytest.raises(AssertionError, match="mul_ wrote a result of another shape"):
        declared.check_inplace(case_of(MUL, r(3), r(2, 3), inplace_function=widened))


def test_a_kink_is_left_to_pytorch():
    zero = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    declared.check_first_derivative(case_of(OPS["abs"], zero))


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        ("check_value", {"function": torch.sin}),
        ("check_value", {"function": lambda value: value.exp().float()}),
        ("check_gradient", {"function": function_of(lambda ctx, value: value.exp(), wrong_once)}),
    ],
    ids=["value", "dtype", "gradient"],
)
def test_a_result_that_differs_from_pytorch_is_noticed(r, check, changes):
    pytorch = pytest.importorskip("torch")
    getattr(oracle, check)(case_of(EXP, r(2, 3)), pytorch)
    with pytest.raises(AssertionError):
        getattr(oracle, check)(case_of(EXP, r(2, 3), **changes), pytorch)


def refused(value):
    raise ValueError("not this one")


def inaccurate(value):
    return value.exp() * (1.01 if value.dtype is torch.float16 else 1)


@pytest.mark.parametrize(
    ("dtype", "function"),
    [("int64", lambda value: value.double().exp()), ("float32", refused), ("float16", inaccurate)],
    ids=["dtype", "refusal", "digits"],
)
def test_a_result_in_another_dtype_that_differs_from_pytorch_is_noticed(r, dtype, function):
    pytorch = pytest.importorskip("torch")
    oracle.check_dtype(case_of(EXP, r(2, 3)), pytorch, dtype)
    with pytest.raises(AssertionError):
        oracle.check_dtype(case_of(EXP, r(2, 3), function=function), pytorch, dtype)


def test_arguments_that_pytorch_refuses_must_be_refused(r):
    pytorch = pytest.importorskip("torch")
    erf, accepting = OPS["erf"], lambda value: value.abs()
    oracle.check_dtype(case_of(erf, r(2)), pytorch, "complex64")
    with pytest.raises(AssertionError, match="PyTorch refuses it, NotImplementedError"):
        oracle.check_dtype(case_of(erf, r(2), function=accepting), pytorch, "complex64")


def test_samples_are_the_same_for_the_same_name():
    first, second, other = Draw("a")(3), Draw("a")(3), Draw("b")(3)
    assert first.tolist() == second.tolist() != other.tolist()
    assert first.dtype is torch.float64 and first.requires_grad and first.is_leaf


def test_distinct_samples_are_far_from_each_other_and_from_zero():
    numbers = sorted([0.0, *Draw("a").distinct(4, 5).flatten().tolist()])
    assert min(later - sooner for sooner, later in zip(numbers, numbers[1:], strict=False)) >= 0.05


def test_other_samples():
    r = Draw("a")
    assert 0.5 <= r.positive(100).min().item() <= r.positive(100).max().item() <= 2
    assert set(r.integers(3, 100).tolist()) == {0, 1, 2} and r.integers(3).shape == ()
    assert set(r.booleans(100).tolist()) == {True, False} and r.booleans(2, 1).dtype is torch.bool
