"""Matrix products by machine code against sums in float64."""

import sys
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import cpu
from rushlight.core.tables import xp
from rushlight.declarations.declare import OPS
from rushlight.kernels import gemm
from rushlight.kernels.matmul import multiply
from rushlight.kernels.vectors import LANES
from rushlight.lower import install

LANGUAGE = SimpleNamespace(**cpu.FUNCTIONS)  # without kernels


def draw(*shape, turned, seed):
    """Returns integers, whose sums are exact, in either layout."""
    array = np.random.default_rng(seed).integers(-3, 4, (*shape[:-2], *shape[-2:][:: -1 if turned else 1]))
    return array.astype(np.float32).swapaxes(-1, -2) if turned else array.astype(np.float32)


def described(array):
    """Returns the kernel's arguments for a matrix or a batch."""
    steps = [step // 4 for step in array.strides]
    return *array.shape[-2:], *steps[-2:], steps[0], len(array) if array.ndim == 3 else 1


def product(a, b, bias):
    """Runs the kernel itself, which takes small matrices too, with the work split for three threads."""
    shape = np.array([*described(a), *described(b), 0, 0])
    out = np.full((*a.shape[:-1], b.shape[-1]), np.nan, np.float32)
    gemm.product.machine()(a, b, 0 if bias is None else bias, out, shape, 3)
    return out


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize("other_turned", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("before", "rows", "depth", "columns"),
    [
        ((), 5, 7, 9), ((), 130, 300, 37), ((), 64, 600, 300), ((), 9, 300, 300), ((), 8, 1, 200), ((), 1030, 20, 12),
        ((), 600, 1024, 400), ((), 9, 16, 4200), ((), 65, 1100, 130), ((), 129, 520, 1100), ((), 70, 40, 2100),
        ((3,), 17, 33, 40), ((5,), 1, 9, 1), ((2,), 3, 300, 70),
    ],
)  # fmt: skip
def test_every_layout(before, rows, depth, columns, turned, other_turned, added, threads):
    a = draw(*before, rows, depth, turned=turned, seed=0)
    b = draw(*before, depth, columns, turned=other_turned, seed=1)
    bias = np.arange(columns, dtype=np.float32) if added else None
    expected = np.matmul(a.astype(np.float64), b) + (bias if added else 0)
    np.testing.assert_array_equal(product(a, b, bias), expected)
    result = multiply.machine()(a, b, bias, False)
    if result is not None:
        assert result.dtype == np.float32 and result.flags.c_contiguous
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(multiply.machine()(a, b.swapaxes(-1, -2), bias, True), expected)


@pytest.mark.parametrize("other_turned", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rows", [40, 700])
@pytest.mark.parametrize("depth", [1, 2, 7])
def test_sums_of_few_terms_are_not_left_to_the_blas(rows, depth, turned, other_turned, threads):
    """Such as the gradient of a weight from one row or a few."""
    a, b = draw(rows, depth, turned=turned, seed=0), draw(depth, 500, turned=other_turned, seed=1)
    np.testing.assert_array_equal(multiply.machine()(a, b, None, 2), np.matmul(a, b), strict=True)


def test_strided_rows_and_batches_in_any_order(threads):
    a, b = draw(40, 3, 60, turned=False, seed=0)[:, :, 10:50].swapaxes(0, 1), draw(3, 40, 70, turned=False, seed=1)
    np.testing.assert_array_equal(multiply.machine()(a, b, None, False), np.matmul(a.astype(np.float64), b))


@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize(
    "cut", [np.s_[:], np.s_[:1], np.s_[:, :1], np.s_[:1, ::2], np.s_[:, -1:], np.s_[:1, :1]], ids=str
)
def test_a_batch_times_one_matrix(cut, added, threads):
    """Computed as one product, also with strided matrices if there is one matrix or one row of each."""
    batch, b = draw(10, 7, 60, turned=False, seed=0)[cut], draw(60, 70, turned=True, seed=1)
    bias = np.arange(70, dtype=np.float32) if added else None
    result = multiply.machine()(batch, b.T, bias, True)
    np.testing.assert_array_equal(result, np.matmul(batch.astype(np.float64), b) + (bias if added else 0))
    assert result.flags.c_contiguous and result.flags.owndata


@pytest.mark.parametrize(
    ("name", "ranks", "refusal"),
    [
        ("mm", (3, 3), "self must be a matrix"),
        ("mm", (3, 2), "self must be a matrix"),
        ("bmm", (2, 2), "batch1 must be a 3D tensor"),
        ("bmm", (3, 2), "batch2 must be a 3D tensor"),
        ("affine", (3, 2), "mat1 must be a matrix, got 3-D tensor"),
        ("affine", (3, 3), "mat1 must be a matrix, got 3-D tensor"),
        ("flipped_product", (3, 3), "not two plain matrices"),
    ],
)
def test_operators_check_the_ranks_of_operands(name, ranks, refusal):
    one, other = (np.ones((2, 64, 64)[3 - rank :], np.float32) for rank in ranks)
    added, rest = ((np.ones(64, np.float32),), {"flipped": False}) if name == "affine" else ((), {})
    forward = install.PRODUCT_KERNELS[name](OPS[name].forward, multiply.machine())
    with pytest.raises((RuntimeError, ValueError), match=refusal):
        forward(LANGUAGE, *added, one, other, **rest)


@pytest.mark.parametrize("other_turned", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("rows", "depth", "columns"), [(1, 1, 1), (1, 8, 8), (2, 3, 4), (20, 20, 1), (1, 20, 20)])
def test_small_products_are_not_left_to_the_blas(rows, depth, columns, turned, other_turned):
    a, b = draw(rows, depth, turned=turned, seed=0), draw(depth, columns, turned=other_turned, seed=1)
    result = multiply.machine()(a, b, None, False)
    np.testing.assert_array_equal(result, np.matmul(a, b), strict=True)


def test_operands_must_have_the_requested_number_of_dimensions():
    a, b = draw(2, 8, 8, turned=False, seed=0), draw(2, 8, 8, turned=False, seed=1)
    ranks = {2: (a[0], b[0]), 3: (a, b), None: (a, b[0])}
    for requested in (2, 3):
        for rank, operands in ranks.items():
            result = multiply.machine()(*operands, None, requested)
            assert (result is None) == (rank != requested)


def test_long_sums_of_many_results():
    """Left to BLAS where its blocks are better: with narrow vectors."""
    one, other = draw(1, 1100, turned=False, seed=0), draw(1100, 2048, turned=False, seed=1)
    for rows in (2048, 2049):
        result = multiply.machine()(np.broadcast_to(one, (rows, 1100)), other, None, False)
        if result is None:
            assert LANES < 16 and rows == 2049
        else:
            np.testing.assert_array_equal(result, np.broadcast_to(one @ other, result.shape))


def test_elements_that_share_memory():
    """Expanded dimensions have stride 0, windows over a signal stride 1 in both."""
    one, row = draw(30, turned=False, seed=0), draw(1, 40, turned=False, seed=1)
    windows, wide = (
        np.lib.stride_tricks.sliding_window_view(draw(80, turned=False, seed=2), size) for size in (30, 40)
    )
    shapes = [np.broadcast_to(one, (20, 30)), np.broadcast_to(one[:, None], (30, 30)), windows, windows[::2]]
    others = [np.broadcast_to(row, (30, 40)), np.broadcast_to(one[:, None], (30, 40)), wide[:30], windows[:40].T]
    for a in shapes:
        for b in others:
            result = multiply.machine()(a, b, None, False)
            np.testing.assert_array_equal(result, np.matmul(a.astype(np.float64), b))


def test_nan_and_infinities():
    a, b = draw(20, 30, turned=False, seed=0), draw(30, 40, turned=False, seed=1)
    a[3, 4], b[5, 6], b[7, 8] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(multiply.machine()(a, b, None, False), np.matmul(a, b))


@pytest.mark.parametrize("rows", [1, 3, 9, 600])
def test_sums_do_not_depend_on_the_number_of_threads(rows, monkeypatch):
    from rushlight.arrays.threads import get_num_threads, set_num_threads

    numbers = np.random.default_rng(0)
    a, b = (numbers.standard_normal(shape).astype(np.float32) for shape in ((rows, 700), (900, 700)))
    before, result = get_num_threads(), []
    for count in (1, 2, 3):
        set_num_threads(count)
        result.append(multiply.machine()(a, b, None, True))
    set_num_threads(before)
    assert all(np.array_equal(result[0], x) for x in result[1:])


A, B = draw(20, 30, turned=False, seed=0), draw(30, 40, turned=False, seed=1)


@pytest.mark.parametrize(
    "operands",
    [
        (A.astype(np.float64), B.astype(np.float64), None),
        (A, B.astype(np.float64), None),
        (A[:, ::2], B[::2], None),  # no stride of one
        (A[::-1], B, None),
        (A[:, :0], B[:0], None),
        (A[:0], B, None),
        (A, B[:, :3], None),
        (A[:5], B, None),
        (np.asfortranarray(A), B[:, :30].copy(), None),
        (A, B[:29], None),
        (A, B[0], None),
        (A[0], B, None),
        (A[None], np.stack([B, B]), None),
        (A, B[None], None),
        (np.stack([A, A, A])[:, ::3], B, None),  # rows at unequal distances
        (np.stack([A, A, A]).swapaxes(0, 1), B, None),
        (draw(2, 20, 30, turned=True, seed=2), B, None),
        (A, B, np.zeros(39, np.float32)),
        (A, B, np.zeros((1, 40), np.float32)),
        (A, B, np.zeros(40)),
        (A, B, np.zeros(80, np.float32)[::2]),
        (A, B, 1.0),
        (A, 3, None),
        ([[1.0]], B, None),
    ],
)
def test_products_that_are_left_to_the_blas(operands):
    assert multiply.machine()(*operands, False) is None
    assert multiply.machine()(*operands) is None


def test_results_are_owned_by_the_caller():
    """No reference is kept, and nothing in use is freed."""
    import sys

    a, b, bias = A.copy(), B.copy(), np.zeros(40, np.float32)
    before = [sys.getrefcount(x) for x in (a, b, bias, None, np.ndarray, a.dtype)]
    results = [multiply.machine()(a, b, bias, False) for _ in range(100)]
    assert all(result.flags.owndata and sys.getrefcount(result) == 3 for result in results)
    del results
    for _ in range(100):
        multiply.machine()(a, b[:, :3], bias, False)
    after = [sys.getrefcount(x) for x in (a, b, bias, None, np.ndarray, a.dtype)]
    assert [new - old for new, old in zip(after, before, strict=True)][:3] == [0, 0, 0]
    assert abs(after[3] - before[3]) < 50 and abs(after[5] - before[5]) < 50


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("batch", [(), (3,)], ids=["mm", "bmm"])
@pytest.mark.parametrize("turned", [False, True])
def test_products_of_half_precision_are_rounded_once(dtype, batch, turned):
    a, b = draw(*batch, 70, 80, turned=turned, seed=0), draw(*batch, 80, 90, turned=False, seed=1)
    result = OPS["bmm" if batch else "mm"].forward(xp, a.astype(dtype), b.astype(dtype))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, (a.astype("f8") @ b).astype(dtype))


@pytest.mark.parametrize(
    ("first", "second", "is_ours"),
    [((70, 80), (80, 90), True), ((2, 70, 80), (2, 80, 90), True), ((70, 80), (80,), False), ((4096,), (4096,), False),
     ((2, 2, 70, 80), (2, 2, 80, 90), False), ((5, 6), (6, 7), False)],
    ids=str,
)  # fmt: skip
def test_the_array_language_has_the_kernel_for_large_matrices(first, second, is_ours):
    asked = []

    def original(one, other):
        asked.append(one)
        return np.matmul(one, other)

    one, other = (np.random.default_rng(0).integers(-3, 4, shape).astype(np.float32) for shape in (first, second))
    result = install.large_products(original)(one, other)
    assert (not asked) is is_ours
    np.testing.assert_array_equal(result, np.matmul(one, other))


WAITING = ("mm", "affine", "flipped_product")


def names_called(function, *arguments) -> list[str]:
    """Returns the names of the functions of `install` that a call enters."""
    called = []
    sys.setprofile(lambda frame, event, argument: called.append(frame.f_code) if event == "call" else None)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return [x.co_name for x in called if x.co_filename == install.__file__]


@pytest.mark.parametrize(("name", "is_added"), [*((x, x == "affine") for x in WAITING), ("flipped_product", True)])
def test_products_cost_one_comparison_until_a_kernel_pays_off(monkeypatch, name, is_added):
    bound = []
    monkeypatch.setattr(install, "assign", lambda table, name, function: bound.append(name))
    monkeypatch.setattr(install, "entry", lambda table, name: OPS[name].forward)
    forward = install.waiting_product(name)

    def operands(size):
        matrices = (np.ones((size, size), np.float32), np.ones((size, size), np.float32))
        bias = (np.ones(size, np.float32),) if is_added else ()
        return bias + matrices if name == "affine" else matrices + bias

    assert names_called(forward, LANGUAGE, *operands(4)) == [forward.__code__.co_name]
    assert (forward(LANGUAGE, *operands(4)) == 4 + is_added).all() and not bound
    forward(LANGUAGE, *operands(50))
    assert not bound  # pays off for 2 ** 18 multiplications, not for twice 50 ** 3
    forward(LANGUAGE, *operands(64))
    assert [set(bound)] == [set(install.PRODUCT_KERNELS)]


def test_batches_of_small_products_cost_one_comparison(monkeypatch):
    monkeypatch.setattr(xp, "matmul", install.large_products(np.matmul))
    few = np.ones((2, 4, 4), np.float32)
    assert names_called(OPS["bmm"].forward, xp, few, few) == ["product"]
