"""The short-time Fourier transform and its inverse: values, shapes, warnings and refusals."""

import numpy as np
import pytest


def signal(torch, *shape):
    return torch.tensor(np.random.default_rng(0).standard_normal(shape))


def window(torch, size):
    return torch.hann_window(size, dtype=torch.float64)


def test_each_column_is_the_transform_of_a_window(torch):
    x, w = signal(torch, 30), window(torch, 8)
    result = torch.stft(x, 8, 3, window=w, center=False, return_complex=True)
    assert result.shape == (5, 8)
    for place in range(8):
        part = x[3 * place : 3 * place + 8]
        np.testing.assert_allclose(result[:, place].numpy(), np.fft.rfft((part * w).numpy()), atol=1e-12)


def test_a_short_window_lies_in_the_middle_of_the_transform(torch):
    x, w = signal(torch, 2, 30), window(torch, 5)
    whole = torch.cat([torch.zeros(1, dtype=torch.float64), w, torch.zeros(2, dtype=torch.float64)])
    result = torch.stft(x, 8, 2, 5, w, return_complex=True)
    assert result.tolist() == torch.stft(x, 8, 2, 8, whole, return_complex=True).tolist()
    assert result.shape == (2, 5, 16)


@pytest.mark.parametrize("win_length", [4, 5])
def test_the_first_window_may_begin_where_the_signal_does(torch, win_length):
    x, w = signal(torch, 20), torch.ones(win_length, dtype=torch.float64)
    options = dict(hop_length=1, win_length=win_length, window=w, center=False, return_complex=True)
    if torch.__name__ == "torch" and win_length == 5:
        # It pads by the same number on both sides, which is one too few: docs/what-differs.md
        with pytest.raises(RuntimeError, match="out of bounds for storage"):
            torch.stft(x, 8, align_to_window=True, **options)
        return
    result = torch.stft(x, 8, align_to_window=True, **options)
    assert result.shape == (5, 21 - win_length)
    np.testing.assert_allclose(result[0].numpy(), x.unfold(0, win_length, 1).sum(1).numpy(), atol=1e-12)


def test_windows_of_one_element_are_the_signal(torch):
    x, w = signal(torch, 6), torch.ones(1, dtype=torch.float64)
    spectrum = torch.stft(x, 1, 1, window=w, return_complex=True)
    assert torch.istft(spectrum, 1, 1, window=w, length=6).tolist() == x.tolist()
    if torch.__name__ != "torch":
        # PyTorch leaves out the last 0 elements by slicing up to -0: docs/what-differs.md
        assert torch.istft(spectrum, 1, 1, window=w).tolist() == x.tolist()


def test_without_a_window_all_elements_count(torch):
    x = signal(torch, 20)
    ones = torch.ones(8, dtype=torch.float64)
    results = [torch.stft(x, 8, window=each, return_complex=True) for each in (ones, torch.ones(8))]
    assert results[0].tolist() == results[1].tolist()


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("onesided", [False, True])
def test_the_inverse_undoes_it(torch, normalized, center, onesided):
    x, w = signal(torch, 2, 32), torch.hamming_window(8, dtype=torch.float64)
    options = dict(window=w, normalized=normalized, center=center, onesided=onesided)
    spectrum = torch.stft(x, 8, 4, return_complex=True, **options)
    result = torch.istft(spectrum, 8, 4, **options)
    np.testing.assert_allclose(result.numpy(), x.numpy(), atol=1e-12)


def test_complex_signals_have_whole_spectra_and_come_back(torch):
    x, w = torch.complex(signal(torch, 24), signal(torch, 24).flip(0)), torch.hamming_window(6, dtype=torch.float64)
    spectrum = x.stft(6, 2, window=w)
    assert spectrum.shape == (6, 13)
    result = spectrum.istft(6, 2, window=w, onesided=False, return_complex=True)
    np.testing.assert_allclose(result.numpy(), x.numpy(), atol=1e-12)


def test_a_given_length_is_that_of_the_signal(torch):
    x, w = signal(torch, 23), torch.ones(8, dtype=torch.float64)
    spectrum = torch.stft(x, 8, 4, window=w, return_complex=True)
    assert torch.istft(spectrum, 8, 4, window=w).shape == (20,)
    np.testing.assert_allclose(torch.istft(spectrum, 8, 4, window=w, length=23).numpy(), x.numpy(), atol=1e-12)


def test_dtypes_of_signal_and_window_are_promoted(torch):
    x = signal(torch, 20).float()
    assert torch.stft(x, 8, window=torch.ones(8), return_complex=True).dtype is torch.complex64
    assert torch.stft(x, 8, window=window(torch, 8), return_complex=True).dtype is torch.complex128
    assert torch.stft(x, 8, window=torch.ones(8) + 0j).shape == (8, 11)


def test_pairs_of_real_numbers_are_deprecated(torch):
    x, w = signal(torch, 20), window(torch, 8)
    with pytest.warns(UserWarning, match="stft with return_complex=False is deprecated"):
        pairs = torch.stft(x, 8, window=w, return_complex=False)
    assert pairs.tolist() == torch.view_as_real(torch.stft(x, 8, window=w, return_complex=True)).tolist()


CALL = "n_fft={}, hop_length={}, win_length={}, window=torch.DoubleTensor{{[8]}}"
REFUSED = [
    (lambda t, x, w: t.stft(x, 8, window=w), RuntimeError, "stft requires the return_complex parameter be given"),
    (
        lambda t, x, w: t.stft(x, 8, window=w, align_to_window=True),
        RuntimeError,
        "stft align_to_window should only be set when center = false",
    ),
    (
        lambda t, x, w: t.stft(x + 0j, 8, window=w, onesided=True),
        RuntimeError,
        "Cannot have onesided output if window or input is complex",
    ),
    (lambda t, x, w: t.stft(x, 8, window=w, pad_mode="bad"), NotImplementedError, "Unrecognised padding mode bad"),
    (
        lambda t, x, w: t.stft(x.long(), 8, window=w, center=False, return_complex=True),
        RuntimeError,
        f"stft(torch.LongTensor[20], {CALL.format(8, 2, 8)}, normalized=0, onesided=None, return_complex=1, "
        "align_to_window=None) : expected a tensor of floating point or complex values",
    ),
    (
        lambda t, x, w: t.stft(x.view(1, 1, 20), 8, window=w, center=False, return_complex=True),
        RuntimeError,
        f"stft(torch.DoubleTensor[1, 1, 20], {CALL.format(8, 2, 8)}, normalized=0, onesided=None, return_complex=1, "
        "align_to_window=None) : expected a 1D or 2D tensor",
    ),
    (lambda t, x, w: t.stft(x, 21, 1, 8, w, False, return_complex=True), RuntimeError, "expected 0 < n_fft < 20, but"),
    (lambda t, x, w: t.stft(x, 8, 0, window=w, return_complex=True), RuntimeError, "expected hop_length > 0, but got"),
    (lambda t, x, w: t.stft(x, 4, 1, 8, w, return_complex=True), RuntimeError, "expected 0 < win_length <= n_fft, but"),
    (
        lambda t, x, w: t.stft(x, 8, win_length=7, window=w, return_complex=True),
        RuntimeError,
        "expected a 1D window tensor of size equal to win_length=7, but got window with size [8]",
    ),
    (lambda t, x, w: t.stft(x, 8.0, window=w, center=False), TypeError, "stft()"),
    (
        lambda t, x, w: t.istft(x, 8, window=w),
        RuntimeError,
        "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.",
    ),
    (lambda t, x, w: t.stft(x, 8, window=[1.0] * 8, return_complex=True), TypeError, "stft()"),
    (lambda t, x, w: t.istft(t.zeros(5, 3) + 0j, 8, window=[1.0] * 8), TypeError, "istft(): argument 'window'"),
    (lambda t, x, w: t.istft([1j], 8), TypeError, "istft(): argument 'input' (position 1) must be Tensor, not list"),
    (lambda t, x, w: t.istft(x + 0j, 8, window=w), IndexError, "Dimension out of range (expected to be in range of"),
    (
        lambda t, x, w: t.istft(t.zeros(4, 3) + 0j, 8, window=w),
        RuntimeError,
        f"istft(CPUComplexFloatType[4, 3], {CALL.format(8, 2, 8)}, center=1, normalized=0, onesided=None, length=None, "
        "return_complex=0) : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 "
        "+ 1 when onesided=True, but got 4",
    ),
    (
        lambda t, x, w: t.istft(t.zeros(5, 3) + 0j, 8, window=w, onesided=False),
        RuntimeError,
        "of the input tensor to match n_fft when onesided=False, but got 5",
    ),
    (lambda t, x, w: t.istft(t.zeros(5, 0) + 0j, 8, window=w), RuntimeError, "input tensor cannot be empty."),
    (
        lambda t, x, w: t.istft(t.zeros(1, 1, 5, 3) + 0j, 8, window=w),
        RuntimeError,
        "expected a tensor with 3 or 4 dimensions, but got 5",
    ),
    (
        lambda t, x, w: t.istft(t.zeros(5, 3) + 0j, 8, 9, window=w),
        RuntimeError,
        "expected 0 < hop_length <= win_length",
    ),
    (lambda t, x, w: t.istft(t.zeros(5, 3) + 0j, 8, window=w[1:]), RuntimeError, "window has to be 1D and length of"),
    (
        lambda t, x, w: t.istft(t.zeros(5, 3) + 0j, 8, window=w, return_complex=True),
        RuntimeError,
        "Cannot have onesided output if window or input is complex",
    ),
    (
        lambda t, x, w: t.istft(t.zeros(5, 3) + 0j, 8, window=w + 0j),
        RuntimeError,
        "Complex windows are incompatible with return_complex=False",
    ),
    (
        lambda t, x, w: t.istft(t.zeros(5, 3) + 0j, 8, window=w, center=False),
        RuntimeError,
        "return_complex=0) window overlap add min: 1",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=[words[-40:] for *_, words in REFUSED])
def test_refusals(torch, call, error, words):
    with pytest.raises(error) as caught:
        call(torch, signal(torch, 20), window(torch, 8))
    assert words in str(caught.value).split("\n")[0]
