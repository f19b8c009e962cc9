"""How an operator computes on a GPU: by our kernel or by cuDNN where one fits, else by the array language."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rushlight.arrays.cuda.conditions import holds
from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.arrays.cuda.cudnn.library import library
from rushlight.declarations.checks.layer_norm import check_layer_norm
from rushlight.declarations.declare import Op
from rushlight.lower import elementwise, llvm
from rushlight.lower.nvptx.attention import FORMULAS as OF_ATTENTION
from rushlight.lower.nvptx.batch_norm import FORMULAS as OF_BATCH_NORM
from rushlight.lower.nvptx.calls import GpuKernels, kernels_of
from rushlight.lower.nvptx.convolutions import FORMULAS as OF_CONVOLUTION
from rushlight.lower.nvptx.cuda import CudaGpu
from rushlight.lower.nvptx.draws import GpuDraws
from rushlight.lower.nvptx.row_calls import GpuRows, rows_of

ALONG_ROWS = ("softmax", "log_softmax")  # operators of a tensor and a dimension that are kernels over rows
LAYER_NORM = "native_layer_normalization"
BY_CUDNN = OF_CONVOLUTION | OF_BATCH_NORM | OF_ATTENTION
LOSSES = {"cross_entropy_of_rows": "cross_entropy", "cross_entropy_gradient": "cross_entropy_gradient"}


class Formulas:
    """What computes operators on one GPU, by name; a kernel is made when an operator first runs."""

    def __init__(self, gpu: Any, graphs: Graphs | None = None) -> None:
        self.gpu, self.graphs = gpu, graphs
        self.known: dict[str, Callable] = {}

    def of(self, op: Op) -> Callable:
        """Returns the function that computes an operator: of the language, then of the operands."""
        if op.name not in self.known:
            self.known[op.name] = self.made(op)
        return self.known[op.name]

    def made(self, op: Op) -> Callable:
        if op.kind == "elementwise" and not op.view:
            return Elementwise(op, kernels_of(self.gpu, op.name))
        if op.name in ALONG_ROWS:
            return AlongRows(op, rows_of(self.gpu, op.name))
        if op.name == LAYER_NORM:
            return LayerNorm(op, rows_of(self.gpu, "layer_normalized"))
        if op.name in LOSSES:
            return RowLosses(op, rows_of(self.gpu, LOSSES[op.name]))
        if self.graphs is not None and op.name in BY_CUDNN:
            return BY_CUDNN[op.name](op, self.graphs)
        return op.forward


class Elementwise:
    """An elementwise operator: one launch for its whole formula."""

    def __init__(self, op: Op, kernels: GpuKernels) -> None:
        self.forward, self.kernels, self.several = op.forward, kernels, op.multi_output or len(op.results) > 1
        self.names = [argument.name for argument in op.arguments if not argument.keyword_only]

    def __call__(self, language: Any, *operands: Any, **named: Any) -> Any:
        values = dict(zip(self.names, operands, strict=True)) | named
        dtype = next((x.dtype for x in values.values() if is_array(x) and x.dtype in elementwise.FLOATS), None)
        results = None if dtype is None else self.kernels.run(values, dtype)
        if results is None:
            return self.forward(language, *operands, **named)
        return results if self.several else results[0]


class AlongRows:
    """An operator along the last dimension of a contiguous array: one launch, and each row is read once."""

    def __init__(self, op: Op, rows: GpuRows) -> None:
        self.forward, self.rows = op.forward, rows
        (self.name,) = rows.kinds

    def __call__(self, language: Any, input: Any, dim: Any, dtype: Any = None) -> Any:
        fits = dtype is None and input.dtype in elementwise.FLOATS and input.ndim and dim in (-1, input.ndim - 1)
        length = input.shape[-1] if fits else 0
        results = self.rows.run(length, {self.name: input}, input.dtype) if length and input.size else None
        return self.forward(language, input, dim, dtype) if results is None else results[0]


class LayerNorm:
    """Layer norm of a contiguous array: one launch for the result and the statistics of its rows."""

    def __init__(self, op: Op, rows: GpuRows) -> None:
        self.forward, self.rows = op.forward, rows

    def __call__(
        self, language: Any, input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float, statistics: Any
    ) -> Any:
        check_layer_norm(input, normalized_shape, weight, bias)
        affine = {name: each.reshape(-1) for name, each in (("weight", weight), ("bias", bias)) if each is not None}
        alike = input.dtype in elementwise.FLOATS and all(each.dtype == input.dtype for each in affine.values())
        length = math.prod(normalized_shape)
        values = {"x": input, "eps": float(eps), "count": float(length), **affine}
        results = self.rows.run(length, values, input.dtype) if alike and input.size else None
        if results is None:
            return self.forward(language, input, normalized_shape, weight, bias, eps, statistics)
        result, statistics.mean, statistics.scale = results
        return result


class RowLosses:
    """Cross entropy of contiguous rows, or its gradient: one launch, and no array of log-probabilities."""

    def __init__(self, op: Op, rows: GpuRows) -> None:
        self.forward, self.rows = op.forward, rows

    def __call__(self, language: Any, *operands: Any) -> Any:
        *floats, target, ignored = operands
        classes, dtype = floats[-1].shape[1], floats[0].dtype
        fits = dtype in elementwise.FLOATS and all(each.dtype == dtype and each.size for each in floats)
        forward = {"classes": classes} if len(floats) == 1 else {}
        if not fits or target.dtype != np.int64 or (forward and not are_classes(target, ignored, classes)):
            return self.forward(language, *operands)
        named = zip(("g", "x")[-len(floats) :], floats, strict=True)
        values = {**dict(named), "target": target, "ignored": int(ignored), **forward}
        results = self.rows.run(classes, values, dtype)
        return self.forward(language, *operands) if results is None else results[0]


def are_classes(target: Any, ignored: int, classes: int) -> bool:
    """Whether all targets are classes, or ignored: the kernel gives NaN for others, and PyTorch an error."""
    return holds(((target == ignored) | ((target >= 0) & (target < classes))).all(), "Target is out of bounds.")


def is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "strides")


def give_to(gpus: Iterable[Any], switches: Any, allows_attention: Callable[[], bool]) -> None:
    """Gives GPUs their kernels, if llvmlite is there to make them, and cuDNN with its switches."""
    if llvm.is_available():
        frontend = library()
        for backend in gpus:
            gpu = CudaGpu(backend.cupy, backend.index)
            backend.cudnn = frontend
            graphs = None if frontend is None else Graphs(frontend, backend.cupy, switches, allows_attention)
            backend.formulas, backend.draws = Formulas(gpu, graphs), GpuDraws(gpu)
