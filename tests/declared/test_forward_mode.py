"""Every operator with a derivative in forward mode, on each of its samples, against its derivative in reverse mode.

With J the derivative, t a tangent and c a gradient of the result, <J t, c> is <t, J^H c>: the left side is forward
mode, the right side reverse mode, which test_declarations.py compares with finite differences.
"""

import numpy as np
import pytest

import rushlight
from rushlight.core.lazy_conj_neg import beneath, plain
from rushlight.core.tensor import wrap
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared
from rushlight.transforms.forward_refusals import REFUSED
from rushlight.transforms.levels import dual, dual_level, undual

lazy_modules.load_all()

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),
    pytest.mark.filterwarnings("ignore:torch.(cholesky|lu|qr) is deprecated"),
    pytest.mark.filterwarnings("ignore:var|std"),
]

# Their derivatives raise, in either mode.
WITHOUT = {"step", "unique_runs", "unique_with_places", "floor_divide", "differentiated_once"}
DIFFERENTIATED = [
    name
    for name, op in sorted(OPS.items())
    if op.derivatives and op.samples is not None and name not in REFUSED | WITHOUT
]
# They are of real numbers, and do not refuse others where only their derivative is computed.
OF_REAL_NUMBERS = {
    "dirichlet_drawn", "fft_r2c", "gamma_drawn", "grouped_product", "improbability", "logistic_loss", "margin_backward",
    "rounded_off", "scatter_reduce",
}  # fmt: skip
# They reuse memory of an operand without being views.
TAKE_OVER = {"only_row", "unsafe_split", "unsafe_split_with_sizes", "unsafe_view"}


def numbers(tensor):
    """Returns the elements of a tensor, also of a lazy conjugate."""
    return plain(tensor.detach()._array)


def pushed(case, tensors, tangents):
    """Returns the results of a case, and their tangents; only tensors that require grad have tangents."""
    fresh = iter(tangents)
    with dual_level() as level:
        inputs = [
            dual(level, tensor.detach(), next(fresh)) if tensor.requires_grad else tensor.detach() for tensor in tensors
        ]
        pairs = [undual(level, result) for result in case.results(inputs) if isinstance(result, rushlight.Tensor)]
        return [primal for primal, _ in pairs], [tangent for _, tangent in pairs]


def directions(case, tensors):
    """Returns a random tangent for each tensor that requires grad, in its layout."""
    drawn = []
    for array in [numbers(tensor) for tensor in tensors if tensor.requires_grad]:
        drawn.append(np.empty_like(array))
        drawn[-1][...] = case.random_like(array)
    return list(map(wrap, drawn))


def check_against_reverse_mode(case):
    """Checks <J t, c> against <t, J^H c>, for the results that have a gradient."""
    case = case.on_its_domain()
    tangents, leaves = directions(case, case.tensors), case.leaves()
    if not any(tangent.numel() for tangent in tangents):
        return
    results = [each for each in case.results(case.with_leaves(leaves)) if isinstance(each, rushlight.Tensor)]
    primals, moved = pushed(case, case.tensors, tangents)
    for primal, result in zip(primals, results, strict=True):
        assert np.array_equal(numbers(primal), numbers(result), equal_nan=numbers(result).dtype.kind in "fc")
    pairs = [
        (result, wrap(case.random_like(numbers(result))), tangent)
        for result, tangent in zip(results, moved, strict=True)
        if result.requires_grad
    ]
    if not pairs:
        return
    outputs, weights, _ = zip(*pairs, strict=True)
    gradients = rushlight.autograd.grad(outputs, leaves, weights, allow_unused=True)
    forward = product((weight, tangent) for _, weight, tangent in pairs)
    reverse = product(zip(tangents, gradients, strict=True))
    assert np.isclose(forward, reverse, rtol=1e-7, atol=1e-9), (
        f"{case}: {forward} in forward mode, {reverse} in reverse"
    )


def product(pairs):
    """Returns the sum of the inner products of pairs; None counts as zero."""
    return sum(declared.inner([numbers(one)], [numbers(other)]) for one, other in pairs if other is not None)


def check_form(case):
    """Checks shape and dtype of tangents, that views have views, and that nothing else has the memory of an operand."""
    tangents = directions(case, case.tensors)
    primals, moved = pushed(case, case.tensors, tangents)
    for primal, tangent in zip(primals, moved, strict=True):
        if tangent is None:
            continue
        assert tangent.shape == primal.shape
        assert tangent.dtype is primal.dtype
        shares = any(np.shares_memory(beneath(tangent._array), each._array) for each in tangents)
        if case.op.view:
            assert shares or not tangent.numel(), "a copy, where the result is a view"
        elif case.op.name not in TAKE_OVER:
            assert not shares, "the memory of an operand's tangent"


def check_float32(case):
    """Checks that tangents of float32 are of the dtype of the result."""
    float64, float32 = rushlight.float64, rushlight.float32
    tensors = [
        each.detach().to(float32 if each.dtype is float64 else each.dtype).requires_grad_()
        if each.requires_grad
        else each
        for each in case.tensors
    ]
    try:
        case.results([each.detach() for each in tensors])
    except RuntimeError:
        return  # the dtypes of some arguments must agree
    primals, moved = pushed(case, tensors, directions(case, tensors))
    for primal, tangent in zip(primals, moved, strict=True):
        assert tangent is None or tangent.dtype is primal.dtype


def check_complex(case):
    """Checks the same for complex operands, where the operator takes them and has a derivative there."""
    kinds = {each.dtype for each in case.tensors if each.requires_grad}
    if case.op.name in OF_REAL_NUMBERS or kinds != {rushlight.float64}:
        return
    case = case.turned_complex()
    leaves = case.leaves()
    try:
        results = [each for each in case.results(case.with_leaves(leaves)) if declared.is_smooth(each)]
        followed = [each for each in results if each.requires_grad]
        if followed:
            weights = [wrap(case.random_like(numbers(each))) for each in followed]
            rushlight.autograd.grad(followed, leaves, weights, allow_unused=True)
    except (RuntimeError, TypeError, ValueError):  # among them NotImplementedError
        return
    check_against_reverse_mode(case)


CHECKS = {
    check.__name__.removeprefix("check_"): check
    for check in (check_against_reverse_mode, check_form, check_float32, check_complex)
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_forward_mode_agrees_with_reverse_mode(name, failing):
    failures = failing(name, CHECKS)
    assert not failures, "\n\n".join(failures.values())


def test_what_is_refused_is_an_operator():
    assert REFUSED <= OPS.keys()
