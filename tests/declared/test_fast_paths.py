"""The fast path of a generated function gives the results of the general path, and plain calls take it."""

import sys

import pytest

import rushlight
from rushlight.core.modes import MODE, change
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared
from rushlight.testing.comparison import assert_close

lazy_modules.load_all()

PRIMITIVES = sorted(name for name, op in OPS.items() if not op.composite and op.samples is not None)
DTYPES = ["float32", "int64", "bool"]
# Internal operators are never called with dtypes that they do not support: those are a KeyError there.
REFUSALS = (RuntimeError, TypeError, ValueError, LookupError, ZeroDivisionError, OverflowError)

# The operators whose plain calls may take the general path, with the reason.
NUMBER_FIRST = "a number is the first operand, which few calls have"
LONG_WAYS = {
    **dict.fromkeys(("drawn", "undifferentiated"), "a sequence of tensors and another one; drawing takes longer"),
    **dict.fromkeys(("unsafe_split", "unsafe_split_with_sizes"), "as many results as there are parts, and no views"),
    "isin": "the element that is looked for is a number",
    **{name: NUMBER_FIRST for name in OPS if "_polynomial_" in name},
}

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),  # PyTorch warns once per process
    pytest.mark.filterwarnings("ignore:Casting complex values to real"),  # from the samples, here
    pytest.mark.filterwarnings("ignore:.* is deprecated"),
]


def outcome(case, tensors):
    """Returns the results of a call, or the type and message of its error."""
    try:
        return case.results(tensors)
    except REFUSALS as error:
        return type(error), str(error)


def by_general_path(case, tensors):
    """Returns the same under a mode that no fast path accepts."""
    token = change(saved_hooks_disabled="nothing is kept here")
    try:
        return outcome(case, tensors)
    finally:
        MODE.reset(token)


def largest(tensor) -> float:
    """Returns the scale of rounding errors, for sums close to zero: the two paths add in different orders."""
    numbers = tensor.detach().abs().nan_to_num(0, 0, 0)
    return numbers.max().item() if numbers.numel() else 0


def roundings(kind) -> float:
    """Returns how far two paths may differ: a NumPy function and a kernel, if loaded, have errors of 2 units each."""
    return 4 * rushlight.finfo(kind).eps if kind.is_floating_point or kind.is_complex else 0


@pytest.mark.parametrize("name", PRIMITIVES)
def test_fast_and_general_path_agree(name):
    for case in declared.cases(OPS[name]):
        for kind in DTYPES:
            tensors = [
                tensor.detach().to(getattr(rushlight, kind)) if tensor.requires_grad else tensor
                for tensor in case.tensors
            ]
            short, long = outcome(case, tensors), by_general_path(case, tensors)
            if isinstance(short, tuple) or isinstance(long, tuple):
                assert short == long, case
                continue
            for one, other in zip(short, long, strict=True):
                if isinstance(one, rushlight.Tensor):
                    assert one.dtype is other.dtype, case
                    rtol = roundings(one.dtype)
                    atol = rtol * largest(other) if rtol else 0
                    assert_close(one, other, rtol=rtol, atol=atol, equal_nan=True)
                else:
                    assert one == other, case


def plain(tensor):
    """Returns floats in the dtype that most programs use."""
    return tensor.float() if tensor.dtype is rushlight.float64 else tensor


def result(tensor):
    """Returns the same as the result of a recorded operator, which has a metadata key."""
    tensor = plain(tensor)
    if not tensor.is_floating_point():
        return tensor
    return (tensor.requires_grad_() * rushlight.ones_like(tensor, requires_grad=True)).detach()


@pytest.mark.parametrize("of", [plain, result])
@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_plain_call_takes_the_fast_path(monkeypatch, name, of):
    """A failing fast path is only visible here: the general path gives the same result, ten times slower."""
    op, calls, actual = OPS[name], [], []
    module = sys.modules[op.function.__module__]

    def general(called, *rest):
        calls.append(called)
        return original(called, *rest)

    original = module.general
    monkeypatch.setattr(module, "general", general)
    for case in declared.cases(op):
        calls.clear()
        tensors = [of(tensor.detach()) for tensor in case.tensors]
        refused = isinstance(outcome(case, tensors), tuple)  # which the general path raises
        if op in calls and not refused and not any(tensor.is_complex() for tensor in tensors):
            actual.append(case)
    assert bool(actual) == (name in LONG_WAYS), actual


@pytest.mark.parametrize("name", sorted(name for name, op in OPS.items() if op.samples is not None))
def test_arguments_of_common_types_are_not_converted_one_by_one(monkeypatch, name):
    """Conversion takes longer than many calls: comparisons in the function accept common types, None included."""
    looked_at = []
    for module in {sys.modules[op.function.__module__] for op in OPS.values() if op.function is not None}:
        if "explain_arguments" in vars(module):
            monkeypatch.setattr(module, "explain_arguments", lambda op, *rest: looked_at.append(op.name))
    for case in declared.cases(OPS[name]):
        looked_at.clear()
        tensors = [plain(tensor.detach()) for tensor in case.tensors]
        refused = isinstance(outcome(case, tensors), tuple)
        assert refused or not looked_at, case


@pytest.mark.parametrize(
    "call",
    [
        lambda x: rushlight.nn.functional.layer_norm(x, x.shape[1:]),
        lambda x: x.flip(rushlight.Size((0, 1))),
        lambda x: x.sum(rushlight.Size((0, 1))),
        lambda x: rushlight.nn.functional.avg_pool2d(x[None], rushlight.Size((1, 2))),
    ],
)
def test_a_shape_is_passed_like_a_tuple(monkeypatch, call):
    """`layer_norm(x, weight.shape, weight, bias)` is how custom layers call it."""
    for name in ("functions", "functions_of_layers"):
        module = sys.modules[f"rushlight._generated.{name}"]
        monkeypatch.setattr(module, "explain_arguments", lambda op, *rest: pytest.fail(op.name))
    call(rushlight.ones(2, 3))


def test_a_matrix_times_a_vector_takes_the_fast_path(monkeypatch):
    """`X @ w`, as in a linear regression, does not call a composite."""
    monkeypatch.setattr(sys.modules["rushlight._generated.functions"], "composite_matmul", None)
    weights = rushlight.ones(3, requires_grad=True)
    product = rushlight.ones(2, 3) @ weights
    assert product.grad_fn.name() == "MvBackward0"
    assert product.tolist() == rushlight.matmul(rushlight.ones(2, 3), weights).tolist() == [3, 3]


NOT_ALIKE = {
    "no memory": lambda: rushlight.ones(3, device="meta"),
    "a simulated device": lambda: rushlight.ones(3, device="cuda"),
    "a negative that is not computed yet": lambda: rushlight.ones(3, dtype=rushlight.cfloat).conj().imag,
    "half precision": lambda: rushlight.ones(3, dtype=rushlight.float16),
}


@pytest.mark.parametrize("make", NOT_ALIKE.values(), ids=list(NOT_ALIKE))
def test_tensors_that_fast_paths_do_not_take_have_no_metadata_key(make):
    """Tensors with equal metadata keys take fast paths without a test of their dtypes."""
    with rushlight.cuda.simulate():
        leaf = make().requires_grad_()
        leaf.grad = make()
        assert leaf._meta_key is None and leaf.grad._meta_key is None
        (leaf * leaf).sum().backward()
        assert leaf._meta_key is None and leaf.grad._meta_key is None
