"""Arrays one behind the other: one builtin function reads, checks and copies them all."""

import sys

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight
from rushlight.compiler.kernels import joining

NUMBERS = np.random.default_rng(0)


def drawn(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


JOINED = [(300,), (7, 40), (3, 17, 50), (2, 3, 4, 90)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("shape", JOINED, ids=str)
def test_many_arrays_are_joined_by_one_call(shape, dtype):
    join = joining.join.machine()
    for count in (1, 2, 7):
        for dim in range(len(shape)):
            many = [drawn(*shape[:dim], 41 + 9 * at, *shape[dim + 1 :]).astype(dtype) for at in range(count)]
            references = [sys.getrefcount(each) for each in many]
            found, expected = join(many, dim, 0, many[0].itemsize), np.concatenate(many, dim)
            assert found.flags.owndata and found.flags.writeable and found.dtype == dtype
            np.testing.assert_array_equal(found.view(np.uint8), expected.view(np.uint8))
            assert references == [sys.getrefcount(each) for each in many]
        alike = [drawn(*shape).astype(dtype) for _ in range(count)]
        for dim in range(len(shape)):
            found, expected = join(alike, dim, 1, alike[0].itemsize), np.stack(alike, dim)
            np.testing.assert_array_equal(found.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize(
    "other",
    [np.ones((4, 40)), np.ones((40, 4), "f").T, np.ones((4, 20), "f"), np.ones((4, 40), ">f4"), np.ones(40, "f"), None],
    ids=["another dtype", "turned", "another shape", "other order of bytes", "another rank", "none"],
)
def test_arrays_that_do_not_fit_are_not_joined_by_one_call(other):
    join, array = joining.join.machine(), np.ones((4, 40), "f")
    assert join([array, other], 0, 0, 4) is join([other, array], 0, 1, 4) is None
    assert join((array,), 0, 0, 4) is join([], 0, 0, 4) is join([array[:, :1].copy()] * 3, 1, 0, 4) is None


def test_many_tensors_are_joined_as_their_arrays_are():
    arrays = [drawn(30, 40) for _ in range(9)]
    tensors = [rushlight.tensor(each) for each in arrays]
    for dim in (0, 1, -1):
        np.testing.assert_array_equal(rushlight.cat(tensors, dim).numpy(), np.concatenate(arrays, dim))
    for dim in (0, 1, -2):
        np.testing.assert_array_equal(rushlight.stack(tensors, dim).numpy(), np.stack(arrays, dim))
    with pytest.raises(IndexError, match="Dimension out of range"):
        rushlight.cat(tensors, 2)
