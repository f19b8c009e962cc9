"""Attention by machine code against NumPy's in float64."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import attention as plain
from rushlight.arrays import concat
from rushlight.lower import attention

# batch, heads, length, keys, size
SIZES = [(1, 1, 3, 5, 4), (2, 3, 40, 40, 16), (2, 2, 9, 70, 33), (1, 2, 70, 9, 8), (3, 1, 1, 64, 32)]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Kernels take small arrays, split over threads."""
    monkeypatch.setattr(attention, "LARGE", 0)
    monkeypatch.setattr(attention, "WORTH", 1)


def draw(*shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def bias_of(kind, batch, heads, length, keys):
    if kind == "numbers":
        return draw(1, heads, length, keys, seed=7)
    mask = draw(batch, 1, length, keys, seed=8) > 0
    mask[:, :, 0] = False  # a query without keys
    return mask


@pytest.mark.parametrize("kind", ["plain", "causal", "numbers", "bools"])
@pytest.mark.parametrize("sizes", SIZES)
def test_results_and_gradients(sizes, kind, threads, monkeypatch):
    batch, heads, length, keys, size = sizes
    query = draw(batch, length, heads, size, seed=0).swapaxes(1, 2)  # the layout of a layer
    key, value = draw(batch, heads, keys, size, seed=1), draw(batch, heads, keys, 2 * size, seed=2)[..., :size]
    bias = bias_of(kind, batch, heads, length, keys) if kind in ("numbers", "bools") else None
    grad = draw(batch, heads, length, size, seed=3)
    wide = [x.astype(np.float64) for x in (query, key, value)]
    wide_bias = bias if bias is None or bias.dtype == np.bool_ else bias.astype(np.float64)
    expected = plain.attention(*wide, wide_bias, kind == "causal", 0.3)
    derivatives = plain.attention_gradients(grad.astype(np.float64), *wide, expected[1], kind == "causal", 0.3)
    monkeypatch.setattr(plain, "attention", None)  # only the kernels may run, not what they replace
    monkeypatch.setattr(plain, "attention_gradients", None)
    result = attention.attention(query, key, value, bias, kind == "causal", 0.3)
    back = attention.attention_gradients(grad, query, key, value, result[1], kind == "causal", 0.3)
    for one, other in zip((*result, *back), (*expected, *derivatives), strict=True):
        assert one.dtype == np.float32
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_nan_and_infinities_are_in_the_same_positions_as_in_numpy():
    query, key, value = (draw(1, 2, 20, 16, seed=seed) for seed in range(3))
    key[0, 0, 3, 4], query[0, 1, 2, 1] = np.nan, np.inf  # causal: the first queries see no nan
    with np.errstate(invalid="ignore"):
        result, _ = attention.attention(query, key, value, None, True, 0.3)
        expected, _ = plain.attention(query, key, value, None, True, 0.3)
    assert 0 < np.isnan(expected).sum() < expected.size
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


def test_a_loaded_kernel_also_takes_small_arrays(monkeypatch):
    query, key, value = (draw(1, 2, 1, 4, seed=seed) for seed in range(3))
    expected = plain.attention(query, key, value, None, False, 0.3)
    attention.attention(query, key, value, None, False, 0.3)
    monkeypatch.setattr(attention, "LARGE", 1 << 8)
    monkeypatch.setattr(plain, "attention", None)
    for one, other in zip(attention.attention(query, key, value, None, False, 0.3), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_gradients_of_parts_of_one_projection_are_parts_of_one_array(order, threads):
    parts = draw(2, 20, 3, 4, 8, seed=0).transpose(2, 0, 3, 1, 4)  # (which, batch, heads, length, size)
    query, key, value = (parts[number] for number in order)
    grad = draw(2, 4, 20, 8, seed=1)
    weights = plain.attention(query, key, value, None, True, 0.3)[1]
    result = attention.attention_gradients(grad, query, key, value, weights, True, 0.3)
    expected = plain.attention_gradients(grad, query, key, value, weights, True, 0.3)
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    assert all(x.base is result[0].base and x.strides == query.strides for x in result)
    positions = [x.__array_interface__["data"][0] for x in result]
    assert sorted(range(3), key=positions.__getitem__) == sorted(range(3), key=order.__getitem__)
    alone = attention.attention_gradients(grad, query, key, value.copy(), weights, True, 0.3)
    assert len({id(x.base) for x in alone}) == 3


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_adjacent_parts_of_one_array_are_concatenated_without_a_copy(dim):
    whole = draw(4, 6, 10, seed=0)
    parts, expected = np.split(whole, 2, dim), whole.copy()
    assert concat.undivided(parts, dim, stacked=False) is None, "another reference to the whole exists"
    del whole
    result = concat.undivided(parts, dim, stacked=False)
    assert np.shares_memory(result, parts[1]) and result.flags.c_contiguous
    np.testing.assert_array_equal(result, expected)
    assert concat.undivided(parts[::-1], dim, stacked=False) is None
    assert concat.undivided(parts[:1], dim, stacked=False) is None
    assert concat.undivided([parts[0], expected], dim, stacked=False) is None
