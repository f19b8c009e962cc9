"""Where kernels have taken the place of NumPy's functions, other dtypes than theirs are still NumPy's work."""

import operator

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight
from rushlight.compiler import elementwise, llvm, ufunc
from rushlight.compiler.engage import sums
from rushlight.core.large import LARGE

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.gt, operator.ge, operator.lt, operator.le, operator.eq,
    operator.ne, rushlight.maximum, rushlight.minimum,
]  # fmt: skip
DTYPES = [rushlight.int64, rushlight.int32, rushlight.uint8, rushlight.complex64, rushlight.float16, rushlight.bfloat16]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_other_dtypes_stay_what_they_are(function, dtype):
    floats = rushlight.linspace(-1, 1, LARGE)
    for _ in range(2):
        function(floats, floats)  # engages the kernel
    values = rushlight.arange(LARGE) % 7
    try:
        expected = function(values[:9].to(dtype), values[1:10].to(dtype))
    except (RuntimeError, NotImplementedError):
        return  # complex numbers have no order, in either size
    found = function(values.to(dtype), values.roll(-1).to(dtype))
    assert found.dtype is expected.dtype
    assert found[:9].tolist() == expected.tolist()


def test_large_whole_numbers_are_exact():
    values = rushlight.full((LARGE,), 2**60 + 1)
    for _ in range(2):
        rushlight.ones(LARGE) * rushlight.ones(LARGE)
    assert (values * 1)[0].item() == 2**60 + 1
    assert not (values == values + 1).any()


def test_a_completed_kernel_has_its_own_loops_and_those_of_numpy():
    kernel = elementwise.Kernels("multiply", elementwise.function_of("multiply")).of_arrays(("a", "b"))
    whole = ufunc.completed(kernel, np.multiply)
    assert kernel.types == ["ff->f", "dd->d"]
    assert whole.types == [each for each in np.multiply.types if not set("OMm") & set(each)]
    own, numpys = ufunc.loops_of(whole), ufunc.loops_of(np.multiply)
    kernels = ufunc.loops_of(kernel)
    assert {types for types in own if own[types] != numpys[types]} == set(kernels)
    assert whole(np.arange(4), 2).tolist() == [0, 2, 4, 6]


def refuse(*arrays, **named):
    raise AssertionError("NumPy was asked")


@pytest.mark.skipif(not llvm.host().fit, reason="there are no kernels for this machine")
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("apart", [1, 2])
def test_sums_of_one_dtype_are_the_kernels_wherever_they_are_written(dtype, apart):
    first, second = np.random.default_rng(0).standard_normal((2, 2 * LARGE)).astype(dtype)[:, ::apart]
    add, wide = sums(refuse), np.promote_types(dtype, np.float32)
    expected = (first.astype(wide) + second.astype(wide)).astype(dtype)
    found = add(first, second)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)
    assert add(first, second, out=first) is first
    np.testing.assert_array_equal(first, expected)


@pytest.mark.parametrize("out", [None, ...])
def test_sums_of_two_dtypes_are_numpys(out):
    first, second = np.ones(LARGE, np.float16), np.ones(LARGE, np.float32)
    assert sums(np.add)(first, second, out=out).dtype == np.float32
    with pytest.raises(AssertionError, match="NumPy was asked"):
        sums(refuse)(first, second, out=out)
