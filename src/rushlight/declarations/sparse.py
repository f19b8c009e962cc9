"""Products with sparse matrices, given by their entries: what `rushlight.sparse` composes others of."""

from __future__ import annotations

from rushlight.declarations.batches import apart, folded, fronts, unfolded
from rushlight.declarations.declare import face, multilinear


@multilinear(internal=True)
class sparse_matmul:
    """The product (`count`, width) of the sparse matrix with `values` at `rows` and `columns` with a dense one."""

    def forward(xp, values: Tensor, dense: Tensor, rows: Constant, columns: Constant, count):
        return xp.sparse_matmul(values, dense, rows, columns, count)

    def d_values(F, g, dense, rows, columns):
        return F.entry_products(g, F.conj(dense), rows, columns)

    def d_dense(F, g, values, dense_shape, rows, columns):
        return F.sparse_matmul(F.conj(values), g, columns, rows, dense_shape[0])

    def batch(F, b, values, dense, rows, columns, count):
        values, dense, rows, columns = fronts(F, b, values=values, dense=dense, rows=rows, columns=columns)
        rows, columns = folded(F, apart(F, b, rows, count)), folded(F, apart(F, b, columns, dense.shape[1]))
        product = F.sparse_matmul(folded(F, values), folded(F, dense), rows, columns, b.size * count)
        return unfolded(F, product, b.size)

    samples = lambda r: [(r(4), r(3, 2), r.integers(5, 4), r.integers(3, 4), 5)]


face(sparse_matmul, node="MmBackward0")


@multilinear(internal=True)
class entry_products:
    """The sums of products of rows of `left` and rows of `right`: the elements of a product at `rows` and `columns`."""

    def forward(xp, left: Tensor, right: Tensor, rows: Constant, columns: Constant):
        return xp.entry_products(left, right, rows, columns)

    def d_left(F, g, left_shape, right, rows, columns):
        return F.sparse_matmul(g, F.conj(right), rows, columns, left_shape[0])

    def d_right(F, g, left, right_shape, rows, columns):
        return F.sparse_matmul(g, F.conj(left), columns, rows, right_shape[0])

    def batch(F, b, left, right, rows, columns):
        left, right, rows, columns = fronts(F, b, left=left, right=right, rows=rows, columns=columns)
        rows, columns = folded(F, apart(F, b, rows, left.shape[1])), folded(F, apart(F, b, columns, right.shape[1]))
        return unfolded(F, F.entry_products(folded(F, left), folded(F, right), rows, columns), b.size)

    samples = lambda r: [(r(3, 2), r(5, 2), r.integers(3, 4), r.integers(5, 4))]
