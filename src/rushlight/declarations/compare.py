"""Comparisons, the larger and the smaller, and questions about single elements."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.arrays.reduce import MANY
from rushlight.core.dtype import (
    BOOL,
    BY_NUMPY,
    C_NAMES,
    COMPLEX,
    DEFAULTS,
    FLOAT,
    INTEGER,
    REDUCED,
    SCALAR_NAMES,
    int64,
)
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import Direct, composite, elementwise
from rushlight.declarations.dtype_rules import category_of, raw_dtype, refusal, unimplemented
from rushlight.declarations.promote import result_type
from rushlight.declarations.results import no_numbers
from rushlight.declarations.samples import BINARY, UNARY, WITH_NUMBER

# ---- order


@elementwise(dtype="bool", quiet=True, numbers=("other",), operators=("__eq__",))
class eq:
    """Whether `input == other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.equal(input, other)

    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, numbers=("other",), operators=("__ne__",), aliases=("not_equal",))
class ne:
    """Whether `input != other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.not_equal(input, other)

    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, numbers=("other",), operators=("__lt__",), aliases=("less",))
class lt:
    """Whether `input < other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.less(input, other)

    refuses = {COMPLEX: unimplemented("lt_cpu")}
    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, numbers=("other",), operators=("__le__",), aliases=("less_equal",))
class le:
    """Whether `input <= other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.less_equal(input, other)

    refuses = {COMPLEX: unimplemented("le_cpu")}
    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, numbers=("other",), operators=("__gt__",), aliases=("greater",))
class gt:
    """Whether `input > other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.greater(input, other)

    refuses = {COMPLEX: unimplemented("gt_cpu")}
    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, numbers=("other",), operators=("__ge__",), aliases=("greater_equal",))
class ge:
    """Whether `input >= other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.greater_equal(input, other)

    refuses = {COMPLEX: unimplemented("ge_cpu")}
    samples = WITH_NUMBER


# ---- the larger and the smaller


@elementwise(quiet=True, numbers=False, inplace=False)
class maximum:
    """The larger of `input` and `other`, nan if either is; equal ones share the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.maximum(input, other)

    def d_input(F, g, input, other):
        return F.where(input < other, 0, F.where(input == other, g / 2, g))

    def d_other(F, g, input, other):
        return F.where(input > other, 0, F.where(input == other, g / 2, g))

    refuses = {COMPLEX: refusal("maximum not implemented for complex tensors.")}
    samples = BINARY


@elementwise(quiet=True, numbers=False, inplace=False)
class minimum:
    """The smaller of `input` and `other`, nan if either is; equal ones share the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.minimum(input, other)

    def d_input(F, g, input, other):
        return F.where(input > other, 0, F.where(input == other, g / 2, g))

    def d_other(F, g, input, other):
        return F.where(input < other, 0, F.where(input == other, g / 2, g))

    refuses = {COMPLEX: refusal("minimum not implemented for complex tensors.")}
    samples = BINARY


@elementwise(quiet=True, numbers=False, inplace=False)
class fmax:
    """The larger of `input` and `other`, the other one where one is nan; of equal ones `input` has the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.fmax(input, other)

    def d_input(F, g, input, other):
        return F.where((input >= other) | F.isnan(other), g, 0)

    def d_other(F, g, input, other):
        return F.where((input >= other) | F.isnan(other), 0, g)

    refuses = {COMPLEX: refusal("fmax not implemented for complex tensors.")}
    samples = BINARY


@elementwise(quiet=True, numbers=False, inplace=False)
class fmin:
    """The smaller of `input` and `other`, the other one where one is nan; of equal ones `input` has the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.fmin(input, other)

    def d_input(F, g, input, other):
        return F.where((input <= other) | F.isnan(other), g, 0)

    def d_other(F, g, input, other):
        return F.where((input <= other) | F.isnan(other), 0, g)

    refuses = {COMPLEX: refusal("fmin not implemented for complex tensors.")}
    samples = BINARY


# ---- bounds


NO_ORDER = refusal("clamp is not supported for complex types", NotImplementedError)


def one_bound(by_number: str, by_tensor: str):
    """What one bound is refused for: the lack of an order, or being a number for bools."""

    def refuses(input, bound):
        highest = max(category_of(input), category_of(bound))
        if highest == COMPLEX and isinstance(bound, Tensor):
            return unimplemented(by_tensor)(result_type([(each.dtype, each.dim()) for each in (input, bound)]))
        if highest == COMPLEX:
            return NO_ORDER(input.dtype)
        return unimplemented(by_number)(input.dtype) if highest == BOOL and isinstance(bound, bool) else None

    return refuses


@elementwise(quiet=True, numbers=("min",), fits={"min": (INTEGER, FLOAT)})
class clamp_min:
    """`input` where it is at least `min`, otherwise `min`."""

    def forward(xp, input: Tensor, min: Tensor):
        return xp.maximum(input, min)

    def d_input(F, g, input, min):
        return F.where(input >= min, g, 0)

    def d_min(F, g, input, min):
        return F.where(input < min, g, 0)

    node = "ClampMinBackward0 if isinstance(min, (int, float)) else ClampMinBackward1"
    refuses = one_bound("clamp_min_scalar_cpu", "maximum_cpu")
    samples = WITH_NUMBER


@elementwise(quiet=True, numbers=("max",), fits={"max": (INTEGER, FLOAT)})
class clamp_max:
    """`input` where it is at most `max`, otherwise `max`."""

    def forward(xp, input: Tensor, max: Tensor):
        return xp.minimum(input, max)

    def d_input(F, g, input, max):
        return F.where(input <= max, g, 0)

    def d_max(F, g, input, max):
        return F.where(input > max, g, 0)

    node = "ClampMaxBackward0 if isinstance(max, (int, float)) else ClampMaxBackward1"
    refuses = one_bound("clamp_max_scalar_cpu", "minimum_cpu")
    samples = WITH_NUMBER


@elementwise(quiet=True, spaces=(), out=False, fits=dict.fromkeys(("min", "max"), REDUCED))
class clamp_to_numbers:
    """`input` kept between two numbers, either of which may be None."""

    def forward(xp, input: Tensor, min, max):
        return xp.clip_to_numbers(input, min, max)

    def d_input(F, g, input, min, max):
        return F.where(F.is_between(input, min, max), g, 0)

    node = "ClampBackward1"
    refuses = {COMPLEX: NO_ORDER}
    samples = lambda r: [(r(2, 3), -0.5, 0.5), (r(4), None, 0.2), (r(), 0.1, None)]


def unclampable(*operands):
    """Complex numbers have no order; truth values are kept on one side only."""
    kinds = {each.dtype.category for each in operands if isinstance(each, Tensor)}
    if COMPLEX in kinds:
        return NO_ORDER(None)
    return unimplemented("clamp_cpu")(operands[0].dtype) if kinds == {BOOL} and None not in operands else None


@elementwise(quiet=True, spaces=(), out=False)
class clamp_to_tensors:
    """`input` kept between two tensors, either of which may be None; where they cross, `max` wins."""

    def forward(xp, input: Tensor, min: Tensor | None, max: Tensor | None):
        return xp.clip(input, min, max)

    def d_input(F, g, input, min, max):
        return F.where(F.is_between(input, min, max), g, 0)

    def d_min(F, g, input, min, max):
        g = F.where(input < min, g, 0)
        return g if max is None else F.where(min < max, g, 0)

    def d_max(F, g, input, min, max):
        beyond = input > max
        return F.where(beyond if min is None else beyond | (max < min), g, 0)

    node = "ClampBackward0"
    refuses = unclampable
    samples = lambda r: [(r(2, 3), r(3), r(3) + 1), (r(4), None, r()), (r(2, 1), r(3), None), (r(3), r(3) + 2, r(3))]


@composite(spaces=())
def is_between(F, input, low, high):
    """Whether the elements are within bounds that may be None."""
    if low is None:
        return input <= high
    return input >= low if high is None else (input >= low) & (input <= high)


# Whole numbers stay whole between whole bounds.
OF_ONE_KIND = (
    "type(input) in PLAIN_TYPES and ((kind := input._array.dtype.kind) == 'f' or kind in 'iu' "
    "and type(min) is not float and type(max) is not float)"
)


@composite(
    overlap="full",
    out=True,
    aliases=("clip",),
    direct=(
        Direct(
            f"type(min) in LIMIT and type(max) in LIMIT and min is not max and {OF_ONE_KIND}",
            "clamp_to_numbers",
            {},
        ),
    ),
    samples=lambda r: [(r(2, 3), -0.5, 0.5), (r(4), r(4), None)],
)
def clamp(F, input, min: Tensor | Number = None, max: Tensor | Number = None):
    """`input` kept between `min` and `max`, which are two numbers or two tensors; either may be left out."""
    if are_plain(min, max) and raw_dtype(input).kind == "f":
        return F.clamp_to_numbers(input, min, max)
    min, max = of_one_kind(min, max)
    if are_tensors("clamp", min, max):
        return F.clamp_to_tensors(input, min, max)
    if raw_dtype(input).kind == "b" and {type(each) for each in (min, max)} <= {bool, type(None)}:
        side = "min_" if max is None else "max_" if min is None else ""
        raise unimplemented(f"clamp_{side}scalar_cpu")(BY_NUMPY[raw_dtype(input)])
    if raw_dtype(input).kind in "biu":
        input = F.cast(input, dtype_with_bounds(input, min, max))
    return F.clamp_to_numbers(input, min, max)


@composite(
    writes="clamp_array",
    aliases=("clip_",),
    samples=lambda r: [(r(2, 3).detach(), -0.5, 0.5), (r(4).detach(), None, 0.0), (r(3).detach(), r(1).detach(), None)],
)
def clamp_(F, input, min: Tensor | Number = None, max: Tensor | Number = None):
    """Moves the elements of `input` to between `min` and `max`."""
    if are_plain(min, max) and raw_dtype(input).kind == "f":
        return F.clamp_to_numbers_(input, min, max)
    min, max = of_one_kind(min, max)
    if are_tensors("clamp_", min, max):
        return F.clamp_to_tensors_(input, min, max)
    kind = BY_NUMPY[dtype_with_bounds(input, min, max)]
    if kind is not input.dtype:
        raise RuntimeError(
            f"result type {SCALAR_NAMES[kind]} can't be cast to the desired output type {C_NAMES[input.dtype]}"
        )
    return F.clamp_to_numbers_(input, min, max)


def are_plain(*bounds) -> bool:
    """Whether the bounds are Python numbers, or one of them None."""
    return all([type(each) in PLAIN_BOUNDS for each in bounds]) and any([each is not None for each in bounds])


PLAIN_BOUNDS = frozenset((int, float, type(None)))


def of_one_kind(*bounds) -> tuple:
    """The bounds; beside a number, a tensor without dimensions and history counts as one."""
    if not any(isinstance(each, (int, float)) for each in bounds):
        return bounds
    return tuple(
        each.item() if isinstance(each, Tensor) and not each.ndim and not each.requires_grad else each
        for each in bounds
    )


def are_tensors(name: str, *bounds) -> bool:
    """Whether the bounds, either of which may be None, are tensors. Raises TypeError if just one of them is."""
    kinds = {type(each) for each in bounds} - {type(None)}
    if kinds <= {int, float, bool} and kinds:
        return False
    if not kinds:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if complex in kinds:
        raise NotImplementedError("clamp is not supported for complex types")
    tensors = {issubclass(each, Tensor) for each in kinds}
    if len(tensors) > 1:
        names = ", ".join(type(each).__name__ for each in bounds)
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (Tensor, {names}), but expected one of:"
        )
    return tensors == {True}


def dtype_with_bounds(input, *bounds):
    """The NumPy dtype of whole numbers beside bounds, which may have fractions; others keep theirs."""
    kind = raw_dtype(input)
    if kind.kind in "biu" and any(isinstance(each, float) for each in bounds):
        return DEFAULTS.floating.numpy
    return int64.numpy if kind.kind == "b" else kind


# ---- nearness


@elementwise(dtype="bool", spaces=(), numbers=False, inplace=False, out=False)
class are_close:
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; infinities are close to themselves."""

    def forward(xp, input: Tensor, other: Tensor, rtol, atol, equal_nan):
        return xp.isclose(input, other, rtol, atol, equal_nan)

    samples = lambda r: [(a, b, 0.5, 0.1, True) for a, b in BINARY(r)]


@composite(samples=BINARY)
def isclose(F, input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; infinities are close to themselves."""
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    if isinstance(input, Tensor) and isinstance(other, Tensor) and input.dtype is not other.dtype:
        raise RuntimeError(f"{SCALAR_NAMES[input.dtype]} did not match {SCALAR_NAMES[other.dtype]}")
    return F.are_close(input, other, rtol, atol, equal_nan)


@composite(samples=lambda r: [(r(2, 3), r(2, 3)), (r(2, 3).detach(),) * 2, (r(0), r(0))])
def allclose(F, input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close, by `isclose`."""
    return all_true(F, F.isclose(input, other, rtol, atol, equal_nan))


@composite(samples=lambda r: [(r(2, 3), r(2, 3)), (r(2, 3).detach(),) * 2, (r(2), r(3))])
def equal(F, input, other):
    """Whether two tensors have the same shape and the same elements."""
    if type(input._array) is MetaArray:
        raise no_numbers("equal")
    return input._array.shape == other._array.shape and all_true(F, F.eq(input, other))


def all_true(F, mask) -> bool:
    """Whether all elements of a mask are true."""
    array = mask._array
    few = type(array) is np.ndarray and array.size < MANY
    return 0 not in array.tobytes() if few else bool(F.all(mask))


# ---- questions


@elementwise(dtype="bool", quiet=True, inplace=False, out=False)
class isnan:
    """Whether an element is nan."""

    def forward(xp, input: Tensor):
        return xp.isnan(input)

    samples = UNARY


@elementwise(dtype="bool", quiet=True, inplace=False, out=False)
class isinf:
    """Whether an element is infinite."""

    def forward(xp, input: Tensor):
        return xp.isinf(input)

    samples = UNARY


@elementwise(dtype="bool", quiet=True, inplace=False, out=False)
class isfinite:
    """Whether an element is neither infinite nor nan."""

    def forward(xp, input: Tensor):
        return xp.isfinite(input)

    samples = UNARY


@elementwise(same_dtype="isposinf does not support non-boolean outputs.", dtype="bool", quiet=True, inplace=False)
class isposinf:
    """Whether an element is plus infinity."""

    def forward(xp, input: Tensor):
        return xp.equal(input, math.inf)

    refuses = {COMPLEX: refusal("isposinf does not support complex inputs.")}
    samples = UNARY


@elementwise(same_dtype="isneginf does not support non-boolean outputs.", dtype="bool", quiet=True, inplace=False)
class isneginf:
    """Whether an element is minus infinity."""

    def forward(xp, input: Tensor):
        return xp.equal(input, -math.inf)

    refuses = {COMPLEX: refusal("isneginf does not support complex inputs.")}
    samples = UNARY


@elementwise(dtype="bool", quiet=True, inplace=False, out=False)
class isreal:
    """Whether an element has no imaginary part."""

    def forward(xp, input: Tensor):
        return xp.equal(input.imag, 0)

    samples = UNARY
