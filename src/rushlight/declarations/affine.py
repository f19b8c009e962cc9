"""A product and what is added to it: `addmm` and its family."""

from __future__ import annotations

from numpy import ndarray

from rushlight.core.dtype import REDUCED, REDUCED_NUMPY
from rushlight.declarations.batches import aligned, rank_of, unfolded
from rushlight.declarations.checks import affine as checks
from rushlight.declarations.checks.products import check_batches, check_matrix_vector
from rushlight.declarations.declare import Direct, composite, face, op
from rushlight.declarations.products import FLOAT32, FLOAT64, product

FACTORS_FIT = dict.fromkeys(("beta", "alpha"), REDUCED)


def times(g, factor):
    """A gradient times the conjugate of a number."""
    return g if factor == 1 else g * factor.conjugate()


def moved_sum(F, input_t, pairs: tuple, product, beta, alpha):
    """The tangent of `beta * input + alpha * product(one, two)`; in each pair one of the two is a tangent, or None."""
    total = None if input_t is None else input_t * beta
    for one, two in pairs:
        if one is not None and two is not None:
            term = product(one, two)
            term = term if alpha == 1 else term * alpha
            total = term if total is None else total + term
    return total


def weighted(xp, product, alpha, input, beta):
    """`beta * input + alpha * product`, in the memory of the product; an `input` times 0 is not looked at."""
    if alpha != 1:
        product *= xp.factor_for(product, alpha)
    if beta != 0:
        product += input if beta == 1 else input * xp.factor_for(input, beta)
    return product


def added_product(F, b, input, product, beta, alpha):
    """`beta * input + alpha * product` of a batch; an `input` times 0 is not looked at."""
    product = product if alpha == 1 else product * alpha
    if beta == 0:
        return product if b.batched - {"input"} else F.expand(product, (b.size, *product.shape))
    return (input if beta == 1 else input * beta) + product


def product_and_sum(xp, one, two, kernel: str, alpha, input, beta):
    """`beta * input + alpha * (one @ two)` of raw arrays; half precision is rounded once."""
    dtype = input.dtype
    if dtype in REDUCED_NUMPY:
        return xp.astype(weighted(xp, xp.half_product(one, two), alpha, xp.astype(input, FLOAT32), beta), dtype)
    return weighted(xp, product(xp, one, two, kernel), alpha, input, beta)


@op(internal=True, exact=True, no_fp_errors=False)
class affine:
    """`beta * input + alpha * (mat1 @ mat2)`, the product with the transpose of `mat2` if it is `flipped`."""

    def forward(xp, input: Tensor, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1, flipped=True):
        if flipped:
            mat2 = mat2.T
        if type(mat1) is ndarray and mat1.ndim == mat2.ndim == 2 and beta != 0:
            dtype = mat1.dtype
            if (dtype is FLOAT32 or dtype is FLOAT64) and mat2.dtype is dtype and input.dtype is dtype:
                try:
                    result = mat1.dot(mat2)
                    return added(result, input) if beta == 1 == alpha else weighted(xp, result, alpha, input, beta)
                except ValueError:
                    pass  # the checks below raise the error
        checks.check_matrices(input, mat1, mat2)
        checks.check_expands(input.shape, (mat1.shape[0], mat2.shape[1]), input.dtype)
        return product_and_sum(xp, mat1, mat2, "addmm_impl_cpu_", alpha, input, beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_mat1(F, g, mat2, alpha, flipped):
        return times(F.mm(g, F.conj(mat2 if flipped else F.t(mat2))), alpha)

    def d_mat2(F, g, mat1, alpha, flipped):
        return times(F.mm(F.t(g), F.conj(mat1)) if flipped else F.mm(F.conj(F.t(mat1)), g), alpha)

    def batch(F, b, input, mat1, mat2, beta, alpha, flipped):
        if "mat1" in b.batched and len(b.batched) == 1 and input.ndim < 2:
            size, rows, inner = mat1.shape
            mat1 = F.reshape(mat1, (size * rows, inner))
            return unfolded(F, F.affine(input, mat1, mat2, beta=beta, alpha=alpha, flipped=flipped), size)
        product = F.matmul(mat1, F.transpose(mat2, -1, -2) if flipped else mat2)
        return added_product(F, b, aligned(F, b, 2, "input", input), product, beta, alpha)

    def jvp(F, input_t, mat1_t, mat2_t, mat1, mat2, beta, alpha, flipped):
        return moved_sum(
            F,
            input_t,
            ((mat1_t, mat2), (mat1, mat2_t)),
            lambda one, two: F.mm(one, F.t(two) if flipped else two),
            beta,
            alpha,
        )

    samples = lambda r: [
        (r(2, 4), r(2, 3), r(4, 3)),
        (r(4), r(2, 3), r(4, 3), {"beta": 2, "alpha": 0.5}),
        (r(2, 1), r(2, 3), r(4, 3), {"beta": 0}),
        (r(), r(2, 0), r(0, 4), {"flipped": False}),
    ]


face(affine, node="AddmmBackward0")


@op(internal=True, exact=True, no_fp_errors=False)
class flipped_product:
    """`mat1 @ mat2.T` of all rows there are, and what is added, all of one dtype: what `linear` computes at once.

    There is no derivative: where `linear` records, it records `affine`.
    """

    def forward(xp, mat1: Tensor, mat2: Tensor, input: Tensor = None):
        dtype = mat1.dtype
        if (dtype is FLOAT32 or dtype is FLOAT64) and mat2.ndim == 2 and type(mat1) is ndarray:
            result = mat1.dot(mat2.T) if mat1.ndim == 2 else rows_times(mat1, mat2.T)
            if input is None:
                return result
            if len(result) == 1 == input.ndim < result.ndim:  # inlines `added`
                row = result[0]
                if len(input) == 1:
                    result[0] = row + input
                else:
                    row += input
                return result
            result += input
            return result
        raise ValueError("not two plain matrices")

    def batch(F, b, mat1, mat2, input):
        result = F.matmul(mat1, aligned(F, b, rank_of(b, "mat1", mat1), "mat2", F.transpose(mat2, -1, -2)))
        return result if input is None else result + aligned(F, b, rank_of(b, "mat1", mat1), "input", input)


def added(product, input):
    """`product += input`; NumPy takes half as long where shapes are equal, and for one element not in place."""
    if len(product) == 1 == input.ndim < product.ndim:
        row = product[0]
        if len(input) == 1:
            product[0] = row + input
        else:
            row += input
    else:
        product += input
    return product


def rows_times(batch, mat):
    """All rows of a batch times a matrix. Raises ValueError where they would have to be copied together."""
    if not batch.flags.c_contiguous:
        raise ValueError("rows lie apart")
    return batch.reshape(-1, batch.shape[-1]).dot(mat).reshape(*batch.shape[:-1], mat.shape[1])


@composite(samples=lambda r: [(r(2, 4), r(2, 3), r(3, 4)), (r(4), r(2, 3), r(3, 4), {"beta": 2, "alpha": 0.5})])
def addmm(F, input, mat1, mat2, *, beta=1, alpha=1):
    """`beta * input + alpha * (mat1 @ mat2)`."""
    return F.affine(input, mat1, mat2, beta=beta, alpha=alpha, flipped=False)


face(
    addmm,
    direct=(Direct("type(mat1) in PLAIN_TYPES", "affine", {"flipped": "False"}),),
    out=True,
    overlap="any",
    out_same_dtype=True,
    inplace=True,
)


@op(exact=True, no_fp_errors=False, casts_scalar=FACTORS_FIT)
class addmv:
    """`beta * input + alpha * (mat @ vec)`."""

    def forward(xp, input: Tensor, mat: Tensor, vec: Tensor, *, beta=1, alpha=1):
        check_matrix_vector(input.ndim, input.shape, mat, vec)
        checks.check_addmv_dtypes(input, mat, vec)
        return product_and_sum(xp, mat, vec, "addmv_impl_cpu", alpha, input, beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_mat(F, g, vec, alpha):
        return times(F.unsqueeze(g, 1) * F.conj(vec), alpha)

    def d_vec(F, g, mat, alpha):
        return times(F.mv(F.conj(F.t(mat)), g), alpha)

    def batch(F, b, input, mat, vec, beta, alpha):
        if len(b.batched) == 1 and "vec" in b.batched and input.ndim == 1:
            return F.affine(input, vec, mat, beta=beta, alpha=alpha)
        product = F.mv(mat, vec) if not b.batched - {"input"} else F.squeeze(F.matmul(mat, F.unsqueeze(vec, -1)), -1)
        return added_product(F, b, aligned(F, b, 1, "input", input), product, beta, alpha)

    def jvp(F, input_t, mat_t, vec_t, mat, vec, beta, alpha):
        return moved_sum(F, input_t, ((mat_t, vec), (mat, vec_t)), F.mv, beta, alpha)

    samples = lambda r: [
        (r(2), r(2, 3), r(3)),
        (r(1), r(2, 3), r(3), {"beta": 2, "alpha": 0.5}),
        (r(), r(2, 3), r(3), {"beta": 0}),
    ]


face(addmv, overlap="any", out_same_dtype=True, inplace=True)


@op(exact=True, no_fp_errors=False)
class addbmm:
    """`beta * input` and `alpha` times the sum of the products of the matrices of two batches."""

    def forward(xp, input: Tensor, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1):
        checks.check_sum_of_products(input, batch1, batch2)
        batch, rows, inner = batch1.shape
        wide = xp.reshape(xp.swapaxes(batch1, 0, 1), (rows, batch * inner))
        high = xp.reshape(batch2, (batch * inner, batch2.shape[2]))
        return product_and_sum(xp, wide, high, "addmm_impl_cpu_", alpha, input, beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_batch1(F, g, batch1_shape, batch2, alpha):
        return times(F.bmm(copies(F, g, batch1_shape), F.conj(F.transpose(batch2, 1, 2))), alpha)

    def d_batch2(F, g, batch1_shape, batch1, alpha):
        return times(F.bmm(F.conj(F.transpose(batch1, 1, 2)), copies(F, g, batch1_shape)), alpha)

    def batch(F, b, input, batch1, batch2, beta, alpha):
        products = F.sum(F.matmul(batch1, batch2), -3, dtype=batch1.dtype)
        return added_product(F, b, aligned(F, b, 2, "input", input), products, beta, alpha)

    def jvp(F, input_t, batch1_t, batch2_t, batch1, batch2, beta, alpha):
        return moved_sum(
            F,
            input_t,
            ((batch1_t, batch2), (batch1, batch2_t)),
            lambda one, two: F.sum(F.bmm(one, two), 0),
            beta,
            alpha,
        )

    samples = lambda r: [
        (r(2, 5), r(4, 2, 3), r(4, 3, 5)),
        (r(5), r(4, 2, 3), r(4, 3, 5), {"beta": 2, "alpha": 0.5}),
        (r(), r(0, 2, 3), r(0, 3, 5), {"beta": 0}),
    ]


face(addbmm, overlap="any", inplace=True)


def copies(F, matrix, batch_shape):
    """A matrix once for each of a batch."""
    return F.expand(matrix, (batch_shape[0], *matrix.shape))


@op(exact=True, no_fp_errors=False)
class baddbmm:
    """`beta * input + alpha * (batch1 @ batch2)`, matrix by matrix."""

    def forward(xp, input: Tensor, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1):
        if not batch1.ndim == batch2.ndim == 3:
            checks.refuse_ranks(batch1, batch2, (0, 1))
        check_batches(batch1, batch2)
        checks.check_expands(input.shape, (*batch1.shape[:2], batch2.shape[2]), input.dtype)
        checks.check_baddbmm_dtypes(input, batch1, batch2)
        return product_and_sum(xp, batch1, batch2, "baddbmm", alpha, input, beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_batch1(F, g, batch2, alpha):
        return times(F.bmm(g, F.conj(F.transpose(batch2, 1, 2))), alpha)

    def d_batch2(F, g, batch1, alpha):
        return times(F.bmm(F.conj(F.transpose(batch1, 1, 2)), g), alpha)

    def batch(F, b, input, batch1, batch2, beta, alpha):
        return added_product(F, b, aligned(F, b, 3, "input", input), F.matmul(batch1, batch2), beta, alpha)

    def jvp(F, input_t, batch1_t, batch2_t, batch1, batch2, beta, alpha):
        return moved_sum(F, input_t, ((batch1_t, batch2), (batch1, batch2_t)), F.bmm, beta, alpha)

    samples = lambda r: [
        (r(4, 2, 5), r(4, 2, 3), r(4, 3, 5)),
        (r(5), r(4, 2, 3), r(4, 3, 5), {"beta": 2, "alpha": 0.5}),
        (r(2, 1), r(4, 2, 0), r(4, 0, 5), {"beta": 0}),
    ]


face(baddbmm, overlap="any", out_same_dtype=True, inplace=True)


@op(dtype="promote", casts_scalar=FACTORS_FIT)
class addr:
    """`beta * input + alpha * outer(vec1, vec2)`."""

    def forward(xp, input: Tensor, vec1: Tensor, vec2: Tensor, *, beta=1, alpha=1):
        for name, each in (("vec1", vec1), ("vec2", vec2)):
            checks.check_addr_vector(each, name)
        checks.check_expands(input.shape, (vec1.size, vec2.size), input.dtype)
        for name, number in (("beta", beta), ("alpha", alpha)):
            checks.check_addr_number(input, number, name)
        outer = xp.multiply(xp.reshape(vec1, (vec1.size, 1)), vec2)
        if alpha != 1:
            outer = outer & bool(alpha) if input.dtype.kind == "b" else outer * xp.factor_for(outer, alpha)
        return weighted(xp, outer, 1, input, bool(beta) if input.dtype.kind == "b" else beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_vec1(F, g, vec2, alpha):
        return times(F.mv(g, F.conj(vec2)), alpha)

    def d_vec2(F, g, vec1, alpha):
        return times(F.mv(F.t(g), F.conj(vec1)), alpha)

    def batch(F, b, input, vec1, vec2, beta, alpha):
        outer = F.unsqueeze(vec1, -1) * F.unsqueeze(vec2, -2)
        return added_product(F, b, aligned(F, b, 2, "input", input), outer, beta, alpha)

    def jvp(F, input_t, vec1_t, vec2_t, vec1, vec2, beta, alpha):
        return moved_sum(
            F, input_t, ((vec1_t, vec2), (vec1, vec2_t)), lambda one, two: F.unsqueeze(one, 1) * two, beta, alpha
        )

    samples = lambda r: [
        (r(2, 3), r(2), r(3)),
        (r(3), r(2), r(3), {"beta": 2, "alpha": 0.5}),
        (r(), r(2), r(3), {"beta": 0}),
    ]


face(addr, overlap="full", inplace=True)
