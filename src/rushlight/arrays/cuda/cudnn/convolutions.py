"""Convolutions by cuDNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.arrays.cuda.cudnn.layouts import aligned, is_dense, spread
from rushlight.arrays.cuda.cudnn.library import TYPES
from rushlight.arrays.cuda.cudnn.plans import Call

OPERANDS = {"conv_fprop": ("image", "weight"), "conv_dgrad": ("loss", "filter"), "conv_wgrad": ("image", "loss")}


def convolved(
    graphs: Graphs, name: str, operands: Sequence[Any], shape: Sequence[int], stride: tuple, padding: tuple,
    dilation: tuple,
) -> Any:  # fmt: skip
    """Returns the contiguous result of a convolution, or None if cuDNN does not compute it.

    `name` is of `OPERANDS`: the convolution, or its transpose in the image or in the weight. Shapes have one to three
    spatial dimensions.
    """
    kind, cupy = operands[0].dtype, graphs.cupy
    if kind.name not in TYPES or 0 in shape or not all(x.size for x in operands):
        return None
    operands = [spread(aligned(x if is_dense(x) else cupy.ascontiguousarray(x))) for x in operands]
    result = cupy.empty(tuple(shape), kind)
    stride, padding, dilation = (
        (default, *each) if len(shape) == 3 else tuple(each)
        for default, each in ((1, stride), (0, padding), (1, dilation))
    )
    settings = ("pre_padding", padding), ("post_padding", padding), ("stride", stride), ("dilation", dilation)
    exact = kind.name == "float32" and graphs.switches.conv.fp32_precision == "ieee"
    call = Call(name, OPERANDS[name], settings, ("TENSOR_CORE",) if exact else ())
    return result if graphs.run(call, operands, [spread(result)]) else None
