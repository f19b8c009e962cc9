"""Operators that have another name here than in aten, or are one call here and several in PyTorch.

Each function of `PARTS` gets `call`, which gives an operator of aten to the class or mode, and the arguments of the
operator in order.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from rushlight.core.dtype import bool as boolean
from rushlight.core.dtype import from_numpy_dtype
from rushlight.core.tensor import Tensor, wrap
from rushlight.create.filled import ones
from rushlight.create.from_data import tensor

LAST = 2**63 - 1  # the end of a slice without one
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
Call = Callable[..., Any]


def named(name: str) -> Callable[..., Any]:
    """Returns the function for an operator that only has another name: its overload of aten is `name`."""
    return lambda call, *arguments: call(name, *arguments)


# ---- products


def linear(call: Call, rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`rows @ weight.T + bias`, of rows in any number of dimensions."""
    weight = call("t", weight)
    if rows.dim() == 2:
        return call("mm", rows, weight) if bias is None else call("addmm", bias, rows, weight)
    flat = call("view", rows, [rows.numel() // max(rows.shape[-1], 1), rows.shape[-1]])
    product = call("mm", flat, weight) if bias is None else call("addmm", bias, flat, weight)
    return call("view", product, [*rows.shape[:-1], weight.shape[1]])


def affine(call: Call, input: Any, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any, flipped: bool) -> Tensor:
    """A product of matrices added to `input`."""
    named = {name: value for name, value in (("beta", beta), ("alpha", alpha)) if value != 1}
    return call("addmm", input, mat1, call("t", mat2) if flipped else mat2, **named)


# ---- parts of tensors


def slice_view(call: Call, input: Tensor, dim: int, start: Any, end: Any, step: int) -> Tensor:
    """`input[start:end:step]` in one dimension."""
    steps = () if step == 1 else (step,)
    return call("slice.Tensor", input, dim, 0 if start is None else start, LAST if end is None else end, *steps)


def getitem_view(call: Call, input: Tensor, index: Any) -> Tensor:
    """`input[index]` of numbers, slices, None and an ellipsis."""
    items = list(index) if type(index) is tuple else [index]
    used = sum([item is not None and item is not Ellipsis for item in items])
    if Ellipsis in items:
        at = items.index(Ellipsis)
        items[at : at + 1] = [builtins.slice(None)] * (input.dim() - used)
    dim = 0
    for item in items:
        if item is None:
            input, dim = call("unsqueeze", input, dim), dim + 1
        elif isinstance(item, builtins.slice):
            if item != builtins.slice(None):
                input = slice_view(call, input, dim, item.start, item.stop, 1 if item.step is None else item.step)
            dim += 1
        else:
            input = call("select.int", input, dim, item)
    return input


def putitem(call: Call, input: Tensor, shape: tuple, index: Any) -> Tensor:
    """Zeros with `input` in the part that an index selects."""
    zeros = call("new_zeros", input, list(shape))
    call("copy_", getitem_view(call, zeros, index), input)
    return zeros


def placed_at(call: Call, input: Tensor, shape: tuple, indices: list) -> Any:
    """Zeros with `input` added where index arrays say."""
    if any([each is None or isinstance(each, slice) for each in indices]):
        return NotImplemented
    return call("index_put", call("new_zeros", input, list(shape)), tensors_of(indices), input, True)


def index(call: Call, input: Tensor, indices: Any) -> Tensor:
    """`input[indices]` of index arrays."""
    return call("index.Tensor", input, tensors_of(indices))


def tensors_of(indices: Any) -> list:
    """Returns index arrays as tensors; None stays, for a dimension that is kept."""
    return [wrap(each) if isinstance(each, np.ndarray) else None if each == slice(None) else each for each in indices]


# ---- reductions


def sum_to_size_of(call: Call, input: Tensor, shape: tuple) -> Tensor:
    """The sum over the dimensions along which `shape` would have to be expanded."""
    extra = input.dim() - len(shape)
    kept = [extra + i for i, length in enumerate(shape) if length == 1 and input.shape[extra + i] != 1]
    if dims := [*range(extra), *kept]:
        input = call("sum.dim_IntList", input, dims, True)
    return call("view", input, list(shape)) if extra else input


def softmax(name: str) -> Callable[..., Any]:
    """Returns the function for a softmax: in another dtype, the input is cast first."""

    def computing(call: Call, input: Tensor, dim: int, dtype: Any) -> Tensor:
        if dtype is not None and dtype is not input.dtype:
            input = call("_to_copy", input, dtype=dtype)
        return call(name, input, dim, False)

    return computing


def likelihood(call: Call, input: Tensor, target: Tensor, weight: Any, ignored: int, reduction: Any) -> Tensor:
    """The negative log likelihood of classes."""
    return call("nll_loss", input, target, weight, REDUCTIONS.get(reduction, reduction), ignored)


def layer_normalized(
    call: Call, input: Tensor, shape: tuple, weight: Any, bias: Any, eps: float, statistics: Any
) -> Tensor:
    """Layer normalization; its derivative needs the statistics."""
    result, statistics.mean, statistics.scale = call("native_layer_norm", input, list(shape), weight, bias, eps)
    return result


def batch_normalized(
    call: Call, input: Tensor, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, momentum: float,
    eps: float, statistics: Any,
) -> Tensor:  # fmt: skip
    """Batch normalization."""
    settings = training, momentum, eps
    result, *made = call("native_batch_norm", input, weight, bias, mean, variance, *settings)
    statistics.mean, statistics.scale = made if training else (mean, (variance + eps).rsqrt())
    return result


def group_normalized(
    call: Call, input: Tensor, groups: int, weight: Any, bias: Any, eps: float, statistics: Any
) -> Tensor:
    """Group normalization."""
    count, channels, *sizes = input.shape
    settings = count, channels, prod(sizes), groups, eps
    result, statistics.mean, statistics.scale = call("native_group_norm", input, weight, bias, *settings)
    return result


def normal(input: Tensor, mean: Tensor, scale: Tensor, layout: tuple) -> Tensor:
    """The normalized rows or channels of an input of the layout (front, groups, features)."""
    return (input.reshape(layout) - mean.reshape(1, -1, 1)) * scale.reshape(1, -1, 1)


def channel_statistic(call: Call, input: Tensor, statistic: Tensor) -> Tensor:
    """A value per channel, in the dimensions of an input."""
    statistic = wrap(statistic) if isinstance(statistic, np.ndarray) else statistic
    return statistic.reshape(1, -1, *[1] * (input.dim() - 2))


def normalized_gradient(call: Call, grad: Tensor, input: Tensor, mean: Any, scale: Any, layout: tuple) -> Tensor:
    """The gradient of a normalized input, from that of the result before weight and bias."""
    rows, pull = normal(input, mean, scale, layout), grad.reshape(layout)
    pull = pull - pull.mean((0, 2), keepdim=True) - rows * (rows * pull).mean((0, 2), keepdim=True)
    return (pull * scale.reshape(1, -1, 1)).reshape(input.shape)


def normalized_weight(
    call: Call, grad: Tensor, input: Tensor, mean: Any, scale: Any, layout: tuple, per_feature: bool
) -> Tensor:
    """The gradient of the weight of a normalization, of each feature or of each group."""
    return (normal(input, mean, scale, layout) * grad.reshape(layout)).sum((0, 1) if per_feature else (0, 2))


def attention(call: Call, query: Tensor, key: Tensor, value: Tensor, bias: Any, causal: bool, scale: Any) -> tuple:
    """Attention, and its weights for the derivative."""
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = call("mul.Tensor", call("matmul", query, call("transpose.int", key, -2, -1)), scale)
    if causal:
        future = ones(query.shape[-2], key.shape[-2], dtype=boolean).triu(1)
        scores = call("masked_fill.Scalar", scores, future, float("-inf"))
    if bias is not None and bias.dtype is boolean:
        scores = call("masked_fill.Scalar", scores, call("logical_not", bias), float("-inf"))
    elif bias is not None:
        scores = call("add.Tensor", scores, bias)
    weights = call("_softmax", scores, -1, False)
    return call("matmul", weights, value), weights


# ---- others


def choose(call: Call, condition: Tensor, input: Any, other: Any) -> Tensor:
    """`where`, which PyTorch calls with tensors of numbers."""
    pair = [each if isinstance(each, Tensor) else tensor(each) for each in (input, other)]
    return call("where.self", condition, *pair)


def rounded_divide(call: Call, input: Tensor, other: Any, mode: str) -> Tensor:
    """A quotient rounded to an integer."""
    return call("div.Tensor_mode", input, other, rounding_mode=mode)


def convolve(call: Call, input: Tensor, weight: Tensor, bias: Any, *settings: Any) -> Tensor:
    """A convolution, of which sizes are lists."""
    sizes = weight.dim() - 2
    stride, padding, dilation, transposed, output_padding, groups = settings
    first = [repeated(each, sizes) for each in (stride, padding, dilation)]
    return call("convolution", input, weight, bias, *first, transposed, repeated(output_padding, sizes), groups)


def repeated(value: Any, count: int) -> list:
    """Returns a setting of each dimension as a list."""
    return [value] * count if isinstance(value, int) else list(value)


def spread(name: str) -> Callable[..., Any]:
    """Returns the function for a standard deviation or variance."""

    def computing(call: Call, input: Tensor, dim: Any, unbiased: bool, keepdim: bool, correction: Any) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        named: dict[str, Any] = {} if unbiased and correction is None else {"correction": correction or 0}
        if keepdim:
            named["keepdim"] = True
        return call(f"{name}.correction", input, [dim] if isinstance(dim, int) else dim and list(dim), **named)

    return computing


def copy_values(call: Call, input: Tensor, source: Tensor) -> Tensor:
    """`source` in the shape and dtype of `input`."""
    if source.shape != input.shape:
        source = call("expand", source, list(input.shape))
    return call("_to_copy", source, dtype=input.dtype)


PARTS: dict[str, Callable[..., Any]] = {
    "affine": affine,
    "are_close": named("isclose"),
    "attention": attention,
    "channel_statistic": channel_statistic,
    "choose": choose,
    "clamp_to_numbers": named("clamp"),
    "clamp_to_tensors": named("clamp.Tensor"),
    "convolve": convolve,
    "copy_values": copy_values,
    "fill_mask_with_number": named("masked_fill.Scalar"),
    "fill_mask_with_tensor": named("masked_fill.Tensor"),
    "fill_with_number": named("fill.Scalar"),
    "fill_with_tensor": named("fill.Tensor"),
    "flipped_product": linear,
    "getitem_view": getitem_view,
    "index": index,
    "joined": lambda call, tensors, dim: call("cat", tensors, *((dim,) if dim else ())),
    "lerp_by_number": named("lerp.Scalar"),
    "lerp_by_tensor": named("lerp.Tensor"),
    "log_softmax": softmax("_log_softmax"),
    "max_all": named("max"),
    "max_dim": named("max.dim"),
    "min_all": named("min"),
    "min_dim": named("min.dim"),
    "modulus": named("abs"),
    "native_batch_normalization": batch_normalized,
    "native_group_normalization": group_normalized,
    "native_layer_normalization": layer_normalized,
    "negative_log_likelihood": likelihood,
    "new_zeros_of": lambda call, input, shape: call("new_zeros", input, list(shape)),
    "normalized": lambda call, input, *rest: normal(input, *rest).reshape(input.shape),
    "normalized_gradient": normalized_gradient,
    "normalized_weight": normalized_weight,
    "placed_at": placed_at,
    "putitem": putitem,
    "rounded_divide": rounded_divide,
    "slice_view": slice_view,
    "softmax": softmax("_softmax"),
    "std": spread("std"),
    "std_mean": spread("std_mean"),
    "var": spread("var"),
    "var_mean": spread("var_mean"),
    "split_evenly": lambda call, input, size, dim: call("split.Tensor", input, size, *((dim,) if dim else ())),
    "stacked": lambda call, tensors, dim: call("stack", tensors, *((dim,) if dim else ())),
    "sum_to_size_of": sum_to_size_of,
    "true_divide": lambda call, input, other: call("div.Tensor", input, other),
    "unsafe_view": lambda call, input, size: call("view", input, list(size)),
    "view_dtype": lambda call, input, kind: call("view.dtype", input, from_numpy_dtype(kind)),
    "zeroed": named("zeros_like"),
}
