"""Checks of `setitem.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import C_NAMES
from rushlight.core.lazy_conj_neg import beneath
from rushlight.declarations.dtype_rules import raw_dtype


def refuse_own(input, index) -> None:
    """Raises RuntimeError if the indices share memory with the tensor that is written to."""
    read, written = beneath(index._array), beneath(input._array)
    if written.flags.forc and read.flags.forc and np.may_share_memory(written, read):
        raise one_memory()


def one_memory() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )


def not_a_mask(mask) -> RuntimeError:
    """A mask of bytes where one value is written."""
    return RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {C_NAMES[mask.dtype]}")


def check_mask_is_bool(mask) -> None:
    if raw_dtype(mask).kind != "b":
        raise not_a_mask(mask)
