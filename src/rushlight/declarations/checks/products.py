"""Checks of `products.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.errors import about
from rushlight.declarations.dtype_rules import cpp_names, scalar_names


def mismatch(input, mat2) -> RuntimeError:
    """Two matrices that cannot be multiplied for their shapes."""
    (rows, inner), (height, columns) = input.shape, mat2.shape
    error = RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {height}x{columns})")
    hint = "; its transpose, .t(), would fit" if inner == columns else ""
    error.add_note(f"The first matrix has {inner} columns, so the second needs {inner} rows; it has {height}{hint}.")
    return error


def not_one_dtype(words: str) -> RuntimeError:
    """Operands of different dtypes."""
    note = "Matrix products do not promote dtypes: convert one operand, x.to(other.dtype)."
    return about(RuntimeError(words), "dtypes", note)


def check_batches(batch1, batch2) -> None:
    """Two batches must be equally many matrices that can be multiplied."""
    batch, _, inner = batch1.shape
    if batch2.shape[:2] != (batch, inner):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {inner}] but got: "
            f"[{batch2.shape[0]}, {batch2.shape[1]}]."
        )


def check_matrix_vector(rank: int, shape: tuple, mat, vec) -> None:
    """A matrix, a vector as long as its rows, and what is added to their product."""
    if mat.ndim != 2 or vec.ndim != 1 or rank > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {rank}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or shape not in ((), (1,), (mat.shape[0],)):
        raise RuntimeError(
            f"size mismatch, got input ({shape[0] if shape else 1}), mat ({mat.shape[0]}x{mat.shape[1]}), vec "
            f"({vec.shape[0]})"
        )


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


def check_mm_shapes(input, mat2) -> None:
    if input.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError("self must be a matrix" if input.ndim != 2 else "mat2 must be a matrix")
    if input.shape[1] != mat2.shape[0]:
        raise mismatch(input, mat2)


def check_bmm_rank(each, name) -> None:
    if each.ndim != 3:
        raise RuntimeError(f"{name} must be a 3D tensor")


def check_bmm_dtypes(input, mat2) -> None:
    if input.dtype != mat2.dtype:
        raise not_one_dtype("expected scalar type {} but found {}".format(*scalar_names(input, mat2)))


def check_mm_dtypes(input, mat2) -> None:
    if input.dtype != mat2.dtype:
        one, other = cpp_names(input, mat2)
        raise not_one_dtype(f"expected m1 and m2 to have the same dtype, but got: {one} != {other}")


def check_mv_dtypes(input, vec) -> None:
    if input.dtype != vec.dtype:
        one, other = scalar_names(input, vec)
        raise not_one_dtype(f"addmv input tensors must have the same dtype, but got {other}, {one}, and {other}")
