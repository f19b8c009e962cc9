"""Window functions, those of torch.signal.windows and those of the torch namespace."""

import importlib

import numpy as np
import pytest

OLD = {
    "bartlett_window": lambda x: 1 - np.abs(x),
    "blackman_window": lambda x: 0.42 + 0.5 * np.cos(np.pi * x) + 0.08 * np.cos(2 * np.pi * x),
    "hamming_window": lambda x: 0.54 + 0.46 * np.cos(np.pi * x),
    "hann_window": lambda x: 0.5 + 0.5 * np.cos(np.pi * x),
    "kaiser_window": lambda x: np.i0(12 * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(12.0),
}
# From -1 to 1, the middle at 0; those in units of points have the distance from it beside.
NEW = {
    "bartlett": ({}, lambda x, n: 1 - np.abs(x)),
    "blackman": ({}, lambda x, n: 0.42 + 0.5 * np.cos(np.pi * x) + 0.08 * np.cos(2 * np.pi * x)),
    "exponential": ({"tau": 2.5}, lambda x, n: np.exp(-np.abs(n) / 2.5)),
    "gaussian": ({"std": 1.5}, lambda x, n: np.exp(-0.5 * (n / 1.5) ** 2)),
    "general_cosine": ({"a": [0.4, 0.3, 0.2, 0.1]}, lambda x, n: 0.4 + sum(
        weight * np.cos(each * np.pi * x) for each, weight in ((1, 0.3), (2, 0.2), (3, 0.1)))),
    "general_hamming": ({"alpha": 0.7}, lambda x, n: 0.7 + 0.3 * np.cos(np.pi * x)),
    "hamming": ({}, lambda x, n: 0.54 + 0.46 * np.cos(np.pi * x)),
    "hann": ({}, lambda x, n: 0.5 + 0.5 * np.cos(np.pi * x)),
    "kaiser": ({"beta": 5.0}, lambda x, n: np.i0(5 * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(5.0)),
    "nuttall": ({}, lambda x, n: 0.3635819 + sum(weight * np.cos(each * np.pi * x) for each, weight in
                                                 ((1, 0.4891775), (2, 0.1365995), (3, 0.0106411)))),
}  # fmt: skip


@pytest.fixture
def windows(torch):
    return importlib.import_module(f"{torch.__name__}.signal.windows")


def points(size, symmetric):
    """The places of points from -1 to 1, and their distances from the middle."""
    span = size if symmetric else size + 1
    distance = np.arange(size) - (span - 1) / 2
    return 2 * distance / (span - 1), distance


@pytest.mark.parametrize("name", OLD)
@pytest.mark.parametrize("size", [2, 5, 8])
@pytest.mark.parametrize("periodic", [True, False])
def test_windows_of_the_torch_namespace(torch, name, size, periodic):
    expected = OLD[name](points(size, not periodic)[0])
    result = getattr(torch, name)(size, periodic, dtype=torch.float64)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6, atol=1e-12)
    result = getattr(torch, name)(size, periodic=periodic)
    assert result.dtype is torch.float32
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("size", [2, 5, 8])
@pytest.mark.parametrize("symmetric", [True, False])
def test_windows_of_the_signal_namespace(torch, windows, name, size, symmetric):
    options, formula = NEW[name]
    expected = formula(*points(size, symmetric))
    result = getattr(windows, name)(size, sym=symmetric, dtype=torch.float64, **options)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6, atol=1e-12)
    assert getattr(windows, name)(size, sym=symmetric, **options).dtype is torch.float32


def test_the_cosine_window_is_half_a_sine(torch, windows):
    result = windows.cosine(5, dtype=torch.float64)
    np.testing.assert_allclose(result.numpy(), np.sin(np.pi * (np.arange(5) + 0.5) / 5), rtol=1e-12)


def test_parameters_of_the_old_windows(torch):
    np.testing.assert_allclose(torch.hamming_window(4, True, 0.7, 0.2).numpy(), [0.5, 0.7, 0.9, 0.7], rtol=1e-6)
    np.testing.assert_allclose(torch.kaiser_window(2, False, 0.0).numpy(), [1, 1])


@pytest.mark.parametrize("name", OLD)
def test_old_windows_of_no_point_and_of_one(torch, name):
    make = getattr(torch, name)
    assert make(0).tolist() == []
    assert make(1).tolist() == make(1, periodic=False).tolist() == [1.0]
    leaf = make(4, requires_grad=True)
    assert (leaf.requires_grad, leaf.is_leaf) == (True, True)
    assert make(3, device="meta").shape == (3,)
    assert make(3, dtype=torch.bfloat16).dtype is torch.bfloat16


@pytest.mark.parametrize("name", [*NEW, "cosine"])
def test_new_windows_of_no_point_and_of_one(torch, windows, name):
    options = NEW.get(name, ({},))[0]
    make = getattr(windows, name)
    assert make(0, **options).tolist() == []
    np.testing.assert_allclose(make(1, **options).numpy(), [1.0], rtol=1e-6)
    np.testing.assert_allclose(make(1, sym=False, **options).numpy(), [1.0], rtol=1e-6)
    assert make(3, device="meta", **options).shape == (3,)
    # The points are the leaf, and the window is a function of it.
    recorded = make(4, requires_grad=True, **options)
    assert (recorded.requires_grad, recorded.is_leaf) == (True, False)


def test_new_windows_have_the_default_dtype(torch, windows):
    torch.set_default_dtype(torch.float64)
    try:
        assert windows.hann(3).dtype is torch.hann_window(3).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


REFUSED = [
    (lambda t, w: t.hann_window(-1), RuntimeError, "hann_window requires non-negative window_length, got window_"),
    (lambda t, w: t.hann_window(2.5), TypeError, "hann_window(): argument 'window_length' (position 1) must be int,"),
    (
        lambda t, w: t.kaiser_window(4, 1),
        TypeError,
        "kaiser_window() received an invalid combination of arguments - got (int, int), but expected one of:",
    ),
    (
        lambda t, w: t.blackman_window(4, dtype=t.int64),
        RuntimeError,
        "blackman_window expects floating point dtypes, got: TensorOptions(dtype=long int, device=cpu, layout=Strided "
        "(default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))",
    ),
    (lambda t, w: t.hann_window(4, dtype=t.complex64), NotImplementedError, '"arange_cpu" not implemented for '),
    (lambda t, w: w.gaussian(-1), ValueError, "gaussian requires non-negative window length, got M=-1"),
    (lambda t, w: w.hann(-1), ValueError, "general_cosine requires non-negative window length, got M=-1"),
    (lambda t, w: w.blackman(4, dtype=t.float16), ValueError, "blackman expects float32 or float64 dtypes, got: torch"),
    (lambda t, w: w.kaiser(4, layout=3), ValueError, "kaiser is implemented for strided tensors only, got: 3"),
    (lambda t, w: w.kaiser(4, beta=-1), ValueError, "beta must be non-negative, got: -1 instead."),
    (lambda t, w: w.gaussian(4, std=0), ValueError, "Standard deviation must be positive, got: 0 instead."),
    (lambda t, w: w.exponential(4, tau=0), ValueError, "Tau must be positive, got: 0 instead."),
    (lambda t, w: w.exponential(4, center=1.0), ValueError, "Center must be None for symmetric windows"),
    (lambda t, w: w.general_cosine(4, a=[]), ValueError, "Coefficients cannot be empty"),
    (lambda t, w: w.general_cosine(4, a=3), TypeError, "Coefficients must be a list/tuple"),
    (lambda t, w: w.bartlett(4.5), TypeError, ""),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=[words[:40] for *_, words in REFUSED])
def test_refusals(torch, windows, call, error, words):
    with pytest.raises(error) as caught:
        call(torch, windows)
    assert str(caught.value).startswith(words)
