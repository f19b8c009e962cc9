"""Operands with unusual strides, and values far beyond an array: the same results, without copies."""

import tracemalloc

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight as torch
from rushlight.arrays import attention, fourier, pooling

HUGE = 1 << 40  # elements: too many to copy


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["std", "var", "mean", "norm", "sum"])
@pytest.mark.parametrize("dim", [None, 0, 1, -1])
@pytest.mark.parametrize(
    ("shape", "expanded"), [((9, 1, 7), (9, 50, 7)), ((1, 50, 7), (90, 50, 7)), ((3, 1, 4, 1), (3, 30, 4, 20))]
)
def test_reductions_of_expanded_arrays(name, dim, shape, expanded, dtype):
    getattr(torch.ones(50_000), name)()  # after a large array, small ones use kernels too
    few = torch.from_numpy(np.random.default_rng(0).normal(size=shape).astype(dtype)).expand(*expanded)
    result, expected = (getattr(x, name)(**({} if dim is None else {"dim": dim})) for x in (few, few.clone()))
    within = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(result.numpy(), expected.numpy(), rtol=within, atol=5 * within)


@pytest.mark.parametrize("rows", [2, 300])
@pytest.mark.parametrize("far", [2**31, 2**63 - 1, -(2**31), -(2**63)])
def test_diagonals_far_outside_the_matrix(rows, far):
    x = torch.ones(rows, 301)
    assert x.tril(far).sum() == (x.numel() if far > 0 else 0)
    assert x.triu(far).sum() == (x.numel() if far < 0 else 0)
    assert x.diagonal(far).shape == (0,)


FEW = {
    "index_select": lambda x, at: x.index_select(0, at),
    "gather": lambda x, at: x.gather(0, at),
    "take": lambda x, at: x.take(at),
    "an index": lambda x, at: x[at],
    "rows": lambda x, at: x[None].expand(3, -1).index_select(1, at)[2],
    "a table": lambda x, at: torch.nn.functional.embedding(at, x[:, None])[:, 0],
}


@pytest.mark.parametrize("count", [3, 50_000])
@pytest.mark.parametrize("read", FEW.values(), ids=list(FEW))
def test_few_elements_are_read_without_a_copy(read, count):
    """A copy of so many elements would fail."""
    x = torch.arange(5.0).as_strided((HUGE,), (0,), 3)
    at = torch.arange(count) + (HUGE - count)
    result = read(x, at)
    assert result.shape == (count,)
    assert result.is_contiguous()
    assert (result == 3).all()


def test_few_elements_of_a_transposed_array():
    x = torch.arange(700.0 * 600).view(700, 600).t()
    plain = x.contiguous()
    rows, columns = torch.tensor([5, 0, 599]), torch.tensor([[699, 0, 3, 3]])
    for few in (
        lambda x: x.index_select(0, rows),
        lambda x: x.index_select(1, columns[0]),
        lambda x: x[:, columns],
        lambda x: x.gather(1, columns),
        lambda x: x.gather(0, rows[:, None].expand(3, 2)),
        lambda x: x.take(torch.tensor([[-1, 0], [7, 601]])),
        lambda x: torch.nn.functional.embedding(rows, x),
    ):
        result, expected = few(x), few(plain)
        assert result.shape == expected.shape
        assert result.stride() == expected.stride()
        assert (result == expected).all()


LARGE = {
    "masks of attention": lambda n: attention.attention(
        *[np.ones((1, 1, 900 + n, 1), np.float32)] * 3, None, True, 1.0
    ),
    "places of windows": lambda n: pooling.max_pool_values(
        np.ones((1, 1, 500, 500 + n), np.float32), (2, 2), (1, 1), (0, 0), (1, 1)
    ),
    "kinds of lengths": lambda n: [fourier.is_rough(x) for x in range(20_000 * n, 20_000 * n + 20_000)],
}


@pytest.mark.parametrize("compute", LARGE.values(), ids=list(LARGE))
def test_plans_for_many_shapes_are_not_all_kept(compute):
    compute(0)
    tracemalloc.start()
    try:
        for n in range(1, 13):
            compute(n)
        assert tracemalloc.get_traced_memory()[0] < 500_000
    finally:
        tracemalloc.stop()
