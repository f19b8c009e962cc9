"""Writing at positions: a copy of a tensor with other elements, written or reduced, where an index or a mask says."""

from __future__ import annotations

import math

from rushlight.arrays.elementwise import element
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.warn_once import warn_once
from rushlight.declarations.batches import (
    aligned,
    behind,
    flat,
    from_front,
    front,
    fronts,
    named_slices,
    rank_of,
    rows,
    shape_of,
)
from rushlight.declarations.checks import scatter as checks
from rushlight.declarations.declare import Direct, composite, face, linear, op
from rushlight.declarations.dtype_rules import raw_dtype, refuse
from rushlight.declarations.shapes import broadcast

# ---- scatter: `index` has the shape of what is written


def source_gradient(F, g, dim, index, src_shape):
    """The gradient of the scattered source: that at its indices, zeros for elements without an index."""
    if 0 in index.shape:
        return F.new_zeros_of(g, src_shape)
    return enlarged(F, F.gather(g, dim, index), index, src_shape)


def enlarged(F, found, index, shape):
    """A gradient of what an index named of a source, with zeros for the rest."""
    if tuple(index.shape) == tuple(shape):
        return found
    return F.putitem(found, shape, (*map(slice, index.shape), ...))


def over_rows(F, b, function, input, dim, index, src):
    """Writes a batch of sources at a batch of indices, per element."""
    dim = behind(dim, rank_of(b, "input", input))
    input, index, src = fronts(F, b, input=input, index=index, src=src)
    return F.reshape(function(rows(F, input), dim, rows(F, index), rows(F, src)), tuple(input.shape))


def over_slices(F, b, function, scattered, input, dim, index, source):
    """Writes slices of a batch: at the same positions of each sample, or with an index of elements for each."""
    dim = behind(dim, rank_of(b, "input", input))
    input, source = fronts(F, b, input=input, source=source)
    shape, input, source = tuple(input.shape), rows(F, input), rows(F, source)
    if "index" not in b.batched:
        return F.reshape(function(input, dim, index, source), shape)
    if source.ndim < input.ndim:
        return NotImplemented
    positions = named_slices(F, rows(F, index), dim, source.shape)
    return F.reshape(scattered(input, dim, positions, source), shape)


SCATTERED = lambda r: [
    (r(3, 4), 0, r.integers(3, 2, 4), r(2, 4)), (r(3, 4), -1, r.integers(4, 2, 2), r(3, 3)),
    (r(), 0, r.integers(1), r()), (r(5), 0, r.integers(5, 0), r(0)), (r(4), 0, r.integers(2, 3), r(3)),
]  # fmt: skip
UNIQUE = lambda r: [
    (r(3, 4), 0, r.integers(1, 1, 4), r(1, 4)),
    (r(), 0, r.integers(1), r()),
    (r(3), 0, r.integers(3, 1), r(2)),
]


@op(internal=True, exact=True)
class scatter_source:
    """`input` with `src` written at `index` along `dim`."""

    def forward(xp, input: Tensor, dim, index: Constant, src: Tensor):
        xp.check_scatter("scatter", input, dim, index, src)
        return xp.scatter(input, dim, index, src) if index.size else xp.copy(input)

    def d_input(F, g, dim, index):
        return F.scatter_value(g, dim, index, 0)

    d_src = source_gradient

    def batch(F, b, input, dim, index, src):
        return over_rows(F, b, F.scatter_source, input, dim, index, src)

    samples = UNIQUE


face(scatter_source, node="ScatterBackward0")


@linear(internal=True, exact=True)
class scatter_value:
    """`input` with a number written at `index` along `dim`."""

    def forward(xp, input: Tensor, dim, index: Constant, value):
        xp.check_scatter("scatter", input, dim, index)
        return xp.scatter_value(input, dim, index, value) if index.size else xp.copy(input)

    def d_input(F, g, dim, index):
        return F.scatter_value(g, dim, index, 0)

    def batch(F, b, input, dim, index, value):
        dim = behind(dim, rank_of(b, "input", input))
        input, index = fronts(F, b, input=input, index=index)
        return F.reshape(F.scatter_value(rows(F, input), dim, rows(F, index), value), tuple(input.shape))

    samples = lambda r: [
        (r(3, 4), 0, r.integers(3, 2, 4), 2.5),
        (r(), 0, r.integers(1), 1.0),
        (r(3), 0, r.integers(3, 0), 1.0),
    ]


face(scatter_value, node="ScatterBackward1")


WRITTEN = "value is None and reduce is None"


@composite(
    samples=lambda r: [
        (r(3, 4), 1, r.integers(4, 3, 1), r(3, 1)),
        (r(3, 4), 0, r.integers(3, 1, 4), 0.5),
        (r(3, 4), 0, r.integers(3, 1, 4), 0.5, {"reduce": "add"}),
    ]
)
def scatter(F, input, dim, index, src: Tensor | Number = None, *, value: Number = None, reduce=None):
    """`input` with `src`, or a number, written at `index`: `out[index[i][j]][j] = src[i][j]` for
    `dim=0`; with `reduce` "add" or "multiply" it is combined with what is there."""
    given = src if value is None else value
    checks.check_scatter_source(given)
    if reduce is not None:
        return _combined(F, input, dim, index, given, reduce)
    if isinstance(given, Tensor):
        return F.scatter_source(input, dim, index, given)
    number = element(given, raw_dtype(input))
    return F.scatter_value(input, dim, index, number.item() if _is_plain(input) else given)


face(
    scatter,
    direct=(Direct(f"{WRITTEN} and type(src) in PLAIN_TYPES", "scatter_source", {}),),
    out=True,
    overlap="first",
    out_same_dtype=True,
    inplace=True,
    inplace_by_index=True,
)


def _is_plain(input) -> bool:
    return raw_dtype(input).kind in "biufc"


REDUCTIONS = {"add": "sum", "multiply": "prod"}


def _combined(F, input, dim, index, given, reduce):
    if reduce not in REDUCTIONS:
        raise RuntimeError("reduce argument must be either add or multiply.")
    if not isinstance(given, Tensor):
        number = F.to_copy(wrap(element(given, raw_dtype(input))), None, input.device)
        given = F.expand(number, tuple(index.shape))
    return F.scatter_reduce(input, dim, index, given, REDUCTIONS[reduce])


@linear(no_promotion=True)
class scatter_add:
    """`input` with `src` added at `index` along `dim`."""

    def forward(xp, input: Tensor, dim, index: Constant, src: Tensor):
        xp.check_scatter("scatter", input, dim, index, src)
        return xp.scatter(input, dim, index, src, "sum") if index.size else xp.copy(input)

    def d_input(F, g):
        return g

    d_src = source_gradient

    def batch(F, b, input, dim, index, src):
        return over_rows(F, b, F.scatter_add, input, dim, index, src)

    samples = SCATTERED


face(scatter_add, overlap="first", out_same_dtype=True, inplace=True, inplace_by_index=True)


@op(no_promotion=True)
class scatter_reduce:
    """`input` with `src` reduced at `index`: by "sum", "prod", "mean", "amax" or "amin"."""

    def forward(xp, input: Tensor, dim, index: Constant, src: Tensor, reduce, *, include_self=True):
        xp.check_scatter("scatter", input, dim, index, src)
        checks.check_scatter_reduction(reduce)
        xp.check_reducible(f"scatter_gather_tensor_cpu_reduce_{reduce}", reduce, input)
        return xp.scatter(input, dim, index, src, reduce, include_self) if index.size else xp.copy(input)

    def d_input(F, g, input, dim, index, src, out, reduce, include_self):
        result = Scattered(F, dim, index, reduce, include_self).of_input(g, input, named(F, src, index), out)
        return result if include_self else F.scatter_value(result, dim, index, 0)

    def d_src(F, g, input, dim, index, src, out, reduce, include_self, src_shape):
        result = Scattered(F, dim, index, reduce, include_self).of_source(g, input, named(F, src, index), out)
        return enlarged(F, result, index, src_shape)

    def batch(F, b, input, dim, index, src, reduce, include_self):
        reduced = lambda *arguments: F.scatter_reduce(*arguments, reduce, include_self=include_self)
        return over_rows(F, b, reduced, input, dim, index, src)

    samples = lambda r: [
        *((r(3, 4), 0, r.integers(3, 2, 4), r(2, 4), reduce) for reduce in ("sum", "prod", "mean", "amax", "amin")),
        *((r(3, 4), 1, r.integers(4, 3, 2), r(3, 2), how, {"include_self": False}) for how in ("mean", "prod", "amax")),
    ]  # fmt: skip


face(scatter_reduce, overlap="first", out_same_dtype=True, inplace=True, inplace_by_index=True)


def named(F, src, index):
    """The part of a source that an index names, which may be smaller."""
    for dim, length in enumerate(index.shape):
        src = src if src.shape[dim] == length else F.narrow(src, dim, 0, length)
    return src


TWICE = "{0}(): Double backward is unsupported for {1} when >1 zeros in {1} are scattered to the same position in self"


@op(internal=True)
class differentiated_once:
    """A gradient whose own gradient is refused, in the words of `refusal`, if any of `several` is true."""

    def forward(xp, input: Tensor, several: Constant, refusal):
        return xp.copy(input)

    def d_input(F, g, several, refusal):
        checks.check_differentiable_once(F, several, refusal)
        return g

    samples = lambda r: [(r(2, 3), r.integers(1, 2, 3) > 0, "refused")]


class Written:
    """The derivatives that reductions at indices share, for indices of elements or of slices."""

    def __init__(self, F, dim, index, reduce, include_self):
        self.F, self.dim, self.index, self.reduce, self.include_self = F, dim, index, reduce, include_self

    def of_input(self, g, input, src, out):
        """The gradient of what was reduced into."""
        F = self.F
        if self.reduce == "sum":
            return g
        if self.reduce == "mean":
            return g / self.counts(g, src)
        if self.reduce == "prod":
            safe = F.choose(F.eq(input, 0), 1, input)
            return g * self.again(safe, src) / safe
        return self.shares(g, input, src, out)[0]

    def of_source(self, g, input, src, out):
        """The gradient of what was written."""
        if self.reduce == "sum":
            return self.read(g)
        if self.reduce == "mean":
            return self.read(g / self.counts(g, src))
        if self.reduce == "prod":
            return self.of_factors(g, input, src, out)
        own, shared, mine = self.shares(g, input, src, out)
        return mine * self.read(shared)

    def of_factors(self, g, input, src, out):
        """The product of all the others: of a lone zero, what the product would be without it."""
        F = self.F
        zero = F.eq(src, 0)
        zeros = self.read(self.add(F.zeros_of(input), F.cast(zero, raw_dtype(src))))
        lone = F.logical_and(zero, F.eq(zeros, 1))
        without = self.again(input, F.choose(lone, 1, src))
        rest = self.read(g * out) / F.choose(zero, 1, src)
        result = F.choose(lone, self.read(g * without), rest)
        return F.differentiated_once(result, F.gt(zeros, 1), TWICE.format(*self.names))

    def shares(self, g, input, src, out):
        """For the largest and smallest: the input's gradient, each winner's, and which sources won: 1, or 0.

        Where NaN has won there is no winner: g / 0 times 0 is NaN again.
        """
        F = self.F
        won, mine = (F.cast(each, raw_dtype(g)) for each in (F.eq(input, out), F.eq(src, self.read(out))))
        shared = g / self.add(won, mine)
        return won * shared, shared, mine

    def counts(self, g, src):
        """How many numbers each mean is of."""
        F = self.F
        result = self.add(F.zeros_of(g) + int(self.include_self), F.zeros_of(src) + 1)
        return F.choose(F.eq(result, 0), 1, result)


class Scattered(Written):
    """Places named per element, by an index of the source's shape."""

    names = "scatter_reduce", "src"

    def read(self, value):
        return self.F.gather(value, self.dim, self.index)

    def add(self, target, src):
        return self.F.scatter_add(target, self.dim, self.index, src)

    def again(self, input, src):
        return self.F.scatter_reduce(input, self.dim, self.index, src, self.reduce, include_self=self.include_self)


# ---- index_*: `index` names slices


VECTORED = lambda r: [
    (r(3, 4), 0, r.integers(3, 2), r(2, 4)), (r(3, 4), -1, r.integers(4, 5), r(3, 5)), (r(), 0, r.integers(1), r()),
    (r(3), 0, r.integers(3, 0), r(0)),
]  # fmt: skip


@linear(exact=True)
class index_add:
    """`input` with `alpha * source` added to the slices along `dim` that a vector names."""

    def forward(xp, input: Tensor, dim, index: Constant, source: Tensor, *, alpha=1):
        xp.check_vector("index_add_", input, dim, index, source)
        if alpha != 1:
            source = xp.multiply(source, xp.element(alpha, source.dtype))
        return xp.index_add(input, dim, index, source)

    def d_input(F, g):
        return g

    def d_source(F, g, dim, index, source_shape, alpha):
        result = F.reshape(F.index_select(g, dim, index), source_shape)
        return result if alpha == 1 else result * alpha

    def batch(F, b, input, dim, index, source, alpha):
        added = lambda *arguments: F.index_add(*arguments, alpha=alpha)
        scattered = lambda input, dim, index, source: F.scatter_add(
            input, dim, index, source if alpha == 1 else source * alpha
        )
        return over_slices(F, b, added, scattered, input, dim, index, source)

    samples = lambda r: [*VECTORED(r), (r(3, 4), 1, r.integers(4, 2), r(3, 2), {"alpha": 2.5})]


face(index_add, overlap="first", out_same_dtype=True, inplace=True, inplace_by_index=True)


@op(exact=True)
class index_copy:
    """`input` with the slices along `dim` that a vector names replaced by those of `source`."""

    def forward(xp, input: Tensor, dim, index: Constant, source: Tensor):
        xp.check_copied(input, dim, index, source)
        return xp.index_write(input, dim, index, source)

    def d_input(F, g, dim, index):
        return F.index_fill_number(g, dim, index, 0)

    def d_source(F, g, dim, index, source_shape):
        return F.reshape(F.index_select(g, dim, index), source_shape)

    def batch(F, b, input, dim, index, source):
        return over_slices(F, b, F.index_copy, F.scatter_source, input, dim, index, source)

    samples = lambda r: [
        (r(3, 4), 0, r.integers(3, 1), r(1, 4)),
        (r(3, 4), 1, r.integers(1, 1), r(3, 1)),
        (r(), 0, r.integers(1), r()),
    ]


face(
    index_copy,
    method_names={"index_copy.source": "tensor2", "index_copy_.source": "tensor"},
    overlap="first",
    out_same_dtype=True,
    inplace=True,
    inplace_by_index=True,
)


@linear(internal=True, exact=True)
class index_fill_number:
    """`input` with a number in the slices along `dim` that a vector names."""

    def forward(xp, input: Tensor, dim, index: Constant, value):
        xp.check_filled(input, dim, index)
        return xp.preserving(xp.index_write(input, dim, index, xp.element(value, input.dtype)), input)

    def d_input(F, g, dim, index):
        return F.index_fill_number(g, dim, index, 0)

    def batch(F, b, input, dim, index, value):
        at = behind(dim, rank_of(b, "input", input))
        input = front(F, b, "input", input)
        shape, input = tuple(input.shape), rows(F, input)
        if "index" not in b.batched:
            return F.reshape(F.index_fill_number(input, at, index, value), shape)
        index = rows(F, index)
        positions = named_slices(F, index, at, (*input.shape[:at], index.shape[1], *input.shape[at + 1 :]))
        return F.reshape(F.scatter_value(input, at, positions, value), shape)

    samples = lambda r: [
        (r(3, 4), 0, r.integers(3, 2), 1.5),
        (r(), 0, r.integers(1), 2.0),
        (r(3), 0, r.integers(3, 0), 1.0),
    ]


face(index_fill_number, node="IndexFillBackward0")


@op(internal=True, exact=True)
class index_fill_tensor:
    """`input` with the one element of `value` in the slices along `dim` that a vector names."""

    def forward(xp, input: Tensor, dim, index: Constant, value: Tensor):
        xp.check_filled(input, dim, index)
        return xp.preserving(xp.index_write(input, dim, index, xp.astype(value, input.dtype)), input)

    def d_input(F, g, dim, index):
        return F.index_fill_number(g, dim, index, 0)

    def d_value(F, g, dim, index):
        return F.sum(g * F.index_fill_number(F.zeros_of(g), dim, index, 1))

    def batch(F, b, input, dim, index, value):
        at = behind(dim, rank_of(b, "input", input))
        input, index, value = fronts(F, b, input=input, index=index, value=value)
        shape, input, index = tuple(input.shape), rows(F, input), rows(F, index)
        positions = named_slices(F, index, at, (*input.shape[:at], index.shape[1], *input.shape[at + 1 :]))
        source = F.cast(F.reshape(value, (b.size, *[1] * (input.ndim - 1))), raw_dtype(input))
        return F.reshape(F.scatter_source(input, at, positions, F.expand(source, tuple(positions.shape))), shape)

    samples = lambda r: [(r(3, 4), 0, r.integers(3, 1), r()), (r(), 0, r.integers(1), r())]


face(index_fill_tensor, node="IndexFillBackward1")


@composite(
    samples=lambda r: [
        (r(3, 4), 0, r.integers(3, 2), 1.5),
        (r(3, 4), -1, r.integers(4, 3), r()),
        (r(), 0, r.integers(1, 1), 2.0),
    ]
)
def index_fill(F, input, dim, index, value: Tensor | Number):
    """`input` with a value, a number or a 0-d tensor, in the slices along `dim` that a vector names."""
    if isinstance(value, Tensor):
        checks.check_index_fill_rank(value)
        return F.index_fill_tensor(input, dim, index, value)
    checks.check_index_fill_value(input, value)
    return F.index_fill_number(input, dim, index, value)


face(index_fill, overlap="first", inplace=True, inplace_by_index=True)


# PyTorch's names of the kernels that `index_reduce` runs.
KERNELS = {"mean": "div_floor_cpu", "amax": "maximum_cpu", "amin": "minimum_cpu"}


@op(exact=True, no_promotion=True)
class index_reduce:
    """`input` with slices of `source` reduced into those that a vector names: by "prod", "mean", "amax" or "amin"."""

    def forward(xp, input: Tensor, dim, index: Constant, source: Tensor, reduce, *, include_self=True):
        checks.check_index_reduction(reduce)
        xp.check_vector("index_reduce_", input, dim, index, source)
        warn_once("index_reduce() is in beta and the API may change at any time.")
        if not include_self:
            refuse(input, "bc", "index_reduce_func_exclude_input_init")
        xp.check_reducible(KERNELS.get(reduce, ""), reduce, input)
        return xp.index_reduce(input, dim, index, source, reduce, include_self)

    def d_input(F, g, input, dim, index, source, out, reduce, include_self):
        result = Indexed(F, dim, index, reduce, include_self).of_input(g, input, source, out)
        return result if include_self else F.index_fill_number(result, dim, index, 0)

    def d_source(F, g, input, dim, index, source, out, reduce, include_self):
        return Indexed(F, dim, index, reduce, include_self).of_source(g, input, source, out)

    def batch(F, b, input, dim, index, source, reduce, include_self):
        reduced = lambda *arguments: F.index_reduce(*arguments, reduce, include_self=include_self)
        scattered = lambda *arguments: F.scatter_reduce(*arguments, reduce, include_self=include_self)
        return over_slices(F, b, reduced, scattered, input, dim, index, source)

    samples = lambda r: [
        *((r(3, 4), 0, r.integers(3, 2), r(2, 4), reduce) for reduce in ("prod", "mean", "amax", "amin")),
        *((r(3, 4), 1, r.integers(4, 2), r(3, 2), how, {"include_self": False}) for how in ("mean", "prod", "amax")),
    ]  # fmt: skip


face(index_reduce, overlap="first", out_same_dtype=True, inplace=True)


class Indexed(Written):
    """Places named per slice, by a vector."""

    names = "index_reduce", "source"

    def read(self, value):
        return self.F.index_select(value, self.dim, self.index)

    def add(self, target, src):
        return self.F.index_add(target, self.dim, self.index, src)

    def again(self, input, src):
        return self.F.index_reduce(input, self.dim, self.index, src, self.reduce, include_self=self.include_self)


# ---- flat positions and masks


@op(exact=True)
class put:
    """`input` with `source` written to positions in the flattened tensor; added there with `accumulate`."""

    def forward(xp, input: Tensor, index: Constant, source: Tensor, accumulate=False):
        checks.check_put(xp, input, index, source)
        return xp.preserving(xp.put_flat(input, index, source, accumulate), input)

    def d_input(F, g, index, accumulate):
        return g if accumulate else F.put(g, index, F.new_zeros_of(g, tuple(index.shape)))

    def d_source(F, g, index, source_shape):
        return F.reshape(F.take(g, index), source_shape)

    def batch(F, b, input, index, source, accumulate):
        input, index, source = fronts(F, b, input=input, index=index, source=source)
        rows = flat(F, input)
        positions = from_front(F, flat(F, index), rows.shape[1])
        written = (F.scatter_add if accumulate else F.scatter_source)(rows, 1, positions, flat(F, source))
        return F.reshape(written, tuple(input.shape))

    samples = lambda r: [
        (r(3, 4), r.integers(12, 1), r(1)), (r(3, 4), r.integers(12, 2, 3), r(6), True), (r(), r.integers(1), r()),
    ]  # fmt: skip


face(put, out=False, overlap="first", inplace=True, inplace_by_index=True)


@op(exact=True)
class masked_scatter:
    """`input` with the first elements of `source`, in order, where `mask` holds."""

    def forward(xp, input: Tensor, mask: Constant, source: Tensor):
        checks.check_masked_scatter(xp, input, mask, source)
        broadcast((input.shape, mask.shape))
        return xp.masked_scatter(input, mask, source)

    def d_input(F, g, input_shape, mask):
        return F.fit(F.fill_mask_with_number(g, mask, 0), input_shape, raw_dtype(g))

    def d_source(F, g, mask, source_shape):
        return F.masked_source(g, mask, source_shape)

    def batch(F, b, input, mask, source):
        shape = broadcast((shape_of(b, "input", input), shape_of(b, "mask", mask)))
        spread = lambda name, value: flat(F, F.expand(aligned(F, b, len(shape), name, value), (b.size, *shape)))
        values, chosen = spread("input", input), spread("mask", mask)
        source = flat(F, front(F, b, "source", source))
        if not values.shape[1]:
            return F.reshape(F.clone(values), (b.size, *shape))
        elements = F.gather(source, 1, F.clamp(F.cumsum(chosen, 1) - 1, 0))
        return F.reshape(F.where(chosen, elements, values), (b.size, *shape))

    samples = lambda r: [
        (r(3, 4), r.booleans(3, 4), r(12)), (r(3, 4), r.booleans(4), r(3, 5)), (r(4), r.booleans(2, 4), r(8)),
    ]  # fmt: skip


face(masked_scatter, method_names={"masked_scatter.source": "tensor"}, out=False, inplace=True, inplace_by_index=True)


@linear(internal=True, exact=True)
class masked_source:
    """The elements that `mask` selects, then zeros up to `shape`: the transpose of `masked_scatter` for its source."""

    def forward(xp, input: Tensor, mask: Constant, shape):
        return xp.masked_source(input, mask, shape)

    def d_input(F, g, input_shape, mask):
        return F.masked_scatter(F.new_zeros_of(g, input_shape), mask, g)

    def batch(F, b, input, mask, shape):
        full = broadcast((shape_of(b, "input", input), shape_of(b, "mask", mask)))
        spread = lambda name, value: flat(F, F.expand(aligned(F, b, len(full), name, value), (b.size, *full)))
        values, chosen = spread("input", input), spread("mask", mask)
        zeros = F.new_zeros_of(values, (b.size, math.prod(shape)))
        positions = F.clamp(F.cumsum(chosen, 1) - 1, 0)
        result = F.scatter_add(zeros, 1, positions, F.where(chosen, values, F.zeros_of(values)))
        return F.reshape(result, (b.size, *shape))

    samples = lambda r: [(r(3, 4), r.booleans(3, 4), (3, 5)), (r(2, 4), r.booleans(4), (8,))]


face(masked_source, node="MaskedScatterBackwardBackward0")
