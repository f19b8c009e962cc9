"""Sorting, elements by their rank, and what is equal to what.

NaN counts as larger than every number. Every selection gives its gradient to the elements at the indices it returns.
"""

from __future__ import annotations

from rushlight.core.tensor import Tensor
from rushlight.declarations import results
from rushlight.declarations.batches import flat, rank_of
from rushlight.declarations.checks.arguments import check_rank, check_top, must_be_tensor, refuse_complex
from rushlight.declarations.checks.sort import check_unique_sizes, refusal_of_inputs
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import refuse
from rushlight.declarations.extreme import placed_at, shared_by_all, taken_at
from rushlight.declarations.shapes import nonempty_axes, wrap_dim

SORTED = lambda r: [(r.distinct(2, 4),), (r.distinct(3, 2), 0), (r.distinct(2, 3), -1, True), (r(),), (r(0, 3), 0)]
OVER_ONE = lambda r: [(r.distinct(2, 5), 1), (r.distinct(4, 2), -2, True), (r(), 0), (r(0, 3), 1)]
WHOLE = lambda r: [(r.distinct(2, 3),), (r.distinct(5),), (r(),)]


# ---- sorting


@op
class sort:
    """The elements in order along `dim`, and where each came from."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim=-1, descending=False, *, stable=None):
        refuse_complex(input, "Sort")
        values, indices = xp.sort(input, wrap_dim(dim, input.ndim), descending)
        return xp.preserving(values, input), xp.preserving(indices, input)

    def d_input(F, g_values, indices, dim, input_shape):
        return placed_at(F, g_values, indices, dim, True, input_shape)

    def jvp(F, input_t, indices, dim):
        return F.gather(input_t, dim, indices), None

    shape = lambda input, dim, descending, *, stable: results.values_and_indices(input)
    samples = lambda r: [*SORTED(r), (r.distinct(2, 3), {"dim": 0, "stable": True})]


face(
    sort,
    overlap="full",
    out_same_dtype=True,
    named_tuple=results.sort,
    node="SortBackward0 if stable is None else SortBackward1",
)


@op
class argsort:
    """The indices that put the elements in order along `dim`."""

    def forward(xp, input: Tensor, dim=-1, descending=False, *, stable=False):
        refuse_complex(input, "Sort")
        return xp.preserving(xp.order(input, wrap_dim(dim, input.ndim), descending), input)

    shape = lambda input, dim, descending, *, stable: results.values_and_indices(input)[1]
    samples = SORTED


face(argsort, out=False)


@composite(samples=lambda r: [(r.distinct(3, 2),), (r(),)])
def msort(F, input):
    """The elements in order along the first dimension."""
    return F.sort(input, 0)[0]


face(msort, out=True, overlap="full", out_same_dtype=True)


@op
class topk:
    """The `k` largest elements along `dim`, or the `k` smallest, best first, and their indices."""

    returns = "values, indices"

    def forward(xp, input: Tensor, k, dim=-1, largest=True, sorted=True):
        axis = wrap_dim(dim, input.ndim)
        check_top(input, k, axis)
        return xp.top(input, k, axis, largest)

    def shape(input, k, dim, largest, sorted):
        check_top(input, k, wrap_dim(dim, input.ndim))
        return results.values_and_indices(
            input[(slice(None),) * wrap_dim(dim, input.ndim) + (slice(k),)] if input.ndim else input
        )

    def d_input(F, g_values, indices, dim, input_shape):
        return placed_at(F, g_values, indices, dim, True, input_shape)

    def jvp(F, input_t, indices, dim):
        return F.gather(input_t, dim, indices), None

    samples = lambda r: [(r.distinct(2, 6), 2), (r.distinct(4, 2), 3, 0, False), (r(), 1), (r.distinct(3), 0)]


face(topk, overlap="full", out_same_dtype=True, named_tuple=results.topk)


# ---- by rank

OTHER_RANKED = ("output values must be of same type as input", "output indices must be of scalar type Long")
OTHER_MODE = tuple(
    f"expected scalar type '{{result}}' but got '{{out}}' for {each} output" for each in ("values", "indices")
)


OTHER_MEDIAN = tuple(
    f"{words} (while checking arguments for median)"
    for words in (
        "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type "
        "torch.{out}Tensor does not equal torch.{result}Tensor",
        "Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.{out}Tensor instead",
    )
)


@op
class kthvalue:
    """The `k`-th smallest elements along `dim`, and their indices."""

    returns = "values, indices"

    def forward(xp, input: Tensor, k, dim=-1, keepdim=False):
        axis = nonempty_axes("kthvalue()", input.shape, dim, one=True)
        check_rank(input, k, axis)
        return xp.ranked(input, k - 1, axis, keepdim)

    d_input = placed_at

    def jvp(F, input_t, indices, dim, keepdim, input_shape):
        return taken_at(F, input_t, indices, dim, keepdim, input_shape), None

    shape = lambda input, k, dim, keepdim: results.values_and_indices_along(input, dim, keepdim)
    samples = lambda r: [(r.distinct(2, 5), 2), (r.distinct(4, 2), 3, 0, True), (r(), 1)]


face(kthvalue, overlap="none", out_same_dtype=OTHER_RANKED, named_tuple=results.kthvalue)


@op
class median_all:
    """The median of all elements, the lower of two; NaN if any is NaN."""

    def forward(xp, input: Tensor):
        refuse(input, "bc", "median_cpu")
        return xp.median_of_all(input, False)

    d_input = shared_by_all

    def batch(F, b, input):
        return F.median_dim(flat(F, input), 1)[0]

    samples = WHOLE


face(median_all, spaces=(), node="MedianBackward0")


@op
class nanmedian_all:
    """The median of all elements that are not NaN, the lower of two."""

    def forward(xp, input: Tensor):
        refuse(input, "bc", "median_cpu")
        return xp.median_of_all(input, True)

    d_input = shared_by_all

    def batch(F, b, input):
        return F.nanmedian_dim(flat(F, input), 1)[0]

    samples = WHOLE


face(nanmedian_all, spaces=(), node="NanmedianBackward0")


@op
class median_dim:
    """The medians along `dim`, the lower of two, and their indices; NaN where any is NaN."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim, keepdim=False):
        axis = nonempty_axes("median()", input.shape, dim, one=True)
        refuse(input, "bc", "median_out")
        return xp.median(input, axis, keepdim, False)

    d_input = placed_at

    def jvp(F, input_t, indices, dim, keepdim, input_shape):
        return taken_at(F, input_t, indices, dim, keepdim, input_shape), None

    shape = results.values_and_indices_along
    samples = OVER_ONE


face(median_dim, spaces=(), named_tuple=results.median, node="MedianBackward1")


@op
class nanmedian_dim:
    """The medians along `dim` of what is not NaN, the lower of two, and their indices."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim, keepdim=False):
        axis = nonempty_axes("median()", input.shape, dim, one=True)
        refuse(input, "bc", "median_out")
        return xp.median(input, axis, keepdim, True)

    d_input = placed_at

    def jvp(F, input_t, indices, dim, keepdim, input_shape):
        return taken_at(F, input_t, indices, dim, keepdim, input_shape), None

    shape = results.values_and_indices_along
    samples = OVER_ONE


face(nanmedian_dim, spaces=(), named_tuple=results.nanmedian, node="NanmedianBackward1")


@composite(samples=lambda r: [*WHOLE(r), *OVER_ONE(r)])
def median(F, input, dim: int = None, keepdim=False):
    """The median element, the lower of two; with `dim` the medians along it, and their indices."""
    must_be_tensor("median", input)
    return F.median_all(input) if dim is None else F.median_dim(input, dim, keepdim)


face(median, out=True, outs_same_dtype=OTHER_MEDIAN)


@composite(samples=lambda r: [*WHOLE(r), *OVER_ONE(r)])
def nanmedian(F, input, dim: int = None, keepdim=False):
    """The median of what is not NaN, the lower of two; with `dim` the medians along it, and their indices."""
    must_be_tensor("nanmedian", input)
    return F.nanmedian_all(input) if dim is None else F.nanmedian_dim(input, dim, keepdim)


face(nanmedian, out=True, outs_same_dtype=OTHER_MEDIAN)


@op
class mode:
    """The most frequent elements along `dim`, the smallest of several, and the indices where they come last."""

    returns = "values, indices"

    def forward(xp, input: Tensor, dim=-1, keepdim=False):
        axis = nonempty_axes("mode()", input.shape, dim, one=True)
        refuse(input, "c", "mode_cpu")
        return xp.mode(input, axis, keepdim)

    shape = results.values_and_indices_along

    d_input = placed_at

    def jvp(F, input_t, indices, dim, keepdim, input_shape):
        return taken_at(F, input_t, indices, dim, keepdim, input_shape), None

    samples = OVER_ONE


face(mode, overlap="full", out_same_dtype=OTHER_MODE, named_tuple=results.mode)


# ---- what is equal to what


def parts(found: tuple, return_inverse: bool, return_counts: bool):
    """Returns the requested ones of (values, inverse, counts); values alone without a tuple."""
    values, inverse, counts = found
    chosen = [values, *([inverse] if return_inverse else []), *([counts] if return_counts else [])]
    return tuple(chosen) if len(chosen) > 1 else values


@op(internal=True, exact=True)
class unique_elements:
    """The different elements, sorted, of what has no history."""

    shape = results.data_dependent("_unique2")

    def forward(xp, input: Tensor):
        refuse(input, "c", "unique")
        return xp.different(input)

    samples = lambda r: [(r.integers(3, 2, 4),), (r.booleans(4),), (r(0, 2),), (r(),)]


@op(internal=True)
class unique_with_places:
    """The different elements, sorted, where each element of the input went, and how often each occurs."""

    returns = "values, inverse, counts"

    def shape(input, dim):
        return results.data_dependent("_unique2" if dim is None else "unique_dim")(input)

    def forward(xp, input: Tensor, dim=None):
        refuse(input, "c", "unique")
        axis = None if dim is None else wrap_dim(dim, input.ndim)
        check_unique_sizes(input, axis)
        return xp.unique(input, axis)

    def d_input(F, g_values, dim):
        name = "_unique2" if dim is None else "unique_dim"
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")


face(unique_with_places, node="Unique2Backward0 if dim is None else UniqueDimBackward0")


@op(internal=True)
class unique_runs:
    """The elements without repetitions of a neighbour, where each element went, and how long each run was."""

    returns = "values, inverse, counts"
    shape = results.data_dependent("unique_consecutive")

    def forward(xp, input: Tensor, dim=None, return_inverse=True, return_counts=True):
        refuse(input, "c", "unique")
        axis = None if dim is None else wrap_dim(dim, input.ndim)
        return xp.unique_runs(input, axis, return_inverse, return_counts)

    def d_input(F, g_values):
        raise NotImplementedError("the derivative for 'unique_consecutive' is not implemented.")


face(unique_runs, node="UniqueConsecutiveBackward0")


REPEATED = lambda r: [
    (r.integers(3, 2, 4),),
    (r.integers(3, 2, 4), {"return_counts": True}),
    (r.integers(2, 4, 2), {"dim": 0}),
]


@composite(samples=REPEATED)
def unique(F, input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, or slices along `dim`; on request where each went, and how often each occurs."""
    if dim is None and not return_inverse and not return_counts and not getattr(input, "requires_grad", False):
        return F.unique_elements(input)
    return parts(F.unique_with_places(input, dim), return_inverse, return_counts)


@composite(samples=REPEATED)
def unique_consecutive(F, input, return_inverse=False, return_counts=False, dim: int = None):
    """The elements, or slices along `dim`, without repetitions of a neighbour."""
    result = F.unique_runs(input, dim, return_inverse, return_counts)
    return parts(result, return_inverse, return_counts)


@op(dtype="bool", scalar_operands=True)
class isin:
    """Whether each element occurs among the test elements."""

    def forward(xp, elements: Tensor, test_elements: Tensor, *, assume_unique=False, invert=False):
        return xp.isin(elements, test_elements, assume_unique, invert)

    shape = lambda elements, test_elements, *, assume_unique, invert: results.like(elements, "bool")

    def batch(F, b, elements, test_elements, assume_unique, invert):
        if "test_elements" not in b.batched:
            return F.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)
        rank = rank_of(b, "elements", elements) if isinstance(elements, Tensor) else 0
        tests = flat(F, test_elements)
        tests = F.reshape(tests, (b.size, *[1] * rank, tests.shape[1]))
        result = F.any(F.eq(F.unsqueeze(elements, -1) if isinstance(elements, Tensor) else elements, tests), -1)
        return F.logical_not(result) if invert else result

    samples = lambda r: [(r.integers(4, 2, 3), r.integers(4, 2)), (r.integers(4, 3), 2, {"invert": True})]


face(isin, method=None, out_same_dtype=True, refuses=refusal_of_inputs)
