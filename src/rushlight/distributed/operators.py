"""Which reductions there are for which dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.dtype import SCALAR_NAMES, from_numpy_dtype
from rushlight.distributed.reductions import RedOpType, ReduceOp

__all__ = ["known_operator", "operator_for"]

BITWISE = frozenset((RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR))


def known_operator(op: Any, dtype: np.dtype, call: str) -> RedOpType:
    """Returns an operator. Raises if there is no such one, or none of complex numbers."""
    if isinstance(op, ReduceOp):
        op = op.op
    if type(op) is not RedOpType or op is RedOpType.PREMUL_SUM:
        raise TypeError(f"{call}(): incompatible function arguments: op must be one of ReduceOp's, not {op!r}")
    if dtype.kind == "c" and op not in (RedOpType.SUM, RedOpType.AVG):
        raise ValueError(f"{call} does not support {op} on complex tensors")
    return op


def operator_for(op: Any, dtype: np.dtype, call: str) -> str:
    """Returns the name of an operator. Raises if it does not exist for a dtype, before anything is sent."""
    op, kind = known_operator(op, dtype, call), dtype.kind
    if op in BITWISE and kind not in "biu":
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op is RedOpType.AVG and kind in "biu":
        name = SCALAR_NAMES[from_numpy_dtype(dtype)]
        raise RuntimeError(f"result type Float can't be cast to the desired output type {name}")
    return op.name
