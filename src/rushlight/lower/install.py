"""Enters kernels in the tables; called once, when compiling pays off (`core/policy.py`).

A call with small arrays still runs the plain function. Integers use these entries too: a kernel's ufunc has NumPy's
loops for dtypes that it does not compute itself.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

import numpy as np

from rushlight.arrays import cpu, memory
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.policy import FORMULA, HALVED, LARGE, PRODUCTS, Warmup
from rushlight.core.tables import FOLLOWERS, fast, forward, names_of, raw, xp
from rushlight.core.trace_pause import trace_paused
from rushlight.declarations.declare import OPS, TENSORS
from rushlight.dispatch import lazy_modules
from rushlight.dispatch.plan import CONVERTING, WRITING, add_converting, assign, entry
from rushlight.lower import (
    alignment,
    conversions,
    elementwise,
    half_precision,
    in_place,
    llvm,
    registry,
    row_formulas,
    trace,
    ufunc,
)  # fmt: skip
from rushlight.lower.elementwise import FLOATS, Kernels
from rushlight.lower.kernel_cache import ConvertingCache, KernelCache, ScalarCache

ndarray = np.ndarray
FLOAT32 = np.dtype(np.float32)

# Layers in machine code: functions of the table `xp` by the modules of `lower` that define them.
LAYERS = {
    "attention": ("attention", "attention_gradients"),
    "convolution": ("convolve", "convolve_input", "convolve_weight"),
    "normalization": (
        "batch_normalized",
        "batch_normalized_gradients",
        "channel_sum",
        "fixed_normalized",
        "fixed_normalized_gradients",
        "group_normalized",
        "group_normalized_gradients",
    ),
    "pooling": ("adaptive_max_pool", "max_pool", "max_pool_input", "max_pool_values"),
    "recurrent": ("gru", "gru_backward", "lstm", "lstm_backward", "rnn_backward"),
}
MODULE_OF_LAYER = {name: module for module, names in LAYERS.items() for name in names}
SHARED = ("bitwise_and", "bitwise_or", "bitwise_xor", "invert")  # NumPy's loops on all threads; there is no formula
# Functions that formulas call, and that are not faster as kernels of their own.
PARTS = frozenset(("astype", "element", "factor_for", "largest_in", "ones_like", "zeros_like"))
DONE: set[str] = set()  # the operators whose kernels are installed


def install() -> None:
    """Enters all kernels; on a host that formulas cannot be compiled for, only those in restricted Python."""
    memory.reuse()
    alignment.align()
    registry.load_all()
    fit = llvm.host().fit
    follow(xp, names_of(xp))
    FOLLOWERS.append(follow)
    if fit:
        assign(xp, "plus", sums(operator.add))
        assign(xp, "add_into", sums_into(entry(xp, "add_into")))
        assign(raw, "add", added(raw.add))
        assign_both("limit", limits(cpu.FUNCTIONS["limit"]))
        assign(fast, "clip", clipping(entry(fast, "clip")))
        install_operators()
        assign(forward, "neg", negated_by_parts(entry(forward, "neg")))
        WRITING["fill"] = WRITING["zeroed"] = in_place.fill
        WRITING["copy_values"] = in_place.copy
        lazy_modules.LISTENERS.append(lambda module: install_operators())
    for name in ("matmul", "dot"):
        assign_both(name, large_products(entry(xp, name)))
    for name in ("mm", "affine", "flipped_product"):
        assign(forward, name, waiting_product(name))


# ---- functions of arrays


def follow(table: ModuleType, names: list[str]) -> None:
    """Gives functions of arrays their kernels when they have been entered."""
    if table is xp:
        for name in names:
            install_function(name)


def assign_both(name: str, function: Callable) -> None:
    """Enters a function that takes arrays of any dtype in `xp` and in `fast`."""
    assign(xp, name, function)
    assign(fast, name, function)


def install_function(name: str) -> None:
    """Enters the kernels of one function of arrays, one in front of the other."""
    if name in registry.KERNELS:
        assign_both(name, registry.large_calls(registry.KERNELS[name], entry(xp, name)))
    if name in MODULE_OF_LAYER:
        assign_both(name, layer(MODULE_OF_LAYER[name], name))
    if not llvm.host().fit:
        return
    if name in row_formulas.FUNCTIONS:
        assign_both(name, row_formulas.FUNCTIONS[name](entry(xp, name)))
    if (name in trace.FUNCTIONS and name not in PARTS) or name in SHARED:
        plain = entry(fast, name)
        if isinstance(plain, np.ufunc):
            assign(fast, name, until_large(name, plain))
        elif name in trace.FUNCTIONS:
            kernels = Kernels(name, elementwise.function_of(name), elementwise.built_in((name,)))
            assign(fast, name, large_only(KernelCache(kernels, ("a", "b", "c", "d")), plain))


def layer(module: str, name: str) -> Callable:
    """Returns a function that imports the module of a layer on first call, since most programs use only some layers."""

    def first(*arguments, **named):
        with trace_paused():
            function = getattr(import_module(f"rushlight.lower.{module}"), name)
        assign_both(name, function)
        return function(*arguments, **named)

    return first


def until_large(name: str, plain: np.ufunc) -> Callable:
    """Returns NumPy's ufunc of one or two operands until the first large array, then a ufunc with the kernel.

    Without a kernel, that ufunc runs NumPy's loops on all threads.
    """
    kernels = Kernels(name, elementwise.function_of(name)) if name in trace.FUNCTIONS else None
    warmup = Warmup()

    def large(result, arrays, out):
        if not (result.flags.forc and warmup.pays_off(result.size)):
            return result
        kernel = None if kernels is None else kernels.of_arrays(("a", "b")[: plain.nin])
        function = ufunc.shared(plain, kernel)
        assign(fast, name, function)
        return function(*arrays, out=out) if out is ... else result  # so that the next call gives the same digits

    def of_one(array, out=...):
        result = plain(array, out=out)
        return result if result.size < FORMULA else large(result, (array,), out)

    def of_two(array, other, out=...):
        result = plain(array, other, out=out)
        return result if result.size < FORMULA else large(result, (array, other), out)

    return of_one if plain.nin == 1 else of_two


def sums(plain: Callable) -> Callable:
    """Returns `xp.plus`, which adds gradients of any dtype."""
    kernels = Kernels("add", elementwise.function_of("add"))

    def plus(first, second):
        if type(first) is ndarray and first.size >= HALVED:
            result = large_sum(kernels, first, second)
            if result is not None:
                return result
        return plain(first, second)

    return plus


def added(plain: Callable) -> Callable:
    """Returns `raw.add`, used by derivatives, with a kernel for half precision, which NumPy converts one by one."""
    kernels = Kernels("add", elementwise.function_of("add"))

    def add(input, other, *, alpha=1):
        if type(input) is ndarray and input.size >= HALVED and alpha == 1 and input.dtype in half_precision.DTYPES:
            result = large_sum(kernels, input, other)
            if result is not None:
                return result
        return plain(input, other, alpha=alpha)

    return add


def sums_into(plain: Callable) -> Callable:
    """Returns `xp.add_into`, which adds to an existing gradient."""
    kernels = Kernels("add", elementwise.function_of("add"))

    def add_into(array, values):
        if type(array) is not ndarray or array.size < HALVED or large_sum(kernels, array, values, array) is None:
            plain(array, values)

    return add_into


def negated_by_parts(plain: Callable) -> Callable:
    """Returns `forward.neg`, which negates large complex arrays as real ones of twice the size: vectorized."""

    def neg(xp, input):
        if type(input) is ndarray and input.dtype.kind == "c" and input.size >= FORMULA and input.flags.c_contiguous:
            return xp.negative(input.view(input.real.dtype)).view(input.dtype)
        return plain(xp, input)

    return neg


def large_sum(kernels: Kernels, first: ndarray, second, out: ndarray | None = None) -> ndarray | None:
    """Returns the sum of large floats, or of arrays of one half-precision dtype, by a kernel; None if it has none."""
    if first.dtype in FLOATS:
        result = None if first.size < LARGE else kernels.run({"a": first, "b": second}, first.dtype, None, out)
    elif first.dtype in half_precision.DTYPES and type(second) is ndarray and second.dtype == first.dtype:
        result = kernels.run({"a": first, "b": second}, FLOAT32, (first.dtype,), out)
    else:
        return None
    return None if result is None else result[0]


def limits(plain: Callable) -> Callable:
    """Returns `xp.limit`, which clips gradients in place in one pass."""
    kernels = ScalarCache(Kernels("limit", elementwise.function_of("clip_to_numbers")))

    def limit(array, low, high):
        small = array.size < FORMULA
        kernel = None if small else kernels.find(array, {"array": array, "low": low, "high": high})
        if kernel is None:
            plain(array, low, high)
        else:
            kernel(array, low, high, out=array)

    return limit


def clipping(plain: Callable) -> Callable:
    """Returns `xp.clip`, which can overwrite large floats by the kernel of `xp.limit`."""

    @functools.wraps(plain)
    def clip(*arguments, **named):
        return plain(*arguments, **named)

    vars(clip)["overwrite"] = clipped
    return clip


def clipped(array, low, high) -> bool:
    """Clips floats in place by the kernel of `xp.limit`; returns whether it did."""
    if low is None or high is None or array.dtype not in FLOATS:
        return False
    token = set_errors(xp.IGNORED)
    try:
        xp.limit(array, low, high)
    finally:
        reset_errors(token)
    return True


def large_only(cache: KernelCache, plain: Callable) -> Callable:
    """Returns a function of several steps that runs its kernel for large arrays."""
    known, key_of = cache.known, cache.key_of

    def function(first, *rest, **named):
        if type(first) is not ndarray or first.size < FORMULA:
            return plain(first, *rest, **named)
        # Generated functions pass keywords in the order of the declaration, in which they come last.
        args = (*rest, *named.values()) if named else rest
        key = (first.dtype, *map(key_of, args)) if args else first.dtype
        call = known.get(key)
        if call is None:
            call = cache.find(key, (first, *args), dtype_of(first, args))
        return call(first, *args) if call else plain(first, *rest, **named)

    def overwrite(first, *rest, **named) -> bool:
        """Writes the result over the first array by a kernel; returns whether it did."""
        args = (*rest, *named.values()) if named else rest
        key = (first.dtype, *map(key_of, args)) if args else first.dtype
        call = cache.in_place.get(key) or cache.find_in_place(key, (first, *args))
        if call is None:
            return False
        call(first, *args)
        return True

    vars(function)["overwrite"] = overwrite
    return function


def dtype_of(first: ndarray, rest: tuple) -> np.dtype:
    """Returns the floating dtype of the arguments; a mask may come first."""
    if first.dtype in FLOATS:
        return first.dtype
    return next((x.dtype for x in rest if isinstance(x, ndarray) and x.dtype in FLOATS), first.dtype)


# ---- products of matrices


def large_products(plain: Callable) -> Callable:
    """Returns `xp.matmul` or `xp.dot`: operators that process the product or its operands call these."""

    def product(one, other):
        is_plain = type(one) is ndarray and one.dtype == FLOAT32 and 2 <= one.ndim == other.ndim <= 3
        if is_plain and one.size * other.shape[-1] >= PRODUCTS:
            result = machine_product()(one, other, None, one.ndim)
            if result is not None:
                return result
        return plain(one, other)

    return product


def machine_product() -> Callable:
    return import_module("rushlight.kernels.matmul").multiply.machine()


def waiting_product(name: str) -> Callable:
    """Returns `forward` of a product, which installs the kernels on the first large one; costs one comparison."""
    plain = entry(forward, name)

    def of_two(xp, left, right):
        if left.size * right.size >= PRODUCTS:
            install_products(left, right)
        return plain(xp, left, right)

    def of_rows(xp, left, right, input=None):
        if left.size * right.size >= PRODUCTS:
            install_products(left, right)
        return plain(xp, left, right, input)

    def with_sum(xp, input, left, right, *, beta=1, alpha=1, flipped=True):
        if left.size * right.size >= PRODUCTS:
            install_products(left, right)
        return plain(xp, input, left, right, beta=beta, alpha=alpha, flipped=flipped)

    functions: dict[str, Callable] = {"affine": with_sum, "flipped_product": of_rows}
    return functions.get(name, of_two)


def install_products(left, right) -> None:
    """Enters the kernels of products if these two operands need enough multiplications."""
    if not all([type(x) is ndarray and x.dtype == FLOAT32 for x in (left, right)]):
        return
    if left.size * max(right.shape) >= PRODUCTS:
        multiply = machine_product()
        for name, make in PRODUCT_KERNELS.items():
            assign(forward, name, make(OPS[name].forward, multiply))


def multiplied(rank: int) -> Callable:
    """Returns `forward` of `mm` or `bmm`, whose operands have `rank` dimensions."""

    def make(plain: Callable, multiply: Callable) -> Callable:
        def run(xp, input, mat2):
            result = multiply(input, mat2, None, rank)
            return plain(xp, input, mat2) if result is None else result

        return run

    return make


def multiplied_and_added(plain: Callable, multiply: Callable) -> Callable:
    """Returns `forward` of `affine`, with a kernel where nothing is scaled and a row is added."""

    def run(xp, input, mat1, mat2, *, beta=1, alpha=1, flipped=True):
        if beta == 1 == alpha and mat1.ndim == mat2.ndim == 2:
            result = multiply(mat1, mat2, input, flipped)
            if result is not None:
                return result
        return plain(xp, input, mat1, mat2, beta=beta, alpha=alpha, flipped=flipped)

    return run


def multiplied_by_rows(plain: Callable, multiply: Callable) -> Callable:
    """Returns `forward` of `flipped_product`."""

    def run(xp, mat1, mat2, input=None):
        result = multiply(mat1, mat2, input, True) if mat2.ndim == 2 else None
        return plain(xp, mat1, mat2, input) if result is None else result

    return run


PRODUCT_KERNELS = {
    "mm": multiplied(2),
    "bmm": multiplied(3),
    "affine": multiplied_and_added,
    "flipped_product": multiplied_by_rows,
}


# ---- operators


def install_operators() -> None:
    """Enters the kernels of operators whose generated functions are loaded, and that have none yet."""
    for op in list(OPS.values()):
        if op.function is None or op.name in DONE:
            continue
        DONE.add(op.name)
        if op.kind == "elementwise":
            install_forward(op)
            install_backward(op)
        elif op.pointwise:
            assign(forward, op.name, with_language(op, cache_of_op(op), raw))
        elif op.name in row_formulas.BACKWARDS:
            for node in op.nodes:
                assign(node, "backward", staticmethod(row_formulas.BACKWARDS[op.name](op, node, raw, node.backward)))
        elif len(op.derivatives) == 1 and "dim" in op.asks[next(iter(op.derivatives))]:
            for node in op.nodes:
                large, converting = row_formulas.rows_backward(op, node, raw, node.backward)
                assign(node, "backward", staticmethod(large))
                assign(node, "converting", staticmethod(converting))
        if op.name in row_formulas.FORMULAS:
            add_converting(op.name, row_formulas.converting(op.name))
        elif op.name in half_precision.FUNCTIONS:
            add_converting(op.name, half_precision.converting(op.name))


def install_forward(op) -> None:
    """Enters `forward.gelu`, and `raw.silu`, which generated functions call where `forward` is one expression."""
    cache = cache_of_op(op)
    assign(forward, op.name, with_language(op, cache, xp))
    if calls_raw(op):
        assign(raw, op.name, large_only(cache, entry(raw, op.name)))
    add_converting(op.name, converting(cache.kernels))
    if op.inplace and op.dtype in ("promote", "float"):
        WRITING[op.name] = in_place.writing(op, CONVERTING[op.name])


def calls_raw(op) -> bool:
    """Whether generated functions of an operator call `raw.NAME`: those of formulas with several steps do."""
    functions = [function for function in (op.function, op.inplace_function) if function]
    return any(["raw" in entry(function, "__code__").co_names for function in functions])


def cache_of_op(op) -> KernelCache:
    """Returns the kernels of an operator's formula."""
    kernels = Kernels(op.name, elementwise.result_of(op), elementwise.built_in(trace.formula_of(op).__code__.co_names))
    return KernelCache(kernels, [argument.name for argument in op.arguments])


def converting(kernels: Kernels) -> Callable:
    """Returns the kernel of arrays in any dtypes, as the general path calls it."""
    warmup, cache = Warmup(passes=8), ConvertingCache(kernels)

    def run(values, dtype, rounded, out=None):
        if dtype not in FLOATS or rounded not in conversions.NAMES:
            return None
        if not warmup.over:
            sizes = [x.size for x in values.values() if type(x) is ndarray]
            if not warmup.pays_off(max(sizes, default=0)):
                return None
        if out is not None:
            written = kernels.run(values, dtype, (rounded,), out)
            return None if written is None else written[0]
        return cache.run(values, dtype, rounded)

    return run


def with_language(op, cache: KernelCache, language: ModuleType) -> Callable:
    """Returns `forward` of an operator, which takes its language first; it runs the kernel for arrays."""
    plain, known, key_of = entry(forward, op.name), cache.known, cache.key_of
    optional = [(argument.name, argument.default) for argument in op.arguments[1:]]
    most = len(optional)

    @functools.wraps(plain)
    def run(xp, first, *rest, **named):
        if xp is not language or type(first) is not ndarray or first.size < FORMULA:
            return plain(xp, first, *rest, **named)
        args = rest
        if len(rest) < most:
            args = (*rest, *[named.get(name, default) for name, default in optional[len(rest) :]])
        key = (first.dtype, *map(key_of, args)) if args else first.dtype
        call = known.get(key)
        if call is None:
            call = cache.find(key, (first, *args), dtype_of(first, args))
        return call(first, *args) if call else plain(xp, first, *rest, **named)

    return run


def install_backward(op) -> None:
    """Enters one kernel for all derivatives in every node class of an operator whose derivatives can be traced."""
    if op.nodes and op.derivatives and not op.common and all(argument.role != TENSORS for argument in op.arguments):
        for node in op.nodes:
            large, converting = large_backward(op, node, node.backward)
            assign(node, "backward", staticmethod(large))
            assign(node, "converting", staticmethod(converting))


def large_backward(op, node_class, original: Callable) -> tuple[Callable, Callable]:
    """Returns backward functions that compute all wanted derivatives of a large gradient in one pass."""
    saved_names, parameters = node_class.saves, node_class.parameters
    names = [argument.name for argument in op.arguments if argument.name in op.derivatives]
    built_in = elementwise.built_in(trace.formula_of(op).__code__.co_names)
    caches: dict[tuple, KernelCache] = {}
    warmup = Warmup(passes=8)

    def cache_of(edges) -> KernelCache:
        """Returns the kernels of the wanted derivatives."""
        wanted = tuple([name for name, edge in zip(names, edges, strict=True) if edge is not None])
        cache = caches.get(wanted)
        if cache is None:
            # an exponent that has a derivative itself cannot be built in
            numbers = built_in if wanted == tuple(names[:1]) else frozenset()
            kernels = Kernels(f"{op.name}_backward", elementwise.derivatives_of(op, wanted), numbers)
            cache = caches[wanted] = KernelCache(kernels, ("g", *saved_names, *parameters))
        return cache

    def backward(F, node, saved, g, edges):
        if F is not raw or type(g) is not ndarray or g.size < FORMULA or g.dtype not in FLOATS:
            return original(F, node, saved, g, edges)
        cache = every if None not in edges else cache_of(edges)
        args = (g, *saved, *node.params) if saved_names else (g, *node.params)
        key = tuple(map(cache.key_of, args))
        call = cache.known.get(key)
        if call is None:
            call = cache.find(key, args, g.dtype, numbered(edges))
        if call:
            return call(*args)
        if call is None or g.size < LARGE:
            return original(F, node, saved, g, edges)
        computed = converted(node, saved, g, edges, g.dtype)
        return original(F, node, saved, g, edges) if computed is None else computed

    def converted(node, saved, g, edges, dtype):
        """Returns the derivatives computed in `dtype`; arrays of other dtypes are converted as they are loaded."""
        values = {"g": g, **dict(zip(saved_names, saved, strict=True))} if saved_names else {"g": g}
        rounded = None
        if any([type(value) is ndarray and value.dtype != dtype for value in values.values()]):
            rounded = [fitting(node, index, g) or dtype for index, edge in enumerate(edges) if edge is not None]
            values = {name: scalar_as(x, dtype) for name, x in values.items()}
        if parameters:
            values.update(zip(parameters, node.params, strict=True))
        computed = cache_of(edges).kernels.run(values, dtype, rounded)
        if computed is None:
            return None
        return tuple([None if index is None else computed[index] for index in numbered(edges)])

    def converting(node, saved, g, edges):
        if type(g) is not ndarray or g.size < HALVED or node.computes_in is None:
            return None
        if not (warmup.over or warmup.pays_off(g.size)):
            return None
        return converted(node, saved, g, edges, node.computes_in)

    every = cache_of([True] * len(names))
    return backward, converting


def numbered(edges) -> list[int | None]:
    """Returns the index of each edge's derivative among those that are wanted, None for edges without one."""
    numbers = itertools.count()
    return [None if edge is None else next(numbers) for edge in edges]


def fitting(node, index: int, g: ndarray) -> np.dtype | None:
    """Returns the final dtype of a gradient, None if it has to be summed first."""
    shape, dtype = (g.shape, g.dtype) if node.metas is None else node.metas[index] or (None, None)
    return dtype if shape == g.shape and dtype in conversions.NAMES else None


def scalar_as(value, dtype: np.dtype):
    """Returns a 0-d array in a dtype; anything else unchanged."""
    return value.astype(dtype) if type(value) is ndarray and not value.ndim else value
