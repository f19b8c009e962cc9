"""Resampling to another size: nearest neighbours, linear and cubic interpolation, means of areas.

https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
"""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.arrays.size_limits import LIMIT
from rushlight.core.convertible import is_integer
from rushlight.declarations.batches import folded, unfolded
from rushlight.declarations.checks import interpolate as checks
from rushlight.declarations.declare import composite, face, linear
from rushlight.declarations.pool_arguments import cached_check, fitting

# The kernel of each mode, and its numbers of spatial dimensions.
KINDS = {
    "nearest": ("nearest", (1, 2, 3)), "nearest-exact": ("nearest-exact", (1, 2, 3)), "linear": ("linear", (1,)),
    "bilinear": ("linear", (2,)), "trilinear": ("linear", (3,)), "bicubic": ("cubic", (2,)),
    "lanczos": ("lanczos", (2,)),
}  # fmt: skip


@linear(internal=True)
class resample:
    """`input` (N, C, ...) at `size` new positions, by the kernel `kind`."""

    def forward(xp, input: Tensor, size, kind, align_corners, factors):
        settings = checked_settings(input, size, kind, align_corners, factors)
        checks.check_resampled_fits(input, size)
        if input.dtype.kind in "biu" and not kind.startswith("nearest"):
            return xp.laid_out_as(input, xp.resampled_bytes(input, settings))
        return xp.laid_out_as(input, xp.astype(xp.resampled(input, settings), input.dtype))

    def d_input(F, g, input_shape, size, kind, align_corners, factors):
        return F.resample_transposed(g, input_shape, size, kind, align_corners, factors)

    samples = lambda r: [
        (r(1, 2, 3), (5,), "nearest", False, None), (r(1, 2, 3), (5,), "linear", False, None),
        (r(1, 2, 3, 4), (5, 2), "linear", True, None), (r(1, 2, 3, 4), (6, 3), "cubic", False, (2.0, 0.75)),
        (r(1, 2, 3, 4), (2, 7), "nearest-exact", False, None), (r(1, 1, 5, 4), (2, 7), "wide-linear", False, None),
        (r(1, 1, 2, 2, 3), (3, 1, 4), "linear", False, None),
    ]  # fmt: skip


face(
    resample,
    node=(
        "(UpsampleNearest1DBackward0 if len(size) == 1 else UpsampleNearest2DBackward0 if len(size) == 2 else "
        "UpsampleNearest3DBackward0) if kind == 'nearest' else "
        "(UpsampleNearestExact1DBackward0 if len(size) == 1 else UpsampleNearestExact2DBackward0 if len(size) == 2 "
        "else UpsampleNearestExact3DBackward0) if kind == 'nearest-exact' else (UpsampleLinear1DBackward0 if len(size) "
        "== 1 else UpsampleBilinear2DBackward0 if len(size) == 2 else UpsampleTrilinear3DBackward0) if kind == "
        "'linear' else UpsampleBicubic2DBackward0 if kind == 'cubic' else UpsampleBilinear2DAaBackward0 if kind == "
        "'wide-linear' else UpsampleBicubic2DAaBackward0 if kind == 'wide-cubic' else UpsampleLanczos2DAaBackward0"
    ),
)


@linear(internal=True)
class resample_transposed:
    """The transpose of `resample`."""

    def forward(xp, grad: Tensor, shape, size, kind, align_corners, factors):
        settings = settings_of(shape, size, kind, align_corners, factors, grad.dtype)
        spread = xp.resampled_input(grad, settings)
        return xp.ascontiguousarray(spread) if kind == "cubic" else xp.laid_out_as(grad, spread)

    def d_grad(F, g, size, kind, align_corners, factors):
        return F.resample(g, size, kind, align_corners, factors)

    def batch(F, b, grad, shape, size, kind, align_corners, factors):
        shape = (b.size * shape[0], *shape[1:])
        spread = F.resample_transposed(folded(F, grad), shape, size, kind, align_corners, factors)
        return unfolded(F, spread, b.size)

    samples = lambda r: [(r(1, 2, 5), (1, 2, 3), (5,), "linear", False, None)]


def settings_of(shape, size, kind, align_corners, factors, dtype) -> list:
    """Returns the arguments of `arrays.resampling.taps` for each dimension.

    Positions have the precision of the elements; those of neighbours in an image, or of bytes, are float32.
    """
    narrow = dtype.itemsize <= 4 if dtype.kind in "fV" else kind.startswith("nearest")
    in_image = kind.startswith("nearest") and len(size) == 2
    kind_of_places = np.float32 if narrow or in_image else np.float64
    factors = (None,) * len(size) if factors is None else factors
    return [
        (old, new, kind, align_corners, factor, kind_of_places)
        for old, new, factor in zip(shape[2:], size, factors, strict=True)
    ]


@cached_check
def checked_settings(input, size, kind, align_corners, factors) -> list:
    """The same for an input that can be resampled."""
    checks.check_resample(input, size, kind)
    return settings_of(input.shape, size, kind, align_corners, factors, input.dtype)


@composite(samples=lambda r: [
    (r(1, 2, 3), 5), (r(1, 2, 3, 4), None, 2.0, "bilinear"), (r(1, 2, 3, 4), (2, 3), None, "area"),
    (r(1, 2, 3, 4), None, (1.5, 2.0), "bicubic", True), (r(1, 1, 4, 4), (2, 3), None, "bilinear", None, None, True),
])  # fmt: skip
def interpolate(
    F, input, size=None, scale_factor=None, mode: str = "nearest", align_corners=None, recompute_scale_factor=None,
    antialias=False,
):  # fmt: skip
    """`input` (N, C, *d) resampled to `size`, or to `scale_factor` times its size.

    `mode`: nearest, nearest-exact, area for any d; linear, bilinear and bicubic, trilinear for one, two, three
    dimensions.
    """
    spatial = input.ndim - 2
    checks.check_alignment(mode, align_corners)
    checks.check_antialias_dtype(input, antialias)
    size, factors = wanted(input, size, scale_factor, recompute_scale_factor, mode)
    checks.check_antialias_mode(input, mode, antialias)
    if mode == "area" and spatial in (1, 2, 3):
        return {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}[spatial](input, size)
    kind, ranks = KINDS.get(mode, (None, ()))
    checks.check_interpolate_mode(input, mode, align_corners, antialias, spatial, ranks)
    checks.check_align_corners(scale_factor, mode, align_corners, antialias, spatial)
    return F.resample(input, size, f"wide-{kind}" if antialias else kind, bool(align_corners), factors)


face(interpolate, spaces=("nn.functional",))


def wanted(input, size, scale_factor, recompute_scale_factor, mode: str) -> tuple:
    """Returns (the new size, the factors if they and not the sizes give the distance of new positions)."""
    spatial = input.ndim - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return given_size(input, size, spatial, mode), None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = tuple(scale_factor) if isinstance(scale_factor, (list, tuple)) else (scale_factor,) * spatial
    if len(factors) != spatial:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please provide input "
            "tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    if any(each is None or isinstance(each, str) for each in factors):
        raise checks.no_upsampling(mode, spatial, f"NoneType, {checks.kind_of_sequence(scale_factor)}")
    size = tuple(scaled(length * factor) for length, factor in zip(input.shape[2:], factors, strict=True))
    return size, None if recompute_scale_factor or mode == "area" else tuple(map(float, factors))


def scaled(length: float) -> int:
    """A length times a factor. Raises RuntimeError for what is no length."""
    if not -LIMIT <= length < LIMIT:  # also refuses nan
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return int(length)


def given_size(input, size, spatial: int, mode: str) -> tuple:
    """A size stated once or for each dimension."""
    if not isinstance(size, (list, tuple)):
        if not is_integer(size):
            raise checks.no_upsampling(mode, spatial, "list, NoneType")
        return fitting(resampling(mode, spatial), "output_size", (int(size),) * spatial)
    if len(size) != spatial:
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(input.shape[2:])} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
            "...,dK) format and output size in (o1, o2, ...,oK) format."
        )
    if not all(map(is_integer, size)):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
            f"with types {[type(each) for each in size]}"
        )
    return fitting(resampling(mode, spatial), "output_size", tuple(map(int, size)))


def resampling(mode: str, spatial: int) -> str:
    """The name of PyTorch's function for a mode."""
    if mode == "area":
        return f"adaptive_avg_pool{spatial}d"
    return f"upsample_{mode}{spatial}d" if mode != "nearest-exact" else f"_upsample_nearest_exact{spatial}d"


@composite(samples=lambda r: [(r(1, 2, 3, 4), (5, 6))])
def upsample(F, input, size=None, scale_factor=None, mode: str = "nearest", align_corners=None):
    """`interpolate` under its old name."""
    deprecated("upsample", "interpolate")
    return F.interpolate(input, size, scale_factor, mode, align_corners)


face(upsample, spaces=("nn.functional",))


@composite(samples=lambda r: [(r(1, 2, 3, 4), (5, 6))])
def upsample_nearest(F, input, size: Ints | int = None, scale_factor=None):
    """`interpolate` with the nearest neighbours, under its old name."""
    deprecated("upsample_nearest", "interpolate")
    return F.interpolate(input, size, scale_factor, "nearest")


face(upsample_nearest, spaces=("nn.functional",))


@composite(samples=lambda r: [(r(1, 2, 3, 4), (5, 6))])
def upsample_bilinear(F, input, size: Ints | int = None, scale_factor=None):
    """`interpolate` with mode bilinear and aligned corners, under its old name."""
    deprecated("upsample_bilinear", "interpolate")
    return F.interpolate(input, size, scale_factor, "bilinear", True)


face(upsample_bilinear, spaces=("nn.functional",))


def deprecated(name: str, better: str) -> None:
    """Warns of an old name."""
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.{better}` instead.", UserWarning, stacklevel=5
    )
