"""Checks of `scatter.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import numpy as np

from rushlight.declarations.dtype_rules import raw_dtype


def check_scatter_source(given) -> None:
    if given is None:
        raise TypeError(
            "scatter() received an invalid combination of arguments - got (Tensor, int, Tensor), but expected one of:"
        )


def check_scatter_reduction(reduce) -> None:
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")


def check_differentiable_once(F, several, refusal) -> None:
    if F.any(several):
        raise RuntimeError(refusal)


def check_index_fill_rank(value) -> None:
    if value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )


def check_index_fill_value(input, value) -> None:
    if isinstance(value, complex) and raw_dtype(input).kind not in "cW":  # W is complex32
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")


def check_index_reduction(reduce) -> None:
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")


def check_put(xp, input, index, source) -> None:
    if index.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {xp.scalar_name(index)}")
    if input.dtype != source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{xp.scalar_name(input)} and source.dtype = {xp.scalar_name(source)}"
        )
    if index.size != source.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )


def check_masked_scatter(xp, input, mask, source) -> None:
    if mask.dtype != np.bool_:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {xp.scalar_name(mask)}"
        )
    if input.dtype != source.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{xp.scalar_name(input)} and {xp.scalar_name(source)}"
        )
