"""The builtin functions of reductions: which arrays they accept, and that they leak nothing."""

import sys
import threading

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels import reduce, reduce_calls

FLOAT32, BEGUN = np.dtype(np.float32), np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture(scope="module")
def known():
    """Returns a recipe whose kernels are compiled."""
    result = reduce.recipe("sum", FLOAT32, None)
    for kind in (reduce_calls.LINES, reduce_calls.COLUMNS, reduce_calls.FEW):
        result.compiles(kind)
    return result


def total(known, array, first, last, keepdims=False):
    return known.reduce_along(array, first, last, keepdims, known.words, None)


def misaligned(array):
    memory = np.empty(array.nbytes + 1, np.uint8)[1:]
    result = memory.view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("first", "last"), [(0, 0), (1, 1), (2, 2), (-1, -1), (0, 1), (1, 2), (1, -1), (0, -1)])
def test_adjacent_axes(known, first, last, keepdims):
    array = np.repeat(BEGUN, 5, -1)
    result = total(known, array, first, last, keepdims)
    axes = tuple(range(first % 3, last % 3 + 1))
    expected = array.sum(axes, keepdims=keepdims)
    assert type(result) is np.ndarray and result.dtype == FLOAT32 and result.shape == expected.shape
    assert result.flags.owndata and result.flags.writeable and result.flags.c_contiguous
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    "array",
    [np.float32(3), np.array(3.0, np.float32), BEGUN.astype(">f4"), BEGUN.astype(np.float64), BEGUN.astype(np.int32),
     BEGUN.T, BEGUN[:, :, ::2], misaligned(BEGUN), BEGUN[:, :, :1], BEGUN.view(np.recarray), [1.0, 2.0], None],
    ids=["scalar", "0-d", "other order of bytes", "float64", "int32", "turned", "gaps", "misaligned", "one element",
         "subclass", "list", "none"],
)  # fmt: skip
def test_everything_else_is_left_to_other_kernels(known, array):
    assert total(known, array, -1, -1) is None


def test_few_columns_have_their_own_kernel(known):
    for columns in (2, 15, 16, 17):
        wide = np.arange(3.0 * columns, dtype=np.float32).reshape(3, columns)
        np.testing.assert_array_equal(total(known, wide, 0, 0), wide.sum(0))


def test_a_recipe_without_kernels_returns_none(known):
    words = known.words.copy()
    words[: reduce_calls.GIVEN] = 0
    assert known.reduce_along(np.ones((4, 40), np.float32), 1, 1, False, words, None) is None


def test_no_reference_is_leaked(known):
    array, refused, nothing = np.ones((3, 9000), np.float32), BEGUN.T, sys.getrefcount(None)
    counts = [sys.getrefcount(x) for x in (array, refused, known.words)]
    for _ in range(1000):
        assert total(known, array, 1, 1).sum() == 27_000 and total(known, refused, -1, -1) is None
    assert [sys.getrefcount(x) for x in (array, refused, known.words)] == counts
    assert abs(sys.getrefcount(None) - nothing) < 100


def test_python_threads_may_reduce_concurrently(known):
    arrays = [np.full((300, 1000), number, np.float32) for number in range(4)]
    results = {}

    def work(number):
        results[number] = [total(known, arrays[number], 1, 1) for _ in range(50)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((x == 1000 * number).all() for number, some in results.items() for x in some) and len(results) == 4


def test_stages_without_kernels_are_left_to_other_kernels(known):
    array, out, room = np.ones((4, 40), np.float32), np.zeros(1, np.float32), np.zeros(4, np.float32)
    plans = np.stack(
        [reduce_calls.plan_of((1, 0), (4, 40), (40, 1), 1), reduce_calls.plan_of((1, 0), (1, 0), (4, 1), 1)]
    )
    missing, counts = known.words.copy(), [sys.getrefcount(x) for x in (array, out, room, plans)]
    missing[: reduce_calls.GIVEN] = 0
    call = reduce_calls.run_stages.machine()
    for _ in range(100):
        assert call(array, out, room, plans, known.words, missing, None) is None
        assert call(array, out, room, plans, known.words, known.words, None) is True
    assert out[0] == 160 and room.tolist() == [40] * 4
    assert [sys.getrefcount(x) for x in (array, out, room, plans)] == counts
