"""Products of any ranks: `matmul`, and the linear maps of layers."""

from __future__ import annotations

import math

from rushlight.core.formats import CONTIGUOUS
from rushlight.core.modes import TRANSFORMS
from rushlight.declarations.checks.matmul import check_bilinear, check_ranks, not_tensors
from rushlight.declarations.declare import Direct, composite, face, multilinear
from rushlight.declarations.shapes import broadcast

RANKS = "type(input) is Tensor and type(other) is Tensor and input._array.ndim == {} and other._array.ndim == {}"
SHORT = [("mm", "mat2", 2, 2), ("dot", "tensor", 1, 1), ("mv", "vec", 2, 1)]
# PyTorch records several steps for batches; without recording only the elements matter.
EDGES = "input._edge is not None or other._edge is not None or input.requires_grad or other.requires_grad"
UNRECORDED = f"{RANKS} and not (get_mode() and ({EDGES}))"
ROWS = (
    "forward.mm(xp, input_array.reshape(-1, input_array.shape[2]), other_array)"
    ".reshape(*input_array.shape[:2], other_array.shape[1])"
)
ALIKE = "(_batch := input._array.shape[:2]) == other._array.shape[:2]"
HEADS = (
    "forward.bmm(xp, input_array.reshape(-1, *input_array.shape[2:]), other_array.reshape(-1, *other_array.shape[2:]))"
    ".reshape(*_batch, input_array.shape[2], other_array.shape[3])"
)
BATCHES = (
    Direct(UNRECORDED.format(3, 3), "bmm", {"mat2": "other"}),
    Direct(UNRECORDED.format(3, 2), "mm", {"mat2": "other"}, ROWS),
    Direct(f"{UNRECORDED.format(4, 4)} and {ALIKE}", "bmm", {"mat2": "other"}, HEADS),
)


@composite(samples=lambda r: [
    (r(3), r(3)), (r(2, 3), r(3)), (r(3), r(3, 4)), (r(2, 3), r(3, 4)), (r(5, 2, 3), r(3)), (r(5, 2, 3), r(3, 4)),
    (r(3), r(5, 3, 4)), (r(2, 3), r(5, 3, 4)), (r(5, 1, 2, 3), r(6, 3, 4)), (r(0, 2, 3), r(3, 4)),
])  # fmt: skip
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


face(
    matmul,
    operators=("__matmul__",),
    direct=(*[Direct(RANKS.format(*ranks), op, {name: "other"}) for op, name, *ranks in SHORT], *BATCHES),
    out=True,
    out_same_dtype=True,
)


@composite(internal=True, samples=lambda r: [(r(3), r(3)), (r(2, 3), r(3))])
def product_with_vector(F, input, other):
    """A vector or a matrix times a vector, in `matmul`: autocast knows that, but not `dot` or `mv`."""
    return F.dot(input, other) if input.ndim == 1 else F.mv(input, other)


def folded(F, input, other):
    """A batch times a matrix or a vector: one product of all its rows."""
    *batch, inner = getattr(input, "_array", input).shape  # a plain tuple, as below
    rows = F.reshape(input, (-1 if inner else math.prod(batch), inner))
    if other.ndim == 1:
        return F.unsafe_view(F.product_with_vector(rows, other), tuple(batch))
    return F.unsafe_view(F.mm(rows, other), (*batch, other.shape[1]))


def broadcast_product(F, input, other):
    """Two batches, of which the last two dimensions are multiplied and the others broadcast.

    PyTorch records the broadcasting and the flattening of the batch even where neither changes a shape.
    """
    (*batch, rows, inner), (*other_batch, height, columns) = (
        getattr(each, "_array", each).shape for each in (input, other)
    )
    if batch != other_batch:
        batch = broadcast((batch, other_batch))
        input, other = F.expand(input, (*batch, rows, inner)), F.expand(other, (*batch, height, columns))
    if len(batch) > 1:
        count = math.prod(batch)
        input, other = F.reshape(input, (count, rows, inner)), F.reshape(other, (count, height, columns))
    return F.unsafe_view(F.bmm(input, other), (*batch, rows, columns))


@composite
def matmul_into(F, input, other):
    """`other @ input`."""
    return F.matmul(other, input)


face(matmul_into, spaces=(), operators=("__rmatmul__",), out=False)


@multilinear(internal=True, exact=True)
class only_row:
    """The one row of a fresh matrix, whose memory it takes over."""

    def forward(xp, input: Tensor):
        return input[0]

    def d_input(F, g):
        return F.unsqueeze(g, 0)

    def batch(F, b, input):
        return F.squeeze(input, 1)

    samples = lambda r: [(r(1, 3),)]


face(only_row, node="SqueezeBackward4")


@composite(samples=lambda r: [
    (r(2, 3), r(4, 3)), (r(2, 3), r(4, 3), r(4)), (r(3), r(4, 3), r(4)), (r(2, 5, 3), r(4, 3), r(4)),
    (r(2, 5, 3), r(4, 3)), (r(5, 2, 3).transpose(0, 1), r(4, 3), r(4)), (r(2, 3), r(3)),
])  # fmt: skip
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
    if rank == 1 and TRANSFORMS.get() and is_one_call(input, weight, bias):
        return F.addmv(bias, weight, input)
    array = getattr(input, "_array", input)  # its shape is a plain tuple
    if bias.ndim > 1 or not array.flags.c_contiguous:
        return F.linear_of_rows(input, weight, bias)
    *batch, features = array.shape
    rows = F.view(input, (-1 if features else math.prod(batch), features))
    return F.view(F.affine(bias, rows, weight), (*batch, getattr(weight, "_array", weight).shape[0]))


face(
    linear,
    spaces=("nn.functional",),
    direct=(
        Direct(
            "type(input) is Tensor and (input._array.ndim == 2 or not get_mode())",
            "affine",
            {"input": "bias", "mat1": "input", "mat2": "weight", "beta": "1", "alpha": "1", "flipped": "True"},
            "forward.flipped_product(xp, mat1_array, mat2_array, input_array)",
            no_fp_errors=True,
        ),
        Direct(
            "bias is None and type(input) is Tensor and not get_mode()",
            "flipped_product",
            {"mat1": "input", "mat2": "weight"},
            "forward.flipped_product(xp, mat1_array, mat2_array)",
            no_fp_errors=True,
        ),
    ),
    out=True,
    out_same_dtype=True,
)


def is_one_call(input, weight, bias) -> bool:
    """Whether a transform computes `linear` of a vector by `addmv`: `affine` is between two views, three calls."""
    array, matrix, row = (getattr(each, "_array", each) for each in (input, weight, bias))
    kind = array.dtype
    fit = matrix.shape == (*row.shape, *array.shape) and len(row.shape) == 1
    return fit and kind.kind == "f" and kind == matrix.dtype == row.dtype


@composite(internal=True, samples=lambda r: [(r(5, 2, 3), r(4, 3), r(4))])
def linear_of_rows(F, input, weight, bias):
    """`linear` if the rows of `input` are not contiguous: a product, then a sum."""
    return F.matmul(input, F.t(weight)) + bias


@composite(
    samples=lambda r: [
        (r(5, 3), r(5, 4), r(6, 3, 4), r(6)),
        (r(2, 5, 3), r(2, 5, 4), r(6, 3, 4)),
        (r(3), r(4), r(6, 3, 4)),
    ]
)
def bilinear(F, input1, input2, weight, bias=None):
    """`input1 @ weight[k] @ input2 + bias[k]` for all k: (..., one) and (..., two) features to (..., out_features)."""
    check_bilinear(input1, input2, weight, bias)
    out_features, features1, features2 = weight.shape
    *batch, _ = input1.shape
    rows1, rows2 = F.reshape(input1, (-1, features1)), F.reshape(input2, (-1, features2))
    seen1 = F.mm(rows1, F.reshape(F.permute(weight, (1, 0, 2)), (features1, out_features * features2)))
    seen2 = F.bmm(F.reshape(seen1, (rows1.shape[0], out_features, features2)), F.unsqueeze(rows2, 2))
    result = F.reshape(seen2, (*batch, out_features))
    return result if bias is None else result + bias


face(bilinear, method=None)
