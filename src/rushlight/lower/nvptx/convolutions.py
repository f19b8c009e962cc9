"""How the operators of convolution compute on a GPU: by cuDNN where it has a kernel, else by the array language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.arrays.cuda.cudnn.convolutions import convolved
from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.declarations.conv import full, settled
from rushlight.declarations.declare import Op


class Convolve:
    """`convolve`: a convolution or, transposed, the transpose of one; the bias is added to the result."""

    def __init__(self, op: Op, graphs: Graphs) -> None:
        self.forward, self.graphs = op.forward, graphs

    def __call__(
        self, language: Any, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any,
        transposed: bool, output_padding: Any, groups: int,
    ) -> Any:  # fmt: skip
        operands = input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
        settings, shape = settled(*operands)
        result = None
        if not transposed:
            result = convolved(self.graphs, "conv_fprop", (input, weight), shape, *settings[:3])
        elif all(extra < step for extra, step in zip(settings[3], settings[0], strict=True)):
            result = convolved(self.graphs, "conv_dgrad", (input, weight), shape, *settings[:3])
        if result is None:
            return self.forward(language, *operands)
        if bias is not None:
            result += bias.reshape(-1, *[1] * (len(shape) - 2))
        return language.laid_out_as(input, result, weight)


class Gradient:
    """`convolution_input` and `convolution_weight`."""

    def __init__(self, op: Op, graphs: Graphs) -> None:
        self.forward, self.graphs = op.forward, graphs
        self.of_weight = op.name == "convolution_weight"

    def __call__(
        self, language: Any, grad: Any, other: Any, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
    ) -> Any:
        settings = [full("", each, len(shape) - 2) for each in (stride, padding, dilation)]
        name, operands = ("conv_wgrad", (other, grad)) if self.of_weight else ("conv_dgrad", (grad, other))
        alike = grad.dtype == other.dtype
        result = convolved(self.graphs, name, operands, shape, *settings) if alike else None
        if result is None:
            return self.forward(language, grad, other, shape, stride, padding, dilation, groups)
        return language.laid_out_as(grad if not self.of_weight else other, result, grad if self.of_weight else other)


FORMULAS: dict[str, Callable[[Op, Graphs], Callable]] = {
    "convolve": Convolve, "convolution_input": Gradient, "convolution_weight": Gradient,
}  # fmt: skip
