"""Every declared operator, of conjugates and negatives that are not computed yet."""

import pytest

from rushlight.dispatch import books
from rushlight.ops.declare import OPS
from rushlight.testing import declared, unresolved

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


def rows():
    """Every operator with every check."""
    return [
        pytest.param(name, check, id=f"{name}-{check.__name__.removeprefix('check_')}")
        for name, op in sorted(OPS.items())
        if op.samples is not None and name not in EXEMPT
        for check in CHECKS
    ]


@pytest.mark.parametrize(("name", "check"), rows())
def test_what_is_unresolved_counts_as_what_it_shows(name, check):
    for case in declared.cases(OPS[name]):
        check(case)
