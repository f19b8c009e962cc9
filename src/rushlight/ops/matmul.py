"""Products of matrices and vectors.

Operands of different dtypes are refused, not promoted, so `forward` takes its arrays as they are (`exact=True`). Half
precision is summed in float32 and rounded once. A product of small matrices takes NumPy 0.4 us as a method and 0.9 us
as `matmul`, so the two products that every network is made of try the method before they look at anything else.
"""

from __future__ import annotations

import math

import numpy as np
from numpy import ndarray

from rushlight.core.dtype import BY_NUMPY, REDUCED_NUMPY, SCALAR_NAMES
from rushlight.core.errors import about
from rushlight.core.formats import CONTIGUOUS
from rushlight.ops.declare import Direct, composite, multilinear, op
from rushlight.ops.kinds import cpp_names, scalar_names, unimplemented
from rushlight.ops.shapes import broadcast, wrapped

BLAS = "fdFD"
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def product(xp, input, other, kernel: str):
    """The product of raw arrays of one dtype, for which PyTorch's `kernel` is responsible."""
    kind = input.dtype
    if kind.char in BLAS:
        return xp.matmul(input, other) if input.ndim > 2 else xp.dot(input, other)
    if kind in REDUCED_NUMPY:
        return xp.astype(xp.matmul(xp.astype(input, FLOAT32), xp.astype(other, FLOAT32)), kind)
    if kind.kind == "b" or (kind.kind == "u" and kind.itemsize > 1):
        raise unimplemented(kernel)(BY_NUMPY[kind])
    return xp.matmul(input, other)


def mismatch(input, mat2) -> RuntimeError:
    """Two matrices that cannot be multiplied for their shapes."""
    (rows, inner), (height, columns) = input.shape, mat2.shape
    error = RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {height}x{columns})")
    hint = "; its transpose, .t(), would fit" if inner == columns else ""
    error.add_note(f"The first matrix has {inner} columns, so the second needs {inner} rows; it has {height}{hint}.")
    return error


def not_one_dtype(words: str) -> RuntimeError:
    """Operands of different dtypes."""
    note = "Matrix products do not promote: bring one operand to the other's dtype, x.to(other.dtype)."
    return about(RuntimeError(words), "dtypes", note)


def times(g, factor):
    """A gradient times the conjugate of a number."""
    return g if factor == 1 else g * factor.conjugate()


def weighted(xp, product, alpha, input, beta):
    """`beta * input + alpha * product`, in the memory of the product; an `input` times 0 is not looked at."""
    if alpha != 1:
        product *= number_for(product, alpha)
    if beta != 0:
        product += input if beta == 1 else input * number_for(input, beta)
    return product


def product_and_sum(xp, one, two, kernel: str, alpha, input, beta):
    """`beta * input + alpha * (one @ two)` of raw arrays; half precision is rounded once."""
    kind = input.dtype
    if kind in REDUCED_NUMPY:
        one, two, input = (xp.astype(each, FLOAT32) for each in (one, two, input))
    return xp.astype(weighted(xp, product(xp, one, two, kernel), alpha, input, beta), kind)


def number_for(array, number):
    """A factor as the dtype of an array takes it: whole for whole numbers."""
    return array.dtype.type(number) if array.dtype.kind in "iu" else number


def check_expands(shape: tuple, target: tuple, kind) -> None:
    """What is added to a product must broadcast to the product's shape, which it cannot make larger."""
    if len(shape) > len(target):
        raise RuntimeError(
            f"expand(torch.{SCALAR_NAMES[BY_NUMPY[kind]]}Tensor{{{list(shape)}}}, size={list(target)}): the number of "
            f"sizes provided ({len(target)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(shape)})"
        )
    for dim in reversed(range(len(target))):
        offset = dim - len(target) + len(shape)
        if offset >= 0 and shape[offset] not in (1, target[dim]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[dim]}) must match the existing size ({shape[offset]}) at "
                f"non-singleton dimension {dim}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
            )


# ---- two operands


@multilinear(same_dtype=True, exact=True)
class mm:
    """The product of two matrices."""

    def forward(xp, input: Tensor, mat2: Tensor):
        if type(input) is ndarray and input.ndim == 2 == mat2.ndim:
            kind = input.dtype
            if (kind is FLOAT32 or kind is FLOAT64) and mat2.dtype is kind:
                try:
                    return input.dot(mat2)
                except ValueError:
                    raise mismatch(input, mat2) from None
        if input.ndim != 2 or mat2.ndim != 2:
            raise RuntimeError("self must be a matrix" if input.ndim != 2 else "mat2 must be a matrix")
        if input.shape[1] != mat2.shape[0]:
            raise mismatch(input, mat2)
        if input.dtype != mat2.dtype:
            one, other = cpp_names(input, mat2)
            raise not_one_dtype(f"expected m1 and m2 to have the same dtype, but got: {one} != {other}")
        return product(xp, input, mat2, "addmm_impl_cpu_")

    def d_input(F, g, mat2):
        return F.mm(g, F.conj(F.t(mat2)))

    def d_mat2(F, g, input):
        return F.mm(F.conj(F.t(input)), g)

    samples = lambda r: [(r(2, 3), r(3, 4)), (r(0, 3), r(3, 2)), (r(2, 0), r(0, 3)), (r(3, 2).T, r(4, 3).T)]


@multilinear(same_dtype=True, exact=True, quiet=False)
class bmm:
    """The products of the matrices of two batches."""

    def forward(xp, input: Tensor, mat2: Tensor):
        for name, each in (("batch1", input), ("batch2", mat2)):
            if each.ndim != 3:
                raise RuntimeError(f"{name} must be a 3D tensor")
        check_batches(input, mat2)
        if input.dtype != mat2.dtype:
            raise not_one_dtype("expected scalar type {} but found {}".format(*scalar_names(input, mat2)))
        return product(xp, input, mat2, "bmm")

    def d_input(F, g, mat2):
        return F.bmm(g, F.conj(F.transpose(mat2, 1, 2)))

    def d_mat2(F, g, input):
        return F.bmm(F.conj(F.transpose(input, 1, 2)), g)

    samples = lambda r: [(r(2, 3, 4), r(2, 4, 5)), (r(0, 3, 4), r(0, 4, 5)), (r(2, 3, 0), r(2, 0, 5))]


def check_batches(batch1, batch2) -> None:
    """Two batches must be equally many matrices that can be multiplied."""
    batch, _, inner = batch1.shape
    if batch2.shape[:2] != (batch, inner):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {inner}] but got: "
            f"[{batch2.shape[0]}, {batch2.shape[1]}]."
        )


@multilinear(exact=True, quiet=False)
class mv:
    """The product of a matrix and a vector."""

    def forward(xp, input: Tensor, vec: Tensor):
        check_matrix_vector(1, input.shape[:1], input, vec)
        if input.dtype != vec.dtype:
            one, other = scalar_names(input, vec)
            raise not_one_dtype(f"addmv input tensors must have the same dtype, but got {other}, {one}, and {other}")
        return product(xp, input, vec, "addmv_impl_cpu")

    def d_input(F, g, vec):
        return F.unsqueeze(g, 1) * F.conj(vec)

    def d_vec(F, g, input):
        return F.mv(F.conj(F.t(input)), g)

    samples = lambda r: [(r(2, 3), r(3)), (r(3, 2).T, r(3)), (r(2, 0), r(0)), (r(0, 3), r(3))]


def check_matrix_vector(rank: int, shape: tuple, mat, vec) -> None:
    """A matrix, a vector as long as its rows, and what is added to their product."""
    if mat.ndim != 2 or vec.ndim != 1 or rank > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {rank}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or shape not in ((), (1,), (mat.shape[0],)):
        raise RuntimeError(
            f"size mismatch, got input ({shape[0] if shape else 1}), mat ({mat.shape[0]}x{mat.shape[1]}), vec "
            f"({vec.shape[0]})"
        )


@multilinear(exact=True, quiet=False, method_names={"tensor": "other"})
class dot:
    """The sum of the products of the elements of two vectors."""

    def forward(xp, input: Tensor, tensor: Tensor):
        check_vectors(input, tensor)
        return product(xp, input, tensor, "dot")

    def d_input(F, g, tensor):
        return g * F.conj(tensor)

    def d_tensor(F, g, input):
        return g * F.conj(input)

    samples = lambda r: [(r(3), r(3)), (r(0), r(0)), (r(3, 2)[:, 0], r(3))]


@op(exact=True, quiet=False)
class vdot:
    """`dot` of the conjugate of `input`."""

    def forward(xp, input: Tensor, other: Tensor):
        check_vectors(input, other)
        return product(xp, xp.conj(input) if input.dtype.kind == "c" else input, other, "dot")

    def d_input(F, g, other):
        return F.conj(g) * other

    def d_other(F, g, input):
        return g * input

    samples = lambda r: [(r(3), r(3)), (r(0), r(0))]


def check_vectors(input, other) -> None:
    """Two vectors of one length and one dtype."""
    if input.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {other.ndim}D tensors")
    if input.dtype != other.dtype:
        one, two = scalar_names(input, other)
        raise not_one_dtype(f"dot : expected both vectors to have same dtype, but found {one} and {two}")
    if input.shape != other.shape:
        one, two = input.size, other.size
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{one}] and src [{two}] to have the same number of elements, "
            f"but got {one} and {two} elements respectively"
        )


# ---- a product and what is added to it


@op(exact=True, quiet=False, spaces=(), out=False)
class affine:
    """`beta * input + alpha * (mat1 @ mat2)`, the product with the transpose of `mat2` if it is `flipped`.

    Then `mat1` may have more than two dimensions, but there is no derivative: `linear` asks for it under `no_grad`.
    """

    def forward(xp, input: Tensor, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1, flipped=True):
        if flipped:
            mat2 = mat2.T
        if type(mat1) is ndarray and (mat1.ndim == 2 or flipped) and mat2.ndim == 2 and beta == 1 == alpha:
            kind = mat1.dtype
            if (kind is FLOAT32 or kind is FLOAT64) and mat2.dtype is kind and input.dtype is kind:
                try:
                    result = mat1.dot(mat2) if mat1.ndim == 2 else rows_times(mat1, mat2)
                    result += input
                    return result
                except ValueError:
                    pass  # the checks below say what is wrong
        check_matrices(input, mat1, mat2)
        check_expands(input.shape, (mat1.shape[0], mat2.shape[1]), input.dtype)
        return product_and_sum(xp, mat1, mat2, "addmm_impl_cpu_", alpha, input, beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_mat1(F, g, mat2, alpha, flipped):
        return times(F.mm(g, F.conj(mat2 if flipped else F.t(mat2))), alpha)

    def d_mat2(F, g, mat1, alpha, flipped):
        return times(F.mm(F.t(g), F.conj(mat1)) if flipped else F.mm(F.conj(F.t(mat1)), g), alpha)

    node = "AddmmBackward0"
    samples = lambda r: [
        (r(2, 4), r(2, 3), r(4, 3)),
        (r(4), r(2, 3), r(4, 3), {"beta": 2, "alpha": 0.5}),
        (r(2, 1), r(2, 3), r(4, 3), {"beta": 0}),
        (r(), r(2, 0), r(0, 4), {"flipped": False}),
    ]


@op(exact=True, quiet=False, spaces=(), out=False)
class flipped_product:
    """`mat1 @ mat2.T` of all rows of a matrix or a batch: no derivative, for `linear` asks for it under `no_grad`."""

    def forward(xp, mat1: Tensor, mat2: Tensor):
        if type(mat1) is ndarray and mat1.ndim > 1 and mat2.ndim == 2 and mat1.dtype.char in "fd":
            return mat1.dot(mat2.T) if mat1.ndim == 2 else rows_times(mat1, mat2.T)
        raise ValueError("not two plain matrices")


def rows_times(batch, mat):
    """All rows of a batch times a matrix. Raises ValueError where they would have to be copied together."""
    if not batch.flags.c_contiguous:
        raise ValueError("rows lie apart")
    return batch.reshape(-1, batch.shape[-1]).dot(mat).reshape(*batch.shape[:-1], mat.shape[1])


@composite(
    same_dtype=True,
    out=True,
    inplace=True,
    samples=lambda r: [(r(2, 4), r(2, 3), r(3, 4)), (r(4), r(2, 3), r(3, 4), {"beta": 2, "alpha": 0.5})],
)
def addmm(F, input, mat1, mat2, *, beta=1, alpha=1):
    """`beta * input + alpha * (mat1 @ mat2)`."""
    return F.affine(input, mat1, mat2, beta=beta, alpha=alpha, flipped=False)


def check_matrices(input, mat1, mat2) -> None:
    """Two matrices that can be multiplied, and something of their dtype to be added."""
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        if each.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise mismatch(mat1, mat2)
    for name, each in (("mat1", mat1), ("self", input)):
        if each.dtype != mat2.dtype:
            one, other = scalar_names(each, mat2)
            raise not_one_dtype(f"{name} and mat2 must have the same dtype, but got {one} and {other}")


@op(overlap="full", same_dtype=True, exact=True, quiet=False, inplace=True)
class addmv:
    """`beta * input + alpha * (mat @ vec)`."""

    def forward(xp, input: Tensor, mat: Tensor, vec: Tensor, *, beta=1, alpha=1):
        check_matrix_vector(input.ndim, input.shape, mat, vec)
        if not input.dtype == mat.dtype == vec.dtype:
            one, two, three = scalar_names(input, mat, vec)
            raise not_one_dtype(f"addmv input tensors must have the same dtype, but got {one}, {two}, and {three}")
        return product_and_sum(xp, mat, vec, "addmv_impl_cpu", alpha, input, beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_mat(F, g, vec, alpha):
        return times(F.unsqueeze(g, 1) * F.conj(vec), alpha)

    def d_vec(F, g, mat, alpha):
        return times(F.mv(F.conj(F.t(mat)), g), alpha)

    samples = lambda r: [
        (r(2), r(2, 3), r(3)),
        (r(1), r(2, 3), r(3), {"beta": 2, "alpha": 0.5}),
        (r(), r(2, 3), r(3), {"beta": 0}),
    ]


@op(overlap="full", exact=True, quiet=False, inplace=True)
class addbmm:
    """`beta * input` and `alpha` times the sum of the products of the matrices of two batches."""

    def forward(xp, input: Tensor, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1):
        check_sum_of_products(input, batch1, batch2)
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

    samples = lambda r: [
        (r(2, 5), r(4, 2, 3), r(4, 3, 5)),
        (r(5), r(4, 2, 3), r(4, 3, 5), {"beta": 2, "alpha": 0.5}),
        (r(), r(0, 2, 3), r(0, 3, 5), {"beta": 0}),
    ]


def copies(F, matrix, batch_shape):
    """A matrix once for each of a batch."""
    return F.expand(matrix, (batch_shape[0], *matrix.shape))


def refuse_ranks(batch1, batch2, asked: tuple) -> None:
    """Raises where there are not two batches of matrices; IndexError if they lack a length of the result."""
    for each, dim in (*((batch1, dim) for dim in asked), (batch2, 2)):
        if not each.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        wrapped(dim, each.ndim)
    for name, each in (("batch1", batch1), ("batch2", batch2)):
        if each.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")


def check_sum_of_products(input, batch1, batch2) -> None:
    """Two batches of matrices of which the products can be summed, and what is added."""
    if not batch1.ndim == batch2.ndim == 3:
        refuse_ranks(batch1, batch2, (1,))
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}"
        )
    (_, rows, inner), (_, height, columns) = batch1.shape, batch2.shape
    if inner != height:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({rows}x{inner} and {height}x{columns})")
    check_expands(input.shape, (rows, columns), input.dtype)
    for name, each in (("self", input), ("mat1", batch1)):
        if each.dtype != batch2.dtype:
            one, other = scalar_names(each, batch2)
            raise not_one_dtype(f"{name} and mat2 must have the same dtype, but got {one} and {other}")


@op(overlap="full", same_dtype=True, exact=True, quiet=False, inplace=True)
class baddbmm:
    """`beta * input + alpha * (batch1 @ batch2)`, matrix by matrix."""

    def forward(xp, input: Tensor, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1):
        if not batch1.ndim == batch2.ndim == 3:
            refuse_ranks(batch1, batch2, (0, 1))
        check_batches(batch1, batch2)
        check_expands(input.shape, (*batch1.shape[:2], batch2.shape[2]), input.dtype)
        if not input.dtype == batch1.dtype == batch2.dtype:
            one, two, three = cpp_names(input, batch1, batch2)
            raise not_one_dtype(f"Input dtypes must be the same, got: input {one}, batch1: {two}, batch2: {three}")
        return product_and_sum(xp, batch1, batch2, "baddbmm", alpha, input, beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_batch1(F, g, batch2, alpha):
        return times(F.bmm(g, F.conj(F.transpose(batch2, 1, 2))), alpha)

    def d_batch2(F, g, batch1, alpha):
        return times(F.bmm(F.conj(F.transpose(batch1, 1, 2)), g), alpha)

    samples = lambda r: [
        (r(4, 2, 5), r(4, 2, 3), r(4, 3, 5)),
        (r(5), r(4, 2, 3), r(4, 3, 5), {"beta": 2, "alpha": 0.5}),
        (r(2, 1), r(4, 2, 0), r(4, 0, 5), {"beta": 0}),
    ]


@op(overlap="full", dtype="promote", inplace=True)
class addr:
    """`beta * input + alpha * outer(vec1, vec2)`."""

    def forward(xp, input: Tensor, vec1: Tensor, vec2: Tensor, *, beta=1, alpha=1):
        for name, each in (("vec1", vec1), ("vec2", vec2)):
            if each.ndim != 1:
                raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {each.ndim}-D")
        check_expands(input.shape, (vec1.size, vec2.size), input.dtype)
        for name, number in (("beta", beta), ("alpha", alpha)):
            if input.dtype.kind in "biu" and isinstance(number, float):
                raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
        outer = xp.multiply(xp.reshape(vec1, (vec1.size, 1)), vec2)
        scaled = outer if alpha == 1 else outer & bool(alpha) if input.dtype.kind == "b" else outer * alpha
        return weighted(xp, scaled, 1, input, bool(beta) if input.dtype.kind == "b" else beta)

    def d_input(F, g, input_shape, input_dtype, beta):
        return F.fit(times(g, beta), input_shape, input_dtype)

    def d_vec1(F, g, vec2, alpha):
        return times(F.mv(g, F.conj(vec2)), alpha)

    def d_vec2(F, g, vec1, alpha):
        return times(F.mv(F.t(g), F.conj(vec1)), alpha)

    samples = lambda r: [
        (r(2, 3), r(2), r(3)),
        (r(3), r(2), r(3), {"beta": 2, "alpha": 0.5}),
        (r(), r(2), r(3), {"beta": 0}),
    ]


# ---- any ranks


@composite(
    out=True,
    same_dtype=True,
    operators=("__matmul__",),
    samples=lambda r: [
        (r(3), r(3)), (r(2, 3), r(3)), (r(3), r(3, 4)), (r(2, 3), r(3, 4)), (r(5, 2, 3), r(3)), (r(5, 2, 3), r(3, 4)),
        (r(3), r(5, 3, 4)), (r(2, 3), r(5, 3, 4)), (r(5, 1, 2, 3), r(6, 3, 4)), (r(0, 2, 3), r(3, 4)),
    ],
)  # fmt: skip
def matmul(F, input, other):
    """The product of vectors, matrices, or batches of matrices, of which all but the last two dimensions broadcast."""
    try:
        rank, other_rank = input.ndim, other.ndim
    except AttributeError:
        raise not_tensors("matmul", input, other) from None
    if rank == 2 == other_rank:
        return F.mm(input, other)
    check_ranks("matmul", rank, other_rank)
    if rank <= 2 and other_rank <= 2:
        if other_rank == 1:
            return F.product_with_vector(input, other)
        return F.only_row(F.mm(F.unsqueeze(input, 0), other))
    if rank > 2 >= other_rank:
        return folded(F, input, other)
    if rank == 1 or (rank == 2 and getattr(input, "requires_grad", False)):
        flipped = folded(F, F.transpose(other, -1, -2), input if rank == 1 else F.t(input))
        return flipped if rank == 1 else F.clone(F.transpose(flipped, -1, -2), memory_format=CONTIGUOUS)
    return broadcast_product(F, input, other)


@composite(spaces=(), out=False, samples=lambda r: [(r(3), r(3)), (r(2, 3), r(3))])
def product_with_vector(F, input, other):
    """A vector or a matrix times a vector, in `matmul`: autocast knows that, but not `dot` or `mv`."""
    return F.dot(input, other) if input.ndim == 1 else F.mv(input, other)


def not_tensors(name: str, input, other) -> TypeError:
    """An operand that is no tensor."""
    position, label, value = (1, "input", input) if not hasattr(input, "ndim") else (2, "other", other)
    return TypeError(f"{name}(): argument '{label}' (position {position}) must be Tensor, not {type(value).__name__}")


def check_ranks(name: str, rank: int, other_rank: int) -> None:
    """Two operands have at least one dimension."""
    if not rank or not other_rank:
        raise RuntimeError(f"both arguments to {name} need to be at least 1D, but they are {rank}D and {other_rank}D")


def folded(F, input, other):
    """A batch times a matrix or a vector: one product of all its rows."""
    *batch, inner = input.shape
    rows = F.reshape(input, (-1 if inner else math.prod(batch), inner))
    if other.ndim == 1:
        return F.unsafe_view(F.product_with_vector(rows, other), tuple(batch))
    return F.unsafe_view(F.mm(rows, other), (*batch, other.shape[1]))


def broadcast_product(F, input, other):
    """Two batches, of which the last two dimensions are multiplied and the others broadcast.

    PyTorch records the broadcasting and the flattening of the batch even where neither changes a shape.
    """
    (*batch, rows, inner), (*other_batch, height, columns) = input.shape, other.shape
    if batch != other_batch:
        batch = broadcast((batch, other_batch))
        input, other = F.expand(input, (*batch, rows, inner)), F.expand(other, (*batch, height, columns))
    if len(batch) > 1:
        count = math.prod(batch)
        input, other = F.reshape(input, (count, rows, inner)), F.reshape(other, (count, height, columns))
    return F.unsafe_view(F.bmm(input, other), (*batch, rows, columns))


@composite(spaces=(), out=False, operators=("__rmatmul__",))
def matmul_into(F, input, other):
    """`other @ input`."""
    return F.matmul(other, input)


@multilinear(exact=True, spaces=(), out=False)
class only_row:
    """The one row of a fresh matrix, whose memory it takes over."""

    def forward(xp, input: Tensor):
        return input[0]

    def d_input(F, g):
        return F.unsqueeze(g, 0)

    node = "SqueezeBackward4"
    samples = lambda r: [(r(1, 3),)]


@composite(
    direct=(
        Direct(
            "out is None and type(input) is Tensor "
            "and (input._array.ndim == 2 or (input._array.ndim > 2 and not get_mode()))",
            "affine",
            {"input": "bias", "mat1": "input", "mat2": "weight", "beta": "1", "alpha": "1", "flipped": "True"},
            quiet=True,
        ),
        Direct(
            "out is None and bias is None and type(input) is Tensor and not get_mode()",
            "flipped_product",
            {"mat1": "input", "mat2": "weight"},
            quiet=True,
        ),
    ),
    out=True,
    spaces=("nn.functional",),
    samples=lambda r: [
        (r(2, 3), r(4, 3)), (r(2, 3), r(4, 3), r(4)), (r(3), r(4, 3), r(4)), (r(2, 5, 3), r(4, 3), r(4)),
        (r(2, 5, 3), r(4, 3)), (r(5, 2, 3).transpose(0, 1), r(4, 3), r(4)), (r(2, 3), r(3)),
    ],
)  # fmt: skip
def linear(F, input, weight, bias=None):
    """`input @ weight.T + bias`, for `input` (..., in_features), `weight` (out_features, in_features) and `bias`."""
    rank = input.ndim
    if rank == 2:
        if bias is not None:
            return F.affine(bias, input, weight)
        if weight.ndim == 2:
            return F.mm(input, F.t(weight))
    check_ranks("linear", rank, weight.ndim)
    if bias is None:
        return F.matmul(input, F.t(weight))
    array = getattr(input, "_array", input)  # whose shape is a plain tuple
    if bias.ndim > 1 or not array.flags.c_contiguous:
        return F.linear_of_rows(input, weight, bias)
    *batch, features = array.shape
    rows = F.view(input, (-1 if features else math.prod(batch), features))
    return F.view(F.affine(bias, rows, weight), (*batch, getattr(weight, "_array", weight).shape[0]))


@composite(spaces=(), out=False, samples=lambda r: [(r(5, 2, 3), r(4, 3), r(4))])
def linear_of_rows(F, input, weight, bias):
    """`linear` where the rows of `input` do not lie one after the other: a product, and a sum."""
    return F.matmul(input, F.t(weight)) + bias


@composite(
    method=None,
    samples=lambda r: [
        (r(5, 3), r(5, 4), r(6, 3, 4), r(6)),
        (r(2, 5, 3), r(2, 5, 4), r(6, 3, 4)),
        (r(3), r(4), r(6, 3, 4)),
    ],
)
def bilinear(F, input1, input2, weight, bias=None):
    """`input1 @ weight[k] @ input2 + bias[k]` for all k: (..., one) and (..., two) features to (..., out_features)."""
    check_bilinear(input1, input2, weight, bias)
    out_features, features1, features2 = weight.shape
    *batch, _ = input1.shape
    rows1, rows2 = F.reshape(input1, (-1, features1)), F.reshape(input2, (-1, features2))
    seen1 = F.mm(rows1, F.reshape(F.permute(weight, (1, 0, 2)), (features1, out_features * features2)))
    seen2 = F.bmm(F.reshape(seen1, (-1, out_features, features2)), F.unsqueeze(rows2, 2))
    result = F.reshape(seen2, (*batch, out_features))
    return result if bias is None else result + bias


def check_bilinear(input1, input2, weight, bias) -> None:
    """The shapes of a bilinear map, in PyTorch's words."""
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for dim, (one, two) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if one != two:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and {two}")
    for number, each in enumerate((input1, input2), 1):
        if each.shape[-1] != weight.shape[number]:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {each.shape[-1]} but expected "
                f"{weight.shape[number]}"
            )
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {weight.shape[0]}"
        )
