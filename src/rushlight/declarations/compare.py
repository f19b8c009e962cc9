"""Comparisons, the larger and the smaller, and questions about single elements."""

from __future__ import annotations

import math

import numpy as np

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
from rushlight.declarations.checks import compare as checks
from rushlight.declarations.declare import Direct, composite, elementwise, face
from rushlight.declarations.dtype_rules import category_of, raw_dtype, refusal, unimplemented
from rushlight.declarations.promote import result_type
from rushlight.declarations.samples import BINARY, WITH_NUMBER

# ---- order


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=("other",))
class eq:
    """Whether `input == other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.equal(input, other)

    samples = WITH_NUMBER


face(eq, operators=("__eq__",))


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=("other",))
class ne:
    """Whether `input != other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.not_equal(input, other)

    samples = WITH_NUMBER


face(ne, aliases=("not_equal",), operators=("__ne__",))


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=("other",))
class lt:
    """Whether `input < other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.less(input, other)

    samples = WITH_NUMBER


face(lt, aliases=("less",), operators=("__lt__",), refuses={COMPLEX: unimplemented("lt_cpu")})


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=("other",))
class le:
    """Whether `input <= other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.less_equal(input, other)

    samples = WITH_NUMBER


face(le, aliases=("less_equal",), operators=("__le__",), refuses={COMPLEX: unimplemented("le_cpu")})


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=("other",))
class gt:
    """Whether `input > other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.greater(input, other)

    samples = WITH_NUMBER


face(gt, aliases=("greater",), operators=("__gt__",), refuses={COMPLEX: unimplemented("gt_cpu")})


@elementwise(dtype="bool", no_fp_errors=True, scalar_operands=("other",))
class ge:
    """Whether `input >= other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.greater_equal(input, other)

    samples = WITH_NUMBER


face(ge, aliases=("greater_equal",), operators=("__ge__",), refuses={COMPLEX: unimplemented("ge_cpu")})


# ---- the larger and the smaller


@elementwise(no_fp_errors=True, scalar_operands=False)
class maximum:
    """The larger of `input` and `other`, nan if either is; equal ones share the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.maximum(input, other)

    def d_input(F, g, input, other):
        return F.where(input < other, 0, F.where(input == other, g / 2, g))

    def d_other(F, g, input, other):
        return F.where(input > other, 0, F.where(input == other, g / 2, g))


face(maximum, inplace=False, refuses={COMPLEX: refusal("maximum not implemented for complex tensors.")})


@elementwise(no_fp_errors=True, scalar_operands=False)
class minimum:
    """The smaller of `input` and `other`, nan if either is; equal ones share the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.minimum(input, other)

    def d_input(F, g, input, other):
        return F.where(input > other, 0, F.where(input == other, g / 2, g))

    def d_other(F, g, input, other):
        return F.where(input < other, 0, F.where(input == other, g / 2, g))


face(minimum, inplace=False, refuses={COMPLEX: refusal("minimum not implemented for complex tensors.")})


@elementwise(no_fp_errors=True, scalar_operands=False)
class fmax:
    """The larger of `input` and `other`, the other one where one is nan; of equal ones `input` has the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.fmax(input, other)

    def d_input(F, g, input, other):
        return F.where((input >= other) | F.isnan(other), g, 0)

    def d_other(F, g, input, other):
        return F.where((input >= other) | F.isnan(other), 0, g)


face(fmax, inplace=False, refuses={COMPLEX: refusal("fmax not implemented for complex tensors.")})


@elementwise(no_fp_errors=True, scalar_operands=False)
class fmin:
    """The smaller of `input` and `other`, the other one where one is nan; of equal ones `input` has the gradient."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.fmin(input, other)

    def d_input(F, g, input, other):
        return F.where((input <= other) | F.isnan(other), g, 0)

    def d_other(F, g, input, other):
        return F.where((input <= other) | F.isnan(other), 0, g)


face(fmin, inplace=False, refuses={COMPLEX: refusal("fmin not implemented for complex tensors.")})


# ---- bounds


NO_ORDER = refusal("clamp is not supported for complex types", NotImplementedError)


def one_bound(by_number: str, by_tensor: str):
    """The refusals of one bound: complex numbers, and numbers for bools."""

    def refuses(input, bound):
        highest = max(category_of(input), category_of(bound))
        if highest == COMPLEX and isinstance(bound, Tensor):
            return unimplemented(by_tensor)(result_type([(each.dtype, each.dim()) for each in (input, bound)]))
        if highest == COMPLEX:
            return NO_ORDER(input.dtype)
        return unimplemented(by_number)(input.dtype) if highest == BOOL and isinstance(bound, bool) else None

    return refuses


@elementwise(no_fp_errors=True, scalar_operands=("min",), casts_scalar={"min": (INTEGER, FLOAT)})
class clamp_min:
    """`input` where it is at least `min`, otherwise `min`."""

    def forward(xp, input: Tensor, min: Tensor):
        return xp.maximum(input, min)

    def d_input(F, g, input, min):
        return F.where(input >= min, g, 0)

    def d_min(F, g, input, min):
        return F.where(input < min, g, 0)

    samples = WITH_NUMBER


face(
    clamp_min,
    node="ClampMinBackward0 if isinstance(min, (int, float)) else ClampMinBackward1",
    refuses=one_bound("clamp_min_scalar_cpu", "maximum_cpu"),
)


@elementwise(no_fp_errors=True, scalar_operands=("max",), casts_scalar={"max": (INTEGER, FLOAT)})
class clamp_max:
    """`input` where it is at most `max`, otherwise `max`."""

    def forward(xp, input: Tensor, max: Tensor):
        return xp.minimum(input, max)

    def d_input(F, g, input, max):
        return F.where(input <= max, g, 0)

    def d_max(F, g, input, max):
        return F.where(input > max, g, 0)

    samples = WITH_NUMBER


face(
    clamp_max,
    node="ClampMaxBackward0 if isinstance(max, (int, float)) else ClampMaxBackward1",
    refuses=one_bound("clamp_max_scalar_cpu", "minimum_cpu"),
)


@elementwise(no_fp_errors=True, casts_scalar=dict.fromkeys(("min", "max"), REDUCED))
class clamp_to_numbers:
    """`input` kept between two numbers, either of which may be None."""

    def forward(xp, input: Tensor, min, max):
        return xp.clip_to_numbers(input, min, max)

    def d_input(F, g, input, min, max):
        return F.where(F.is_between(input, min, max), g, 0)

    samples = lambda r: [(r(2, 3), -0.5, 0.5), (r(4), None, 0.2), (r(), 0.1, None)]


face(clamp_to_numbers, spaces=(), out=False, node="ClampBackward1", refuses={COMPLEX: NO_ORDER})


def unclampable(*operands):
    """Returns the error for complex numbers, or for bools with two bounds; None otherwise."""
    categories = {each.dtype.category for each in operands if isinstance(each, Tensor)}
    if COMPLEX in categories:
        return NO_ORDER(None)
    return unimplemented("clamp_cpu")(operands[0].dtype) if categories == {BOOL} and None not in operands else None


@elementwise(no_fp_errors=True)
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

    samples = lambda r: [(r(2, 3), r(3), r(3) + 1), (r(4), None, r()), (r(2, 1), r(3), None), (r(3), r(3) + 2, r(3))]


face(clamp_to_tensors, spaces=(), out=False, node="ClampBackward0", refuses=unclampable)


@composite(internal=True)
def is_between(F, input, low, high):
    """Whether the elements are within bounds that may be None."""
    if low is None:
        return input <= high
    return input >= low if high is None else (input >= low) & (input <= high)


# Integers stay integers between integer bounds.
OF_ONE_KIND = (
    "type(input) in PLAIN_TYPES and ((kind := input._array.dtype.kind) == 'f' or kind in 'iu' "
    "and type(min) is not float and type(max) is not float)"
)


@composite(samples=lambda r: [(r(2, 3), -0.5, 0.5), (r(4), r(4), None)])
def clamp(F, input, min: Tensor | Number = None, max: Tensor | Number = None):
    """`input` kept between `min` and `max`, which are two numbers or two tensors; either may be left out."""
    if are_plain(min, max) and raw_dtype(input).kind == "f":
        return F.clamp_to_numbers(input, min, max)
    min, max = of_one_kind(min, max)
    if are_tensors("clamp", min, max):
        return F.clamp_to_tensors(input, min, max)
    checks.check_bool_bounds(input, min, max)
    if raw_dtype(input).kind in "biu":
        input = F.cast(input, dtype_with_bounds(input, min, max))
    return F.clamp_to_numbers(input, min, max)


face(
    clamp,
    aliases=("clip",),
    direct=(
        Direct(
            f"type(min) in LIMIT and type(max) in LIMIT and min is not max and {OF_ONE_KIND}",
            "clamp_to_numbers",
            {},
        ),
    ),
    out=True,
    overlap="full",
)


@composite(
    samples=lambda r: [(r(2, 3).detach(), -0.5, 0.5), (r(4).detach(), None, 0.0), (r(3).detach(), r(1).detach(), None)]
)
def clamp_(F, input, min: Tensor | Number = None, max: Tensor | Number = None):
    """Moves the elements of `input` to between `min` and `max`."""
    if are_plain(min, max) and raw_dtype(input).kind == "f":
        return F.clamp_to_numbers_(input, min, max)
    min, max = of_one_kind(min, max)
    if are_tensors("clamp_", min, max):
        return F.clamp_to_tensors_(input, min, max)
    dtype = BY_NUMPY[dtype_with_bounds(input, min, max)]
    if dtype is not input.dtype:
        raise RuntimeError(
            f"result type {SCALAR_NAMES[dtype]} can't be cast to the desired output type {C_NAMES[input.dtype]}"
        )
    return F.clamp_to_numbers_(input, min, max)


face(clamp_, aliases=("clip_",), inplace_kernel="clamp_array")


def are_plain(*bounds) -> bool:
    """Whether the bounds are Python numbers, or one of them None."""
    return all([type(each) in PLAIN_BOUNDS for each in bounds]) and any([each is not None for each in bounds])


PLAIN_BOUNDS = frozenset((int, float, type(None)))


def of_one_kind(*bounds) -> tuple:
    """Returns the bounds; next to a number, a 0-d tensor without history counts as a number."""
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
    """Returns the NumPy dtype of the result: integers with float bounds become floating point."""
    kind = raw_dtype(input)
    if kind.kind in "biu" and any(isinstance(each, float) for each in bounds):
        return DEFAULTS.floating.numpy
    return int64.numpy if kind.kind == "b" else kind


# ---- nearness


@elementwise(internal=True, dtype="bool", scalar_operands=False)
class are_close:
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; infinities are close to themselves."""

    def forward(xp, input: Tensor, other: Tensor, rtol, atol, equal_nan):
        return xp.isclose(input, other, rtol, atol, equal_nan)

    samples = lambda r: [(a, b, 0.5, 0.1, True) for a, b in BINARY(r)]


@composite(samples=BINARY)
def isclose(F, input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `|input - other| <= atol + rtol * |other|`, element by element; infinities are close to themselves."""
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        checks.check_tolerance(tolerance, name)
    checks.check_isclose_dtypes(input, other)
    return F.are_close(input, other, rtol, atol, equal_nan)


@composite(samples=lambda r: [(r(2, 3), r(2, 3)), (r(2, 3).detach(),) * 2, (r(0), r(0))])
def allclose(F, input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close, by `isclose`."""
    close = F.isclose(input, other, rtol, atol, equal_nan)
    checks.check_allclose_shared(close)
    return all_true(F, close)


@composite(samples=lambda r: [(r(2, 3), r(2, 3)), (r(2, 3).detach(),) * 2, (r(2), r(3))])
def equal(F, input, other):
    """Whether two tensors have the same shape and the same elements."""
    checks.check_has_elements(input)
    checks.check_equal_shared(input, other)
    return input._array.shape == other._array.shape and all_true(F, F.eq(input, other))


def all_true(F, mask) -> bool:
    """Whether all elements of a mask are true."""
    array = mask._array
    few = type(array) is np.ndarray and array.size < MANY
    return 0 not in array.tobytes() if few else bool(F.all(mask))


# ---- questions


@elementwise(dtype="bool", no_fp_errors=True)
class isnan:
    """Whether an element is nan."""

    def forward(xp, input: Tensor):
        return xp.isnan(input)


face(isnan, out=False, inplace=False)


@elementwise(dtype="bool", no_fp_errors=True)
class isinf:
    """Whether an element is infinite."""

    def forward(xp, input: Tensor):
        return xp.isinf(input)


face(isinf, out=False, inplace=False)


@elementwise(dtype="bool", no_fp_errors=True)
class isfinite:
    """Whether an element is neither infinite nor nan."""

    def forward(xp, input: Tensor):
        return xp.isfinite(input)


face(isfinite, out=False, inplace=False)


@elementwise(dtype="bool", no_fp_errors=True)
class isposinf:
    """Whether an element is plus infinity."""

    def forward(xp, input: Tensor):
        return xp.equal(input, math.inf)


face(
    isposinf,
    out_same_dtype="isposinf does not support non-boolean outputs.",
    inplace=False,
    refuses={COMPLEX: refusal("isposinf does not support complex inputs.")},
)


@elementwise(dtype="bool", no_fp_errors=True)
class isneginf:
    """Whether an element is minus infinity."""

    def forward(xp, input: Tensor):
        return xp.equal(input, -math.inf)


face(
    isneginf,
    out_same_dtype="isneginf does not support non-boolean outputs.",
    inplace=False,
    refuses={COMPLEX: refusal("isneginf does not support complex inputs.")},
)


@elementwise(dtype="bool", no_fp_errors=True)
class isreal:
    """Whether an element has no imaginary part."""

    def forward(xp, input: Tensor):
        return xp.equal(input.imag, 0)


face(isreal, out=False, inplace=False)
