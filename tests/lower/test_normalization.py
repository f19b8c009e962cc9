"""Batch norm and group norm by machine code against NumPy's in float64."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from ml_dtypes import bfloat16

from rushlight.arrays import normalization as plain
from rushlight.core import policy
from rushlight.lower import normalization

# The dtypes of kernels, and the ratio of their tolerances to that of float32.
PRECISE = {np.float32: 1, np.float64: 1e-8}
SHAPES = [(4, 3, 9), (1, 5, 5000), (33, 2, 17), (2, 1, 8), (50, 300, 1), (3000, 5, 1)]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Kernels take small arrays."""
    monkeypatch.setattr(normalization, "LAYER", 0)
    monkeypatch.setattr(policy, "WARMUP", 0)


def arrays(shape, offset, dtype=np.float32):
    random = np.random.default_rng(0)
    array, grad = (random.standard_normal((2, *shape)) + offset).astype(dtype)
    weight, bias = random.standard_normal((2, shape[1])).astype(dtype)
    return array, grad, weight, bias


@pytest.mark.parametrize("dtype", PRECISE)
@pytest.mark.parametrize("offset", [0, 1000])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_results_and_gradients_are_those_of_the_formulas(shape, affine, offset, dtype, threads, monkeypatch):
    array, grad, weight, bias = arrays(shape, offset, dtype)
    weight, bias = (weight, bias) if affine else (None, None)
    wide = [None if x is None else x.astype(np.float64) for x in (array, grad, weight, bias)]
    expected = plain.batch_normalized(wide[0], 1e-5, wide[2], wide[3])
    to_each = plain.batch_normalized_gradients(wide[1], wide[0], wide[2], expected[1], expected[3])
    monkeypatch.setattr(plain, "batch_normalized", None)  # only the kernels may run, not what they replace
    monkeypatch.setattr(plain, "batch_normalized_gradients", None)
    result = normalization.batch_normalized(array, 1e-5, weight, bias)
    derivatives = normalization.batch_normalized_gradients(grad, array, weight, result[1], result[3])
    more = PRECISE[dtype]
    near = {"rtol": 2e-5 * more, "atol": (2e-4 if offset else 2e-6) * more}
    for one, other in zip(result, expected, strict=True):
        assert one.dtype == dtype
        np.testing.assert_allclose(one, other, **near)
    scale = np.abs(grad).sum((0, 2)).max()
    far = 1e-6 * max(1, offset) * np.abs(grad).max() * more
    np.testing.assert_allclose(derivatives[0], to_each[0], rtol=1e-3 * more, atol=far)
    for one, other in zip(derivatives[1:], to_each[1:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4 * more, atol=2e-6 * scale * (offset or 1) * more)


@pytest.mark.parametrize("kind", [np.float16, bfloat16])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", [*SHAPES, (7, 3, 1), (1, 1, 3)])
def test_half_precision_in_evaluation_is_computed_in_float32_and_rounded_once(shape, affine, kind, monkeypatch):
    array, _, weight, bias = arrays(shape, 0)
    weight, bias = (weight, bias) if affine else (None, None)
    mean, scale = np.random.default_rng(1).random((2, shape[1]), np.float32)
    array.flat[:3] = np.nan, np.inf, -np.inf
    half = array.astype(kind)
    expected = plain.fixed_normalized(half, mean, scale, weight, bias)
    assert expected.dtype == np.float32
    monkeypatch.setattr(plain, "fixed_normalized", None)
    result = normalization.fixed_normalized(half, mean, scale, weight, bias)
    assert result.dtype == kind and result.shape == shape
    exact = (2**-8 if kind is bfloat16 else 2**-11) + 1e-6
    np.testing.assert_allclose(result.astype(np.float32), expected, rtol=exact, atol=1e-6)


@pytest.mark.parametrize("first", [3e4, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("shape", [(3, 4, 500), (1500, 4, 1)])
def test_means_far_from_the_first_elements(shape, first):
    """Deviations are taken from the mean of the first elements, unless that is far from the mean."""
    array = arrays(shape, 0)[0]
    array[: 20 if shape[2] == 1 else 1, 1, :20] = first
    result = normalization.batch_normalized(array, 1e-5, None, None)
    with np.errstate(invalid="ignore"):
        expected = plain.batch_normalized(array.astype(np.float64), 1e-5, None, None)
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dtype", PRECISE)
@pytest.mark.parametrize("offset", [0, 1000])
@pytest.mark.parametrize("shape", [*SHAPES[:4], (600, 3, 4, 5), (1, 2, 3, 3, 3), (7, 2, 9000)])
def test_sums_of_channels(shape, offset, dtype, threads, monkeypatch):
    array = arrays(shape, offset, dtype)[0]
    expected = array.sum((0, *range(2, array.ndim)), dtype=np.float64)
    more = PRECISE[dtype]
    monkeypatch.setattr(plain, "channel_sum", None)
    for operand in (array, np.asfortranarray(array), np.repeat(array, 2, -1)[..., ::2]):
        result = normalization.channel_sum(operand)
        assert result.dtype == dtype
        np.testing.assert_allclose(
            result, expected, rtol=2e-6 * more, atol=2e-6 * np.abs(array).sum() / shape[1] * more
        )


@pytest.mark.parametrize("kind", [np.float16, bfloat16])
@pytest.mark.parametrize("shape", [(4, 3, 700), (3, 2, 5, 9), (2, 3, 0)])
def test_sums_of_channels_of_half_precision_are_rounded_once(shape, kind, monkeypatch):
    array = arrays(shape, 1)[0].astype(kind)
    if array.size:
        monkeypatch.setattr(plain, "channel_sum", None)
    result = normalization.channel_sum(array)
    assert result.dtype == kind
    exact = array.astype(np.float64).sum((0, *range(2, array.ndim)))
    np.testing.assert_allclose(result.astype(np.float64), exact, rtol=2**-8 if kind is bfloat16 else 2**-11)


@pytest.mark.parametrize("shape", [(0, 3, 9), (4, 0, 9), (4, 3, 0), (4, 3), (4, 3, 2)])
def test_sums_of_few_elements_are_numpys(shape):
    array = np.ones(shape, np.float32)
    np.testing.assert_array_equal(normalization.channel_sum(array), array.sum((0, *range(2, array.ndim))))


@pytest.mark.parametrize("dtype", PRECISE)
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_given_statistics_are_used(shape, affine, dtype, threads, monkeypatch):
    array, grad, weight, bias = arrays(shape, 0, dtype)
    more = PRECISE[dtype]
    weight, bias = (weight, bias) if affine else (None, None)
    mean, scale = np.random.default_rng(1).random((2, shape[1]), dtype)
    expected = plain.fixed_normalized(array, mean, scale, weight, bias)
    wide = [None if x is None else x.astype(np.float64) for x in (grad, array, weight, mean, scale)]
    to_each = plain.fixed_normalized_gradients(*wide)
    monkeypatch.setattr(plain, "fixed_normalized", None)
    monkeypatch.setattr(plain, "fixed_normalized_gradients", None)
    result = normalization.fixed_normalized(array, mean, scale, weight, bias)
    np.testing.assert_allclose(result, expected, rtol=1e-5 * more, atol=1e-6 * more)
    derivatives = normalization.fixed_normalized_gradients(grad, array, weight, mean, scale)
    for one, other in zip(derivatives, to_each, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5 * more, atol=1e-5 * np.abs(other).max() * more)


GROUPED = [
    ((4, 6, 9), 3), ((2, 4, 700), 1), ((3, 10, 8), 10), ((50, 64, 1), 4), ((20, 700, 1), 1), ((37, 66, 1), 3),
    ((9, 77, 1), 7),
]  # fmt: skip


@pytest.mark.parametrize("dtype", PRECISE)
@pytest.mark.parametrize("offset", [0, 1000])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(("shape", "groups"), GROUPED)
def test_groups_are_normalized_separately(shape, groups, affine, offset, dtype, threads, monkeypatch):
    array, grad, weight, bias = arrays(shape, offset, dtype)
    more = PRECISE[dtype]
    weight, bias = (weight, bias) if affine else (None, None)
    wide = [None if x is None else x.astype(np.float64) for x in (array, grad, weight, bias)]
    expected = plain.group_normalized(wide[0], groups, 1e-5, wide[2], wide[3])
    to_each = plain.group_normalized_gradients(wide[1], wide[0], groups, wide[2], *expected[1:])
    monkeypatch.setattr(plain, "group_normalized", None)
    monkeypatch.setattr(plain, "group_normalized_gradients", None)
    result = normalization.group_normalized(array, groups, 1e-5, weight, bias)
    derivatives = normalization.group_normalized_gradients(grad, array, groups, weight, *result[1:])
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5 * more, atol=(2e-4 if offset else 2e-6) * more)
    largest = np.abs(grad).sum((0, 2)).max()
    far = 2e-6 * max(1, offset) * np.abs(grad).max() * more
    np.testing.assert_allclose(derivatives[0], to_each[0], rtol=1e-3 * more, atol=far)
    for one, other in zip(derivatives[1:], to_each[1:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4 * more, atol=2e-6 * largest * (offset or 1) * more)


@pytest.mark.parametrize("shape", [(4, 3, 9), (40, 3, 1)])
def test_nan_stays_in_its_channel(shape):
    array, grad, weight, bias = arrays(shape, 0)
    array[1, 1, -1] = np.nan
    result, mean, _, scale = normalization.batch_normalized(array, 1e-5, weight, bias)
    assert np.isnan(result[:, 1]).all() and not np.isnan(result[:, ::2]).any()
    derivatives = normalization.batch_normalized_gradients(grad, array, weight, mean, scale)
    assert np.isnan(derivatives[0][:, 1]).all() and not np.isnan(derivatives[0][:, ::2]).any()


def test_unsupported_arguments_are_left_to_numpy():
    array, grad, weight, bias = (array.astype(np.float16) for array in arrays((4, 3, 9), 0))
    result = normalization.batch_normalized(array, 1e-5, weight, bias)
    for one, other in zip(result, plain.batch_normalized(array, 1e-5, weight, bias), strict=True):
        assert one.dtype == np.float16
        np.testing.assert_array_equal(one, other)
    turned = np.float32(array.transpose(0, 2, 1))
    np.testing.assert_allclose(
        normalization.batch_normalized(turned, 1e-5, None, None)[0],
        plain.batch_normalized(turned, 1e-5, None, None)[0],
        rtol=1e-5,
        atol=1e-6,
    )
