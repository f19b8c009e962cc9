"""Concatenation by one builtin function that checks and copies a list of arrays."""

import sys

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight
from rushlight._generated import functions
from rushlight.kernels import concat

NUMBERS = np.random.default_rng(0)


def drawn(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


JOINED = [(300,), (7, 40), (3, 17, 50), (2, 3, 4, 90)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("shape", JOINED, ids=str)
def test_many_arrays_are_concatenated_by_one_call(shape, dtype):
    join = concat.join.machine()
    for count in (1, 2, 7):
        for dim in range(len(shape)):
            many = [drawn(*shape[:dim], 41 + 9 * at, *shape[dim + 1 :]).astype(dtype) for at in range(count)]
            references = [sys.getrefcount(x) for x in many]
            result, expected = join(many, dim, 0, many[0].itemsize), np.concatenate(many, dim)
            assert result.flags.owndata and result.flags.writeable and result.dtype == dtype
            np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))
            assert references == [sys.getrefcount(x) for x in many]
        alike = [drawn(*shape).astype(dtype) for _ in range(count)]
        for dim in range(len(shape)):
            result, expected = join(alike, dim, 1, alike[0].itemsize), np.stack(alike, dim)
            np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))


def test_large_arrays_are_concatenated_by_all_threads(threads):
    """Threads' pieces begin and end inside rows and arrays; some arrays are empty."""
    join = concat.join.machine()
    for shapes, dim in (
        ([(3, 70_001), (3, 1), (3, 0), (3, 40_000)], 1),
        ([(0, 9), (50_001, 9), (0, 9), (7, 9), (30_000, 9)], 0),
        ([(400, 0, 301), (400, 1, 301), (400, 3, 301)], 1),
        ([(20_000, 17)] * 3, 1),
    ):
        for dtype in (np.float32, np.uint8, np.complex128, ml_dtypes.bfloat16, np.bool_):
            many = [drawn(*shape).astype(dtype) for shape in shapes]
            result, expected = join(many, dim, 0, many[0].itemsize), np.concatenate(many, dim)
            assert result.dtype == dtype
            np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 8, 12, 13])
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.float64], ids=str)
def test_short_rows_are_concatenated_by_one_call(dtype, width, threads):
    """As words of 8, 4 or 1 bytes, with rows of other lengths and unaligned rows."""
    join = concat.join.machine()
    for rows in (70, 20_001):
        many = [drawn(rows, x).astype(dtype) for x in (width, 29, width, 0, width)]
        result, expected = join(many, 1, 0, many[0].itemsize), np.concatenate(many, 1)
        assert result is not None
        np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))
        lines = [drawn(rows, 6).astype(dtype) for _ in range(width)]
        result, expected = join(lines, 1, 1, lines[0].itemsize), np.stack(lines, 1)
        np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))


DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "complex64"]


@pytest.mark.parametrize("size", [3, 40_000])
@pytest.mark.parametrize("name", DTYPES)
def test_all_dtypes_are_concatenated_without_the_general_path(name, size, monkeypatch):
    dtype = getattr(rushlight, name)
    x = (rushlight.arange(size * 2).reshape(2, size) % 5).to(dtype)
    expected = np.concatenate([x.numpy() if name != "bfloat16" else x.float().numpy()] * 2, 1)
    if not dtype.is_complex:
        monkeypatch.setattr(functions, "general", None)
    for result in (rushlight.cat([x, x], 1), rushlight.stack([x, x], 1).reshape(2, -1)):
        assert result.dtype is dtype
        np.testing.assert_array_equal(result.to(rushlight.float32 if name == "bfloat16" else dtype).numpy(), expected)


def test_lazy_conjugates_and_negatives_are_resolved_before_concatenation():
    x = rushlight.complex(rushlight.ones(3), rushlight.arange(3.0))
    assert rushlight.cat([x.conj(), x.conj()]).tolist() == [*x.conj().resolve_conj().tolist()] * 2
    assert rushlight.stack([x.conj().imag, x.conj().imag]).tolist() == [[-0.0, -1.0, -2.0]] * 2


def test_concatenated_half_precision_has_gradients():
    x, y = (rushlight.ones(2, 3, dtype=rushlight.bfloat16, requires_grad=True) for _ in range(2))
    rushlight.cat([x, y * 2], 1).backward(rushlight.arange(12).reshape(2, 6).bfloat16())
    assert x.grad.dtype is y.grad.dtype is rushlight.bfloat16
    assert x.grad.tolist() == [[0, 1, 2], [6, 7, 8]] and y.grad.tolist() == [[6, 8, 10], [18, 20, 22]]


@pytest.mark.parametrize(
    "other",
    [np.ones((4, 40)), np.ones((40, 4), "f").T, np.ones((4, 20), "f"), np.ones((4, 40), ">f4"), np.ones(40, "f"), None],
    ids=["another dtype", "turned", "another shape", "other order of bytes", "another rank", "none"],
)
def test_mismatched_arrays_are_left_to_numpy(other):
    join, array = concat.join.machine(), np.ones((4, 40), "f")
    assert join([array, other], 0, 0, 4) is join([other, array], 0, 1, 4) is None
    assert join((array,), 0, 0, 4) is join([], 0, 0, 4) is join([array[:, :0].copy()] * 3, 1, 0, 4) is None
    assert join([array[:, :1].copy()] * 3, 1, 0, 4) is None


def test_many_tensors_are_concatenated_like_their_arrays():
    arrays = [drawn(30, 40) for _ in range(9)]
    tensors = [rushlight.tensor(array) for array in arrays]
    for dim in (0, 1, -1):
        np.testing.assert_array_equal(rushlight.cat(tensors, dim).numpy(), np.concatenate(arrays, dim))
    for dim in (0, 1, -2):
        np.testing.assert_array_equal(rushlight.stack(tensors, dim).numpy(), np.stack(arrays, dim))
    with pytest.raises(IndexError, match="Dimension out of range"):
        rushlight.cat(tensors, 2)
