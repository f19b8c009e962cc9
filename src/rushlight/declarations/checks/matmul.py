"""Checks of `matmul.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.errors import type_name
from rushlight.declarations.dtype_rules import cpp_names


def not_tensors(name: str, input, other) -> TypeError:
    """An operand that is no tensor."""
    position, label, value = (1, "input", input) if not hasattr(input, "ndim") else (2, "other", other)
    return TypeError(f"{name}(): argument '{label}' (position {position}) must be Tensor, not {type_name(value)}")


def check_ranks(name: str, rank: int, other_rank: int) -> None:
    """Two operands have at least one dimension."""
    if not rank or not other_rank:
        raise RuntimeError(f"both arguments to {name} need to be at least 1D, but they are {rank}D and {other_rank}D")


def check_bilinear(input1, input2, weight, bias) -> None:
    """The dtypes and shapes of a bilinear map, in PyTorch's words."""
    given = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {name: cpp_names(each)[0] for name, each in given.items() if each is not None}
    if len(set(kinds.values())) > 1:
        result = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {result}")
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for dim, (one, two) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if one != two:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and {two}")
    for number, each in enumerate((input1, input2), 1):
        if each.shape[-1] != weight.shape[number]:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {each.shape[-1]} but expected "
                f"{weight.shape[number]}"
            )
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {weight.shape[0]}"
        )
