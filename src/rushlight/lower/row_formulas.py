"""Kernels over rows: the softmax family and layer norm, forward and backward, each one loop nest.

Formulas are functions of expressions. A derivative that is elementwise except for sums along `dim` uses the
declaration's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import GRAIN, LINES, TURNED
from rushlight.core.trace_pause import trace_paused
from rushlight.kernels import column_sum
from rushlight.kernels.arguments import packed
from rushlight.kernels.row_nest_calls import run_nest
from rushlight.lower import conversions, llvm, nontemporal, row_nest, row_nest_short, trace
from rushlight.lower import elementary as m
from rushlight.lower.elementwise import FLOATS
from rushlight.lower.ir import TYPES, Trace, Untraceable, Value, reduce, unary, where
from rushlight.lower.machine_types import OF_NUMPY
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, POSITION, ROW
from rushlight.lower.row_nest_short import is_short

LONGEST = 1 << 17  # elements of a row whose values are kept on the stack; for longer rows they are recomputed
FUSED = 1 << 21  # elements of a gradient that no cache holds until it is read again
FLOAT32 = np.dtype(np.float32)
SMALL = {np.dtype(np.float16), conversions.BFLOAT16}  # dtypes computed in float32
TAKEN = FLOATS | SMALL


# ---- formulas


def softmax(x: Value) -> list[Value]:
    """Returns exponentials over their sum; the maximum is subtracted first, against overflow."""
    exponentials = m.decay(x - reduce("max", x))
    return [exponentials * (1.0 / reduce("sum", exponentials))]


def log_softmax(x: Value) -> list[Value]:
    """Returns the logarithm of the softmax."""
    shifted = x - reduce("max", x)
    return [shifted - m.log(reduce("sum", m.decay(shifted)))]


def logsumexp(x: Value) -> list[Value]:
    """Returns the logarithm of the sum of exponentials; an infinite maximum is not subtracted."""
    highest = reduce("max", x)
    highest = where(unary("fabs", highest) < math.inf, highest, 0.0)
    return [m.log(reduce("sum", m.exp(x - highest))) + highest]


def layer_normalized(x, eps, count, weight=None, bias=None) -> list[Value]:
    """Returns `(x - mean) * scale * weight + bias`, the mean and the scale."""
    mean = reduce("sum", x) / count
    centered = x - mean
    scale = 1.0 / unary("sqrt", reduce("sum", centered * centered) / count + eps)
    result = centered * scale
    result = result if weight is None else result * weight
    return [result if bias is None else result + bias, mean, scale]


def normalized_gradient(g, x, mean, scale, count, weight=None) -> list[Value]:
    """Returns `scale * (g - mean(g) - h * mean(g * h))` with h the normalized row and g times the weight."""
    h, weighted = (x - mean) * scale, g if weight is None else g * weight
    return [scale * (weighted - reduce("sum", weighted) / count - h * (reduce("sum", weighted * h) / count))]


# ---- running them


class RowKernel(NamedTuple):
    """A compiled formula: its machine code, and for each result whether it has one value per row, and its dtype.

    `past` stores results past the caches; `run` is the builtin that calls either.
    """

    address: int
    past: int
    run: Callable
    results: tuple[tuple[bool, np.dtype], ...]

    def allocate(self, first: np.ndarray, length: int) -> list[np.ndarray]:
        """Allocates the results for rows of that length; elementwise ones have the shape of the first operand."""
        return [np.empty(first.size // length if per_row else first.shape, dtype) for per_row, dtype in self.results]

    def fill(self, results: list, length: int, first: np.ndarray, *others: np.ndarray) -> list:
        """Computes the results."""
        rows, grain = first.size // length, GRAIN // length or 1
        self.run(self.code(first, length, results), rows, grain, length, first, *others, *results)
        return results

    def code(self, first: np.ndarray, length: int, results: list) -> int:
        """Returns `past` if the results are large, all rows are aligned to cache lines, and nothing is converted."""
        if first.size <= nontemporal.LARGEST_KEPT or length * first.itemsize % nontemporal.LINE:
            return self.address
        aligned = [x.ctypes.data % nontemporal.LINE == 0 for x in results if x.shape == first.shape]
        plain = all(x == first.dtype for _, x in self.results)
        return self.past if plain and all(aligned) else self.address


class RowKernels:
    """The machine code of one formula, per dtype and choice of arguments."""

    def __init__(self, name: str, formula: Callable, kinds: dict[str, str]):
        self.name, self.formula, self.kinds = name, formula, kinds
        self.found: dict[tuple, RowKernel | None] = {}
        self.plain: dict[tuple, RowKernel] = {}  # kernels of one dtype, for `elements`

    def run(self, length: int, values: dict[str, Any], dtype, rounded: tuple | None = None) -> list | None:
        """Returns the results for rows of that length; None if the formula cannot be traced. Arrays must be contiguous.

        Elementwise results have the shape of the first operand and memory of their own, which can become a gradient.
        `dtype` is that of the computation, `rounded` holds the results' dtypes if they differ.
        """
        operands = [x if type(x) is np.ndarray else ARRAY_NUMBERS[dtype][x] for x in values.values()]
        first, dtypes = operands[0], [x.dtype for x in operands]
        kernel = self.kernel(length, dtype, rounded, tuple(values), dtypes)
        return None if kernel is None else kernel.fill(kernel.allocate(first, length), length, *operands)

    def elements(self, length: int, *arrays) -> np.ndarray | None:
        """Returns the one elementwise result for arrays of one shape and dtype, in that dtype; None like `run`."""
        first = arrays[0]
        dtype = first.dtype
        key = dtype, is_short(length), length > LONGEST
        kernel = self.plain.get(key)
        if kernel is None:
            kernel = self.kernel(length, computed_in(dtype), (dtype,), tuple(self.kinds), [dtype] * len(arrays))
            if kernel is None:
                return None
            self.plain[key] = kernel
        out = np.empty(first.shape, dtype)
        code = kernel.address if first.size <= nontemporal.LARGEST_KEPT else kernel.code(first, length, [out])
        kernel.run(code, first.size // length, GRAIN // length or 1, length, *arrays, out)
        return out

    def kernel(self, length: int, dtype, rounded, names: tuple[str, ...], dtypes: list) -> RowKernel | None:
        """Returns the kernel for such operands and row length; None if the formula cannot be traced."""
        size = is_short(length), length > LONGEST
        key = (*size, dtype, rounded, *names, *dtypes)
        cached = self.found.get(key, ABSENT)
        if cached is ABSENT:
            with llvm.COMPILING:
                if key not in self.found:
                    self.found[key] = self._compiled(*size, dtype, dict(zip(names, dtypes, strict=True)), rounded)
                cached = self.found[key]
        return cached

    @trace_paused()
    def _compiled(self, short, long, dtype, dtypes: dict[str, np.dtype], rounded: tuple | None) -> RowKernel | None:
        try:
            operands, results = self._traced(TYPES[dtype], dtypes, rounded)
            nest = row_nest.Nest(operands, results, keeps=not long)
            text = row_nest_short.module(nest) if short else row_nest.module(nest)
        except Untraceable:
            return None
        symbols = (row_nest_short.SYMBOL,) * 2 if short else row_nest.SYMBOLS
        symbols_at = llvm.build(text, *symbols, passes=llvm.FORMULA)
        result_kinds = tuple(zip([nest.of_row[x] for x in results], rounded or (dtype,) * len(results), strict=True))
        return RowKernel(symbols_at[symbols[0]], symbols_at[symbols[1]], run_nest.machine(), result_kinds)

    def _traced(self, type: str, dtypes_by_name: dict[str, np.dtype], rounded) -> tuple[dict[Value, str], list[Value]]:
        """Returns the operands and results as stored."""
        ir_trace = Trace()
        operands: dict[Value, str] = {}
        values: dict[str, Value] = {}
        for number, (name, dtype) in enumerate(dtypes_by_name.items()):
            dtype_name = conversions.NAMES[dtype]
            operand = ir_trace.operand(number, conversions.TYPES[dtype_name])
            operands[operand] = self.kinds[name]
            values[name] = conversions.loaded(operand, dtype_name, type)
        results = self.formula(**values)
        if rounded is not None:
            dtypes = [conversions.NAMES[x] for x in rounded]
            results = [conversions.stored(x, dtype_name) for x, dtype_name in zip(results, dtypes, strict=True)]
        return operands, results


ABSENT: Any = object()


def computed_in(dtype) -> np.dtype:
    """Returns the dtype of the computation."""
    return FLOAT32 if dtype in SMALL else dtype


def fits(array, length: int) -> bool:
    """Returns whether these kernels take an array with rows of that length."""
    return (
        type(array) is np.ndarray
        and array.size >= LINES
        and length > 0
        and array.dtype in TAKEN
        and array.flags.c_contiguous
    )


def in_rows(array):
    """Returns the array in C order if these kernels take it then: NumPy would make many passes over its gaps."""
    if array.flags.c_contiguous or type(array) is not np.ndarray or array.dtype not in TAKEN or array.size < LINES:
        return array
    return packed(array)


def is_innermost(array, dim: int) -> bool:
    """Returns whether the elements along a dimension are contiguous; otherwise NumPy adds whole lines.

    A gradient may lack the dimension.
    """
    if type(array) is not np.ndarray or type(dim) is not int or not -array.ndim <= dim < array.ndim:
        return False
    return array.strides[dim] == array.itemsize


# ---- functions of the array language


def map_rows(name: str, formula: Callable, original: Callable) -> Callable:
    """`xp.softmax` etc.: along the last dimension of a large array, or one that is moved last."""
    kernels = RowKernels(name, formula, {"x": ELEMENT})

    def function(array, axis):
        rank = array.ndim
        if rank and (axis == -1 or axis == rank - 1):
            array = in_rows(array)
            if fits(array, length := array.shape[-1]):
                return kernels.elements(length, array)
        elif array.size >= TURNED and is_innermost(array, axis):
            rows = packed(np.moveaxis(array, axis, -1))
            if fits(rows, length := rows.shape[-1]):
                return packed(np.moveaxis(kernels.elements(length, rows), -1, axis))
        return original(array, axis)

    return function


def reduce_rows(name: str, formula: Callable, original: Callable) -> Callable:
    """`xp.logsumexp`: one value per row."""
    kernels = RowKernels(name, formula, {"x": ELEMENT})

    def function(array, axes, keepdims):
        last = axes[0] if type(axes) is tuple and len(axes) == 1 else axes
        if array.ndim and last in (-1, array.ndim - 1) and fits(array := in_rows(array), array.shape[-1]):
            (result,) = kernels.run(array.shape[-1], {"x": array}, computed_in(array.dtype), (array.dtype,))
            return result.reshape((*array.shape[:-1], 1) if keepdims else array.shape[:-1])
        return original(array, axes, keepdims)

    return function


def layer_norm_forward(original: Callable) -> Callable:
    """`xp.layer_normalized`."""
    kinds = {"x": ELEMENT, "eps": NUMBER, "count": NUMBER, "weight": POSITION, "bias": POSITION}
    kernels = RowKernels("layer_normalized", layer_normalized, kinds)
    known_kernels: dict[tuple, RowKernel] = {}  # by the dtypes of the operands

    def function(array, weight, bias, eps):
        length, dtype = array.shape[-1], array.dtype
        array = packed(array)
        if not fits(array, length) or not are_readable(dtype, weight, bias):
            return original(array, weight, bias, eps)
        dtype_of_computation = computed_in(dtype)
        numbers = ARRAY_NUMBERS[dtype_of_computation]
        eps, count = numbers[eps], numbers[length]
        key = length, dtype, None if weight is None else weight.dtype, None if bias is None else bias.dtype
        kernel = known_kernels.get(key)
        if kernel is None:
            values = with_weights({"x": array, "eps": eps, "count": count}, weight, bias)
            dtypes = [x.dtype for x in values.values()]
            kernel = known_kernels[key] = kernels.kernel(
                length, dtype_of_computation, (dtype, dtype_of_computation, dtype_of_computation), tuple(values), dtypes
            )
        rows = array.size // length
        results = [
            np.empty(array.shape, dtype),
            np.empty(rows, dtype_of_computation),
            np.empty(rows, dtype_of_computation),
        ]
        return kernel.fill(results, length, array, eps, count, *[x for x in (weight, bias) if x is not None])

    return function


def are_readable(dtype, *arrays) -> bool:
    """Returns whether present weights can be read directly; with half precision they may be float32."""
    for weight in arrays:
        if weight is not None:
            if not weight.flags.c_contiguous or (weight.dtype is not dtype and weight.dtype != computed_in(dtype)):
                return False
    return True


def with_weights(values: dict, weight, bias=None) -> dict:
    """Adds the present weights to a kernel's operands."""
    if weight is not None:
        values["weight"] = weight
    if bias is not None:
        values["bias"] = bias
    return values


# ---- derivatives


class RowOperators(trace.Operators):
    """The library's operators on the elements of a row, with sums along it."""

    @staticmethod
    def sum(value, dim, keepdim=False):
        if not keepdim:
            raise Untraceable("a sum that loses its dimension")
        return reduce("sum", value)


ROW_OPERATORS = RowOperators()


def rows_backward(op, node_class, raw, original: Callable) -> tuple[Callable, Callable]:
    """Returns the backward of an operator along `dim`, for the last dimension of a large array; floats and half
    precision.
    """
    (name,) = op.derivatives
    saved_names = node_class.saves
    place = node_class.parameters.index("dim")

    def formula(**inputs):
        return [trace.derivative(op, name, {**inputs, "dim": -1}, ROW_OPERATORS)]

    kernels = RowKernels(f"{op.name}_backward", formula, dict.fromkeys(("g", *saved_names), ELEMENT))

    def machine(node, saved, g, edges):
        if type(g) is not np.ndarray or g.size < LINES:
            return None
        dim = node.params[place]
        if dim == -1 or dim == g.ndim - 1:
            return along_last(node, saved, g)
        if g.size < TURNED or not is_innermost(g, dim) or any([each.shape != g.shape for each in saved]):
            return None
        found = along_last(node, [packed(np.moveaxis(each, dim, -1)) for each in saved], np.moveaxis(g, dim, -1))
        return None if found is None else tuple([packed(np.moveaxis(each, -1, dim)) for each in found])

    def along_last(node, saved, g):
        g = packed(g)
        length, shape, inputs = g.shape[-1], g.shape, g.dtype
        if not fits(g, length) or any([each.shape != shape or not fits(each, length) for each in saved]):
            return None
        dtype = inputs if node.metas is None else node.metas[0][1]
        kind = node.computes_in or inputs
        if dtype is inputs and kind is computed_in(inputs) and all([each.dtype is inputs for each in saved]):
            found = kernels.elements(length, g, *saved)
            return None if found is None else (found,)
        if dtype not in conversions.NAMES or any(computed_in(each.dtype) != kind for each in (g, *saved)):
            return None
        found = kernels.run(length, {"g": g, **dict(zip(saved_names, saved, strict=True))}, kind, (dtype,))
        return None if found is None else tuple(found)

    def backward(F, node, saved, g, edges):
        found = machine(node, saved, g, edges) if F is raw else None
        return original(F, node, saved, g, edges) if found is None else found

    return backward, machine


def layer_norm_backward(op, node_class, raw, original: Callable) -> Callable:
    """Returns layer norm's backward: the input's gradient by rows, those of weight and bias by columns."""
    kinds = {"g": ELEMENT, "x": ELEMENT, "mean": ROW, "scale": ROW, "count": NUMBER, "weight": POSITION}
    kernels = RowKernels(f"{op.name}_backward", normalized_gradient, kinds)
    names = (*node_class.saves, *node_class.parameters)

    def backward(F, node, saved, g, edges):
        known = dict(zip(names, (*saved, *node.params), strict=True))
        length = math.prod(known["normalized_shape"])
        x, weight = known.get("input"), known.get("weight")
        if F is not raw or x is None:
            return original(F, node, saved, g, edges)
        given, g, x = g, in_rows(g), in_rows(x)
        if not fits(g, length) or not fits(x, length) or not are_readable(g.dtype, x, weight):
            return original(F, node, saved, given, edges)
        mean, scale = (np.ascontiguousarray(each) for each in (known["statistics"].mean, known["statistics"].scale))
        kind = computed_in(g.dtype)
        if x.dtype != g.dtype or not are_readable(kind, mean, scale):
            return original(F, node, saved, given, edges)
        values = with_weights(
            {"g": g, "x": x, "mean": mean, "scale": scale, "count": ARRAY_NUMBERS[kind][length]}, weight
        )
        dtypes = [each.dtype for each in values.values()]
        kernel = None if edges[0] is None else kernels.kernel(length, kind, (g.dtype,), tuple(values), dtypes)
        if edges[1] is None and edges[2] is None:
            return kernel.fill(kernel.allocate(g, length), length, *values.values())[0], None, None
        out, sums = gradient_and_sums(kernel, length, *values.values())
        found = [each.astype(g.dtype).reshape(known["normalized_shape"]) for each in sums]
        return out, *[None if edge is None else each for each, edge in zip(found, edges[1:], strict=True)]

    return backward


def gradient_and_sums(
    kernel: RowKernel | None, length: int, *operands: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray]:
    """Returns the gradient of the input, if it has a kernel, and the sums over rows; large ones in one pass."""
    g, _, mean, *_ = operands
    rows, sums, types = g.size // length, np.empty((2, length)), (OF_NUMPY[g.dtype], OF_NUMPY[mean.dtype])
    if kernel is None or g.size < FUSED or length > column_sum.STRIP:
        out = [None] if kernel is None else kernel.fill(kernel.allocate(g, length), length, *operands)
        column_sum.feature_sums.machine(*types)(sums, *operands[:4], rows, length)
        return out[0], sums
    out, block = kernel.allocate(g, length), column_sum.BLOCK // length
    nest, partial = kernel.code(g, length, out), np.empty((-(-rows // block), 2 * length))
    arguments = np.array([*[x.ctypes.data for x in (*operands, *out)], length])
    column_sum.feature_gradients.machine(*types)(sums, partial, *operands[:4], nest, arguments, rows, length, block)
    return out[0], sums


# Array functions that kernels replace, and operators whose backward functions they replace, by name.
FUNCTIONS = {
    "softmax": lambda original: map_rows("softmax", softmax, original),
    "log_softmax": lambda original: map_rows("log_softmax", log_softmax, original),
    "logsumexp": lambda original: reduce_rows("logsumexp", logsumexp, original),
    "layer_normalized": layer_norm_forward,
}
BACKWARDS = {"native_layer_normalization": layer_norm_backward}


def converting(name: str) -> Callable:
    """Returns the half precision path along the last dimension of an operator in `FORMULAS`."""
    kernels = RowKernels(name, FORMULAS[name], {"x": ELEMENT})

    def forward(values, kind, rounded):
        array, dim = values["input"], values["dim"]
        if kind != FLOAT32 or type(dim) is not int or not array.ndim or dim not in (-1, array.ndim - 1):
            return None
        if not fits(array, array.shape[-1]) or array.dtype not in SMALL or rounded not in conversions.NAMES:
            return None
        return kernels.run(array.shape[-1], {"x": array}, kind, (rounded,))[0]

    return forward


FORMULAS = {"softmax": softmax, "log_softmax": log_softmax}
