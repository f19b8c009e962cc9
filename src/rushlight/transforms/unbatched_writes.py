"""What PyTorch says of a write of values that differ between samples to a tensor that all samples share.

The words depend on whether PyTorch has a rule for the operator, and which.
"""

from __future__ import annotations

from rushlight.core.errors import about
from rushlight.core.origin import here
from rushlight.core.tensor import Tensor

# Operators whose in-place variants PyTorch computes out of place first, with the batch in front.
BROADCAST = frozenset(
    """
    add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign gcd lcm
    """.split()
)
ARITHMETIC = frozenset(
    """
    clamp_max clamp_min div divide logical_and logical_or logical_xor masked_fill mul multiply sub true_divide
    """.split()
)
RULED = frozenset(("fill", "index_add", "index_fill", "index_put", "scatter_add"))
MAKE_BATCHED = (
    "All samples share the tensor that is written to, and the values differ between samples. Compute a new tensor, or "
    "make the one that is written to from a sample: x.new_zeros(shape) in place of torch.zeros(shape)."
)


def refusal(level, tensor: Tensor, values: Tensor, name: str) -> Exception:
    """Returns the error for a write by an operator of `values`, which have the batch in front."""
    if name in BROADCAST:
        words = f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(values.shape)}"
    elif name in RULED:
        words = not_possible(f"{name}_", "in a vmap")
    elif name in ARITHMETIC or not hasattr(Tensor, f"{name}_"):  # such as `x[0] = y`
        words = not_possible("inplace arithmetic", "in a vmap")
    else:
        words = not_possible(f"aten::{name}_", f"at level {level.number}")
    return about(RuntimeError(words), "unbatched_write", MAKE_BATCHED, place=here())


def not_possible(what: str, where: str) -> str:
    return (
        f"vmap: {what}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
        "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over "
        f"{where}. Please try to use out-of-place operators instead of {what}. If said operator is being called inside "
        "the PyTorch framework, please file a bug report instead."
    )
