"""Products of two matrices or vectors, or of two batches of matrices.

Operands of different dtypes are refused, not promoted, so `forward` takes its arrays as they are (`exact=True`). Half
precision is summed in float32 and rounded once. A product of small matrices takes NumPy 0.4 us as a method and 0.9 us
as `matmul`, so the two products that every network uses try the method first.
"""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY
from rushlight.declarations.batches import folded, fronts, unfolded
from rushlight.declarations.checks import products as checks
from rushlight.declarations.declare import face, multilinear, op
from rushlight.declarations.dtype_rules import unimplemented

BLAS = "fdFD"
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)

OTHER_SUM = "addmv input tensors must have the same dtype, but got {out}, {result}, and {result}"
OTHER_DOT = "result dtype {out} does not match input dtype {result}"


def product(xp, input, other, kernel: str):
    """The product of raw arrays of one dtype, for which PyTorch's `kernel` is responsible."""
    dtype = input.dtype
    if dtype.char in BLAS:
        return xp.matmul(input, other) if input.ndim > 2 else xp.dot(input, other)
    if dtype in REDUCED_NUMPY:
        return xp.astype(xp.half_product(input, other), dtype)
    if dtype.kind == "b" or (dtype.kind == "u" and dtype.itemsize > 1):
        raise unimplemented(kernel)(BY_NUMPY[dtype])
    return xp.integer_product(input, other)


# ---- two operands


@multilinear(exact=True)
class mm:
    """The product of two matrices."""

    def forward(xp, input: Tensor, mat2: Tensor):
        if type(input) is ndarray and input.ndim == 2 == mat2.ndim:
            dtype = input.dtype
            if (dtype is FLOAT32 or dtype is FLOAT64) and mat2.dtype is dtype:
                try:
                    return input.dot(mat2)
                except ValueError:
                    raise checks.mismatch(input, mat2) from None
        checks.check_mm_shapes(input, mat2)
        checks.check_mm_dtypes(input, mat2)
        return product(xp, input, mat2, "addmm_impl_cpu_")

    def d_input(F, g, mat2):
        return F.mm(g, F.conj(F.t(mat2)))

    def d_mat2(F, g, input):
        return F.mm(F.conj(F.t(input)), g)

    def batch(F, b, input, mat2):
        if "mat2" in b.batched:
            return F.matmul(input, mat2)
        size, rows, inner = input.shape
        return F.reshape(F.mm(F.reshape(input, (size * rows, inner)), mat2), (size, rows, mat2.shape[1]))

    samples = lambda r: [(r(2, 3), r(3, 4)), (r(0, 3), r(3, 2)), (r(2, 0), r(0, 3)), (r(3, 2).T, r(4, 3).T)]


face(mm, out_same_dtype=True)


@multilinear(exact=True, no_fp_errors=False)
class bmm:
    """The products of the matrices of two batches."""

    def forward(xp, input: Tensor, mat2: Tensor):
        for name, each in (("batch1", input), ("batch2", mat2)):
            checks.check_bmm_rank(each, name)
        checks.check_batches(input, mat2)
        checks.check_bmm_dtypes(input, mat2)
        return product(xp, input, mat2, "bmm")

    def d_input(F, g, mat2):
        return F.bmm(g, F.conj(F.transpose(mat2, 1, 2)))

    def d_mat2(F, g, input):
        return F.bmm(F.conj(F.transpose(input, 1, 2)), g)

    def batch(F, b, input, mat2):
        input, mat2 = fronts(F, b, input=input, mat2=mat2)
        return unfolded(F, F.bmm(folded(F, input), folded(F, mat2)), b.size)

    samples = lambda r: [(r(2, 3, 4), r(2, 4, 5)), (r(0, 3, 4), r(0, 4, 5)), (r(2, 3, 0), r(2, 0, 5))]


face(bmm, out_same_dtype=True)


@multilinear(exact=True, no_fp_errors=False)
class mv:
    """The product of a matrix and a vector."""

    def forward(xp, input: Tensor, vec: Tensor):
        checks.check_matrix_vector(1, input.shape[:1], input, vec)
        checks.check_mv_dtypes(input, vec)
        return product(xp, input, vec, "addmv_impl_cpu")

    def d_input(F, g, vec):
        return F.unsqueeze(g, 1) * F.conj(vec)

    def d_vec(F, g, input):
        return F.mv(F.conj(F.t(input)), g)

    def batch(F, b, input, vec):
        if "vec" not in b.batched:
            size, rows, inner = input.shape
            return F.reshape(F.mv(F.reshape(input, (size * rows, inner)), vec), (size, rows))
        if "input" not in b.batched:
            return F.mm(vec, F.t(input))
        return F.squeeze(F.bmm(input, F.unsqueeze(vec, 2)), 2)

    samples = lambda r: [(r(2, 3), r(3)), (r(3, 2).T, r(3)), (r(2, 0), r(0)), (r(0, 3), r(3))]


face(mv, out_same_dtype=OTHER_SUM)


@multilinear(exact=True, no_fp_errors=False)
class dot:
    """The sum of the products of the elements of two vectors."""

    def forward(xp, input: Tensor, tensor: Tensor):
        checks.check_vectors(input, tensor)
        return product(xp, input, tensor, "dot")

    def d_input(F, g, tensor):
        return g * F.conj(tensor)

    def d_tensor(F, g, input):
        return g * F.conj(input)

    def batch(F, b, input, tensor):
        if len(b.batched) == 1:
            return F.mv(input, tensor) if "input" in b.batched else F.mv(tensor, input)
        return F.reshape(F.bmm(F.unsqueeze(input, 1), F.unsqueeze(tensor, 2)), (b.size,))

    samples = lambda r: [(r(3), r(3)), (r(0), r(0)), (r(3, 2)[:, 0], r(3))]


face(dot, method_names={"tensor": "other"}, out_same_dtype=OTHER_DOT)


@op(exact=True, no_fp_errors=False)
class vdot:
    """`dot` of the conjugate of `input`."""

    def forward(xp, input: Tensor, other: Tensor):
        checks.check_vectors(input, other)
        return product(xp, xp.conj(input) if input.dtype.kind == "c" else input, other, "dot")

    def d_input(F, g, other):
        return F.conj(g) * other

    def d_other(F, g, input):
        return g * input

    def batch(F, b, input, other):
        input = F.conj(input)
        if len(b.batched) == 1:
            return F.mv(input, other) if "input" in b.batched else F.mv(other, input)
        return F.reshape(F.bmm(F.unsqueeze(input, 1), F.unsqueeze(other, 2)), (b.size,))

    def jvp(F, input_t, other_t, input, other):
        terms = [
            F.vdot(*pair)
            for pair in ((input_t, other), (input, other_t))
            if pair[0] is not None and pair[1] is not None
        ]
        return terms[0] if len(terms) == 1 else terms[0] + terms[1]

    samples = lambda r: [(r(3), r(3)), (r(0), r(0))]


face(vdot, out_same_dtype=OTHER_DOT)
