"""`torch.fft`: discrete Fourier transforms."""

from rushlight._generated.names_of_fft import *  # noqa: F403
