"""The named tuples of `torch.return_types`, and shapes of results on meta."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from rushlight.arrays.meta import MetaArray
from rushlight.declarations.checks.meta import no_meta_kernel
from rushlight.declarations.declare import composite
from rushlight.declarations.dtype_rules import INT64
from rushlight.declarations.shapes import keepdim_shape, wrap_dim


def result_type(name: str, *fields: str) -> type:
    """A tuple with named fields that is made, and printed, as PyTorch does it.

    >>> pair = result_type("max", "values", "indices")
    >>> pair([1, 2])
    torch.return_types.max(
    values=1,
    indices=2)
    """
    indices = {field: property(itemgetter(position)) for position, field in enumerate(fields)}
    words = {"__slots__": (), "__module__": "torch.return_types", "__match_args__": fields, "_fields": fields}
    kind: Any = type(name, (_Results, tuple), indices | words)  # thirty of `namedtuple` would take three milliseconds
    kind.n_fields = kind.n_sequence_fields = len(fields)
    kind.n_unnamed_fields = 0
    return kind


class _Results:
    """Base of the result types: made from the results, or from one sequence of them."""

    __slots__ = ()

    def __new__(cls, *results):
        return tuple.__new__(cls, results[0] if len(results) == 1 else results)

    def __repr__(self):
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"

    def __reduce__(self):
        return (type(self), (tuple(self),))


aminmax = result_type("aminmax", "min", "max")
cummax = result_type("cummax", "values", "indices")
cummin = result_type("cummin", "values", "indices")
frexp = result_type("frexp", "mantissa", "exponent")
geqrf = result_type("geqrf", "a", "tau")
histogram = result_type("histogram", "hist", "bin_edges")
histogramdd = result_type("histogramdd", "hist", "bin_edges")
kthvalue = result_type("kthvalue", "values", "indices")
linalg_cholesky_ex = result_type("linalg_cholesky_ex", "L", "info")
linalg_eig = result_type("linalg_eig", "eigenvalues", "eigenvectors")
linalg_eigh = result_type("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_inv_ex = result_type("linalg_inv_ex", "inverse", "info")
linalg_ldl_factor = result_type("linalg_ldl_factor", "LD", "pivots")
linalg_ldl_factor_ex = result_type("linalg_ldl_factor_ex", "LD", "pivots", "info")
linalg_lstsq = result_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_lu = result_type("linalg_lu", "P", "L", "U")
linalg_lu_factor = result_type("linalg_lu_factor", "LU", "pivots")
linalg_lu_factor_ex = result_type("linalg_lu_factor_ex", "LU", "pivots", "info")
linalg_qr = result_type("linalg_qr", "Q", "R")
linalg_slogdet = result_type("linalg_slogdet", "sign", "logabsdet")
linalg_solve_ex = result_type("linalg_solve_ex", "result", "info")
linalg_svd = result_type("linalg_svd", "U", "S", "Vh")
lu_unpack = result_type("lu_unpack", "P", "L", "U")
lu_with_info = result_type("_lu_with_info", "LU", "pivots", "info")
max = result_type("max", "values", "indices")
median = result_type("median", "values", "indices")
min = result_type("min", "values", "indices")
mode = result_type("mode", "values", "indices")
nanmedian = result_type("nanmedian", "values", "indices")
qr = result_type("qr", "Q", "R")
slogdet = result_type("slogdet", "sign", "logabsdet")
sort = result_type("sort", "values", "indices")
svd = result_type("svd", "U", "S", "V")
topk = result_type("topk", "values", "indices")
triangular_solve = result_type("triangular_solve", "solution", "cloned_coefficient")


def like(input, dtype=None) -> MetaArray:
    """Returns an array on meta of the shape of `input`."""
    return MetaArray(input.shape, dtype or input.dtype)


def values_and_indices(input) -> tuple:
    """Returns values and indices on meta, of the shape of `input`."""
    return like(input), like(input, INT64)


def values_and_indices_along(input, dim, keepdim: bool = False) -> tuple:
    """Returns values and indices on meta, one for each line along `dim`."""
    shape = input.shape
    if keepdim:
        shape = keepdim_shape(shape, dim)
    elif shape:
        axis = wrap_dim(dim, len(shape))
        shape = shape[:axis] + shape[axis + 1 :]
    return MetaArray(shape, input.dtype), MetaArray(shape, INT64)


@composite(internal=True)
def present(F, node, g):
    """Returns the gradients of all results of a node; zeros for an unused result."""
    known = next(each for each in g if each is not None)
    return tuple(
        F.cast(F.new_zeros_of(known, shape), kind) if each is None else each
        for each, (shape, kind) in zip(g, node.result_metas, strict=True)
    )


def data_dependent(name: str):
    """Returns the shape clause of an operator whose shape depends on elements: it raises on meta."""

    def shape(*arguments, **keywords):
        raise no_meta_kernel(name)

    return shape
