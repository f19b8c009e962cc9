"""Recurrent layers by machine code against NumPy's, which tests/parity compares with PyTorch."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import recurrent as plain
from rushlight.declarations.recurrence import time_steps
from rushlight.lower import recurrent

# batch sizes of the steps, features, size of the state
SEQUENCES = [([5] * 4, 3, 7), ([19, 19, 11, 3, 1], 16, 32), ([1], 2, 1), ([40] * 3, 9, 33),
             ([1] * 3, 5, 50), ([4, 4, 3, 1], 20, 40)]  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Kernels take small arrays."""
    monkeypatch.setattr(recurrent, "STEPS", 0)


def draw(*shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("sizes", "features", "size"), SEQUENCES)
def test_lstm_and_its_backward(sizes, features, size, reverse, biased, threads, monkeypatch):
    total, batch, times = sum(sizes), max(sizes), time_steps(sizes, reverse)
    input, weight_ih = draw(total, features, seed=0), draw(4 * size, features, seed=1)
    weight_hh, bias = draw(4 * size, size, seed=2), draw(4 * size, seed=3) if biased else None
    hidden, cell = draw(batch, size, seed=4), draw(batch, size, seed=5)
    args = input, weight_ih, weight_hh, bias, None, hidden, cell, times
    expected = plain.lstm(*(arg.astype(np.float64) if isinstance(arg, np.ndarray) else arg for arg in args))
    pulls = draw(total, size, seed=6), draw(batch, size, seed=7), draw(batch, size, seed=8)
    begun = draw(total, size, seed=9)
    back = *pulls, weight_hh, None, expected[3], expected[4], begun, times
    derivatives = plain.lstm_backward(*(x.astype(np.float64) if isinstance(x, np.ndarray) else x for x in back))
    monkeypatch.setattr(plain, "lstm", None)  # only the kernels may run, not what they replace
    monkeypatch.setattr(plain, "lstm_backward", None)
    for one, other in zip(recurrent.lstm(*args), expected, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    back = [np.float32(x) if isinstance(x, np.ndarray) else x for x in back]
    for one, other in zip(recurrent.lstm_backward(*back)[:3], derivatives[:3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * np.abs(other).max())
    np.testing.assert_array_equal(hidden, draw(batch, size, seed=4))  # arguments are unchanged


def wide(arguments):
    return [argument.astype(np.float64) if isinstance(argument, np.ndarray) else argument for argument in arguments]


def check(results, expected):
    for one, other in zip(results, expected, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("sizes", "features", "size"), SEQUENCES)
def test_gru_and_its_backward(sizes, features, size, reverse, biased, threads, monkeypatch):
    total, batch, times = sum(sizes), max(sizes), time_steps(sizes, reverse)
    weights = draw(3 * size, features, seed=1), draw(3 * size, size, seed=2)
    biases = [draw(3 * size, seed=seed) if biased else None for seed in (3, 4)]
    args = draw(total, features, seed=0), *weights, *biases, draw(batch, size, seed=5), times
    expected = plain.gru(*wide(args))
    pulls = draw(total, size, seed=6), draw(batch, size, seed=7)
    back = *pulls, weights[1], *(x.astype(np.float32) for x in expected[2:]), draw(total, size, seed=8), times
    derivatives = plain.gru_backward(*wide(back))
    monkeypatch.setattr(plain, "gru", None)  # only the kernels may run, not what they replace
    monkeypatch.setattr(plain, "gru_backward", None)
    check(recurrent.gru(*args), expected)
    check(recurrent.gru_backward(*back), derivatives)
    np.testing.assert_array_equal(args[5], draw(batch, size, seed=5))  # arguments are unchanged
    np.testing.assert_array_equal(pulls[1], draw(batch, size, seed=7))


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("sizes", "features", "size"), SEQUENCES)
def test_the_backward_of_elman_networks(sizes, features, size, reverse, relu, threads, monkeypatch):
    total, batch, times = sum(sizes), max(sizes), time_steps(sizes, reverse)
    args = draw(total, size, seed=0), draw(batch, size, seed=1), draw(size, size, seed=2), draw(total, size, seed=3)
    expected = plain.rnn_backward(*wide(args), relu, times)
    monkeypatch.setattr(plain, "rnn_backward", None)
    check(recurrent.rnn_backward(*args, relu, times), expected)


@pytest.mark.parametrize("steps", [1, plain.FEW, plain.FEW + 1])
def test_a_few_steps_copy_no_weight(steps):
    """Copying a weight takes longer than multiplying a row by it, in a network that runs step by step."""
    rows, weight_ih, weight_hh, scale = draw(steps, 6, seed=0), draw(8, 6, seed=1), draw(8, 2, seed=2), draw(8, seed=3)
    gates, across, factors = plain.products(rows, weight_ih, weight_hh, steps, scale)
    np.testing.assert_allclose(gates, rows @ weight_ih.T * scale, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(across if factors is None else across * factors, weight_hh.T * scale)
    assert np.shares_memory(across, weight_hh) == (steps <= plain.FEW)


def test_a_kernel_pays_off_by_the_size_of_the_weights():
    assert recurrent.work_of(draw(1, 4, seed=0), np.empty((2048, 512))) >= 1 << 13
    assert recurrent.work_of(draw(1, 4, seed=0), np.empty((128, 32))) < 1 << 13


def test_a_projection_is_left_to_numpy():
    times = time_steps([3, 3], False)
    arrays = [draw(6, 2, seed=0), draw(16, 2, seed=1), draw(16, 3, seed=2), draw(16, seed=3), draw(3, 4, seed=4)]
    states = draw(3, 3, seed=5), draw(3, 4, seed=6)
    for one, other in zip(recurrent.lstm(*arrays, *states, times), plain.lstm(*arrays, *states, times), strict=True):
        np.testing.assert_array_equal(one, other)
