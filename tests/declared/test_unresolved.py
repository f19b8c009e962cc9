"""Every declared operator, of conjugates and negatives that are not computed yet."""

import pytest

from rushlight.dispatch import books
from rushlight.ops.declare import OPS
from rushlight.testing import declared, oracle, unresolved

books.open_all()

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),  # said once per process
    pytest.mark.filterwarnings("ignore:Casting complex values to real"),  # of the samples, here
    pytest.mark.filterwarnings("ignore:`nn.functional.upsample"),
    pytest.mark.filterwarnings("ignore:torch.[a-z_]+ is deprecated"),
]

CHECKS = [unresolved.check_value, unresolved.check_gradients, unresolved.check_inplace, unresolved.check_out]
# They refuse what is unresolved, as PyTorch does: tests/behaviour/test_conjugate_views.py has the words.
EXEMPT = ("view_as_real", "view_dtype")


WITH_SAMPLES = [name for name, op in sorted(OPS.items()) if op.samples is not None]
# PyTorch computes the product of two conjugates as the conjugate of a product, and solves from the right by conjugates;
# its product of one matrix is a copy.
OTHER_MARKS = ("chain_matmul", "dot", "inner", "linalg_solve", "linalg_solve_ex", "matmul", "tensordot")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("name", [name for name in WITH_SAMPLES if name not in EXEMPT])
def test_what_is_unresolved_counts_as_what_it_shows(name, check):
    for case in declared.cases(OPS[name]):
        check(case)


@pytest.mark.parametrize("name", [name for name in WITH_SAMPLES if name not in OTHER_MARKS])
def test_what_pytorch_leaves_unresolved_is_left_so(name):
    pytorch = pytest.importorskip("torch")
    if oracle.counterpart(OPS[name], pytorch) is None:
        pytest.skip("PyTorch has no function of this name: it is part of the machinery here")
    for case in declared.cases(OPS[name]):
        unresolved.check_marks(case, pytorch)
