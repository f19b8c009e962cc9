"""Products of matrices."""

from __future__ import annotations

from rushlight.ops.declare import multilinear


@multilinear
class mm:
    """The product of two matrices."""

    def forward(xp, input: Tensor, mat2: Tensor):
        if input.ndim != 2 or mat2.ndim != 2:
            raise RuntimeError("self must be a matrix" if input.ndim != 2 else "mat2 must be a matrix")
        if input.shape[1] != mat2.shape[0]:
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied ({input.shape[0]}x{input.shape[1]} and "
                f"{mat2.shape[0]}x{mat2.shape[1]})"
            )
        return xp.matmul(input, mat2)

    def d_input(F, g, mat2):
        return F.mm(g, F.conj(F.t(mat2)))

    def d_mat2(F, g, input):
        return F.mm(F.conj(F.t(input)), g)

    samples = lambda r: [(r(2, 3), r(3, 4)), (r(0, 3), r(3, 2))]
