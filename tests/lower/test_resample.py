"""Separable maps by machine code against NumPy's, which tests/parity compares with PyTorch."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import padding, pooling, resampling
from rushlight.core.policy import WARMUP
from rushlight.kernels import resample
from rushlight.lower.registry import KERNELS, large_calls

KINDS = {
    "nearest": ("nearest", False),
    "nearest-exact": ("nearest-exact", False),
    "linear": ("linear", False),
    "corners": ("linear", True),
    "cubic": ("cubic", False),
    "wide": ("wide-linear", False),
}
SIZES = [
    ((5,), (11,)),
    ((40,), (40,)),
    ((3, 8), (9, 20)),
    ((30, 31), (7, 5)),
    ((4, 1, 6), (4, 5, 3)),
    ((9, 20), (18, 20)),
]

PADS = [
    ((9,), ((3, 8),)),
    ((4, 30), ((2, 1), (0, 5))),
    ((3, 5), ((1, 1), (0, 0))),
    ((2, 9, 4), ((1, 1), (-2, 3), (1, 2))),
]


def draw(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def near(result, expected):
    assert result.dtype == expected.dtype
    scale = np.abs(expected).max(initial=0)
    np.testing.assert_allclose(result, expected, rtol=0, atol=scale * (3e-6 if result.dtype == np.float32 else 1e-14))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
@pytest.mark.parametrize(("old", "new"), SIZES)
def test_resampling_and_its_transpose(old, new, kind, dtype, threads, monkeypatch):
    monkeypatch.setattr(resample, "LARGE", 0)
    settings = [(*x, kind[0], kind[1], None, dtype) for x in zip(old, new, strict=True)]
    array, grad = draw(2, 3, *old, dtype=dtype), draw(2, 3, *new, dtype=dtype)
    result = resample.resampled(array, settings)
    near(result, resampling.resampled(array, settings))
    assert not np.shares_memory(result, array)
    near(resample.resampled_input(grad, settings), resampling.resampled_input(grad, settings))


def test_gradients_of_medium_size_use_kernels_after_warmup():
    """NumPy adds them one by one."""
    asked = []

    def plain(grad, settings):
        asked.append(grad)
        return resampling.resampled_input(grad, settings)

    call = large_calls(KERNELS["resampled_input"], plain)
    grad, settings = draw(2, 3, 40, 40), [(20, 40, "linear", False, None, np.float32)] * 2
    for _ in range(calls := WARMUP // grad.size):
        result = call(grad, settings)
    assert 0 < len(asked) < calls
    near(result, resampling.resampled_input(grad, settings))


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize(("size", "pads"), PADS)
def test_reflect_and_replicate_padding_and_their_transposes(size, pads, mode, threads):
    array = draw(3, *size)
    expected = padding.own_pad(array, pads, mode)
    np.testing.assert_array_equal(resample.own_pad(array, pads, mode), expected)
    grad = draw(*expected.shape)
    near(resample.own_pad_input(grad, array.shape, pads, mode), padding.own_pad_input(grad, array.shape, pads, mode))


WINDOWS = {
    "pairs": ((8, 10), (2, 2), (2, 2), (0, 0)),
    "overlapping": ((9, 11), (3, 3), (2, 2), (1, 1)),
    "few": ((5, 6), (4, 5), (1, 1), (1, 2)),
    "gaps": ((11,), (2,), (5,), (0,)),
    "planes": ((4, 5, 6), (2, 3, 2), (2, 1, 3), (0, 1, 1)),
}


@pytest.mark.parametrize("windows", WINDOWS.values(), ids=list(WINDOWS))
def test_sums_over_windows_and_their_transpose(windows, threads, monkeypatch):
    monkeypatch.setattr(resample, "LARGE", 0)
    covers, divisor = pooling.sliding(*map(tuple, windows), False, False)
    array = draw(2, 3, *windows[0])
    expected = pooling.gather_windows(array, covers, divisor)
    near(resample.gathered(array, covers, divisor), expected)
    grad = draw(*expected.shape)
    near(
        resample.spread(grad, array.shape, covers, divisor), pooling.spread_windows(grad, array.shape, covers, divisor)
    )


def test_sums_over_adaptive_boxes_and_their_transpose(monkeypatch):
    monkeypatch.setattr(resample, "LARGE", 0)
    for size, counts in (((7, 9), (3, 9)), ((5, 6), (7, 2))):
        covers, divisor = pooling.adaptive(size, counts)
        array, grad = draw(2, 3, *size), draw(2, 3, *counts)
        near(resample.gathered(array, covers, divisor), pooling.gather_windows(array, covers, divisor))
        near(
            resample.spread(grad, array.shape, covers, divisor),
            pooling.spread_windows(grad, array.shape, covers, divisor),
        )


def test_elements_that_are_only_moved_are_not_computed_with():
    array = draw(2, 30)
    array[0, :2] = np.nan, np.inf
    result, expected = (x.own_pad(array, ((4, 4),), "circular") for x in (resample, padding))
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", [np.int64, np.complex64, np.float16])
def test_other_dtypes_are_left_to_numpy(dtype):
    assert resample.own_pad(np.ones((2, 9), dtype), ((1, 1),), "reflect") is None


@pytest.mark.parametrize("channels", [1, 3, 16, 70, 133])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_channels_that_come_last(channels, dtype, threads, monkeypatch):
    """Results keep the input's layout and have the planes' values."""
    monkeypatch.setattr(resample, "LARGE", 0)
    inside = draw(2, 9, 11, channels, dtype=dtype)
    array = inside.transpose(0, 3, 1, 2)
    maps = [(9, 13, "linear", False, None, dtype), (11, 4, "cubic", True, None, dtype)]
    pads = ((3, 8), (-2, 1))
    covers, divisor = pooling.sliding((9, 11), (3, 3), (2, 2), (1, 1), False, True)
    for result, expected in (
        (resample.resampled(array, maps), resampling.resampled(array, maps)),
        (resample.own_pad(array, pads, "reflect"), padding.own_pad(array, pads, "reflect")),
        (resample.gathered(array, covers, divisor), pooling.gather_windows(array, covers, divisor)),
        (resample.spread(array[..., :5, :6], (2, channels, 9, 11), covers, divisor),
         pooling.spread_windows(array[..., :5, :6], (2, channels, 9, 11), covers, divisor)),
    ):  # fmt: skip
        near(result, expected)
        assert result.transpose(0, 2, 3, 1).flags.c_contiguous


def test_elements_that_are_only_moved_keep_the_signs_of_zeros():
    array = np.full((1, 3, 3, 2), -0.0, np.float32).transpose(0, 3, 1, 2)
    assert np.signbit(resample.own_pad(array, ((1, 1), (1, 1)), "replicate")).all()
