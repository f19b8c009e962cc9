"""The short way through a generated function gives what the general way gives: numbers, dtypes, and refusals."""

import pytest

import rushlight
from rushlight.core.modes import MODE, change
from rushlight.dispatch import books
from rushlight.ops.declare import OPS
from rushlight.testing import declared
from rushlight.testing.comparison import assert_close

books.open_all()

PRIMITIVES = sorted(name for name, op in OPS.items() if not op.composite and op.samples is not None)
DTYPES = ["float32", "int64", "bool"]
# Operators behind others are not asked for dtypes that they do not know: these are a KeyError there.
REFUSALS = (RuntimeError, TypeError, ValueError, LookupError, ZeroDivisionError, OverflowError)

pytestmark = [
    pytest.mark.filterwarnings("ignore:index_reduce\\(\\) is in beta"),  # PyTorch says so once per process
    pytest.mark.filterwarnings("ignore:Casting complex values to real"),  # of the samples, here
]


def outcome(case, tensors):
    """The results of a call, or the kind and the words of its refusal."""
    try:
        return case.results(tensors)
    except REFUSALS as error:
        return type(error), str(error)


def the_general_way(case, tensors):
    """The same under a mode that no fast path knows."""
    token = change(saved_hooks_disabled="nothing is kept here")
    try:
        return outcome(case, tensors)
    finally:
        MODE.reset(token)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_both_ways_agree(name):
    for case in declared.cases(OPS[name]):
        for kind in DTYPES:
            tensors = [
                each.detach().to(getattr(rushlight, kind)) if each.requires_grad else each for each in case.tensors
            ]
            short, long = outcome(case, tensors), the_general_way(case, tensors)
            if isinstance(short, tuple) or isinstance(long, tuple):
                assert short == long, case
                continue
            for one, other in zip(short, long, strict=True):
                if isinstance(one, rushlight.Tensor):
                    assert one.dtype is other.dtype, case
                    assert_close(one, other, rtol=0, atol=0, equal_nan=True)
                else:
                    assert one == other, case
