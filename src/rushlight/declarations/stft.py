"""The short-time Fourier transform, of overlapping windows of a signal, and its inverse.

https://docs.pytorch.org/docs/stable/generated/torch.stft.html; the inverse is that of D. Griffin and J. Lim, Signal
estimation from modified short-time Fourier transform, IEEE Transactions on Acoustics, Speech, and Signal Processing
32 (1984), equation 6: the sum of the windows again, each windowed once more, over the sum of the squared windows.
"""

from __future__ import annotations

import warnings

from rushlight.core.dtype import COMPLEX
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.core.traced import every_sample
from rushlight.declarations.checks import stft as checks
from rushlight.declarations.checks.arguments import not_a_tensor
from rushlight.declarations.declare import composite
from rushlight.declarations.dtype_rules import type_of
from rushlight.declarations.shapes import as_int, wrap_dim

SMALLEST = 1e-11  # the least sum of squared windows to divide by


# ---- what both say of their arguments


def shown(value) -> str:
    """An argument as those messages show it."""
    if isinstance(value, bool):
        return str(int(value))
    return f"{type_of(value)}{{{list(value.shape)}}}" if hasattr(value, "shape") else str(value)


def called(name: str, input, **arguments) -> str:
    """A call as those messages begin with it."""
    listed = ", ".join(f"{each}={shown(value)}" for each, value in arguments.items())
    return f"{name}({type_of(input)}{list(input.shape)}, {listed})"


def steps(name: str, n_fft, hop_length, win_length) -> tuple[int, int, int]:
    """The lengths of a transform, of a step and of a window: a quarter and the whole of the first unless given."""
    n_fft = as_int(name, "n_fft", n_fft, " (position 2)")
    hop_length = n_fft // 4 if hop_length is None else as_int(name, "hop_length", hop_length)
    return n_fft, hop_length, n_fft if win_length is None else as_int(name, "win_length", win_length)


def is_complex(tensor) -> bool:
    """Returns whether a tensor is complex; False for None."""
    return tensor is not None and tensor.dtype.category == COMPLEX


def check_onesided(onesided: bool, complex_anyway: bool) -> bool:
    """Raises if half a spectrum is wanted of complex numbers."""
    if onesided and complex_anyway:
        raise noted(
            RuntimeError("Cannot have onesided output if window or input is complex"),
            "The transform of a complex signal has no redundant half: onesided=False.",
        )
    return onesided


def rectangle(F, like, length: int):
    """The window that leaves everything as it is."""
    return F.new_zeros_of(like, (length,)) + 1


def warn(words: str) -> None:
    """Warns where `stft` or its inverse is called: three functions above a helper of theirs."""
    warnings.warn(words, UserWarning, stacklevel=5)


def around(n_fft: int, win_length: int) -> tuple[int, int]:
    """Returns the number of elements of a transform before its window, and after it."""
    before = (n_fft - win_length) // 2
    return before, n_fft - win_length - before


def whole_window(F, window, n_fft: int, win_length: int):
    """A window with zeros on both sides, as long as the transform."""
    return F.constant_pad_nd(window, around(n_fft, win_length)) if win_length < n_fft else window


# ---- there


def check_window_there(input, window) -> None:
    """Raises unless a window is where the signal is; warns where there is none."""
    if window is None:
        warn(
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
            "Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral "
            f"leakage.{checks.WITHOUT_WARNING}"
        )
    elif window.device != input.device:
        raise noted(
            RuntimeError(
                "stft input and window must be on the same device but got self on "
                f"{input.device} and window on {window.device}"
            ),
            "Move the window to the signal: window.to(input.device).",
        )


def check_return_complex(return_complex, complex_anyway: bool) -> bool:
    """Whether the result is complex. Raises if it is not said where it has to be, warns where it is not."""
    if return_complex is None and not complex_anyway:
        raise noted(
            RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            ),
            "Pass return_complex=True; torch.view_as_real turns the result into pairs of real numbers.",
        )
    if return_complex or return_complex is None:
        return True
    warn(
        "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors "
        "for all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on "
        "the complex output to recover the old return format."
    )
    return False


def padded_signal(F, input, n_fft: int, mode: str):
    """A signal continued by half a window on either side."""
    rank, shape = input.dim(), tuple(input.shape)
    channels = F.view(input, (1,) * (3 - rank) + shape)  # (batch, channels, time)
    channels = F.pad(channels, (n_fft // 2, n_fft // 2), mode)
    return F.view(channels, tuple(channels.shape)[channels.ndim - rank :])


SIGNALS = lambda r: [
    (r(12), 4, {"window": r(4), "return_complex": True}),
    (r(2, 12), 5, 2, 3, r(3), {"return_complex": True, "normalized": True}),
    (r(2, 9), 4, {"window": r(4), "center": False, "onesided": False, "return_complex": True}),
    (r(9), 6, {"hop_length": 2, "win_length": 4, "window": r(4), "center": False, "align_to_window": True,
               "return_complex": True}),
    (r(8), 4, {"window": r(4), "pad_mode": "constant", "return_complex": True}),
]  # fmt: skip


@composite(samples=SIGNALS)
def stft(
    F, input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
    onesided=None, return_complex=None, align_to_window=None,
):  # fmt: skip
    """The Fourier transforms of windows of `n_fft` elements, `hop_length` apart: (batch, frequency, window).

    With `center`, the middle of each window is at a multiple of `hop_length`, and the signal is padded by half a window
    for that. Real signals have half a spectrum unless `onesided` is False.
    """
    checks.check_stft_alignment(center, align_to_window)
    checks.check_window("stft", window)
    n_fft, hop_length, win_length = steps("stft", n_fft, hop_length, win_length)
    input = padded_signal(F, input, n_fft, pad_mode) if center else input
    check_window_there(input, window)
    complex_anyway = is_complex(input) or is_complex(window)
    as_complex = check_return_complex(return_complex, complex_anyway)
    words = called(
        "stft", input, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window, normalized=normalized,
        onesided=onesided, return_complex=return_complex, align_to_window=align_to_window,
    )  # fmt: skip
    checks.check_signal(words, input, n_fft, hop_length, win_length, window)
    onesided = check_onesided(not complex_anyway if onesided is None else onesided, complex_anyway)
    signal = F.unsqueeze(input, 0) if input.ndim == 1 else input
    if align_to_window:
        signal = F.constant_pad_nd(signal, around(n_fft, win_length))
    frames = windowed(F, signal, n_fft, hop_length, win_length, window)
    scale = int(normalized)
    result = F.fft_c2c(frames, (2,), scale, True) if complex_anyway else F.fft_r2c(frames, (2,), scale, onesided)
    result = F.transpose(result, 1, 2)  # (batch, frequency, window)
    result = F.squeeze(result, 0) if input.ndim == 1 else result
    return result if as_complex else F.view_as_real(result)


def windowed(F, signal, n_fft: int, hop_length: int, win_length: int, window):
    """The windows of a signal, each times the window function."""
    frames = F.windows(signal, 1, n_fft, hop_length)  # (batch, window, n_fft)
    if window is None and win_length < n_fft:
        window = rectangle(F, signal, win_length)
    return frames if window is None else frames * whole_window(F, window, n_fft, win_length)


# ---- and back


def inverse_window(F, words: str, input, n_fft: int, win_length: int, window):
    """The window of an inverse, as long as the transform; a rectangle if there is none."""
    if window is None:
        warn(
            "A window was not provided. A rectangular window will be applied.Please provide the same window used by "
            f"stft to make the inversion lossless.{checks.WITHOUT_WARNING}"
        )
        window = rectangle(F, F.real(input), win_length)
    if tuple(window.shape) != (win_length,):
        raise RuntimeError(f"{words} : Invalid window shape. window has to be 1D and length of `win_length`")
    return whole_window(F, window, n_fft, win_length)


def frames_of(F, spectrum, n_fft: int, scale: int, *, onesided: bool, as_complex: bool, window):
    """The windows that have the transforms given: (batch, window, n_fft)."""
    if as_complex:
        check_onesided(onesided, True)
        return F.fft_c2c(spectrum, (2,), scale, False)
    if is_complex(window):
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    half = spectrum if onesided else F.narrow(spectrum, 2, 0, n_fft // 2 + 1)
    return F.fft_c2r(half, (2,), scale, n_fft)


def overlapped(F, words: str, frames, window, hop_length: int, start: int, end: int):
    """The sum of windows where they overlap, from one element up to another, over that of the squared windows."""
    batch, count, n_fft = frames.shape
    total = hop_length * (count - 1) + n_fft
    inside = lambda sums: F.narrow(sums, 1, start, max(min(end, total) - start, 0))
    signal = inside(F.add_windows(frames * window, (batch, total), 1, hop_length))
    weight = inside(F.add_windows(F.expand(F.pow(window, 2), (1, count, n_fft)), (1, total), 1, hop_length))
    if F.min(F.abs(every_sample(weight))) < SMALLEST:
        raise noted(
            RuntimeError(f"{words} window overlap add min: 1"),
            "At some position all overlapping windows are 0, so the signal cannot be restored there.",
        )
    return signal / weight


def check_complex(input) -> None:
    """Raises unless a spectrum is complex."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("istft", input)
    if not is_complex(input):
        raise noted(
            RuntimeError(
                "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
            ),
            "Pairs of real numbers become complex ones by torch.view_as_complex(input).",
        )


SPECTRA = lambda r: [
    (r(3, 5) * (2 + 1j), 4, {"window": r.positive(4)}),
    (r(2, 3, 4) * (2 + 1j), 5, 2, 4, r.positive(4), {"normalized": True}),
    (r(4, 4) * (2 + 1j), 4, {"window": r.positive(4), "center": False, "return_complex": True, "onesided": False}),
    (r(4, 4) * (2 + 1j), 4, {"window": r.positive(4), "length": 5}),
]


@composite(samples=SPECTRA)
def istft(
    F, input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
    length=None, return_complex=False,
):  # fmt: skip
    """The inverse of `stft`: the signal whose windows come nearest, in least squares, to having the transforms given.

    `length` is that of the signal, whose end `stft` may have left out.
    """
    check_complex(input)
    checks.check_window("istft", window)
    n_fft, hop_length, win_length = steps("istft", n_fft, hop_length, win_length)
    words = called(
        "istft", input, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window, center=center,
        normalized=normalized, onesided=onesided, length=length, return_complex=return_complex,
    )  # fmt: skip
    frequencies = input.shape[wrap_dim(-3, input.ndim + 1)]
    checks.check_spectrum(words, input)
    onesided = frequencies != n_fft if onesided is None else onesided
    checks.check_frequencies(words, frequencies, n_fft, onesided)
    checks.check_steps(words, n_fft, hop_length, win_length)
    window = inverse_window(F, words, input, n_fft, win_length, window)
    spectrum = F.transpose(input if input.ndim == 3 else F.unsqueeze(input, 0), 1, 2)  # (batch, window, frequency)
    scale = 1 if normalized else 2
    frames = frames_of(F, spectrum, n_fft, scale, onesided=onesided, as_complex=return_complex, window=window)
    total, start = n_fft + hop_length * (frames.shape[1] - 1), n_fft // 2 if center else 0
    end = start + length if length is not None else total - start
    signal = overlapped(F, words, frames, window, hop_length, start, end)
    signal = signal if input.ndim == 3 else F.squeeze(signal, 0)
    return continued(F, signal, end - total) if end > total else signal


def continued(F, signal, number: int):
    """A signal with zeros at its end."""
    warn(
        "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
        "Please check your center and hop_length settings."
    )
    return F.constant_pad_nd(signal, (0, number))
