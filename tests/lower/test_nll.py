"""Negative log likelihood by machine code against the formula."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.kernels.nll import negative_log_likelihood

SHAPES = [(64, 128), (600, 3), (4, 8, 16, 16), (2, 5, 7, 1), (1, 1)]


def drawn(shape, dtype=np.float32):
    numbers = np.random.default_rng(0)
    scores = numbers.standard_normal(shape).astype(dtype)
    return scores, numbers.integers(0, shape[1], (shape[0], *shape[2:]))


def picked(scores, target, ignored):
    """Returns minus the scores of the targets, zeros for ignored ones, and which targets count."""
    counted = target != ignored
    rows = np.take_along_axis(scores, np.where(counted, target, 0)[:, None], 1)[:, 0]
    return np.where(counted, -rows, 0), counted


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ignored", [-100, 0])
@pytest.mark.parametrize("shape", SHAPES)
def test_losses_of_targets(shape, ignored, dtype):
    scores, target = drawn(shape, dtype)
    target[0] = ignored
    for lines in (scores, np.asfortranarray(scores)):
        x, counted = picked(scores, target, ignored)
        total = x.astype(np.float64).sum()
        np.testing.assert_array_equal(negative_log_likelihood(lines, target, None, ignored, "none"), x)
        with np.errstate(invalid="ignore"):
            mean = total / counted.sum()
            for reduction, expected in (("sum", total), ("mean", mean)):
                result = negative_log_likelihood(lines, target, None, ignored, reduction)
                assert result.dtype == dtype
                np.testing.assert_allclose(result, expected, rtol=2 * np.finfo(dtype).eps, atol=1e-13)


def test_ignored_scores_may_be_nan():
    scores, target = drawn((64, 16))
    scores[3], target[3] = np.nan, -100
    assert np.isfinite(negative_log_likelihood(scores, target, None, -100, "mean"))
    target[3] = 2
    assert np.isnan(negative_log_likelihood(scores, target, None, -100, "mean"))


@pytest.mark.parametrize("wrong", [-1, 16])
def test_targets_out_of_range_are_left_to_numpy_to_refuse(wrong):
    scores, target = drawn((64, 16))
    target[5] = wrong
    assert negative_log_likelihood(scores, target, None, -100, "mean") is None


def test_weights_and_other_dtypes_are_left_to_numpy():
    scores, target = drawn((64, 16))
    assert negative_log_likelihood(scores, target, np.ones(16, np.float32), -100, "mean") is None
    assert negative_log_likelihood(scores, target.astype(np.uint8), None, -100, "mean") is None
    assert negative_log_likelihood(scores.astype(np.float16), target, None, -100, "mean") is None
