"""Kernels over rows: the softmax family and layer norm, forward and backward, each one loop nest.

Formulas are functions of expressions. That of a derivative which is elementwise but for sums along `dim` is the
declaration's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import GRAIN, LINES, TURNED
from rushlight.kernels import column_sum
from rushlight.kernels.arguments import packed
from rushlight.kernels.row_nest_calls import run_nest
from rushlight.lower import conversions, llvm, nontemporal, row_nest, row_nest_short, trace
from rushlight.lower import elementary as m
from rushlight.lower.elementwise import FLOATS
from rushlight.lower.ir import TYPES, Trace, Untraceable, Value, reduce, unary, where
from rushlight.lower.machine_types import OF_NUMPY
from rushlight.lower.row_nest_loop import ELEMENT, NUMBER, PLACE, ROW
from rushlight.lower.row_nest_short import is_short

LONGEST = 1 << 17  # elements of a row of which values are kept, on the stack: of longer ones they are computed again
FUSED = 1 << 21  # elements of a gradient that no cache holds until they are read again
FLOAT32 = np.dtype(np.float32)
SMALL = {np.dtype(np.float16), conversions.BFLOAT16}  # what is computed in float32
TAKEN = FLOATS | SMALL


# ---- formulas


def softmax(x: Value) -> list[Value]:
    """Exponentials over their sum; the largest is taken out first, lest they overflow."""
    grown = m.decay(x - reduce("max", x))
    return [grown * (1.0 / reduce("sum", grown))]


def log_softmax(x: Value) -> list[Value]:
    """The logarithm of the softmax."""
    less = x - reduce("max", x)
    return [less - m.log(reduce("sum", m.decay(less)))]


def logsumexp(x: Value) -> list[Value]:
    """The logarithm of the sum of exponentials; what is infinite is not taken out."""
    highest = reduce("max", x)
    highest = where(unary("fabs", highest) < math.inf, highest, 0.0)
    return [m.log(reduce("sum", m.exp(x - highest))) + highest]


def layer_normalized(x, eps, count, weight=None, bias=None) -> list[Value]:
    """`(x - mean) * scale * weight + bias`; the mean and the scale."""
    mean = reduce("sum", x) / count
    centred = x - mean
    scale = 1.0 / unary("sqrt", reduce("sum", centred * centred) / count + eps)
    found = centred * scale
    found = found if weight is None else found * weight
    return [found if bias is None else found + bias, mean, scale]


def normalized_gradient(g, x, mean, scale, count, weight=None) -> list[Value]:
    """`scale * (g - mean(g) - h * mean(g * h))` with h the normalized row and g times the weight."""
    h, pull = (x - mean) * scale, g if weight is None else g * weight
    return [scale * (pull - reduce("sum", pull) / count - h * (reduce("sum", pull * h) / count))]


# ---- running them


class RowKernel(NamedTuple):
    """A compiled formula: its machine code, and of each result whether it is one number for a row, and its dtype.

    `past` is that which writes results past the caches, and `run` what Python calls with either.
    """

    address: int
    past: int
    run: Callable
    results: tuple[tuple[bool, np.dtype], ...]

    def room(self, first: np.ndarray, length: int) -> list[np.ndarray]:
        """Memory for the results of rows of that length: of elements, in the shape of the first operand."""
        return [np.empty(first.size // length if each else first.shape, kind) for each, kind in self.results]

    def fill(self, results: list, length: int, first: np.ndarray, *others: np.ndarray) -> list:
        """Computes the results."""
        rows, grain = first.size // length, GRAIN // length or 1
        self.run(self.code(first, length, results), rows, grain, length, first, *others, *results)
        return results

    def code(self, first: np.ndarray, length: int, results: list) -> int:
        """Past the caches, if they are large and begin with a line, as do all rows, and nothing is converted."""
        if first.size <= nontemporal.LARGEST_KEPT or length * first.itemsize % nontemporal.LINE:
            return self.address
        aligned = [each.ctypes.data % nontemporal.LINE == 0 for each in results if each.shape == first.shape]
        plain = all(each == first.dtype for _, each in self.results)
        return self.past if plain and all(aligned) else self.address


class RowKernels:
    """The machine code of one formula, for each dtype and each choice of arguments."""

    def __init__(self, name: str, formula: Callable, kinds: dict[str, str]):
        self.name, self.formula, self.kinds = name, formula, kinds
        self.found: dict[tuple, RowKernel | None] = {}
        self.plain: dict[tuple, RowKernel] = {}  # those of arrays of one dtype, for `elements`

    def run(self, length: int, values: dict[str, Any], dtype, rounded: tuple | None = None) -> list | None:
        """The results for rows of that length; None if the formula cannot be traced. Arrays must be contiguous.

        Those of elements have the shape of the first operand and memory of their own, which can become a gradient.
        `dtype` is what is computed in, `rounded` are the dtypes of results if these are others.
        """
        given = [each if type(each) is np.ndarray else ARRAY_NUMBERS[dtype][each] for each in values.values()]
        first, dtypes = given[0], [each.dtype for each in given]
        kernel = self.kernel(length, dtype, rounded, tuple(values), dtypes)
        return None if kernel is None else kernel.fill(kernel.room(first, length), length, *given)

    def elements(self, length: int, *arrays) -> np.ndarray | None:
        """The one result, for each element of arrays of one shape and dtype, in that dtype; None as `run`."""
        first = arrays[0]
        dtype = first.dtype
        key = dtype, is_short(length), length > LONGEST
        kernel = self.plain.get(key)
        if kernel is None:
            kernel = self.kernel(length, computed_in(dtype), (dtype,), tuple(self.kinds), [dtype] * len(arrays))
            if kernel is None:
                return None
            self.plain[key] = kernel
        found = np.empty(first.shape, dtype)
        code = kernel.address if first.size <= nontemporal.LARGEST_KEPT else kernel.code(first, length, [found])
        kernel.run(code, first.size // length, GRAIN // length or 1, length, *arrays, found)
        return found

    def kernel(self, length: int, dtype, rounded, names: tuple[str, ...], dtypes: list) -> RowKernel | None:
        """The kernel for such operands, in rows of that length; None where the formula cannot be traced."""
        size = is_short(length), length > LONGEST
        key = (*size, dtype, rounded, *names, *dtypes)
        found = self.found.get(key, ABSENT)
        if found is ABSENT:
            with llvm.COMPILING:
                if key not in self.found:
                    self.found[key] = self._compiled(*size, dtype, dict(zip(names, dtypes, strict=True)), rounded)
                found = self.found[key]
        return found

    def _compiled(self, short, long, dtype, kinds: dict[str, np.dtype], rounded: tuple | None) -> RowKernel | None:
        try:
            operands, results = self._traced(TYPES[dtype], kinds, rounded)
            nest = row_nest.Nest(operands, results, keeps=not long)
            text = row_nest_short.module(nest) if short else row_nest.module(nest)
        except Untraceable:
            return None
        symbols = (row_nest_short.SYMBOL,) * 2 if short else row_nest.SYMBOLS
        found = llvm.build(text, *symbols, passes=llvm.FORMULA)
        given = tuple(zip([nest.of_row[each] for each in results], rounded or (dtype,) * len(results), strict=True))
        return RowKernel(found[symbols[0]], found[symbols[1]], run_nest.machine(), given)

    def _traced(self, type: str, kinds: dict[str, np.dtype], rounded) -> tuple[dict[Value, str], list[Value]]:
        """The operands and results, as they lie in memory."""
        made = Trace()
        operands: dict[Value, str] = {}
        given: dict[str, Value] = {}
        for number, (name, dtype) in enumerate(kinds.items()):
            kind = conversions.NAMES[dtype]
            operand = made.operand(number, conversions.TYPES[kind])
            operands[operand] = self.kinds[name]
            given[name] = conversions.loaded(operand, kind, type)
        results = self.formula(**given)
        if rounded is not None:
            dtypes = [conversions.NAMES[each] for each in rounded]
            results = [conversions.stored(each, kind) for each, kind in zip(results, dtypes, strict=True)]
        return operands, results


ABSENT: Any = object()


def computed_in(dtype) -> np.dtype:
    """What the numbers of a dtype are computed in."""
    return FLOAT32 if dtype in SMALL else dtype


def fits(array, length: int) -> bool:
    """Whether an array of rows of that length is for these kernels."""
    return (
        type(array) is np.ndarray
        and array.size >= LINES
        and length > 0
        and array.dtype in TAKEN
        and array.flags.c_contiguous
    )


def in_rows(array):
    """The array in C order, if it is for these kernels but for that: NumPy would take many passes over its gaps."""
    if array.flags.c_contiguous or type(array) is not np.ndarray or array.dtype not in TAKEN or array.size < LINES:
        return array
    return packed(array)


def lies_innermost(array, dim: int) -> bool:
    """Whether the elements along a dimension lie side by side: where they do not, NumPy adds up whole lines.

    A gradient may have lost the dimension.
    """
    if type(array) is not np.ndarray or type(dim) is not int or not -array.ndim <= dim < array.ndim:
        return False
    return array.strides[dim] == array.itemsize


# ---- functions of the array language


def along_rows(name: str, formula: Callable, original: Callable) -> Callable:
    """`xp.softmax` and the like: along the last dimension of a large array, by its kernel; or that is made the last."""
    kernels = RowKernels(name, formula, {"x": ELEMENT})

    def function(array, axis):
        rank = array.ndim
        if rank and (axis == -1 or axis == rank - 1):
            array = in_rows(array)
            if fits(array, length := array.shape[-1]):
                return kernels.elements(length, array)
        elif array.size >= TURNED and lies_innermost(array, axis):
            rows = packed(np.moveaxis(array, axis, -1))
            if fits(rows, length := rows.shape[-1]):
                return packed(np.moveaxis(kernels.elements(length, rows), -1, axis))
        return original(array, axis)

    return function


def along_rows_to_one(name: str, formula: Callable, original: Callable) -> Callable:
    """`xp.logsumexp`: one number for each row."""
    kernels = RowKernels(name, formula, {"x": ELEMENT})

    def function(array, axes, keepdims):
        last = axes[0] if type(axes) is tuple and len(axes) == 1 else axes
        if array.ndim and last in (-1, array.ndim - 1) and fits(array := in_rows(array), array.shape[-1]):
            (found,) = kernels.run(array.shape[-1], {"x": array}, computed_in(array.dtype), (array.dtype,))
            return found.reshape((*array.shape[:-1], 1) if keepdims else array.shape[:-1])
        return original(array, axes, keepdims)

    return function


def layer_norm_forward(original: Callable) -> Callable:
    """`xp.layer_normalized`."""
    kinds = {"x": ELEMENT, "eps": NUMBER, "count": NUMBER, "weight": PLACE, "bias": PLACE}
    kernels = RowKernels("layer_normalized", layer_normalized, kinds)
    known: dict[tuple, RowKernel] = {}  # by the dtypes of the operands

    def function(array, weight, bias, eps):
        length, dtype = array.shape[-1], array.dtype
        array = packed(array)
        if not fits(array, length) or not alike(dtype, weight, bias):
            return original(array, weight, bias, eps)
        kind = computed_in(dtype)
        numbers = ARRAY_NUMBERS[kind]
        values = with_weights({"x": array, "eps": numbers[eps], "count": numbers[length]}, weight, bias)
        size = is_short(length), length > LONGEST
        key = (*size, dtype, None if weight is None else weight.dtype, None if bias is None else bias.dtype)
        kernel = known.get(key)
        if kernel is None:
            dtypes = [each.dtype for each in values.values()]
            kernel = known[key] = kernels.kernel(length, kind, (dtype, kind, kind), tuple(values), dtypes)
        return kernel.fill(kernel.room(array, length), length, *values.values())

    return function


def alike(dtype, *arrays) -> bool:
    """Whether weights that are there can be read as they are; beside small floats they may be float32."""
    for each in arrays:
        if each is not None:
            if not each.flags.c_contiguous or (each.dtype is not dtype and each.dtype != computed_in(dtype)):
                return False
    return True


def with_weights(values: dict, weight, bias=None) -> dict:
    """The operands of a kernel, and those of the two that are there."""
    if weight is not None:
        values["weight"] = weight
    if bias is not None:
        values["bias"] = bias
    return values


# ---- derivatives


class RowOperators(trace.Operators):
    """The library's operators where elements are those of a row, along which sums go."""

    @staticmethod
    def sum(value, dim, keepdim=False):
        if not keepdim:
            raise Untraceable("a sum that loses its dimension")
        return reduce("sum", value)


ROW_OPERATORS = RowOperators()


def rows_backward(op, node_class, raw, original: Callable) -> tuple[Callable, Callable]:
    """The derivative of an operator that works along `dim`, where that is the last one of a large array.

    Of floats, and of small floats as they are.
    """
    (name,) = op.derivatives
    saved_names = node_class.saves
    place = node_class.parameters.index("dim")

    def formula(**given):
        return [trace.derivative(op, name, {**given, "dim": -1}, ROW_OPERATORS)]

    kernels = RowKernels(f"{op.name}_backward", formula, dict.fromkeys(("g", *saved_names), ELEMENT))

    def machine(node, saved, g, edges):
        if type(g) is not np.ndarray or g.size < LINES:
            return None
        dim = node.params[place]
        if dim == -1 or dim == g.ndim - 1:
            return along_last(node, saved, g)
        if g.size < TURNED or not lies_innermost(g, dim) or any([each.shape != g.shape for each in saved]):
            return None
        found = along_last(node, [packed(np.moveaxis(each, dim, -1)) for each in saved], np.moveaxis(g, dim, -1))
        return None if found is None else tuple([packed(np.moveaxis(each, -1, dim)) for each in found])

    def along_last(node, saved, g):
        g = packed(g)
        length, shape, given = g.shape[-1], g.shape, g.dtype
        if not fits(g, length) or any([each.shape != shape or not fits(each, length) for each in saved]):
            return None
        dtype = given if node.metas is None else node.metas[0][1]
        kind = node.computes_in or given
        if dtype is given and kind is computed_in(given) and all([each.dtype is given for each in saved]):
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
    """All three derivatives of layer norm: that of the input by rows, those of weight and bias by columns."""
    kinds = {"g": ELEMENT, "x": ELEMENT, "mean": ROW, "scale": ROW, "count": NUMBER, "weight": PLACE}
    kernels = RowKernels(f"{op.name}_backward", normalized_gradient, kinds)
    names = (*node_class.saves, *node_class.parameters)

    def backward(F, node, saved, g, edges):
        known = dict(zip(names, (*saved, *node.params), strict=True))
        length = math.prod(known["normalized_shape"])
        x, weight = known.get("input"), known.get("weight")
        if F is not raw or x is None:
            return original(F, node, saved, g, edges)
        given, g, x = g, in_rows(g), in_rows(x)
        if not fits(g, length) or not fits(x, length) or not alike(g.dtype, x, weight):
            return original(F, node, saved, given, edges)
        mean, scale = (np.ascontiguousarray(each) for each in (known["statistics"].mean, known["statistics"].scale))
        kind = computed_in(g.dtype)
        if x.dtype != g.dtype or not alike(kind, mean, scale):
            return original(F, node, saved, given, edges)
        values = with_weights(
            {"g": g, "x": x, "mean": mean, "scale": scale, "count": ARRAY_NUMBERS[kind][length]}, weight
        )
        dtypes = [each.dtype for each in values.values()]
        kernel = None if edges[0] is None else kernels.kernel(length, kind, (g.dtype,), tuple(values), dtypes)
        if edges[1] is None and edges[2] is None:
            return kernel.fill(kernel.room(g, length), length, *values.values())[0], None, None
        out, sums = gradients_and_sums(kernel, length, *values.values())
        found = [each.astype(g.dtype).reshape(known["normalized_shape"]) for each in sums]
        return out, *[None if edge is None else each for each, edge in zip(found, edges[1:], strict=True)]

    return backward


def gradients_and_sums(
    kernel: RowKernel | None, length: int, *given: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray]:
    """The gradient of the input by its kernel, if there is one, and the sums over rows: of a large one in one pass."""
    g, _, mean, *_ = given
    rows, sums, types = g.size // length, np.empty((2, length)), (OF_NUMPY[g.dtype], OF_NUMPY[mean.dtype])
    if kernel is None or g.size < FUSED or length > column_sum.STRIP:
        out = [None] if kernel is None else kernel.fill(kernel.room(g, length), length, *given)
        column_sum.feature_sums.machine(*types)(sums, *given[:4], rows, length)
        return out[0], sums
    out, block = kernel.room(g, length), column_sum.BLOCK // length
    nest, found = kernel.code(g, length, out), np.empty((-(-rows // block), 2 * length))
    places = np.array([*[each.ctypes.data for each in (*given, *out)], length])
    column_sum.feature_gradients.machine(*types)(sums, found, *given[:4], nest, places, rows, length, block)
    return out[0], sums


# Array functions that kernels stand in for, and operators whose backward functions they replace, by name.
FUNCTIONS = {
    "softmax": lambda original: along_rows("softmax", softmax, original),
    "log_softmax": lambda original: along_rows("log_softmax", log_softmax, original),
    "logsumexp": lambda original: along_rows_to_one("logsumexp", logsumexp, original),
    "layer_normalized": layer_norm_forward,
}
BACKWARDS = {"native_layer_normalization": layer_norm_backward}


def converting(name: str) -> Callable:
    """What stands before the operator of that name, one of `FORMULAS`, for small floats along the last dimension."""
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
