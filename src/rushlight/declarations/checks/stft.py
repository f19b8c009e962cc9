"""Checks of `stft.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import FLOAT
from rushlight.core.errors import noted, type_name
from rushlight.core.tensor import Tensor

WITHOUT_WARNING = (
    "To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)


def check_window(name: str, window) -> None:
    """Raises TypeError unless a window is a tensor or None."""
    if window is not None and not isinstance(window, Tensor):
        raise noted(
            TypeError(f"{name}(): argument 'window' (position 5) must be Tensor, not {type_name(window)}"),
            "Make it a tensor first: window=torch.as_tensor(window).",
        )


def check_signal(words: str, input, n_fft: int, hop_length: int, win_length: int, window) -> None:
    """Raises unless a signal can be taken apart like that."""
    if input.dtype.category < FLOAT:
        raise noted(
            RuntimeError(f"{words} : expected a tensor of floating point or complex values"),
            "Convert integers to floating point first: input.float().",
        )
    if input.ndim not in (1, 2):
        raise noted(
            RuntimeError(f"{words} : expected a 1D or 2D tensor"),
            "A signal is (time,) or (batch, time): input.flatten(0, -2) makes one batch of all others.",
        )
    length = input.shape[-1]
    if not 0 < n_fft <= length:
        # PyTorch names the length of the window here.
        raise noted(
            RuntimeError(f"{words} : expected 0 < n_fft < {length}, but got n_fft={win_length}"),
            f"n_fft={n_fft} must not exceed the length of the signal, padding included.",
        )
    if hop_length <= 0:
        raise RuntimeError(f"{words} : expected hop_length > 0, but got hop_length={hop_length}")
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{words} : expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and tuple(window.shape) != (win_length,):
        raise RuntimeError(
            f"{words} : expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
            f"{list(window.shape)}"
        )


def check_spectrum(words: str, input) -> None:
    """Raises unless there are frequencies and windows."""
    if not input.numel():
        raise RuntimeError(f"{words} : input tensor cannot be empty.")
    if input.ndim not in (2, 3):
        # The parts of the complex numbers count as a dimension.
        raise noted(
            RuntimeError(f"{words} : expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}"),
            "A spectrum is (frequency, window) or (batch, frequency, window), and complex.",
        )


def check_frequencies(words: str, found: int, n_fft: int, onesided: bool) -> None:
    """Raises unless there are as many frequencies as a window has."""
    if onesided and found != n_fft // 2 + 1:
        raise RuntimeError(
            f"{words} : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 "
            f"when onesided=True, but got {found}"
        )
    if not onesided and found != n_fft:
        raise RuntimeError(
            f"{words} : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
            f"onesided=False, but got {found}"
        )


def check_steps(words: str, n_fft: int, hop_length: int, win_length: int) -> None:
    """Raises unless the windows cover the signal."""
    if not 0 < hop_length <= win_length:
        raise noted(
            RuntimeError(f"{words} : expected 0 < hop_length <= win_length"),
            "The hop is longer than the window, so parts of the signal are in no window.",
        )
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{words} : expected 0 < win_length <= n_fft")


def check_stft_alignment(center, align_to_window) -> None:
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
