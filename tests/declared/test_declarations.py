"""Every declared operator, on each of its samples: derivatives, variants, memory; and PyTorch's answers where it is there."""

import pytest

import rushlight  # noqa: F401  declares the operators
from rushlight.ops.declare import OPS
from rushlight.testing import declared, oracle

CHECKS = [
    declared.check_first_derivative,
    declared.check_second_derivative,
    declared.check_graph_of_gradients,
    declared.check_method,
    declared.check_inplace,
    declared.check_out,
    declared.check_purity,
    declared.check_layout,
    declared.check_saved,
]
ORACLES = [oracle.check_value, oracle.check_gradient, oracle.check_complex_derivatives]
DTYPES = ["float32", "float16", "bfloat16", "int64", "bool", "complex64"]
WITH_SAMPLES = [name for name, op in sorted(OPS.items()) if op.samples is not None]


def named(function):
    return function.__name__.removeprefix("check_")


@pytest.mark.parametrize("check", CHECKS, ids=named)
@pytest.mark.parametrize("name", WITH_SAMPLES)
def test_what_a_declaration_promises(name, check):
    for case in declared.cases(OPS[name]):
        check(case)


@pytest.mark.parametrize("check", ORACLES, ids=named)
@pytest.mark.parametrize("name", WITH_SAMPLES)
def test_the_answers_are_those_of_pytorch(name, check):
    torch = pytest.importorskip("torch")
    if oracle.counterpart(OPS[name], torch) is None:
        pytest.skip("PyTorch has no function of this name: it is part of the machinery here")
    for case in declared.cases(OPS[name]):
        check(case, torch)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", WITH_SAMPLES)
def test_the_answers_in_other_dtypes_are_those_of_pytorch(name, dtype):
    torch = pytest.importorskip("torch")
    if oracle.counterpart(OPS[name], torch) is None:
        pytest.skip("PyTorch has no function of this name: it is part of the machinery here")
    for case in declared.cases(OPS[name]):
        oracle.check_dtype(case, torch, dtype)
