"""Choosing and writing elements: where, masks, fill."""

from __future__ import annotations

import warnings
from numbers import Number

import numpy as np

from rushlight.arrays.elementwise import WIDE_FLOATS, element
from rushlight.core.dtype import BOOL, SCALAR_NAMES, uint8
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.checks import fill as checks
from rushlight.declarations.declare import composite, elementwise, face, op
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.promote import number_dtype

WHOLE = range(-(2**63), 2**63)

# ---- where


@elementwise(internal=True, no_fp_errors=True)
class choose:
    """`input` where `condition` is true, `other` elsewhere."""

    def forward(xp, condition: Constant, input: Tensor, other: Tensor):
        return xp.where(condition, input, other)

    def d_input(F, g, condition):
        return F.choose(condition, g, 0)

    def d_other(F, g, condition):
        return F.choose(condition, 0, g)

    samples = lambda r: [(r.booleans(2, 3), r(2, 3), r(3)), (r.booleans(3), r(2, 1), r()), (r.booleans(), r(3), 2.0)]


face(choose, node="WhereBackward0")


@op(internal=True, exact=True)
class stepped_by:
    """`input`, which follows from `other` in steps: flat between them, so that its gradient by that is 0."""

    def forward(xp, input: Tensor, other: Tensor):
        return xp.copy(input)

    def d_input(F, g):
        return g

    def d_other(F, g, other_shape, other_dtype):
        return F.fit(F.zeros_of(g), other_shape, other_dtype)

    samples = lambda r: [(r(2, 3), r(2, 3)), (r(), r()), (r(2, 3), r(3))]


@composite(samples=lambda r: [(r.booleans(2, 3), r(2, 3), 1.5)])
def where(F, condition, input: Tensor | Number = None, other: Tensor | Number = None):
    """`input` where `condition` is true, `other` elsewhere; with `condition` alone, the positions where it is true."""
    if input is None and other is None:
        return F.nonzero(condition, as_tuple=True)
    checks.check_where(input, other)
    if isinstance(condition, Tensor) and condition.dtype.category != BOOL:
        condition = truth(F, condition)
    if type(input) is type(other) in (float, int) and type(getattr(condition, "_array", None)) is np.ndarray:
        if type(input) is float or input in WHOLE:  # next to a tensor of its dtype the other number is a tensor too
            input = wrap(element(input, number_dtype(input).numpy))
    for beside, number in ((input, other), (other, input)):
        if type(number) in (int, float) and not -128 < number < 128:
            check_beside(beside, number)
    return F.choose(condition, input, other)


face(where, method=None, out=True, overlap="full", out_same_dtype="Expected out type to be {result} but got {out}")


def check_beside(tensor, number) -> None:
    """Raises RuntimeError for a number that the tensor's dtype cannot hold; in half precision it becomes infinite."""
    kind = raw_dtype(tensor) if isinstance(tensor, Tensor) else None
    if kind is not None and (kind.kind in "iu" if type(number) is int else kind in WIDE_FLOATS):
        element(number, kind)


def truth(F, condition: Tensor) -> Tensor:
    """A mask as bools; bytes may stand for them."""
    if condition.dtype is not uint8:
        name = SCALAR_NAMES[condition.dtype]
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {name}")
    warnings.warn(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version "
        "of PyTorch. Use a boolean condition instead.",
        UserWarning,
        stacklevel=5,
    )
    return F.ne(condition, 0)


@composite(samples=lambda r: [(r(2, 3), r.booleans(2, 3), r(2, 3)), (r(2, 3), r.booleans(3), 0.5)])
def where_of_input(F, input, condition, other: Tensor | Number):
    """`input` where `condition` is true, `other` elsewhere."""
    return F.where(condition, input, other)


face(where_of_input, spaces=(), method="where")


# ---- masks


@elementwise(internal=True, exact=True, contiguous_result=True)
class fill_mask_with_number:
    """`input` with a number wherever `mask` is true."""

    def forward(xp, input: Tensor, mask: Constant, value):
        return xp.where(mask, xp.element(value, input.dtype), input)

    def d_input(F, g, mask):
        return F.choose(mask, 0, g)

    samples = lambda r: [(r(2, 3), r.booleans(2, 3), 1.5), (r(3), r.booleans(2, 1), 0), (r(), r.booleans(3), 2)]


face(fill_mask_with_number, node="MaskedFillBackward0")


@elementwise(internal=True, exact=True, contiguous_result=True)
class fill_mask_with_tensor:
    """`input` with the one element of `value` wherever `mask` is true."""

    def forward(xp, input: Tensor, mask: Constant, value: Tensor):
        number = xp.element(value.item(), input.dtype) if value.dtype.kind == "c" else xp.astype(value, input.dtype)
        return xp.where(mask, number, input)

    def d_input(F, g, mask):
        return F.choose(mask, 0, g)

    def d_value(F, g, mask):
        return F.choose(mask, g, 0)

    samples = lambda r: [(r(2, 3), r.booleans(2, 3), r()), (r(3), r.booleans(2, 1), r())]


face(fill_mask_with_tensor, node="MaskedFillBackward1")


@composite(samples=lambda r: [(r(2, 3), r.booleans(3), 1.5)])
def masked_fill(F, input, mask, value: Tensor | Number):
    """`input` with `value`, a number or a tensor of one element, wherever `mask` is true."""
    checks.check_masked_fill(mask)
    if not isinstance(value, Tensor):
        return F.fill_mask_with_number(input, mask, value)
    checks.check_masked_fill_value(value)
    return F.fill_mask_with_tensor(input, mask, value)


face(masked_fill, inplace=True, inplace_kernel="masked_fill_array")


# ---- fill


@elementwise(internal=True, exact=True)
class fill_with_number:
    """A tensor like `input`, every element a number."""

    def forward(xp, input: Tensor, value):
        return xp.full_like(input, xp.fitting(value, input.dtype, input.size))

    def d_input(F, g):
        return F.zeros_of(g)

    samples = lambda r: [(r(2, 3), 1.5), (r(), 2), (r(0), 1)]


face(fill_with_number, node="FillBackward0")


@elementwise(internal=True, exact=True)
class fill_with_tensor:
    """A tensor like `input`, every element that of `value`."""

    def forward(xp, input: Tensor, value: Tensor):
        checks.check_fill_with_tensor(value)
        return xp.full_like(input, xp.astype(value, input.dtype))

    def d_input(F, g):
        return F.zeros_of(g)

    def d_value(F, g):
        return g

    samples = lambda r: [(r(2, 3), r()), (r(), r())]


face(fill_with_tensor, node="FillBackward1")


@composite(scalar_operands=("value",), samples=lambda r: [(r(2, 3), 1.5), (r(2, 3), r())])
def fill(F, input, value: Tensor | Number):
    """A tensor like `input`, every element `value`: a number or a tensor without dimensions."""
    if isinstance(value, Tensor):
        return F.fill_with_tensor(input, value)
    checks.check_fill_value(value)
    return F.fill_with_number(input, value)


face(fill, inplace=True, inplace_fill="value")


@elementwise(exact=True)
class zeroed:
    """A tensor like `input`, every element 0."""

    def forward(xp, input: Tensor):
        return xp.zeros_like(input)

    def d_input(F, g):
        return F.zeros_of(g)

    samples = lambda r: [(r(2, 3),), (r(),)]


face(zeroed, spaces=(), out=False, node="ZeroBackward0")


@composite(samples=lambda r: [(r(2, 3).detach(),), (r().detach(),)])
def zero_(F, input):
    """Writes 0 to every element."""
    return F.zeroed_(input)


face(zero_, inplace_kernel="zero_array")
