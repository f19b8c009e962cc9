"""Checks of `interpolate.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from types import NoneType

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY
from rushlight.declarations.dtype_rules import raw_dtype, refuse, unimplemented

LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}


def check_resample(input, size, kind: str) -> None:
    """There is something to take from, and something to make."""
    if min(*input.shape[2:], *size) <= 0:
        old, new = (
            ", ".join(f"{position}: {length}" for position, length in zip("DHW"[-len(size) :], each, strict=True))
            for each in (input.shape[2:], size)
        )
        joined = "and output" if len(size) == 1 else "output"
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({old}) {joined} ({new})")
    if 0 in input.shape[1:]:
        raise RuntimeError(
            f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {list(input.shape)}"
        )
    whole = input.dtype == np.uint8 and (input.ndim == 4 or kind != "linear")
    refuse(input, "bc" if whole else "biuc", f"compute_indices_weights_{kind}")


def check_resampled_fits(input, size) -> None:
    """Raises RuntimeError for a result that memory cannot hold, before positions are computed."""
    if type(input) is not MetaArray:
        check_size_fits((*input.shape[:2], *size), input.dtype.itemsize)


def check_alignment(mode: str, align_corners) -> None:
    """Only interpolation between neighbours knows corners."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )


def no_upsampling(mode: str, spatial: int, given: str, corners: str = "bool", antialias: bool = False) -> TypeError:
    """The error for a size that is not an integer, a factor that is not a number, or corners that are not a bool."""
    name = {"nearest": f"upsample_nearest{spatial}d", "nearest-exact": f"_upsample_nearest_exact{spatial}d"}.get(mode)
    if name is None:
        name = f"_upsample_{mode}{spatial}d_aa" if antialias else f"upsample_{mode}{spatial}d"
        given = given.replace(", ", f", {corners}, ")
    kinds = f"got (Tensor, {given}), but expected one of:"
    return TypeError(f"{name}() received an invalid combination of arguments - {kinds}")


def wrong_rank(mode: str, rank: int) -> NotImplementedError:
    """A mode that is not for so many dimensions."""
    wants = {"linear": 3, "bilinear": 4, "trilinear": 5}.get(mode)
    if rank in (3, 4, 5) and wants is not None:
        error = NotImplementedError(f"Got {rank}D input, but {mode} mode needs {wants}D input")
        error.add_note(f'For {rank}-D input there is mode="{LINEAR[rank - 2]}".')
        return error
    return NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def check_antialias_dtype(input, antialias) -> None:
    if antialias and raw_dtype(input) in REDUCED_NUMPY:
        raise unimplemented("compute_index_ranges_weights")(BY_NUMPY[raw_dtype(input)])


def check_antialias_mode(input, mode, antialias) -> None:
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )


def check_interpolate_mode(input, mode, align_corners, antialias, spatial, ranks) -> None:
    if spatial not in ranks:
        raise wrong_rank(mode, input.ndim)
    if mode == "lanczos" and (align_corners or not antialias):
        raise ValueError(
            "Lanczos mode does not support align_corners=True"
            if align_corners
            else "Lanczos mode requires antialias=True"
        )


def kind_of_sequence(value) -> str:
    """Returns how PyTorch names the type of a size or factor: one number becomes a list."""
    return "tuple" if isinstance(value, tuple) else "list"


def check_align_corners(scale_factor, mode, align_corners, antialias, spatial) -> None:
    if not isinstance(align_corners, (bool, np.bool_, NoneType)):
        given = "list, NoneType" if scale_factor is None else f"NoneType, {kind_of_sequence(scale_factor)}"
        raise no_upsampling(mode, spatial, given, type(align_corners).__name__, antialias)
