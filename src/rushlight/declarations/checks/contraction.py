"""Checks of `contraction.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.errors import type_name
from rushlight.declarations.dtype_rules import cpp_names, raw_dtype, scalar_names
from rushlight.declarations.shapes import axis_of, broadcast


def check_factors(dims, **factors) -> None:
    """Raises unless both factors are tensors, in the order in which PyTorch reads their ranks."""
    for position, (name, each) in enumerate(factors.items(), 1):
        if not hasattr(each, "ndim"):
            if isinstance(dims, int):
                raise AttributeError(f"'{type_name(each)}' object has no attribute 'dim'")
            raise TypeError(
                f"tensordot(): argument '{name}' (position {position}) must be Tensor, not {type_name(each)}"
            )


def check_chain(matrices) -> None:
    """Each matrix has as many columns as the next has rows."""
    for number, each in enumerate(matrices):
        if each.ndim != 2 and 0 < number < len(matrices) - 1:
            raise RuntimeError(f"multi_dot(): tensor {number} must be 2D but got {each.ndim}D")
        if raw_dtype(each) != raw_dtype(matrices[0]):
            one, two = cpp_names(matrices[0], each)
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {one} and tensor {number} {two}"
            )
        if number and matrices[number - 1].shape[-1] != each.shape[0]:
            one, two = list(matrices[number - 1].shape), list(each.shape)
            raise RuntimeError(
                f"multi_dot(): tensors {number - 1} and {number} with shapes {one} and {two} cannot be multiplied"
            )


def check_cross(input, other, dim: int) -> None:
    """Vectors of three elements, of one rank and dtype."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = axis_of(dim, input.ndim)
    one, two = input.shape[axis], other.shape[axis]
    if one != 3 or two != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {one} and {two}")
    if input.shape != other.shape:
        broadcast((input.shape, other.shape))
    if input.dtype != other.dtype:
        raise RuntimeError("expected scalar type {} but found {}".format(*scalar_names(input, other)))


def check_outer_vector(each, name) -> None:
    if each.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each.ndim}-D")


def check_inner_sizes(input, other) -> None:
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )


def check_tensordot_dtypes(a, b) -> None:
    if raw_dtype(a) != raw_dtype(b):
        raise RuntimeError("both inputs should have same dtype")


def check_contracted_sizes(a, b, one, two) -> None:
    if 1 not in (a.shape[one], b.shape[two]):
        raise RuntimeError(
            f"contracted dimensions need to match, but first has size {a.shape[one]} in dim {one} and second "
            f"has size {b.shape[two]} in dim {two}"
        )


def check_multi_dot_count(tensors) -> None:
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")


def check_multi_dot_rank(rank, which) -> None:
    if rank not in (1, 2):
        raise RuntimeError(f"multi_dot(): the {which} tensor must be 1D or 2D but got {rank}D")


def check_chain_length(matrices) -> None:
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")


def check_chain_matrix(each) -> None:
    if each.ndim != 2:
        raise RuntimeError(f"Tensor dimension is {each.ndim}, expected 2 instead.")


def check_cross_dim_found(dim) -> None:
    if dim is None:
        raise RuntimeError("no dimension of size 3 in input")


def check_einsum_dtypes(operands, each) -> None:
    if raw_dtype(each) != raw_dtype(operands[0]):
        raise RuntimeError("expected scalar type {} but found {}".format(*scalar_names(operands[0], each)))


def check_vecdot_dtype(each) -> None:
    if raw_dtype(each).kind not in "fcV":
        name = scalar_names(each)[0]
        raise RuntimeError(f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {name}")


def check_vecdot_same_dtype(x, y) -> None:
    if raw_dtype(x) != raw_dtype(y):
        one, two = scalar_names(x, y)
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {one} and y of type {two} "
            "instead"
        )


def check_multi_dot_sequence(tensors) -> None:
    if not isinstance(tensors, (tuple, list)):
        kind = type(tensors).__name__
        raise TypeError(f"linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind}")
