"""Checks of `affine.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.declarations.checks.products import mismatch, not_one_dtype
from rushlight.declarations.dtype_rules import cpp_names, scalar_names
from rushlight.declarations.shapes import length


def check_expands(shape: tuple, target: tuple, kind) -> None:
    """Raises RuntimeError unless the added tensor broadcasts to the shape of the product."""
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


def check_one_dtype(input, mat1, mat2) -> None:
    """Raises unless matrices, and what is added to their product, are of one dtype."""
    for name, each in (("self", input), ("mat1", mat1)):
        if each.dtype != mat2.dtype:
            one, other = scalar_names(each, mat2)
            raise not_one_dtype(f"{name} and mat2 must have the same dtype, but got {one} and {other}")


def check_matrices(input, mat1, mat2) -> None:
    """Two matrices that can be multiplied, and something of their dtype to be added."""
    check_one_dtype(input, mat1, mat2)
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        if each.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise mismatch(mat1, mat2)


def refuse_ranks(batch1, batch2, asked: tuple) -> None:
    """Raises where there are not two batches of matrices; IndexError if they lack a length of the result."""
    for each, dim in (*((batch1, dim) for dim in asked), (batch2, 2)):
        length(each, dim)
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
    check_one_dtype(input, batch1, batch2)


def check_addr_vector(each, name) -> None:
    if each.ndim != 1:
        raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {each.ndim}-D")


def check_addr_number(input, number, name) -> None:
    if input.dtype.kind in "biu" and isinstance(number, float):
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    if input.dtype.kind != "b" and isinstance(number, bool):
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")


def check_addmv_dtypes(input, mat, vec) -> None:
    if not input.dtype == mat.dtype == vec.dtype:
        one, two, three = scalar_names(input, mat, vec)
        raise not_one_dtype(f"addmv input tensors must have the same dtype, but got {one}, {two}, and {three}")


def check_baddbmm_dtypes(input, batch1, batch2) -> None:
    if not input.dtype == batch1.dtype == batch2.dtype:
        one, two, three = cpp_names(input, batch1, batch2)
        raise not_one_dtype(f"Input dtypes must be the same, got: input {one}, batch1: {two}, batch2: {three}")
