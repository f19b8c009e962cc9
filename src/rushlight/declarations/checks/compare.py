"""Checks of `compare.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import BY_NUMPY, SCALAR_NAMES
from rushlight.core.tensor import Tensor
from rushlight.core.traced import is_batched
from rushlight.declarations.checks.meta import no_meta_kernel
from rushlight.declarations.dtype_rules import raw_dtype, unimplemented


def check_tolerance(tolerance, name) -> None:
    if tolerance < 0:
        raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")


def check_isclose_dtypes(input, other) -> None:
    if isinstance(input, Tensor) and isinstance(other, Tensor) and input.dtype is not other.dtype:
        raise RuntimeError(f"{SCALAR_NAMES[input.dtype]} did not match {SCALAR_NAMES[other.dtype]}")


def check_has_elements(input) -> None:
    if type(input._array) is MetaArray:
        raise no_meta_kernel("equal")


def check_bool_bounds(input, min, max) -> None:
    if raw_dtype(input).kind == "b" and {type(each) for each in (min, max)} <= {bool, type(None)}:
        side = "min_" if max is None else "max_" if min is None else ""
        raise unimplemented(f"clamp_{side}scalar_cpu")(BY_NUMPY[raw_dtype(input)])


def check_allclose_shared(close) -> None:
    """Raises RuntimeError for samples of `vmap`, of which each would have an answer."""
    if is_batched(close):
        raise RuntimeError(
            "vmap over torch.allclose isn't supported yet. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues if you need this feature."
        )


def check_equal_shared(input, other) -> None:
    """Raises RuntimeError for samples of `vmap`, of which each would have an answer."""
    if is_batched(input) or is_batched(other):
        raise RuntimeError("Batching rule not implemented for aten::equal. We could not generate a fallback.")
