"""`torch._int_mm`: products of matrices of bytes, by which packages compute with quantized weights."""

from __future__ import annotations

import rushlight._generated.functions as F
from rushlight.core.dtype import SCALAR_NAMES, int8, int32, uint8
from rushlight.core.tensor import Tensor


def _int_mm(self: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Returns the int32 product of a matrix of int8 or uint8 with one of int8."""
    check("self", self)
    if self.shape[1] != mat2.shape[0]:
        raise refusal(f"self.size(1) needs to match mat2.size(0) but got {self.shape[1]} and {mat2.shape[0]}")
    check("mat2", mat2)
    if self.dtype not in (int8, uint8):
        raise refusal(f"Expected self dtype to be int8 or uint8 but got {SCALAR_NAMES[self.dtype].lower()}")
    if mat2.dtype is not int8:
        raise refusal(f"Expected mat2 dtype to be of type int8 but got {SCALAR_NAMES[mat2.dtype].lower()}")
    if out is None:
        return F.mm(self.to(int32), mat2.to(int32))
    if out.dtype is not int32:
        raise refusal(f"Expected result dtype to be of type kInt but got {SCALAR_NAMES[out.dtype].lower()}")
    check("result", out)
    for dim, size in enumerate((self.shape[0], mat2.shape[1])):
        if out.shape[dim] != size:
            raise refusal(f"Expected result.size({dim}) to be {size} but got {out.shape[dim]}")
    return out.copy_(F.mm(self.to(int32), mat2.to(int32)))


def check(name: str, matrix: Tensor) -> None:
    """Raises RuntimeError for what is no matrix."""
    if matrix.ndim != 2:
        raise refusal(f"Expected {name} to be of dimension 2 but got {matrix.ndim}")


def refusal(words: str) -> RuntimeError:
    """Returns the error of a call."""
    return RuntimeError(f"int_mm_out_cpu: {words}")
