"""Checks of `join.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import SCALAR_NAMES, can_cast
from rushlight.core.errors import type_name
from rushlight.core.tensor import Tensor


def check_some(name: str, tensors) -> None:
    if isinstance(tensors, (tuple, list)) and not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    check_tensors(name, tensors)


def check_tensors(name: str, tensors) -> None:
    """Raises TypeError in PyTorch's words unless it is a sequence of tensors."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, (tuple, list)):
        kind = "Tensor" if isinstance(tensors, Tensor) else type(tensors).__name__
        if kind == "ndarray":
            return
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind}")


def check_out(out, result, arguments: tuple) -> None:
    """Raises TypeError if `out` cannot hold the dtype of joined tensors."""
    if not can_cast(result.dtype, out.dtype):
        kind = SCALAR_NAMES[out.dtype]
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {kind}")


def check_rank(name: str, input, rank: int) -> None:
    if input.ndim < rank:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {rank} dimension, but got a tensor with {input.ndim} "
            "dimensions!"
        )


def check_cat_not_empty(tensors) -> None:
    if isinstance(tensors, (tuple, list)) and not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")


def check_diagonal_block(each, at) -> None:
    if not isinstance(each, Tensor):
        raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type(each).__name__}")
    if each.ndim > 2:
        raise RuntimeError(
            f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {at} has {each.ndim} dimensions"
        )


def check_chunk(input, chunks) -> None:
    if not input.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")


def check_tensor_split_rank(input) -> None:
    if not input.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")


def check_section_count(sections) -> None:
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")


def check_hsplit_rank(input) -> None:
    if not input.ndim:
        raise RuntimeError(
            "torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dimensions!"
        )


def check_split_size(split_size_or_sections, dim) -> None:
    if isinstance(split_size_or_sections, bool):
        given = f"(Tensor, bool, {type_name(dim)})"
        raise TypeError(f"split() received an invalid combination of arguments - got {given}, but expected one of:")
    if isinstance(split_size_or_sections, Tensor) and split_size_or_sections.numel() != 1:
        raise TypeError("split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not Tensor")
