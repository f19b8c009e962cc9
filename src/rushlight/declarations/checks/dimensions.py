"""Checks of `dimensions.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations


def check_movedim(source, destination) -> None:
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same "
            "number of "
            f"dims as destination ({list(destination)} dims)"
        )


def check_movedim_given(given, places, name) -> None:
    if len(set(places[-1])) != len(given):
        raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")


def check_H_rank(input) -> None:
    if input.ndim not in (0, 2):
        hint = " For batches of matrices, consider using tensor.mH" if input.ndim > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {input.ndim}-D tensor.{hint}")
