"""Checks of `normalize.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

import numpy as np

from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY, SCALAR_NAMES
from rushlight.core.errors import noted
from rushlight.declarations.dtype_rules import raw_dtype, unimplemented

FLOAT32 = np.dtype(np.float32)


def check_one_dtype(input, *others) -> None:
    """Raises unless statistics and weights have the input's dtype, or float32 for half precision."""
    dtypes = list(dict.fromkeys(each.dtype for each in others if each is not None))
    if not dtypes or dtypes == [input.dtype] or (dtypes == [FLOAT32] and input.dtype in REDUCED_NUMPY):
        return
    if dtypes[0] == input.dtype:
        words = "expected scalar type {} but found {}".format(*(SCALAR_NAMES[BY_NUMPY[each]] for each in dtypes[:2]))
    elif dtypes == [FLOAT32]:
        words = "mixed dtype (CPU): all inputs must share same datatype."
    else:
        words = "mixed dtype (CPU): expect parameter to have scalar type of Float"
    names = ", ".join(sorted({str(each) for each in (input.dtype, *dtypes)}))
    note = f"The dtypes are {names}: convert the module or its input, module.to(dtype) or x.to(dtype)."
    raise noted(RuntimeError(words), note)


def check_rms_norm(input, shape: tuple, weight) -> None:
    """The shape is that of the input's last dimensions, and of the weight."""
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    if weight is not None and tuple(weight.shape) != shape:
        raise RuntimeError(
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape {list(weight.shape)} "
            f"and normalized_shape = {list(shape)}"
        )
    if tuple(input.shape[max(input.ndim - len(shape), 0) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{', '.join(map(str, shape))}], but got "
            f"input of size{list(input.shape)}"
        )
    if raw_dtype(input).kind in "biu":
        raise unimplemented("rms_norm")(BY_NUMPY[raw_dtype(input)])


def check_local_response_norm_rank(input) -> None:
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )


def check_cross_map_lrn_rank(input) -> None:
    if input.ndim != 4:
        raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
