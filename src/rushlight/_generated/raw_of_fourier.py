"""Written by `python -m rushlight.dispatch.generate` from the declarations in `declarations/`: do not edit."""

import rushlight.arrays.cpu as xp
from rushlight.declarations import library
from rushlight.declarations.declare import OPS

import rushlight._generated.raw as F

library.load('fourier')

xp_fourier = xp.fourier
xp_fourier_from_half = xp.fourier_from_half
xp_fourier_half = xp.fourier_half
xp_scaled_pairs = xp.scaled_pairs
forward_fft_fft = OPS['fft_fft'].forward
forward_fft_fft2 = OPS['fft_fft2'].forward
forward_fft_fftn = OPS['fft_fftn'].forward
forward_fft_fftshift = OPS['fft_fftshift'].forward
forward_fft_hfft = OPS['fft_hfft'].forward
forward_fft_hfft2 = OPS['fft_hfft2'].forward
forward_fft_hfftn = OPS['fft_hfftn'].forward
forward_fft_ifft = OPS['fft_ifft'].forward
forward_fft_ifft2 = OPS['fft_ifft2'].forward
forward_fft_ifftn = OPS['fft_ifftn'].forward
forward_fft_ifftshift = OPS['fft_ifftshift'].forward
forward_fft_ihfft = OPS['fft_ihfft'].forward
forward_fft_ihfft2 = OPS['fft_ihfft2'].forward
forward_fft_ihfftn = OPS['fft_ihfftn'].forward
forward_fft_irfft = OPS['fft_irfft'].forward
forward_fft_irfft2 = OPS['fft_irfft2'].forward
forward_fft_irfftn = OPS['fft_irfftn'].forward
forward_fft_rfft = OPS['fft_rfft'].forward
forward_fft_rfft2 = OPS['fft_rfft2'].forward
forward_fft_rfftn = OPS['fft_rfftn'].forward
forward_istft = OPS['istft'].forward
forward_stft = OPS['stft'].forward


def fft_c2c(input, dim, normalization, forward):
    return xp_fourier(input, dim, normalization, forward)


def fft_c2r(input, dim, normalization, last_dim_size):
    return xp_fourier_from_half(input, dim, normalization, last_dim_size)


def fft_fft(input, n=None, dim=-1, norm=None):
    return forward_fft_fft(F, input, n, dim, norm)


def fft_fft2(input, s=None, dim=(-2, -1), norm=None):
    return forward_fft_fft2(F, input, s, dim, norm)


def fft_fftn(input, s=None, dim=None, norm=None):
    return forward_fft_fftn(F, input, s, dim, norm)


def fft_fftshift(input, dim=None):
    return forward_fft_fftshift(F, input, dim)


def fft_hfft(input, n=None, dim=-1, norm=None):
    return forward_fft_hfft(F, input, n, dim, norm)


def fft_hfft2(input, s=None, dim=(-2, -1), norm=None):
    return forward_fft_hfft2(F, input, s, dim, norm)


def fft_hfftn(input, s=None, dim=None, norm=None):
    return forward_fft_hfftn(F, input, s, dim, norm)


def fft_ifft(input, n=None, dim=-1, norm=None):
    return forward_fft_ifft(F, input, n, dim, norm)


def fft_ifft2(input, s=None, dim=(-2, -1), norm=None):
    return forward_fft_ifft2(F, input, s, dim, norm)


def fft_ifftn(input, s=None, dim=None, norm=None):
    return forward_fft_ifftn(F, input, s, dim, norm)


def fft_ifftshift(input, dim=None):
    return forward_fft_ifftshift(F, input, dim)


def fft_ihfft(input, n=None, dim=-1, norm=None):
    return forward_fft_ihfft(F, input, n, dim, norm)


def fft_ihfft2(input, s=None, dim=(-2, -1), norm=None):
    return forward_fft_ihfft2(F, input, s, dim, norm)


def fft_ihfftn(input, s=None, dim=None, norm=None):
    return forward_fft_ihfftn(F, input, s, dim, norm)


def fft_irfft(input, n=None, dim=-1, norm=None):
    return forward_fft_irfft(F, input, n, dim, norm)


def fft_irfft2(input, s=None, dim=(-2, -1), norm=None):
    return forward_fft_irfft2(F, input, s, dim, norm)


def fft_irfftn(input, s=None, dim=None, norm=None):
    return forward_fft_irfftn(F, input, s, dim, norm)


def fft_pairs(input, dim, size, factor):
    return xp_scaled_pairs(input, dim, size, factor)


def fft_r2c(input, dim, normalization, onesided):
    return xp_fourier_half(input, dim, normalization) if onesided else xp_fourier(input, dim, normalization)


def fft_rfft(input, n=None, dim=-1, norm=None):
    return forward_fft_rfft(F, input, n, dim, norm)


def fft_rfft2(input, s=None, dim=(-2, -1), norm=None):
    return forward_fft_rfft2(F, input, s, dim, norm)


def fft_rfftn(input, s=None, dim=None, norm=None):
    return forward_fft_rfftn(F, input, s, dim, norm)


def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None, return_complex=False):
    return forward_istft(F, input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', normalized=False, onesided=None, return_complex=None, align_to_window=None):
    return forward_stft(F, input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window)
