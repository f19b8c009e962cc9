"""Checks of `index.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.core.dtype import int64 as INT64
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.traced import every_sample
from rushlight.declarations.dtype_rules import raw_dtype, unimplemented


def check_search(boundaries, values) -> None:
    if values.ndim == 0 and boundaries.ndim != 1:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({boundaries.ndim}) and input value's dim(0) numel(1)"
        )
    if boundaries.ndim == 0:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if boundaries.ndim != 1 and tuple(boundaries.shape[:-1]) != tuple(values.shape[:-1]):
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(boundaries.shape)} and "
            "input "
            f"value tensor {list(values.shape)}"
        )


def check_sorter(boundaries, sorter) -> None:
    if sorter.shape != boundaries.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(boundaries.shape)}and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype is not INT64:
        raise RuntimeError(
            f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {SCALAR_NAMES[sorter.dtype]}"
        )
    order = plain(every_sample(sorter)._array)
    if order.size and not 0 <= int(order.min()) <= int(order.max()) < boundaries.shape[-1]:
        raise RuntimeError("torch.searchsorted(): sorter index out of range")


def check_take_along_dim_dtype(indices) -> None:
    if raw_dtype(indices) != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {SCALAR_NAMES[indices.dtype]}"
        )


def check_take_along_dim_ranks(input, indices) -> None:
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )


def check_take(xp, input, index) -> None:
    if index.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {xp.scalar_name(index)}")
    if not input.size and index.size:
        raise IndexError("take(): tried to take from an empty tensor")


def check_mask_dtype(mask) -> None:
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")


def check_nonzero_static_size(size) -> None:
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")


def check_search_dtypes(sorted_sequence, values) -> None:
    common = np.promote_types(sorted_sequence.dtype, values.dtype)
    if common.kind in "bc":
        raise unimplemented("searchsorted_out_cpu")(BY_NUMPY[common])


def check_search_side(right, side) -> None:
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )


def check_boundaries(boundaries) -> None:
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")


def check_unravel_index_dtype(indices) -> None:
    if raw_dtype(indices).kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")


def unravel_index_shape(shape) -> tuple[int, ...]:
    """Returns a shape as a tuple. Raises TypeError or ValueError for one that PyTorch does not take."""
    if not isinstance(shape, (int, np.integer, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    lengths = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    for length in lengths:
        if not isinstance(length, (int, np.integer)):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(length)}")
    if any(length < 0 for length in lengths):
        raise ValueError(f"'shape' cannot have negative values, but got {lengths}")
    return tuple(map(int, lengths))
