"""How large arrays come to be worked on by machine code: names of generated modules are bound to kernels.

A name that holds one of NumPy's ufuncs, `xp_exp`, is bound to a stub, and that gives way to the kernel, a ufunc as
well, as soon as a large array has come by. A formula of several steps, `kernel_silu`, keeps small arrays where they
were, unless that is with SciPy. Backward functions are changed in their node classes: of a large gradient all
derivatives take one pass.

Whole numbers arrive under these names too: a kernel takes the loops for other dtypes over from NumPy.
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight._generated import functions, raw
from rushlight._generated.lazy_names import MODULE_OF
from rushlight.arrays import cpu, memory
from rushlight.core.fp_errors import IGNORED, reset_errors, set_errors
from rushlight.core.large import LARGE
from rushlight.declarations.declare import OPS, TENSORS
from rushlight.dispatch import lazy_modules
from rushlight.kernels import replacing
from rushlight.lower import (
    alignment,
    conversions,
    elementwise,
    half_precision,
    in_place,
    llvm,
    row_formulas,
    trace,
    ufunc,
)  # fmt: skip
from rushlight.lower.elementwise import FLOATS, Kernels
from rushlight.lower.sizes import FORMULA, HALVED, Patience
from rushlight.lower.ways import ConvertingWays, Ways, WithNumbers

ndarray = np.ndarray


def engage() -> None:
    """Binds the names; a host for which the formulas are not written keeps NumPy's."""
    memory.reuse()
    replacing.attach()
    alignment.align()
    if not llvm.host().fit:
        return
    BOUND.clear()
    bind_functions(vars(functions))
    for book in set(MODULE_OF.values()):
        bind_book(book)
    vars(cpu)["add"] = vars(raw)["xp_add"] = sums(np.add)
    vars(cpu)["plus"] = sums(operator.add)
    vars(cpu)["negative"] = negatives(np.negative)
    vars(cpu)["limit"] = limits(cpu.limit)
    vars(cpu.clip)["overwrite"] = clipped
    for name, made in row_formulas.FUNCTIONS.items():
        setattr(cpu, name, made(getattr(cpu, name)))
    bind_operators()
    OPS["fill"].machine.writing = OPS["zeroed"].machine.writing = in_place.fill
    OPS["copy_values"].machine.writing = in_place.copy
    lazy_modules.LISTENERS.append(bind_book)


def bind_book(book: str) -> None:
    """What a book brings, if it has been opened."""
    module = sys.modules.get(f"rushlight._generated.functions_of_{book}")
    if module is not None:
        bind_functions(vars(module))
        bind_operators()


def bind_functions(module: dict[str, Any]) -> None:
    for name in (*trace.FUNCTIONS, *SHARED):
        if f"xp_{name}" in module:
            bind_function(module, name)


SHARED = ("bitwise_and", "bitwise_or", "bitwise_xor", "invert")  # NumPy's loops on all threads; there is no formula
BOUND: set[str] = set()  # the operators that have been seen to


def bind_operators() -> None:
    """The operators whose generated functions are there, and have not been seen to yet."""
    for op in list(OPS.values()):
        if op.function is None or op.name in BOUND:
            continue
        BOUND.add(op.name)
        if op.kind == "elementwise":
            bind_forward(vars(sys.modules[op.function.__module__]), op)
            bind_backward(op)
        elif op.pointwise:
            getattr(raw, op.name).__globals__[f"forward_{op.name}"] = with_language(op, ways_of(op), raw)
        elif op.name in row_formulas.BACKWARDS:
            for node in op.nodes:
                node.backward = staticmethod(row_formulas.BACKWARDS[op.name](op, node, raw, node.backward))
        elif len(op.derivatives) == 1 and "dim" in op.asks[next(iter(op.derivatives))]:
            for node in op.nodes:
                made = row_formulas.rows_backward(op, node, raw, node.backward)
                node.backward, node.converting = map(staticmethod, made)
        if op.name in row_formulas.FORMULAS:
            op.machine.converting = row_formulas.converting(op.name)
        elif op.name in half_precision.FUNCTIONS:
            op.machine.converting = half_precision.converting(op.name)


# ---- functions of the array language


def bind_function(module: dict[str, Any], name: str) -> None:
    """`xp_exp` and the like: a ufunc is replaced by a ufunc, a function keeps small arrays."""
    original = module[f"xp_{name}"]
    if original is not getattr(cpu, name) or getattr(original, "__module__", None) == __name__:
        return
    if isinstance(original, np.ufunc):
        module[f"xp_{name}"] = replaced(module, name, original)
    else:
        kernels = Kernels(name, elementwise.function_of(name), elementwise.built_in((name,)))
        module[f"xp_{name}"] = large_only(Ways(kernels, ("a", "b", "c", "d")), original)


def replaced(module: dict[str, Any], name: str, original: np.ufunc) -> Callable:
    """NumPy's ufunc of one operand or two until the first large array, then the kernel, which takes the name over, or
    where there is none NumPy's on all threads.

    What stands before it meanwhile is paid by every call of few elements, and packs nothing.
    """
    kernels = Kernels(name, elementwise.function_of(name)) if name in trace.FUNCTIONS else None
    patience = Patience()

    def seen(found, arrays, out):
        if not (found.flags.forc and patience.ends(found.size)):
            return found
        kernel = None if kernels is None else kernels.of_arrays(("a", "b")[: original.nin])
        bound = module[f"xp_{name}"] = ufunc.shared(original, kernel)
        return bound(*arrays, out=out) if out is ... else found  # so that the next call gives the same digits

    def of_one(array, out=...):
        found = original(array, out=out)
        return found if found.size < FORMULA else seen(found, (array,), out)

    def of_two(array, other, out=...):
        found = original(array, other, out=out)
        return found if found.size < FORMULA else seen(found, (array, other), out)

    return of_one if original.nin == 1 else of_two


PLACES = {ndarray, type(None)}  # what a kernel can be told to write to
FLOAT32 = np.dtype(np.float32)


def sums(original: Callable) -> Callable:
    """`xp.add` and `xp.plus` wherever else they are called, such as where gradients meet: of any dtype."""
    kernels = Kernels("add", elementwise.function_of("add"))

    def add(first, second, *rest, out=None, **named):
        if type(first) is ndarray and first.size >= HALVED and not rest and not named and type(out) in PLACES:
            found = sum_of(first, second, out)
            if found is not None:
                return found[0] if out is None else out
        return original(first, second, *rest, **named) if out is None else original(first, second, out=out, **named)

    def sum_of(first, second, out):
        if first.dtype in FLOATS:
            if first.size < LARGE:
                return None
            return kernels.run({"a": first, "b": second}, first.dtype, None, out)
        if first.dtype in half_precision.DTYPES and type(second) is ndarray and second.dtype == first.dtype:
            return kernels.run({"a": first, "b": second}, FLOAT32, (first.dtype,), out)
        return None

    return add


def negatives(original: Callable) -> Callable:
    """`xp.negative` of what takes no short way: of complex numbers the parts, which NumPy turns in whole vectors."""

    def negative(array, out=None):
        if out is None and array.dtype.kind == "c" and array.size >= FORMULA and array.flags.c_contiguous:
            return original(array.view(array.real.dtype)).view(array.dtype)
        return original(array, out=out)

    return negative


def limits(original: Callable) -> Callable:
    """`xp.limit`, by which gradients are clipped: in one pass."""
    kernels = WithNumbers(Kernels("limit", elementwise.function_of("clip_to_numbers")))

    def limit(array, low, high):
        few = array.size < FORMULA
        kernel = None if few else kernels.find(array, {"array": array, "low": low, "high": high})
        if kernel is None:
            original(array, low, high)
        else:
            kernel(array, low, high, out=array)

    return limit


def clipped(array, low, high) -> bool:
    """Whether floats have been clipped in place by the kernel of `xp.limit`, which is quicker for large arrays."""
    if low is None or high is None or array.dtype not in FLOATS:
        return False
    token = set_errors(IGNORED)
    try:
        cpu.limit(array, low, high)
    finally:
        reset_errors(token)
    return True


def large_only(ways: Ways, original: Callable) -> Callable:
    """A function of several steps, for large arrays its kernel."""
    known, kind = ways.known, ways.kind

    def function(first, *rest, **named):
        if type(first) is not ndarray or first.size < FORMULA:
            return original(first, *rest, **named)
        # Generated functions name what has to be named, in the order of the declaration, in which it comes last.
        given = (*rest, *named.values()) if named else rest
        key = (first.dtype, *map(kind, given)) if given else first.dtype
        way = known.get(key)
        if way is None:
            way = ways.find(key, (first, *given), dtype_of(first, given))
        return way(first, *given) if way else original(first, *rest, **named)

    def overwrite(first, *rest, **named) -> bool:
        """Whether a kernel has written the result to where the first array stands."""
        given = (*rest, *named.values()) if named else rest
        key = (first.dtype, *map(kind, given)) if given else first.dtype
        way = ways.places.get(key) or ways.place(key, (first, *given))
        if way is None:
            return False
        way(first, *given)
        return True

    vars(function)["overwrite"] = overwrite
    return function


def dtype_of(first: ndarray, rest: tuple) -> np.dtype:
    """The dtype of the numbers; a mask may come first."""
    if first.dtype in FLOATS:
        return first.dtype
    return next((each.dtype for each in rest if isinstance(each, ndarray) and each.dtype in FLOATS), first.dtype)


# ---- declarations


def bind_forward(module: dict[str, Any], op) -> None:
    """`kernel_silu` and `forward_gelu`, as the generated functions call them; `forward`, as the general path does, and
    as losses do for what they reduce (`declarations/loss.py`).
    """
    ways = ways_of(op)
    forward = with_language(op, ways, cpu)
    if f"kernel_{op.name}" in module:
        module[f"kernel_{op.name}"] = large_only(ways, module[f"kernel_{op.name}"])
    elif f"forward_{op.name}" in module:
        module[f"forward_{op.name}"] = forward
    op.forward = forward
    op.machine.converting = converting(ways.kernels)
    if op.inplace and op.dtype in ("promote", "float"):
        op.machine.writing = in_place.writing(op, op.machine.converting)


def ways_of(op) -> Ways:
    """Those to the kernels of an operator's formula."""
    kernels = Kernels(op.name, elementwise.result_of(op), elementwise.built_in(trace.formula_of(op).__code__.co_names))
    return Ways(kernels, [each.name for each in op.arguments])


def converting(kernels: Kernels) -> Callable:
    """The kernel of arrays in any dtypes, as the general path asks for it."""

    patience, ways = Patience(passes=8), ConvertingWays(kernels)

    def forward(values, kind, rounded, out=None):
        if kind not in FLOATS or rounded not in conversions.NAMES:
            return None
        if not patience.over:
            sizes = [each.size for each in values.values() if type(each) is ndarray]
            if not patience.ends(max(sizes, default=0)):
                return None
        if out is not None:
            written = kernels.run(values, kind, (rounded,), out)
            return None if written is None else written[0]
        return ways.run(values, kind, rounded)

    return forward


def with_language(op, ways: Ways, language) -> Callable:
    """`forward`, which is told its language first, a kernel's is that of arrays.

    It may be given arguments by name, and none that are as the declaration has them.
    """
    original, known, kind = op.forward, ways.known, ways.kind
    others = [(each.name, each.default) for each in op.arguments[1:]]
    most = len(others)

    @functools.wraps(original)
    def forward(xp, first, *rest, **named):
        if xp is not language or type(first) is not ndarray or first.size < FORMULA:
            return original(xp, first, *rest, **named)
        given = rest
        if len(rest) < most:
            given = (*rest, *[named.get(name, default) for name, default in others[len(rest) :]])
        key = (first.dtype, *map(kind, given)) if given else first.dtype
        way = known.get(key)
        if way is None:
            way = ways.find(key, (first, *given), dtype_of(first, given))
        return way(first, *given) if way else original(xp, first, *rest, **named)

    return forward


def bind_backward(op) -> None:
    """The derivatives, in every node class of an operator whose derivatives can be traced."""
    if op.nodes and op.derivatives and not op.common and all(each.role != TENSORS for each in op.arguments):
        for node in op.nodes:
            node.backward, node.converting = map(staticmethod, large_backward(op, node, node.backward))


def large_backward(op, node_class, original: Callable) -> tuple[Callable, Callable]:
    """All derivatives that are wanted in one pass, where the gradient is large: of floats, and of small floats."""
    saved_names, parameters = node_class.saves, node_class.parameters
    names = [each.name for each in op.arguments if each.name in op.derivatives]
    built_in = elementwise.built_in(trace.formula_of(op).__code__.co_names)
    found: dict[tuple, Ways] = {}
    patience = Patience(passes=8)

    def ways_of(edges) -> Ways:
        """Those to the kernels of the derivatives that are wanted."""
        wanted = tuple([name for name, edge in zip(names, edges, strict=True) if edge is not None])
        ways = found.get(wanted)
        if ways is None:
            # An exponent that has a derivative itself is no mere number.
            numbers = built_in if wanted == tuple(names[:1]) else frozenset()
            kernels = Kernels(f"{op.name}_backward", elementwise.derivatives_of(op, wanted), numbers)
            ways = found[wanted] = Ways(kernels, ("g", *saved_names, *parameters))
        return ways

    def backward(F, node, saved, g, edges):
        if F is not raw or type(g) is not ndarray or g.size < FORMULA or g.dtype not in FLOATS:
            return original(F, node, saved, g, edges)
        ways = every if None not in edges else ways_of(edges)
        given = (g, *saved, *node.params) if saved_names else (g, *node.params)
        key = tuple(map(ways.kind, given))
        way = ways.known.get(key)
        if way is None:
            way = ways.find(key, given, g.dtype, numbered(edges))
        if way:
            return way(*given)
        if way is None or g.size < LARGE:
            return original(F, node, saved, g, edges)
        computed = converted(node, saved, g, edges, g.dtype)
        return original(F, node, saved, g, edges) if computed is None else computed

    def converted(node, saved, g, edges, kind):
        """The derivatives computed in `kind`; arrays of other dtypes are converted on the way."""
        values = {"g": g, **dict(zip(saved_names, saved, strict=True))} if saved_names else {"g": g}
        rounded = None
        if any([type(each) is ndarray and each.dtype != kind for each in values.values()]):
            rounded = [fitting(node, at, g) or kind for at, edge in enumerate(edges) if edge is not None]
            values = {name: scalar_as(each, kind) for name, each in values.items()}
        if parameters:
            values.update(zip(parameters, node.params, strict=True))
        computed = ways_of(edges).kernels.run(values, kind, rounded)
        if computed is None:
            return None
        return tuple([None if at is None else computed[at] for at in numbered(edges)])

    def converting(node, saved, g, edges):
        if type(g) is not ndarray or g.size < HALVED or node.computes_in is None:
            return None
        if not (patience.over or patience.ends(g.size)):
            return None
        return converted(node, saved, g, edges, node.computes_in)

    every = ways_of([True] * len(names))
    return backward, converting


def numbered(edges) -> list[int | None]:
    """Where the derivative for each edge stands among those that are wanted."""
    numbers = itertools.count()
    return [None if edge is None else next(numbers) for edge in edges]


def fitting(node, at: int, g: ndarray) -> np.dtype | None:
    """The dtype that a gradient shall have at last, if nothing has to be summed before."""
    shape, dtype = (g.shape, g.dtype) if node.metas is None else node.metas[at] or (None, None)
    return dtype if shape == g.shape and dtype in conversions.NAMES else None


def scalar_as(value, kind: np.dtype):
    """An array without dimensions in a dtype; anything else as it is."""
    return value.astype(kind) if type(value) is ndarray and not value.ndim else value
