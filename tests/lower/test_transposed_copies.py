"""Copies with permuted dimensions, by squares of every element width: NumPy is the specification."""

import itertools

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels import concat, copies
from rushlight.kernels.vectors import LANES, side, transpose_square
from rushlight.lower.machine_types import OF_NUMPY, Element, int64, pointer
from rushlight.lower.native import native

WIDTHS = [np.uint8, np.float16, np.float32, np.float64, np.complex64]
each_width = pytest.mark.parametrize("dtype", WIDTHS, ids=lambda dtype: dtype.__name__)
T = Element("T")


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch, threads):
    monkeypatch.setattr(copies, "LARGE", 1)
    monkeypatch.setattr(copies, "RUNS", 1)
    monkeypatch.setattr(copies, "GRAIN", 64)


def numbered(*shape, dtype):
    """Returns elements that differ from their neighbours, also when truncated to a byte."""
    return (np.arange(np.prod(shape)) % 251).astype(dtype).reshape(shape)


@native(light=True)
def transposed(out: pointer(T), array: pointer(T), apart: int64, out_apart: int64):
    transpose_square(array, apart, out, out_apart)


@each_width
def test_a_square_is_transposed(dtype):
    if dtype is np.complex64:
        dtype = np.uint64  # moved as integers
    many = side(np.empty(0, dtype))
    array, out = numbered(many, many + 3, dtype=dtype), np.zeros((many, many + 5), dtype)
    expected = out.copy()
    expected[:, :many] = array[:, :many].T
    transposed.machine(OF_NUMPY[np.dtype(dtype)])(out, array, many + 3, many + 5)
    np.testing.assert_array_equal(out, expected)
    out[:] = 0
    transposed(out.reshape(-1), array.reshape(-1), many + 3, many + 5)
    np.testing.assert_array_equal(out, expected)


# Around a square, a block and a part, and with less than a square in one direction or both.
LENGTHS = [1, 3, 15, 16, 17, 63, 64, 65, 79, 200]


@each_width
def test_every_shape(dtype):
    for rows, columns in itertools.product(LENGTHS, [*LENGTHS, 2048, 3071]):
        array = numbered(rows, columns, dtype=dtype)
        np.testing.assert_array_equal(copies.copied(array.T), array.T)
        np.testing.assert_array_equal(copies.copied(array[:, ::-1].T), array[:, ::-1].T)


@each_width
@pytest.mark.parametrize("shape", [(2, 70, 3, 40), (3, 20, 18, 66), (2, 17, 130, 5)], ids=str)
def test_every_order(dtype, shape):
    array = numbered(*shape, dtype=dtype)
    for order in itertools.permutations(range(4)):
        np.testing.assert_array_equal(copies.copied(array.transpose(order)), array.transpose(order))


@each_width
@pytest.mark.parametrize("shape", [(5, 2, 7, 3, 18), (3, 2, 2, 5, 4)], ids=str)
def test_orders_of_five_dimensions(dtype, shape):
    array = numbered(*shape, dtype=dtype)
    for order in itertools.permutations(range(5)):
        result = copies.copied(array.transpose(order))
        assert result is not None
        np.testing.assert_array_equal(result, array.transpose(order))


@each_width
@pytest.mark.parametrize("order", [(0, 2, 1, 3), (3, 2, 1, 0), (0, 1, 2, 3)], ids=str)
def test_concatenated_parts_in_another_order(dtype, order):
    array = numbered(6, 20, 4, 2 * LANES, dtype=dtype).transpose(order)
    for dim in range(4):
        for parts in (
            [array, array[::-1]],
            [array[..., ::-1], array],
            [np.broadcast_to(array[:1], array.shape), array],
        ):
            for result, expected in (
                (concat.cat(parts, dim), np.concatenate(parts, dim)),
                (concat.stack_along(parts, dim), np.stack(parts, dim)),
            ):
                if result is not None:
                    assert result.flags.c_contiguous
                    np.testing.assert_array_equal(result, expected)


@each_width
@pytest.mark.parametrize("columns", [LANES, 3 * LANES, 512, 512 + LANES, 2048])
def test_rows_of_whole_vectors(dtype, columns):
    array = numbered(3, 20, 4, columns, dtype=dtype)
    for order in [(0, 2, 1, 3), (2, 1, 0, 3), (1, 2, 0, 3)]:
        np.testing.assert_array_equal(copies.copied(array.transpose(order)), array.transpose(order))


@each_width
def test_results_past_the_caches(dtype, monkeypatch):
    asked = []
    monkeypatch.setattr(copies, "LARGEST_KEPT", 100)
    monkeypatch.setattr(copies, "is_past", lambda *args, ask=copies.is_past: asked.append(ask(*args)) or asked[-1])
    for rows, columns in itertools.product([257, 1100], [64, 192, 200]):
        array = numbered(columns, rows, 2, dtype=dtype)
        np.testing.assert_array_equal(copies.copied(array.transpose(2, 1, 0)), array.transpose(2, 1, 0))
    assert len(asked) == 6


@each_width
def test_which_results_go_past_the_caches(dtype):
    room = np.empty((copies.LARGEST_KEPT + 64 * 200) * 2, dtype)
    room = room[-room.ctypes.data % 64 // room.itemsize :]
    large = room[: (copies.LARGEST_KEPT // 192 + 1) * 192]
    assert copies.is_past(large, 192) == (side(room) * room.itemsize == 64), "squares fill lines"
    assert not copies.is_past(large[:-192], 192)
    assert not copies.is_past(room[1:][: large.size], 192), "begins within a line"
    assert not copies.is_past(large, 201), "rows end within a line"
