"""Products of matrices whose rows belong to groups, such as the tokens that are sent to one of several experts."""

from __future__ import annotations

from rushlight.arrays.grouped_mm import grouped_shape
from rushlight.declarations.checks.grouped import check_alignment, check_ends, check_grouped_mm, check_matrices
from rushlight.declarations.declare import composite, face, multilinear
from rushlight.declarations.results import MetaArray


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
    check_grouped_mm(mat_a, bias, out_dtype)
    return F.grouped_product(mat_a, mat_b, offs)


face(grouped_mm, spaces=("nn.functional",), method=None, out=False)


@composite
def _grouped_mm(F, input, mat2, offs=None, bias=None, out_dtype=None):
    """The operator behind `nn.functional.grouped_mm`, all of whose arguments may be given by position."""
    return F.grouped_mm(input, mat2, offs=offs, bias=bias, out_dtype=out_dtype)


face(_grouped_mm, method=None)
