"""`gradcheck` of functions of sparse tensors: their derivatives with respect to the values."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from rushlight.core import dtype as dtypes
from rushlight.core.shape_queries import SPARSE_COO
from rushlight.create.filled import ones
from rushlight.sparse.array import SparseArray
from rushlight.sparse.convert import sparse_mask, to_sparse
from rushlight.sparse.tensor import SparseTensor, result


def as_sparse_gradcheck(gradcheck: Callable[..., bool]) -> Callable[..., bool]:
    """Returns a `gradcheck` for sparse inputs and results from one for dense ones.

    With `masked=True` elements without an entry are left out; else they count as entries that are zero.

    >>> import rushlight as torch
    >>> check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    >>> x = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    >>> check(lambda x: x.sin().to_dense(), x, masked=True)
    True

    Source: https://docs.pytorch.org/docs/stable/generated/torch.sparse.as_sparse_gradcheck.html
    """

    @wraps(gradcheck)
    def checked(func: Callable, inputs: Any, **keywords: Any) -> bool:
        inputs = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
        return gradcheck(*on_values(func, inputs, keywords.pop("masked", False)), **keywords)

    return checked


def on_values(func: Callable, inputs: tuple, masked: bool) -> tuple[Callable, tuple]:
    """Returns a function of dense tensors, the values of sparse inputs, with dense results; and these values."""
    arrays = [array_of(each, masked) for each in inputs]
    values = [
        each if array is None else array.values.detach().clone().requires_grad_()
        for each, array in zip(inputs, arrays, strict=True)
    ]

    def of_values(*args: Any) -> Any:
        made = [x if array is None else result(array.with_values(x), "") for x, array in zip(args, arrays, strict=True)]
        out = func(*made)
        return tuple(map(in_full, out)) if isinstance(out, tuple | list) else in_full(out)

    return of_values, tuple(values)


def array_of(value: Any, masked: bool) -> SparseArray | None:
    """Returns the array of a sparse tensor that requires grad, with all elements unless `masked`; None for others."""
    if not (isinstance(value, SparseTensor) and value.requires_grad):
        return None
    if masked:
        return value._array
    array, everything = value._array, ones(tuple(value.shape), dtype=dtypes.bool)
    if array.layout is SPARSE_COO:
        mask = to_sparse(everything, array.sparse_dim)
    else:
        mask = to_sparse(everything, layout=array.layout, blocksize=array.blocksize, dense_dim=array.dense_dim)
    return sparse_mask(value.detach().to_dense(), mask)._array


def in_full(value: Any) -> Any:
    """Returns a sparse result as a dense one."""
    return value.to_dense() if isinstance(value, SparseTensor) else value
