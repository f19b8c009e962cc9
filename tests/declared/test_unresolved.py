"""Every declared operator on lazy conjugates and negatives."""

from copy import copy

import numpy as np
import pytest

from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.tensor import wrap
from rushlight.declarations.declare import OPS
from rushlight.dispatch import lazy_modules
from rushlight.testing import declared, oracle, unresolved
from rushlight.testing.draw import Draw

lazy_modules.load_all()

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),  # warned once per process
    pytest.mark.filterwarnings("ignore:Casting complex values to real"),  # from the samples, here
    pytest.mark.filterwarnings("ignore:`nn.functional.upsample"),
    pytest.mark.filterwarnings("ignore:torch.[a-z_]+ is deprecated"),
]

CHECKS = [unresolved.check_value, unresolved.check_gradients, unresolved.check_inplace, unresolved.check_out]
# They refuse lazy operands, as PyTorch does: tests/behaviour/test_conjugate_views.py has the messages.
EXEMPT = ("view_as_real", "view_dtype")


WITH_SAMPLES = [name for name, op in sorted(OPS.items()) if op.samples is not None]
# PyTorch computes the product of two conjugates as the conjugate of a product, and solves from the right by conjugates;
# its product of one matrix is a copy.
OTHER_MARKS = ("chain_matmul", "dot", "inner", "linalg_solve", "linalg_solve_ex", "matmul", "tensordot")


@pytest.mark.parametrize("name", [name for name in WITH_SAMPLES if name not in EXEMPT])
def test_lazy_conjugates_and_negatives_give_the_resolved_results(name, failing):
    result = failing(name, {check.__name__: check for check in CHECKS})
    assert not result, "\n\n".join(result.values())


@pytest.mark.parametrize("name", [name for name in WITH_SAMPLES if name not in OTHER_MARKS])
def test_results_are_lazy_where_pytorchs_are(name, pytorch):
    if oracle.counterpart(OPS[name], pytorch) is None:
        pytest.skip("PyTorch has no function of this name: it is part of the machinery here")
    for case in declared.cases(OPS[name]):
        unresolved.check_marks(case, pytorch)


# ---- operators that read or write unresolved memory are detected


def memory_of(tensor):
    """Returns the elements in memory, which may differ from those of the tensor."""
    return wrap(beneath(tensor._array))


def written_as_it_is(target, result):
    np.copyto(beneath(target._array), result._array)
    return target


WRONG = {
    unresolved.check_value: {"function": lambda input: memory_of(input) * 2},
    unresolved.check_gradients: {"function": lambda input: input * memory_of(input)},
    unresolved.check_inplace: {"inplace_function": lambda input: written_as_it_is(input, input.detach().exp())},
    unresolved.check_out: {"function": lambda input, out=None: written_as_it_is(out, input.exp()) if out is not None
                           else input.exp()},
}  # fmt: skip


@pytest.mark.parametrize("check", WRONG, ids=lambda check: check.__name__)
def test_the_checks_can_fail(check):
    op = copy(OPS["exp"])
    vars(op).update(WRONG[check])
    case = declared.Case(op, 0, (Draw("exp")(2, 3),))
    with pytest.raises(AssertionError):
        check(case)
