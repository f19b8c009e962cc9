"""Discrete Fourier transforms: three primitives, and the functions of `torch.fft` built on them.

The coefficients of real input are conjugate pairs, and the functions with an `r` omit the second of each
pair: along the last dimension they have `n // 2 + 1` of `n`. https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import BY_NUMPY, COMPLEX
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks.arguments import not_a_tensor
from rushlight.declarations.checks.fourier import reduced_precision
from rushlight.declarations.declare import composite, face, linear
from rushlight.declarations.fourier_arguments import (
    axis_of,
    check_floats,
    check_points,
    check_real,
    check_some,
    check_two,
    complex_out,
    dims_and_half_sizes,
    dims_and_sizes,
    listed,
    normalization,
    one_dim,
    promoted,
    real_out,
)

# ---- the primitives


def resized(shape: tuple, axis: int, size: int) -> tuple:
    """A shape with another size along one axis."""
    return (*shape[:axis], size, *shape[axis + 1 :])


@linear(internal=True)
class fft_c2c:
    """The coefficients of complex numbers; with `forward=False` the numbers that have those coefficients."""

    def forward(xp, input: Tensor, dim, normalization, forward):
        return xp.fourier(input, dim, normalization, forward)

    def d_input(F, g, dim, normalization, forward):
        return F.fft_c2c(g, dim, normalization, not forward)

    shape = lambda input, dim, normalization, forward: MetaArray(input.shape, input.dtype)
    samples = lambda r: [(r(2, 3) * (2 + 1j), (1,), 0, True), (r(3, 2) * 1j, (1, 0), 1, False), (r() * 1j, (), 0, True)]


face(fft_c2c, node="FftC2CBackward0", refuses=reduced_precision)


@linear(internal=True)
class fft_r2c:
    """The coefficients of real numbers; if `onesided`, half of them along the last of the dimensions."""

    def forward(xp, input: Tensor, dim, normalization, onesided):
        return xp.fourier_half(input, dim, normalization) if onesided else xp.fourier(input, dim, normalization)

    def shape(input, dim, normalization, onesided):
        size = input.shape[dim[-1]]
        size = size // 2 + 1 if onesided else size
        return MetaArray(resized(input.shape, dim[-1], size), BY_NUMPY[input.dtype].to_complex().numpy)

    def d_input(F, g, input_shape, dim, normalization, onesided):
        if not onesided:
            return F.real(F.fft_c2c(g, dim, normalization, False))
        # The inverse counts each pair twice, this one only once.
        size = input_shape[dim[-1]]
        return F.fft_c2r(F.fft_pairs(g, dim[-1], size, 0.5), dim, normalization, size)

    samples = lambda r: [(r(2, 5), (1,), 0, True), (r(4, 3), (1, 0), 1, True), (r(4), (0,), 2, False)]


face(fft_r2c, node="FftR2CBackward0", refuses=reduced_precision)


@linear(internal=True)
class fft_c2r:
    """The real numbers that have the coefficients, of which half are given; `last_dim_size` along the last dimension.

    The imaginary part of a coefficient without a partner is taken for 0.
    """

    def forward(xp, input: Tensor, dim, normalization, last_dim_size):
        return xp.fourier_from_half(input, dim, normalization, last_dim_size)

    def shape(input, dim, normalization, last_dim_size):
        return MetaArray(resized(input.shape, dim[-1], last_dim_size), BY_NUMPY[input.dtype].to_real().numpy)

    def d_input(F, g, dim, normalization, last_dim_size):
        return F.fft_pairs(F.fft_r2c(g, dim, normalization, True), dim[-1], last_dim_size, 2.0)

    samples = lambda r: [
        (r(2, 3) * (2 + 1j), (1,), 0, 5), (r(3, 2) * (2 + 1j), (1, 0), 1, 4), (r(2, 1) * (2 + 1j), (0, 1), 2, 1),
    ]  # fmt: skip


face(fft_c2r, node="FftC2RBackward0", refuses=reduced_precision)


@linear(internal=True)
class fft_pairs:
    """Half the coefficients of `size` real numbers along `dim`, those whose partners are left out times `factor`."""

    def forward(xp, input: Tensor, dim, size, factor):
        return xp.scaled_pairs(input, dim, size, factor)

    def d_input(F, g, dim, size, factor):
        return F.fft_pairs(g, dim, size, factor)

    shape = lambda input, dim, size, factor: MetaArray(input.shape, input.dtype)
    samples = lambda r: [(r(2, 3), 1, 5, 2.0), (r(3, 2), 0, 4, 0.5), (r(1), 0, 1, 2.0)]


# ---- along one dimension


def fitted(F, input, axes: tuple, sizes: tuple):
    """The input cut, or padded with zeros, to certain sizes along some dimensions."""
    padding = [0] * (2 * input.ndim)
    for axis, size in zip(axes, sizes, strict=True):
        if size < input.shape[axis]:
            input = F.narrow(input, axis, 0, size)
        padding[-1 - 2 * axis] = size - input.shape[axis]
    return F.constant_pad_nd(input, padding) if any(padding) else input


def transform_input(F, input, kind, n, axis: int, size: int):
    """Returns the input of a transform along one dimension, cast; `n` is None if the input has that size."""
    check_points(size)
    input = input if input.dtype is kind else F.cast(input, kind.numpy)
    return input if n is None else fitted(F, input, (axis,), (size,))


def transformed(F, name: str, input, n, dim, norm, *, forward: bool):
    """The transform of complex or real numbers along one dimension."""
    kind, scale = promoted(name, input), normalization(name, norm, forward)
    axis, size = one_dim(name, input, n, dim)
    input = transform_input(F, input, kind, n, axis, size)
    if kind.category == COMPLEX:
        return F.fft_c2c(input, (axis,), scale, forward)
    result = F.fft_r2c(input, (axis,), scale, False)
    return result if forward else F.conj(result)


def halved(F, name: str, input, n, dim, norm, *, forward: bool):
    """Half the transform of real numbers along one dimension."""
    check_real(name.removeprefix("fft_"), "real", input)
    kind, scale = promoted(name, input), normalization(name, norm, forward)
    axis, size = one_dim(name, input, n, dim)
    input = transform_input(F, input, kind, n, axis, size)
    result = F.fft_r2c(input, (axis,), scale, True)
    return result if forward else F.conj(result)


def from_half(F, name: str, input, n, dim, norm, *, forward: bool):
    """The real numbers of which half the transform is given, along one dimension."""
    kind, scale = promoted(name, input), normalization(name, norm, forward)
    axis, size = one_dim(name, input, n, dim)
    size = check_points(2 * (size - 1) if n is None else size)
    input = fitted(F, F.cast(input, kind.to_complex().numpy), (axis,), (size // 2 + 1,))
    return F.fft_c2r(F.conj(input) if forward else input, (axis,), scale, size)


ONE = lambda r: [
    (r(2, 5),), (r(4),), (r(1),), (r(2, 5), 3), (r(2, 5), 8), (r(3, 4), None, 0), (r(2, 3, 2), 4, -2),
    (r(4), None, -1, "ortho"), (r(5), None, -1, "forward"), (r(2, 3), 4, 0, "backward"),
]  # fmt: skip
# Fewer than two coefficients do not determine a size.
ONE_HALF = lambda r: [*ONE(r)[:2], *ONE(r)[3:], (r(3), 1), (r(1), 2)]


@composite(samples=ONE)
def fft_fft(F, input, n=None, dim=-1, norm=None):
    """The discrete Fourier transform along one dimension, of `n` elements: the input is cut or padded with zeros.

    `norm` says which transforms divide by `n`: "backward" (only inverse ones), "forward" (only the others), or
    "ortho": both, by its square root.
    """
    return transformed(F, "fft_fft", input, n, dim, norm, forward=True)


face(fft_fft, method=None, out=True, refuses_out=complex_out("fft"))


@composite(samples=ONE)
def fft_ifft(F, input, n=None, dim=-1, norm=None):
    """The inverse of `fft`."""
    return transformed(F, "fft_ifft", input, n, dim, norm, forward=False)


face(fft_ifft, method=None, out=True, refuses_out=complex_out("ifft"))


@composite(samples=ONE)
def fft_rfft(F, input, n=None, dim=-1, norm=None):
    """The first `n // 2 + 1` of the coefficients that `fft` has for real numbers: the others are conjugates of them."""
    return halved(F, "fft_rfft", input, n, dim, norm, forward=True)


face(fft_rfft, method=None, out=True, refuses_out=complex_out("rfft"))


@composite(samples=ONE_HALF)
def fft_irfft(F, input, n=None, dim=-1, norm=None):
    """The inverse of `rfft`: `n` real numbers, `2 * (size - 1)` unless `n` is given."""
    return from_half(F, "fft_irfft", input, n, dim, norm, forward=False)


face(fft_irfft, method=None, out=True, refuses_out=real_out("irfft"))


@composite(samples=ONE_HALF)
def fft_hfft(F, input, n=None, dim=-1, norm=None):
    """The transform, which is real, of numbers that come in conjugate pairs; the first `n // 2 + 1` are given."""
    return from_half(F, "fft_hfft", input, n, dim, norm, forward=True)


face(fft_hfft, method=None, out=True, refuses_out=real_out("hfft"))


@composite(samples=ONE)
def fft_ihfft(F, input, n=None, dim=-1, norm=None):
    """The inverse of `hfft`: the first `n // 2 + 1` of `n` numbers."""
    return halved(F, "fft_ihfft", input, n, dim, norm, forward=False)


face(fft_ihfft, method=None, out=True, refuses_out=complex_out("ihfft"))


# ---- along several dimensions


def transformed_along(F, name: str, input, s, dim, norm, *, forward: bool):
    """The transform along several dimensions."""
    kind, scale = promoted(name, input).to_complex(), normalization(name, norm, forward)
    axes, sizes = dims_and_sizes(name, input, s, dim)
    return F.fft_c2c(fitted(F, F.cast(input, kind.numpy), axes, sizes), axes, scale, forward)


def halved_along(F, name: str, input, s, dim, norm):
    """The transform of real numbers along several dimensions, half of it along the last."""
    check_real("rfftn", "real-valued", input)
    kind, scale = promoted(name, input), normalization(name, norm, True)
    axes, sizes = dims_and_sizes(name, input, s, dim)
    check_some(name, axes)
    return F.fft_r2c(fitted(F, F.cast(input, kind.numpy), axes, sizes), axes, scale, True)


def inverse_halved_along(F, name: str, input, s, dim, norm):
    """The inverse transform of real numbers along several dimensions, half of it along the last."""
    kind, scale = promoted(name, input), normalization(name, norm, False)
    axes, sizes = dims_and_sizes(name, input, s, dim)
    check_some(name, axes)
    check_floats(kind)
    half = F.fft_r2c(fitted(F, F.cast(input, kind.numpy), axes, sizes), axes[-1:], scale, True)
    return F.fft_c2c(F.conj_physical(half), axes[:-1], scale, False) if len(axes) > 1 else F.conj(half)


def from_half_along(F, name: str, input, s, dim, norm, *, forward: bool):
    """The real numbers of which the transform along several dimensions is given, half of it along the last."""
    kind, scale = promoted(name, input).to_complex(), normalization(name, norm, forward)
    axes, sizes, last = dims_and_half_sizes(name, input, s, dim)
    input = fitted(F, F.cast(input, kind.numpy), axes, sizes)
    if not forward:
        return F.fft_c2r(input, axes, scale, last)
    input = F.fft_c2c(input, axes[:-1], scale, True) if len(axes) > 1 else input
    return F.fft_c2r(F.conj(input), axes[-1:], scale, last)


TWO = lambda r: [
    (r(3, 4),), (r(2, 3, 3),), (r(3, 4), (2, 6)), (r(3, 4), None, (1, 0)), (r(2, 3, 4), (4, -1), (0, 2), "ortho"),
    (r(3, 2), None, (-2, -1), "forward"), (r(3, 4), None, 0),
]  # fmt: skip
MANY = lambda r: [*TWO(r), (r(2, 3, 4), (2, 3)), (r(5),), (r(2, 3, 2), None, None, "ortho")]
MANY_OR_NONE = lambda r: [*MANY(r), (r(),), (r(2), None, ())]


@composite(samples=MANY_OR_NONE)
def fft_fftn(F, input, s=None, dim=None, norm=None):
    """The transform along several dimensions: those in `dim`, else the last ones that `s` has sizes for, else all."""
    return transformed_along(F, "fft_fftn", input, s, dim, norm, forward=True)


face(fft_fftn, method=None, out=True, refuses_out=complex_out("fftn"))


@composite(samples=MANY)
def fft_ifftn(F, input, s=None, dim=None, norm=None):
    """The inverse of `fftn`."""
    return transformed_along(F, "fft_ifftn", input, s, dim, norm, forward=False)


face(fft_ifftn, method=None, out=True, refuses_out=complex_out("fftn"))


@composite(samples=MANY)
def fft_rfftn(F, input, s=None, dim=None, norm=None):
    """The transform of real numbers along several dimensions, half of it along the last of them."""
    return halved_along(F, "fft_rfftn", input, s, dim, norm)


face(fft_rfftn, method=None, out=True, refuses_out=complex_out("rfftn"))


@composite(samples=MANY)
def fft_irfftn(F, input, s=None, dim=None, norm=None):
    """The inverse of `rfftn`; the last size is `2 * (size - 1)` unless `s` says otherwise."""
    return from_half_along(F, "fft_irfftn", input, s, dim, norm, forward=False)


face(fft_irfftn, method=None, out=True, refuses_out=real_out("irfftn"))


@composite(samples=MANY)
def fft_hfftn(F, input, s=None, dim=None, norm=None):
    """The transform, which is real, along several dimensions, of numbers of which half are given along the last."""
    return from_half_along(F, "fft_hfftn", input, s, dim, norm, forward=True)


face(fft_hfftn, method=None, out=True, refuses_out=real_out("hfftn"))


@composite(samples=MANY)
def fft_ihfftn(F, input, s=None, dim=None, norm=None):
    """The inverse of `hfftn`."""
    return inverse_halved_along(F, "fft_ihfftn", input, s, dim, norm)


face(fft_ihfftn, method=None, out=True, refuses_out=complex_out("ihfftn"))


@composite(samples=TWO)
def fft_fft2(F, input, s=None, dim=(-2, -1), norm=None):
    """`fftn` along the last two dimensions."""
    check_two("fft_fft2", dim)
    return transformed_along(F, "fft_fft2", input, s, dim, norm, forward=True)


face(fft_fft2, method=None, out=True, refuses_out=complex_out("fftn"))


@composite(samples=TWO)
def fft_ifft2(F, input, s=None, dim=(-2, -1), norm=None):
    """`ifftn` along the last two dimensions."""
    check_two("fft_ifft2", dim)
    return transformed_along(F, "fft_ifft2", input, s, dim, norm, forward=False)


face(fft_ifft2, method=None, out=True, refuses_out=complex_out("fftn"))


@composite(samples=TWO)
def fft_rfft2(F, input, s=None, dim=(-2, -1), norm=None):
    """`rfftn` along the last two dimensions."""
    check_two("fft_rfft2", dim)
    return halved_along(F, "fft_rfft2", input, s, dim, norm)


face(fft_rfft2, method=None, out=True, refuses_out=complex_out("rfftn"))


@composite(samples=TWO)
def fft_irfft2(F, input, s=None, dim=(-2, -1), norm=None):
    """`irfftn` along the last two dimensions."""
    check_two("fft_irfft2", dim)
    return from_half_along(F, "fft_irfft2", input, s, dim, norm, forward=False)


face(fft_irfft2, method=None, out=True, refuses_out=real_out("irfftn"))


@composite(samples=TWO)
def fft_hfft2(F, input, s=None, dim=(-2, -1), norm=None):
    """`hfftn` along the last two dimensions."""
    check_two("fft_hfft2", dim)
    return from_half_along(F, "fft_hfft2", input, s, dim, norm, forward=True)


face(fft_hfft2, method=None, out=True, refuses_out=real_out("hfftn"))


@composite(samples=TWO)
def fft_ihfft2(F, input, s=None, dim=(-2, -1), norm=None):
    """`ihfftn` along the last two dimensions."""
    check_two("fft_ihfft2", dim)
    return inverse_halved_along(F, "fft_ihfft2", input, s, dim, norm)


face(fft_ihfft2, method=None, out=True, refuses_out=complex_out("ihfftn"))


# ---- the order of the coefficients


def half_way(F, name: str, input, dim, ahead: int):
    """The elements moved along some dimensions by half their number, rounded down, or up if it is `ahead` by one."""
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, input)
    axes = tuple(range(input.ndim)) if dim is None else listed(name, "dim", dim)
    return F.roll(input, [(input.shape[axis_of(axis, input.ndim)] + ahead) // 2 for axis in axes], axes)


SHIFTED = lambda r: [(r(2, 5),), (r(4),), (r(2, 3, 4), (0, -1)), (r(3, 2), 0), (r(0, 3),), (r(3), (0, 0))]


@composite(samples=SHIFTED)
def fft_fftshift(F, input, dim=None):
    """Coefficients in the order of their frequencies, along `dim` or all dimensions: the first one moves to the middle.

    The negative frequencies, which `fft` has in the second half, precede it.
    """
    return half_way(F, "fft_fftshift", input, dim, 0)


face(fft_fftshift, method=None)


@composite(samples=SHIFTED)
def fft_ifftshift(F, input, dim=None):
    """The inverse of `fftshift`."""
    return half_way(F, "fft_ifftshift", input, dim, 1)


face(fft_ifftshift, method=None)
