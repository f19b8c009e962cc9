"""Comparisons, the larger and the smaller, and questions about single elements."""

from __future__ import annotations

import math

from rushlight.core.dtype import BOOL, COMPLEX, INTEGER
from rushlight.core.tensor import Tensor
from rushlight.ops.declare import composite, elementwise
from rushlight.ops.kinds import refusal, unimplemented
from rushlight.ops.samples import BINARY, UNARY, WITH_NUMBER

# ---- order


@elementwise(dtype="bool", quiet=True, operators=("__eq__",))
class eq:
    """Whether `input == other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.equal(input, other)

    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, operators=("__ne__",), aliases=("not_equal",))
class ne:
    """Whether `input != other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.not_equal(input, other)

    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, operators=("__lt__",), aliases=("less",))
class lt:
    """Whether `input < other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.less(input, other)

    refuses = {COMPLEX: unimplemented("lt_cpu")}
    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, operators=("__le__",), aliases=("less_equal",))
class le:
    """Whether `input <= other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.less_equal(input, other)

    refuses = {COMPLEX: unimplemented("le_cpu")}
    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, operators=("__gt__",), aliases=("greater",))
class gt:
    """Whether `input > other`, element by element."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.greater(input, other)

    refuses = {COMPLEX: unimplemented("gt_cpu")}
    samples = WITH_NUMBER


@elementwise(dtype="bool", quiet=True, operators=("__ge__",), aliases=("greater_equal",))
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

NO_ORDER = {COMPLEX: refusal("clamp is not supported for complex types", NotImplementedError)}


@elementwise(quiet=True)
class clamp_min:
    """`input` where it is at least `min`, otherwise `min`."""

    def forward(xp, input: Tensor, min: Tensor):
        return xp.maximum(input, min)

    def d_input(F, g, input, min):
        return F.where(input >= min, g, 0)

    def d_min(F, g, input, min):
        return F.where(input < min, g, 0)

    node = "ClampMinBackward0 if isinstance(min, (int, float)) else ClampMinBackward1"
    refuses = NO_ORDER
    samples = WITH_NUMBER


@elementwise(quiet=True)
class clamp_max:
    """`input` where it is at most `max`, otherwise `max`."""

    def forward(xp, input: Tensor, max: Tensor):
        return xp.minimum(input, max)

    def d_input(F, g, input, max):
        return F.where(input <= max, g, 0)

    def d_max(F, g, input, max):
        return F.where(input > max, g, 0)

    node = "ClampMaxBackward0 if isinstance(max, (int, float)) else ClampMaxBackward1"
    refuses = NO_ORDER
    samples = WITH_NUMBER


@elementwise(quiet=True, spaces=(), out=False, inplace=False)
class clamp_to_numbers:
    """`input` kept between two numbers, either of which may be None."""

    def forward(xp, input: Tensor, min, max):
        return xp.clip(input, min, max)

    def d_input(F, g, input, min, max):
        return F.where(F.is_between(input, min, max), g, 0)

    node = "ClampBackward1"
    refuses = NO_ORDER
    samples = lambda r: [(r(2, 3), -0.5, 0.5), (r(4), None, 0.2), (r(), 0.1, None)]


@elementwise(quiet=True, spaces=(), out=False, inplace=False)
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
    refuses = NO_ORDER
    samples = lambda r: [(r(2, 3), r(3), r(3) + 1), (r(4), None, r()), (r(2, 1), r(3), None), (r(3), r(3) + 2, r(3))]


@composite(spaces=(), out=False)
def is_between(F, input, low, high):
    """Whether the elements are within bounds that may be None."""
    if low is None:
        return input <= high
    return input >= low if high is None else (input >= low) & (input <= high)


@composite(inplace=True, aliases=("clip",), samples=lambda r: [(r(2, 3), -0.5, 0.5), (r(4), r(4), None)])
def clamp(F, input, min=None, max=None):
    """`input` kept between `min` and `max`, which are two numbers or two tensors; either may be left out."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    tensors = [isinstance(each, Tensor) for each in (min, max) if each is not None]
    if all(tensors):
        return F.clamp_to_tensors(input, min, max)
    if any(tensors):
        raise TypeError(f"clamp() received an invalid combination of arguments - got {type_names(input, min, max)}")
    fractional = isinstance(min, float) or isinstance(max, float)
    if input.dtype.category < (FLOAT if fractional else INTEGER):
        input = F.cast(input, result_type([(input.dtype, 1), (float32 if fractional else int64, None)]).numpy)
    return F.clamp_to_numbers(input, min, max)
