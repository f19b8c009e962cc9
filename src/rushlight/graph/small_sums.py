"""Reductions, products, and what is made of them, as nests of a small program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rushlight.declarations.statistics import chosen
from rushlight.graph.small_memory import Unsupported, View, is_in_order
from rushlight.graph.small_plan import WORK, Plan
from rushlight.graph.trace import Ref, Step
from rushlight.lower import elementary, ir
from rushlight.lower.ir import BIT, F32, FLOATS, I64, Value, binary, is_nan, unary, where
from rushlight.lower.trace import maximum

SEVERAL = 64  # matrices of a batch


def dims_of(dim: Any, rank: int) -> list[int]:
    """Returns the dimensions of a reduction: all for None or an empty list."""
    if dim is None or dim == () or dim == []:
        return list(range(rank))
    dims = [dim] if type(dim) is int else list(dim)
    return sorted({each % rank for each in dims}) if rank else []


def without(place: View, dims: Sequence[int], keepdim: bool) -> View:
    """Returns the result of a reduction without the dimensions that it kept with size 1."""
    return place.permuted([dim for dim in range(len(place.shape)) if dim not in dims]) if keepdim else place


def reduced(plan: Plan, step: Step, how: str, input: Ref, dim: Any = None, keepdim: bool = False) -> View:
    """Adds a reduction; returns its result."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    dims = dims_of(dim, len(source.shape))
    target = without(result, dims, keepdim)
    plan.reduce(how, source, dims, target)
    return result


def add_sum(plan: Plan, step: Step, input, dim=None, keepdim=False, dtype=None) -> None:
    source = plan.tensor(input)
    if source.type != BIT:
        reduced(plan, step, "sum", input, dim, keepdim)
        return
    dims, result = dims_of(dim, len(source.shape)), plan.result(step.results[0])
    target = without(result, dims, keepdim)
    ones, total = plan.local(F32, source.shape), plan.local(F32, target.shape)
    plan.copy(source, ones)
    plan.reduce("sum", ones, dims, total)
    plan.pointwise(("number",), lambda values: ir.cast(values[0], I64), (total,), target)


def add_mean(plan: Plan, step: Step, input, dim=None, keepdim=False, dtype=None) -> None:
    source = plan.tensor(input)
    result = reduced(plan, step, "sum", input, dim, keepdim)
    count = source.elements // max(result.elements, 1)
    if not count:
        raise Unsupported("a mean of nothing")
    plan.pointwise(("over", count), lambda values: values[0] / count, (result,), result)


def add_extreme(how: str, plan: Plan, step: Step, input, dim=(), keepdim=False) -> None:
    if not plan.tensor(input).elements:
        raise Unsupported("an extreme of nothing")
    reduced(plan, step, how, input, dim, keepdim)


def add_sum_to_size(plan: Plan, step: Step, input, shape) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    extra = len(source.shape) - len(shape)
    dims = [dim for dim in range(len(source.shape)) if dim < extra or (shape[dim - extra] == 1 != source.shape[dim])]
    kept = [dim for dim in range(len(result.shape)) if dim + extra not in dims]
    plan.reduce("sum", source, dims, result.permuted(kept))


def add_mm(plan: Plan, step: Step, input, mat2) -> None:
    plan.product(plan.tensor(input), plan.tensor(mat2), plan.result(step.results[0]))


def add_mv(plan: Plan, step: Step, input, vec) -> None:
    result = plan.result(step.results[0])
    plan.product(plan.tensor(input), as_column(plan.tensor(vec)), as_column(result))


def add_dot(plan: Plan, step: Step, input, tensor) -> None:
    left, right = plan.tensor(input), plan.tensor(tensor)
    both = plan.local(left.type, left.shape)
    plan.pointwise(("multiply",), lambda values: values[0] * values[1], (left, right), both)
    plan.reduce("sum", both, [0], plan.result(step.results[0]))


def as_column(place: View) -> View:
    return View(place.buffer, place.offset, (*place.shape, 1), (*place.strides, 1))


def add_bmm(plan: Plan, step: Step, input, mat2) -> None:
    left, right, result = plan.tensor(input), plan.tensor(mat2), plan.result(step.results[0])
    if left.shape[0] * left.shape[1] * right.shape[1] * right.shape[2] > WORK or left.shape[0] > SEVERAL:
        raise Unsupported("a large product")
    for at in range(left.shape[0]):
        plan.product(matrix_of(left, at), matrix_of(right, at), matrix_of(result, at))


def matrix_of(place: View, at: int) -> View:
    return View(place.buffer, place.offset + at * place.strides[0], place.shape[1:], place.strides[1:])


def add_affine(plan: Plan, step: Step, input, mat1, mat2, beta=1, alpha=1, flipped=True) -> None:
    left, right, bias = plan.tensor(mat1), plan.tensor(mat2), plan.tensor(input)
    result = plan.result(step.results[0])
    plan.product(left, right.permuted([1, 0]) if flipped else right, result)
    weighted(plan, result, bias, beta, alpha)


def add_addmv(plan: Plan, step: Step, input, mat, vec, beta=1, alpha=1) -> None:
    result = plan.result(step.results[0])
    plan.product(plan.tensor(mat), as_column(plan.tensor(vec)), as_column(result))
    weighted(plan, result, plan.tensor(input), beta, alpha)


def weighted(plan: Plan, result: View, bias: View, beta: Any, alpha: Any) -> None:
    """Adds `alpha * result + beta * bias`, written to `result`."""
    if type(beta) not in (int, float) or type(alpha) not in (int, float) or beta == 0:
        raise Unsupported("weights of a sum")

    def make(values: list[Value]) -> Value:
        product = values[0] if alpha == 1 else values[0] * alpha
        return product + (values[1] if beta == 1 else values[1] * beta)

    plan.pointwise(("weighted", beta, alpha), make, (result, bias), result)


def add_softmax(plan: Plan, step: Step, input, dim, dtype=None) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    powers, sums = exponentials(plan, source, dim, result)
    plan.pointwise(("divide",), lambda values: values[0] / values[1], (powers, sums), result)


def add_safe_softmax(plan: Plan, step: Step, input, dim) -> None:
    """Adds a softmax that is zero, not NaN, where all elements are minus infinity."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    powers, sums = exponentials(plan, source, dim, result)
    top = plan.local(source.type, sums.shape)
    plan.reduce("max", source, [dim % len(source.shape)], without(top, [dim % len(source.shape)], True))

    def make(values: list[Value]) -> Value:
        return where(values[2] == -math.inf, 0.0, values[0] / values[1])

    plan.pointwise(("safe quotient",), make, (powers, sums, top), result)


def add_log_softmax(plan: Plan, step: Step, input, dim, dtype=None) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    _, sums = exponentials(plan, source, dim, result, shifted=result)
    plan.pointwise(("minus log",), lambda values: values[0] - elementary.log(values[1]), (result, sums), result)


def exponentials(plan: Plan, source: View, dim: int, result: View, shifted: View | None = None) -> tuple[View, View]:
    """Adds exponentials of differences from the maximum along `dim`, and their sums, which keep the dimension.

    The differences are kept in `shifted`.
    """
    if source.type != result.type or not source.elements or not source.shape:
        raise Unsupported("a softmax of another dtype, or of nothing")
    dim %= len(source.shape)
    shape = (*source.shape[:dim], 1, *source.shape[dim + 1 :])
    top, powers, sums = (
        plan.local(source.type, shape),
        plan.local(source.type, source.shape),
        plan.local(source.type, shape),
    )
    plan.reduce("max", source, [dim], without(top, [dim], True))
    if shifted is None:
        plan.pointwise(
            ("exp of difference",), lambda values: elementary.exp(values[0] - values[1]), (source, top), powers
        )
    else:
        plan.pointwise(("difference",), lambda values: values[0] - values[1], (source, top), shifted)
        plan.pointwise(("exponential",), lambda values: elementary.exp(values[0]), (shifted,), powers)
    plan.reduce("sum", powers, [dim], without(sums, [dim], True))
    return powers, sums


def add_channel_sum(plan: Plan, step: Step, input) -> None:
    source = plan.tensor(input)
    plan.reduce("sum", source, [dim for dim in range(len(source.shape)) if dim != 1], plan.result(step.results[0]))


def add_trace(plan: Plan, step: Step, input) -> None:
    source = plan.tensor(input)
    diagonal = View(source.buffer, source.offset, (min(source.shape),), (sum(source.strides),))
    plan.reduce("sum", diagonal, [0], plan.result(step.results[0]))


def add_norm(plan: Plan, step: Step, input, ord=2, dim=None, keepdim=False, dtype=None) -> None:
    """Adds the norm along dimensions, of the orders that are sums or maxima."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    if ord not in (1, 2, math.inf) or (ord == math.inf and not source.elements):
        raise Unsupported("a norm of another order")
    sizes, dims = plan.local(source.type, source.shape), dims_of(dim, len(source.shape))
    plan.pointwise(
        ("size", ord), lambda values: values[0] * values[0] if ord == 2 else unary("fabs", values[0]), (source,), sizes
    )
    plan.reduce("max" if ord == math.inf else "sum", sizes, dims, without(result, dims, keepdim))
    if ord == 2:
        plan.pointwise(("root",), lambda values: unary("sqrt", values[0]), (result,), result)


def add_spread(
    root: bool, mean: bool, plan: Plan, step: Step, input, dim=None, unbiased=True, keepdim=False, correction=None
) -> None:
    """Adds the variance along dimensions, or its square root, and the mean."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    dim, correction = chosen(dim, unbiased, correction)
    dims = dims_of(dim, len(source.shape))
    freedom = source.elements // max(result.elements, 1) - correction
    if freedom <= 0 or not result.elements:
        raise Unsupported("a variance without degrees of freedom")  # warns
    center = plan.result(step.results[1]) if mean else plan.local(result.type, result.shape)
    kept = center if keepdim else with_dims(center, dims)
    average(plan, source, dims, center if not keepdim else without(center, dims, True))
    squares = plan.local(source.type, source.shape)

    def square(values: list[Value]) -> Value:
        difference = values[0] - values[1]
        return difference * difference

    plan.pointwise(("squared difference",), square, (source, kept), squares)
    plan.reduce("sum", squares, dims, without(result, dims, keepdim))

    def end(values: list[Value]) -> Value:
        variance = values[0] / freedom
        return unary("sqrt", variance) if root else variance

    plan.pointwise(("spread", root, freedom), end, (result,), result)


def average(plan: Plan, source: View, dims: Sequence[int], target: View) -> None:
    """Adds the mean along dimensions."""
    count = source.elements // max(target.elements, 1)
    plan.reduce("sum", source, dims, target)
    plan.pointwise(("over", count), lambda values: values[0] / count, (target,), target)


def with_dims(place: View, dims: Sequence[int]) -> View:
    """Returns a view with dimensions of size 1 inserted."""
    shape, strides = list(place.shape), list(place.strides)
    for dim in sorted(dims):
        shape.insert(dim, 1)
        strides.insert(dim, 0)
    return View(place.buffer, place.offset, tuple(shape), tuple(strides))


def add_logsumexp(plan: Plan, step: Step, input, dim, keepdim=False) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    dims = dims_of(dim, len(source.shape))
    if not source.elements or source.type != result.type:
        raise Unsupported("the exponentials of nothing")
    target = without(result, dims, keepdim)
    top, powers = plan.local(source.type, target.shape), plan.local(source.type, source.shape)
    plan.reduce("max", source, dims, top)

    def finite(values: list[Value]) -> Value:
        return where(unary("fabs", values[0]) < math.inf, values[0], 0.0)

    plan.pointwise(("finite",), finite, (top,), top)
    plan.pointwise(
        ("exp of difference",),
        lambda values: elementary.exp(values[0] - values[1]),
        (source, with_dims(top, dims)),
        powers,
    )
    plan.reduce("sum", powers, dims, target)
    plan.pointwise(("log plus",), lambda values: elementary.log(values[0]) + values[1], (target, top), target)


def add_raised(plan: Plan, step: Step, input, least) -> None:
    source, result = plan.tensor(input), plan.result(step.results[0])
    plan.pointwise(("raised", least), lambda values: maximum(values[0], least), (source,), result)


def add_any_or_all(how: str, plan: Plan, step: Step, input, dim=None, keepdim=False) -> None:
    """Adds whether all, or any, elements are true."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    dims = dims_of(dim, len(source.shape))
    if source.type == I64 or result.type != BIT or not source.elements or (dim is not None and not dims):
        raise Unsupported("the truth of integers, or of nothing")
    ones, total = plan.local(F32, source.shape), plan.local(F32, without(result, dims, keepdim).shape)
    plan.pointwise(("truth",), lambda values: where(ir.cast(values[0], BIT), 1.0, 0.0, F32), (source,), ones)
    plan.reduce(how, ones, dims, total)
    plan.copy(total, without(result, dims, keepdim))


def add_position(how: str, plan: Plan, step: Step, input, dim=None, keepdim=False) -> None:
    """Adds the index of the first extreme along a dimension, after its value if that is wanted."""
    source = plan.tensor(input)
    results = [plan.result(number) for number in step.results]
    if dim is None:
        source, dim, keepdim = in_one_dimension(plan, source), 0, False
        results = [View(each.buffer, each.offset, (), ()) for each in results]
    if not source.elements or not source.shape or source.type not in FLOATS:
        raise Unsupported("an extreme of nothing, or of integers")
    dim %= len(source.shape)
    targets = [without(each, [dim], keepdim) for each in results]
    best, first = plan.local(source.type, targets[0].shape), plan.local(source.type, targets[0].shape)
    numbers, candidates = numbers_along(plan, source.type, source.shape, dim), plan.local(source.type, source.shape)
    plan.reduce(how, source, [dim], best)

    def candidate(values: list[Value]) -> Value:
        return where((values[0] == values[1]) | is_nan(values[0]), values[2], math.inf)

    plan.pointwise(("candidate",), candidate, (source, with_dims(best, [dim]), numbers), candidates)
    plan.reduce("min", candidates, [dim], first)
    plan.pointwise(("number",), lambda values: ir.cast(values[0], I64), (first,), targets[-1])
    if len(targets) > 1:
        plan.copy(best, targets[0])


def in_one_dimension(plan: Plan, source: View) -> View:
    """Returns the elements of a view in C order."""
    if not is_in_order(source):
        source = plan.packed(source)
    return View(source.buffer, source.offset, (source.elements,), (1,))


def numbers_along(plan: Plan, type: str, shape: tuple[int, ...], dim: int) -> View:
    """Returns the position along a dimension, for each element of a shape."""
    numbers = plan.counted(type, shape[dim])
    return View(numbers.buffer, 0, shape, tuple([int(each == dim) for each in range(len(shape))]))


def add_running(how: str, plan: Plan, step: Step, input, dim, dtype=None) -> None:
    """Adds running sums or products: a nest for each position."""
    source, result = plan.tensor(input), plan.result(step.results[0])
    if source.type != result.type or source.type not in FLOATS or not source.shape:
        raise Unsupported("running sums of another dtype")
    dim %= len(source.shape)
    if source.shape[dim] > SEVERAL:
        raise Unsupported("long running sums")
    for at in range(source.shape[dim]):
        one, target = slice_at(source, dim, at), slice_at(result, dim, at)
        if not at:
            plan.copy(one, target)
            continue
        before = slice_at(result, dim, at - 1)
        plan.pointwise((how,), lambda values: binary(how, *values), (before, one), target)


def slice_at(place: View, dim: int, at: int) -> View:
    """Returns the part of a view at a position along a dimension."""
    others = place.permuted([each for each in range(len(place.shape)) if each != dim])
    return others._replace(offset=place.offset + at * place.strides[dim])


RULES: dict[str, Callable] = {
    "channel_sum": add_channel_sum,
    "trace": add_trace,
    "linalg_vector_norm": add_norm,
    "var": partial(add_spread, False, False),
    "std": partial(add_spread, True, False),
    "var_mean": partial(add_spread, False, True),
    "std_mean": partial(add_spread, True, True),
    "logsumexp": add_logsumexp,
    "raised": add_raised,
    "any": partial(add_any_or_all, "max"),
    "all": partial(add_any_or_all, "min"),
    "argmax": partial(add_position, "max"),
    "argmin": partial(add_position, "min"),
    "max_dim": partial(add_position, "max"),
    "min_dim": partial(add_position, "min"),
    "cumsum": partial(add_running, "fadd"),
    "cumprod": partial(add_running, "fmul"),
    "sum": add_sum,
    "mean": add_mean,
    "amax": partial(add_extreme, "max"),
    "amin": partial(add_extreme, "min"),
    "max_all": partial(add_extreme, "max"),
    "min_all": partial(add_extreme, "min"),
    "sum_to_size_of": add_sum_to_size,
    "mm": add_mm,
    "mv": add_mv,
    "dot": add_dot,
    "bmm": add_bmm,
    "affine": add_affine,
    "addmv": add_addmv,
    "softmax": add_softmax,
    "safe_softmax": add_safe_softmax,
    "log_softmax": add_log_softmax,
}
