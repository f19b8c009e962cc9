"""Products of matrices whose rows belong to groups, such as the tokens that are sent to one of several experts."""

from __future__ import annotations

from rushlight.arrays.grouped_mm import grouped_shape
from rushlight.core.dtype import BY_NUMPY
from rushlight.declarations.declare import composite, face, multilinear
from rushlight.declarations.dtype_rules import INT32, cpp_names, raw_dtype, scalar_names
from rushlight.declarations.results import MetaArray

ALIGNMENT = 16  # bytes


@multilinear(internal=True, exact=True)
class grouped_product:
    """`mat_a @ mat_b`, group by group; `offs` says where the groups end."""

    def forward(xp, mat_a: Tensor, mat_b: Tensor, offs: Constant | None):
        return xp.grouped_product(mat_a, mat_b, offs)

    def shape(mat_a, mat_b, offs):
        return MetaArray(grouped_shape(mat_a, mat_b, offs), mat_a.dtype)

    def d_mat_a(F, g, mat_b, offs):
        return F.grouped_product(g, F.transpose(mat_b, -2, -1), offs)

    def d_mat_b(F, g, mat_a, offs):
        return F.grouped_product(F.transpose(mat_a, -2, -1), g, offs)

    samples = lambda r: [
        (r(6, 3), r(3, 3, 2), r.integers(3, 3).cumsum(0).int()),
        (r(3, 2, 3), r(3, 6), r.integers(3, 3).cumsum(0).int()),
        (r(2, 6), r(6, 3), r.integers(3, 3).cumsum(0).int()),
        (r(2, 2, 3), r(2, 3, 4), None),
    ]


face(grouped_product, node="GroupedMmBackward0")


@composite
def grouped_mm(F, mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """`mat_a @ mat_b`, group by group: each row of a 2-D `mat_a` times the matrix of its group in a 3-D `mat_b`.

    `offs`, of int32, says where in the rows the groups end. It may be the columns of a 2-D `mat_b` that belong to
    groups, or what is summed over where both are 2-D; two batches need no `offs`.
    """
    check_matrices(mat_a, mat_b)
    for each in (mat_a, mat_b):
        check_alignment(each)
    check_ends(mat_a, mat_b, offs)
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype is not None and out_dtype != BY_NUMPY[raw_dtype(mat_a)]:
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
    return F.grouped_product(mat_a, mat_b, offs)


face(grouped_mm, spaces=("nn.functional",), method=None, out=False)


@composite
def _grouped_mm(F, input, mat2, offs=None, bias=None, out_dtype=None):
    """The operator behind `nn.functional.grouped_mm`, all of whose arguments may be given by position."""
    return F.grouped_mm(input, mat2, offs=offs, bias=bias, out_dtype=out_dtype)


face(_grouped_mm, method=None)


def check_matrices(mat_a, mat_b) -> None:
    """Matrices, or batches of them, of one floating dtype, that can be multiplied."""
    for name, each in (("mat_a", mat_a), ("mat_b", mat_b)):
        if raw_dtype(mat_a).kind not in "fV" or raw_dtype(mat_a).itemsize not in (2, 4):
            kind = scalar_names(mat_a)[0]
            raise RuntimeError(f"Expected mat_a to be Float32, BFloat16 or Float16 matrix, got {kind}")
        if each.ndim not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    if raw_dtype(mat_a) != raw_dtype(mat_b):
        one, other = cpp_names(mat_a, mat_b)
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {one} != {other}")


def check_alignment(matrix) -> None:
    """Rows, or columns, that lie one behind another and begin at multiples of 16 bytes."""
    rows, columns = matrix.shape[-2:]
    down, across = matrix.stride()[-2:]
    if across == 1 and down >= max(1, columns):
        step = down
    elif down == 1 and across >= max(1, rows):
        step = across
    else:
        strides, sizes = list(matrix.stride()), list(matrix.shape)
        raise RuntimeError(f"Invalid strides/sizes, got {strides} for strides and {sizes} for sizes")
    if step * raw_dtype(matrix).itemsize % ALIGNMENT:
        raise RuntimeError("strides should be multiple of 16 bytes")


def check_ends(mat_a, mat_b, offs) -> None:
    """Where groups end, as far as there are groups."""
    batches = mat_a.ndim == mat_b.ndim == 3
    if (offs is None) != batches:
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d")
    if batches:
        if mat_a.shape[0] != mat_b.shape[0]:
            raise RuntimeError("batched dimension has to match")
        return
    if offs.ndim != 1:
        raise RuntimeError("offs has to be 1D")
    if raw_dtype(offs) != INT32:
        raise RuntimeError("Offsets have to be int32")
    groups = mat_a.shape[0] if mat_a.ndim == 3 else mat_b.shape[0] if mat_b.ndim == 3 else offs.shape[0]
    if groups != offs.shape[0]:
        raise RuntimeError("matrix batch sizes have to match")
