"""Reductions over some or all dimensions."""

from __future__ import annotations

import math

from rushlight.arrays.reduce import MANY
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.declarations.batches import flat
from rushlight.declarations.checks import reduce as checks
from rushlight.declarations.checks.arguments import check_mean
from rushlight.declarations.declare import Direct, composite, face, linear, op
from rushlight.declarations.dtype_rules import INT64, cast_to, numpy_of, refuse, sum_dtype
from rushlight.declarations.shapes import dims, dims_of_method, keepdim_shape, one_dim, sizes

OVER_DIMS = lambda r: [
    *((r(2, 3),), (r(2, 3), 1), (r(2, 3, 2), (0, -1), True), (r(2, 3), ())),
    *((r(),), (r(), 0), (r(0, 3), 0)),
]
BOOLEANS = lambda r: [
    *((r.booleans(2, 3),), (r.booleans(2, 3), 1), (r.booleans(2, 3), (0, -1), True), (r.booleans(2, 3), ())),
    *((r.booleans(),), (r.booleans(0, 3), 0)),
]


def count(shape: tuple, dim) -> int:
    """How many elements go into each result of a reduction."""
    return math.prod(shape) // (math.prod(keepdim_shape(shape, dim)) or 1)


# ---- sums and means


# The usual end of a loss: one sum of a small tensor.
ALL = "dim is None and keepdim is False"
FEW = f"input_array.size < {MANY}"
FLOATS = "(_dtype is FLOAT32 or _dtype is FLOAT64)"
SUM = f"xp.add_up(input_array, None, out=...) if {FEW} else forward.sum(xp, input_array)"
MEAN = (
    f"xp.divide(xp.add_up(input_array, None), input_array.size, out=...) if {FLOATS} and 0 < {FEW} "
    "else forward.mean(xp, input_array)"
)


@linear(exact=True, no_fp_errors=False)
class sum:
    """The sum of the elements along `dim`; of all of them if `dim` is None."""

    def forward(xp, input: Tensor, dim: Dims = None, keepdim=False, *, dtype=None):
        axes = dim if dim is None else dims(dim, input.ndim)
        if dtype is None and input.dtype.char in "fdFD":
            return xp.total(input, axes, None, keepdim)
        return xp.total_of_any(input, axes, numpy_of(dtype), keepdim)

    def d_input(F, g, input_shape, dim, keepdim):
        return F.expand(g if dim is None or keepdim else F.reshape(g, keepdim_shape(input_shape, dim)), input_shape)

    samples = OVER_DIMS


face(
    sum,
    method_positional=("dtype",),
    direct=(Direct(ALL, "sum", {}, SUM, no_fp_errors=True),),
    computes_in_out_dtype=True,
    node="SumBackward0 if dim is None else SumBackward1",
)


@linear(internal=True)
class sum_to_size_of:
    """The sum over the dimensions along which `shape` would have to be expanded."""

    def forward(xp, input: Tensor, shape):
        extra = input.ndim - len(shape)
        axes = tuple(range(extra)) + tuple(
            extra + i for i, length in enumerate(shape) if length == 1 and input.shape[extra + i] != 1
        )
        return xp.reshape(xp.total(input, axes), shape)

    def d_input(F, g, input_shape):
        return F.expand(g, input_shape)

    samples = lambda r: [(r(2, 3), (3,)), (r(2, 3), (2, 1)), (r(2, 3), ())]


@composite(samples=lambda r: [(r(2, 3), 1, 3), (r(2, 3), (3,)), (r(2, 3), 2, 3)])
def sum_to_size(F, input, *lengths, size=None):
    """The sum over the dimensions along which the shape `size` would have to be expanded."""
    shape, size = tuple(input.shape), sizes(lengths if size is None else (size,))
    extra = len(shape) - len(size)
    checks.check_sum_to_size(size, extra, shape)
    axes = (*range(extra), *(extra + i for i, n in enumerate(size) if n != shape[extra + i]))
    if not size:
        return F.sum(input)
    result = F.sum(input, axes, True) if axes else input
    return F.reshape(result, size) if extra else result


face(sum_to_size, spaces=(), method="sum_to_size")


@op
class nansum:
    """The sum of the elements along `dim` that are not NaN."""

    def forward(xp, input: Tensor, dim=None, keepdim=False, *, dtype=None):
        checks.check_nansum_dtype(input)
        input = cast_to(xp, input, dtype)
        total = xp.total_of_numbers if input.dtype.kind in "fV" else xp.total
        return total(input, dims(dim, input.ndim), sum_dtype(input, dtype), keepdim)

    def d_input(F, g, input, dim, input_shape):
        return F.reshape(g, keepdim_shape(input_shape, dim)) * (input == input)

    def jvp(F, input_t, input, dim, keepdim):
        return F.sum(input_t * (input == input), dim, keepdim)

    samples = OVER_DIMS


face(
    nansum,
    method_positional=("dtype",),
    computes_in_out_dtype="nansum: provided dtype must match dtype of result. Got {out} and {result}.",
)


@linear
class mean:
    """The arithmetic mean of the elements along `dim`; of all of them if `dim` is None."""

    def forward(xp, input: Tensor, dim: Dims = None, keepdim=False, *, dtype=None):
        if dtype is not None or input.dtype.char not in "fd":
            check_mean(input, dtype)
            input = cast_to(xp, input, dtype)
        return xp.mean(input, dim if dim is None else dims(dim, input.ndim), None, keepdim)

    def d_input(F, g, input_shape, dim):
        return F.expand(F.reshape(g, keepdim_shape(input_shape, dim)) / count(input_shape, dim), input_shape)

    samples = OVER_DIMS


face(
    mean,
    direct=(Direct(ALL, "mean", {}, MEAN, no_fp_errors=True),),
    node="MeanBackward0 if dim is None else MeanBackward1",
)


@composite(samples=OVER_DIMS)
def nanmean(F, input, dim=None, keepdim=False, *, dtype=None):
    """The arithmetic mean of the elements along `dim` that are not NaN."""
    checks.check_nanmean_dtype(input)
    return F.nansum(input, dim, keepdim, dtype=dtype) / F.sum(input == input, dim, keepdim)


face(nanmean, out=True)


# ---- products


@op
class prod:
    """The product of the elements along `dim`; of all of them if `dim` is None."""

    def forward(xp, input: Tensor, dim: int = None, keepdim=False, *, dtype=None):
        input = cast_to(xp, input, dtype)
        axis = None if dim is None else one_dim(dim, input.ndim)
        return xp.product(input, axis, sum_dtype(input, dtype), keepdim)

    def d_input(F, g, input, out, input_shape, dim, dtype):
        input = input if dtype is None else F.cast(input, dtype.numpy)
        # Correct for zeros too, and so without `out`; PyTorch saves it, and notices when it is written to.
        return F.reshape(g, keepdim_shape(input_shape, dim)) * F.conj(F.products_of_others(input, dim))

    def jvp(F, input_t, input, dim, keepdim, dtype):
        if dtype is not None:
            input, input_t = F.cast(input, dtype.numpy), F.cast(input_t, dtype.numpy)
        return F.sum(input_t * F.products_of_others(input, dim), dim, keepdim)

    samples = lambda r: [(r(2, 3),), (r(2, 3), 1), (r(2, 3), -2, True), (r(),), (r(), 0), (r(2, 0), 1)]


face(
    prod,
    method_positional=("dtype",),
    computes_in_out_dtype=True,
    node="ProdBackward0 if dim is None else ProdBackward1",
)


@composite(internal=True)
def products_of_others(F, input, dim):
    """For each element the product of all others along `dim`; without a division, since elements may be zero."""
    along, dim = (F.reshape(input, (-1,)), 0) if dim is None or not input.ndim else (input, dim)
    before = F.cumprod(F.shifted(along, dim, 1, 1), dim)
    after = F.flip(F.cumprod(F.flip(F.shifted(along, dim, -1, 1), (dim,)), dim), (dim,))
    return F.reshape(before * after, tuple(input.shape))


# ---- truth


def truth(xp, reduction, input, dim, keepdim: bool):
    """The elements as booleans, reduced; an empty `dim` leaves every one by itself. Bytes stay bytes, as in PyTorch."""
    if isinstance(dim, (tuple, list)) and not dim:
        result = input != 0
    else:
        result = reduction(input, dims(dim, input.ndim), None, None, keepdim)
        result = result if result.ndim < 2 else xp.in_planes(result)
    return xp.astype(result, input.dtype) if input.dtype.char == "B" else result


def no_truths(name: str):
    """Returns the error for an `out=` that is neither bool nor uint8."""

    def check(out) -> None:
        if out.dtype.name not in ("bool", "uint8"):
            raise RuntimeError(f"{name} only supports bool tensor for result, got: {SCALAR_NAMES[out.dtype]}")

    return check


def of_few_booleans(found: str, name: str) -> str:
    """The text of a question to all: of few booleans Python finds one in a tenth of the time of a reduction."""
    reduction = f"forward.{name}(xp, input_array, None, False)"
    return f"as_array({found}) if input_array.dtype.char == '?' and {FEW} else {reduction}"


ALL_TRUE = of_few_booleans("0 not in input_array.tobytes()", "all")
ANY_TRUE = of_few_booleans(r"input_array.tobytes().strip(b'\0') != b''", "any")


@op(exact=True)
class all:
    """Whether all elements along `dim` are true; all that there are if `dim` is None."""

    def forward(xp, input: Tensor, dim=None, keepdim=False):
        return truth(xp, xp.all, input, dim, keepdim)

    samples = BOOLEANS


face(all, direct=(Direct(ALL, "all", {}, ALL_TRUE, no_fp_errors=True),), refuses_out=no_truths("all"))


@op(exact=True)
class any:
    """Whether any element along `dim` is true; any at all if `dim` is None."""

    def forward(xp, input: Tensor, dim=None, keepdim=False):
        return truth(xp, xp.any, input, dim, keepdim)

    samples = BOOLEANS


face(any, direct=(Direct(ALL, "any", {}, ANY_TRUE, no_fp_errors=True),), refuses_out=no_truths("any"))


@op(exact=True)
class count_nonzero:
    """The number of elements along `dim` that are not zero."""

    def forward(xp, input: Tensor, dim=None):
        return xp.total(input if input.dtype.kind == "b" else input != 0, dims(dim, input.ndim), INT64)

    samples = lambda r: [(r.booleans(2, 3),), (r.booleans(2, 3), 1), (r.booleans(2, 3), (0, -1)), (r(), 0)]


face(count_nonzero, method=None, out=False)


@composite(samples=lambda r: [(r.booleans(2, 3),), (r.booleans(2, 3), 0, 1)])
def count_nonzero_variadic(F, input, dim: Ints | int = None, *more, axis: Ints | int = None):
    """The number of elements along the dimensions that are named, or all, that are not zero."""
    return F.count_nonzero(input, dims_of_method("count_nonzero", dim, more, axis))


face(count_nonzero_variadic, spaces=(), method="count_nonzero")


# ---- others


@op(dtype="float")
class logsumexp:
    """The logarithm of the sum of the exponentials along `dim`."""

    def forward(xp, input: Tensor, dim: Ints | int, keepdim=False):
        return xp.logsumexp(input, dims(dim, input.ndim), keepdim)

    def d_input(F, g, input, out, dim, input_shape):
        shape = keepdim_shape(input_shape, dim)
        return F.reshape(g, shape) * F.conj(F.exp(input - F.reshape(out, shape)))

    def jvp(F, input_t, input, out, dim, keepdim, input_shape):
        weights = F.exp(input - F.reshape(out, keepdim_shape(input_shape, dim)))
        return F.sum(F.choose(weights == weights, weights, 0) * input_t, dim, keepdim)  # inf - inf counts as no weight

    def batch(F, b, input, dim, keepdim):
        if dim != ():
            return NotImplemented
        result = F.logsumexp(flat(F, input), 1)
        return F.reshape(result, (b.size, *[1] * (input.ndim - 1))) if keepdim else result

    samples = lambda r: [(r(2, 3), 1), (r(2, 3, 2), (0, -1), True), (r(), 0), (r(0, 3), 0), (r(0, 3), 1)]


face(logsumexp, spaces=("torch", "special"))


@linear
class trace:
    """The sum of the elements on the diagonal of a matrix."""

    def forward(xp, input: Tensor):
        checks.check_trace_rank(input)
        refuse(input, "b", "trace")
        return xp.total(xp.diagonal(input, 0, 0, 1), None, sum_dtype(input))

    def d_input(F, g, input_shape):
        return F.on_diagonal(g, input_shape)

    def batch(F, b, input):
        return F.sum(F.diagonal(input, 0, 1, 2), 1)

    samples = lambda r: [(r(2, 3),), (r(3, 3),), (r(0, 3),)]


face(trace, out=False)


@linear(internal=True)
class on_diagonal:
    """A matrix of a shape with `input`, which has no dimensions, all along its diagonal."""

    def forward(xp, input: Tensor, shape):
        return xp.along_diagonal(input, shape)

    def d_input(F, g):
        return F.trace(g)

    def batch(F, b, input, shape):
        rows, columns = shape
        square = F.diag_embed(F.expand(F.unsqueeze(input, 1), (b.size, min(shape))))
        return F.constant_pad_nd(square, (0, max(columns - rows, 0), 0, max(rows - columns, 0)))

    samples = lambda r: [(r(), (2, 3)), (r(), (3, 3))]
