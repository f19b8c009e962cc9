"""Layouts on the device: CuPy's ufuncs return contiguous arrays, where NumPy's keep the order of their operands."""

from __future__ import annotations

from rushlight.core.formats import in_order
from rushlight.core.strides import pointwise


def laid_out(result, operands: list, ordered: bool):
    """Returns an elementwise result in PyTorch's layout: contiguous if `ordered`, else by the operands."""
    if result.ndim < 2 or (result.flags.c_contiguous and all(x.flags.c_contiguous for x in operands)):
        return result
    return in_order(result) if ordered else pointwise(result, *operands)
