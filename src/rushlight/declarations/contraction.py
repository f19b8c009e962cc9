"""Products of tensors along chosen dimensions: outer, inner, tensordot, einsum, chains of matrices, cross products."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks import contraction as checks
from rushlight.declarations.contraction_plan import followed, matrices_of, outlined
from rushlight.declarations.declare import Direct, composite, face, multilinear
from rushlight.declarations.dtype_rules import raw_dtype, refuse
from rushlight.declarations.equation import of_arguments
from rushlight.declarations.shapes import broadcast, integers, wrap_dim
from rushlight.declarations.shapes import dims as checked_dims

# ---- outer and inner


@composite(samples=lambda r: [(r(2), r(3)), (r(0), r(3))])
def outer(F, input, vec2):
    """Every product of an element of `input` and one of `vec2`, both vectors."""
    for name, each in (("self", input), ("vec2", vec2)):
        checks.check_outer_vector(each, name)
    return F.reshape(input, (input.shape[0], 1)) * vec2


face(outer, aliases=("ger",), out=True, overlap="full")


@composite(samples=lambda r: [(r(3), r(3)), (r(2, 3), r(4, 3)), (r(2, 3), r(3)), (r(), r(2, 3))])
def inner(F, input, other):
    """The sums of products along the last dimension of both; plain products where one has no dimensions."""
    if not input.ndim or not other.ndim:
        return input * other
    checks.check_inner_sizes(input, other)
    return F.tensordot(input, other, ([-1], [-1]))


face(
    inner,
    out=True,
    out_same_dtype=(
        "tensordot: Expected the output tensor to have dtype {result}, but got an output tensor with dtype {out}"
    ),
)


@composite(samples=lambda r: [
    (r(2, 3), r(3, 4), 1), (r(2, 3, 4), r(4, 3), ([1, 2], [1, 0])), (r(2, 3), r(3), 0), (r(2, 3), r(2, 3)),
])  # fmt: skip
def tensordot(F, a, b, dims=2):
    """The sums of products along `dims`: the last of `a` with the first of `b`, or those of two lists."""
    checks.check_factors(dims, input=a, other=b)
    dims_a, dims_b = paired_dims(a, b, dims)
    checks.check_tensordot_dtypes(a, b)
    for one, two in zip(dims_a, dims_b, strict=True):
        if a.shape[wrap_dim(one, a.ndim)] != b.shape[wrap_dim(two, b.ndim)]:
            checks.check_contracted_sizes(a, b, one, two)
            a, b = (whole_sum(F, each, dim) for each, dim in ((a, one), (b, two)))
    summed_a, summed_b = checked_dims(tuple(dims_a), a.ndim) or (), checked_dims(tuple(dims_b), b.ndim) or ()
    rows, columns, shape = matrices_of(tuple(a.shape), tuple(b.shape), summed_a, summed_b)
    return F.reshape(F.mm(followed(F, a, rows), followed(F, b, columns)), shape)


face(
    tensordot,
    method=None,
    out="positional",
    out_same_dtype=(
        "tensordot: Expected the output tensor to have dtype {result}, but got an output tensor with dtype {out}"
    ),
)


def whole_sum(F, tensor, dim: int):
    """A tensor summed over a dimension that the other tensor has only once; in its own dtype."""
    return tensor if tensor.shape[dim] == 1 else F.cast(F.sum(tensor, dim, True), raw_dtype(tensor))


def paired_dims(a, b, dims) -> tuple[list, list]:
    """The dimensions of both that are summed over."""
    if isinstance(dims, (Tensor, np.ndarray)):
        dims = dims.tolist() if dims.ndim else int(dims)
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(-dims, 0)), list(range(dims))
    if not isinstance(dims, (tuple, list)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    dims_a, dims_b = dims
    dims_a = list(integers("tensordot", "dims_self", dims_a, " (position 3)"))
    dims_b = list(integers("tensordot", "dims_other", dims_b, " (position 4)"))
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length")
    return dims_a, dims_b


@composite(samples=lambda r: [(r(2, 3), r(3, 2)), (r(2), r(2, 3)), (r(), r(2, 3))])
def kron(F, input, other):
    """Each element of `input` times the whole of `other`, side by side: the Kronecker product."""
    spread, repeated, shape = shapes_side_by_side(tuple(input.shape), tuple(other.shape))
    return F.reshape(F.reshape(input, spread) * F.reshape(other, repeated), shape)


face(kron, out=True, overlap="full")


@lru_cache(64)
def shapes_side_by_side(one: tuple, two: tuple) -> tuple:
    """The shapes in which factors broadcast to all products of their elements, and the shape of the result."""
    rank = max(len(one), len(two))
    one, two = ((1,) * (rank - len(each)) + each for each in (one, two))
    spread, repeated = tuple([n for size in one for n in (size, 1)]), tuple([n for size in two for n in (1, size)])
    return spread, repeated, tuple([m * n for m, n in zip(one, two, strict=True)])


@composite(name="linalg_vecdot", samples=lambda r: [(r(2, 3), r(3)), (r(2, 3), r(2, 1), {"dim": 0})])
def vecdot(F, x, y, *, dim=-1):
    """The sums of conj(x) * y along `dim`, the other dimensions broadcast."""
    for each in (x, y):
        checks.check_vecdot_dtype(each)
    checks.check_vecdot_same_dtype(x, y)
    if x.ndim == y.ndim == 1:
        return F.vdot(x, y)
    return F.sum(F.conj(x) * y, dim)


face(
    vecdot,
    spaces=("linalg",),
    method=None,
    out=True,
    out_same_dtype="linalg.vecdot: Expected out of dtype{result} but found {out}",
)


# ---- chains of matrices


@composite(name="linalg_multi_dot", samples=lambda r: [([r(2, 3), r(3, 4), r(4, 2)],), ([r(3), r(3, 4), r(4)],)])
def multi_dot(F, tensors):
    """The product of matrices in the order that takes the fewest multiplications; the ends may be vectors."""
    checks.check_multi_dot_sequence(tensors)
    checks.check_multi_dot_count(tensors)
    matrices = list(tensors)
    first, last = matrices[0].ndim, matrices[-1].ndim
    for rank, which in ((first, "first"), (last, "last")):
        checks.check_multi_dot_rank(rank, which)
    checks.check_chain(matrices)
    shape = (*matrices[0].shape[: first - 1], *matrices[-1].shape[1:last])
    for rank, position in ((first, 0), (last, -1)):
        if rank == 1:
            matrices[position] = F.unsqueeze(matrices[position], position)
    splits = best_splits([*(each.shape[0] for each in matrices), matrices[-1].shape[1]])
    return F.view(multiplied(F, matrices, splits, 0, len(matrices) - 1), shape)


face(
    multi_dot,
    spaces=("linalg",),
    method=None,
    out=True,
    out_same_dtype="multi_dot(): expected out tensor to have dtype {result_c} but got {out_c}",
)


def best_splits(sizes: list) -> dict:
    """Where to split each stretch of a chain of matrices (Cormen et al., Introduction to Algorithms, section 15.2)."""
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            results = [(costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            costs[i, j], splits[i, j] = min(results)
    return splits


def multiplied(F, matrices, splits: dict, first: int, last: int):
    """The product of a stretch of a chain, split as planned."""
    if first == last:
        return matrices[first]
    middle = splits[first, last]
    return F.mm(multiplied(F, matrices, splits, first, middle), multiplied(F, matrices, splits, middle + 1, last))


@composite(samples=lambda r: [(r(2, 3), r(3, 2), r(2, 1)), (r(2, 3),)])
def chain_matmul(F, *matrices, out=None):
    """The product of matrices in the order that takes the fewest multiplications. Deprecated: `linalg.multi_dot`."""
    warnings.warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters.",
        stacklevel=4,
    )
    checks.check_chain_length(matrices)
    for each in matrices:
        checks.check_chain_matrix(each)
    if len(matrices) == 1:
        return matrices[0]
    return F.linalg_multi_dot(list(matrices), **({} if out is None else {"out": out}))


face(chain_matmul, method=None)


# ---- cross products


@multilinear(exact=True, no_fp_errors=False)
class linalg_cross:
    """The cross products of the vectors of three elements along `dim`."""

    def forward(xp, input: Tensor, other: Tensor, *, dim=-1):
        checks.check_cross(input, other, dim)
        refuse(input, "b", "cross")
        return xp.cross(input, other, dim % input.ndim)

    def shape(input, other, *, dim):
        checks.check_cross(input, other, dim)
        refuse(input, "b", "cross")
        return MetaArray(broadcast((input.shape, other.shape)), input.dtype)

    def d_input(F, g, other, input_shape, input_dtype, dim):
        return F.fit(F.linalg_cross(F.conj(other), g, dim=dim), input_shape, input_dtype)

    def d_other(F, g, input, other_shape, other_dtype, dim):
        return F.fit(F.linalg_cross(g, F.conj(input), dim=dim), other_shape, other_dtype)

    samples = lambda r: [(r(2, 3), r(2, 3)), (r(3, 2), r(3, 2), {"dim": 0}), (r(2, 3), r(1, 3)), (r(3), r(3))]


face(linalg_cross, method=None, overlap="none", out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 3), r(2, 3), 1), (r(3, 2), r(3, 2), 0)])
def cross(F, input, other, dim: int = None):
    """The cross products of the vectors along `dim`; without it along the first of size 3, which is deprecated."""
    if dim is None:
        warnings.warn(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
            "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross "
            "in a future release.",
            stacklevel=4,
        )
        dim = next((each for each, size in enumerate(input.shape) if size == 3), None)
        checks.check_cross_dim_found(dim)
    return F.linalg_cross(input, other, dim=dim)


face(cross, direct=(Direct("type(dim) is int", "linalg_cross", {}),), out=True, overlap="none", out_same_dtype=True)


# ---- einsum


@composite(samples=lambda r: [
    ("ij,jk->ik", r(2, 3), r(3, 4)), ("bij,bjk", r(2, 2, 3), r(2, 3, 2)), ("ii->i", r(3, 3)), ("i,j", r(2), r(3)),
    ("...ij,jk->...ik", r(2, 2, 3), r(3, 2)), ("ij,jk,kl->il", r(2, 3), r(3, 2), r(2, 2)), ("ij->j", r(2, 3)),
    ("bn,anm,bm->ba", r(2, 3), r(4, 3, 2), r(2, 2)), ("ij,ij->i", r(2, 3), r(2, 1)),
])  # fmt: skip
def einsum(F, equation, *operands):
    """Products of operands, summed over every label that the result does not carry: Einstein's summation convention."""
    equation, operands = of_arguments(equation, operands)
    products, last = outlined(equation, tuple([tuple(each.shape) for each in operands]))
    for each in operands[1:]:
        checks.check_einsum_dtypes(operands, each)
    terms = operands
    for one, two, of_one, of_two, operation, of_result in products:
        second, first = terms.pop(two), terms.pop(one)
        product = getattr(F, operation)(followed(F, first, of_one), followed(F, second, of_two))
        terms.append(followed(F, product, of_result))
    return followed(F, terms[0], last)


face(einsum, method=None)
