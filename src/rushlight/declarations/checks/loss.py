"""Checks of `loss.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.core.dtype import BY_NUMPY
from rushlight.core.errors import about, noted
from rushlight.declarations.dtype_rules import is_complex, raw_dtype, scalar_names, unimplemented
from rushlight.declarations.shapes import broadcast

PROBABILITIES = "The targets are probabilities, so they must be floating point: target.float()."
CASTS = {"d": "double", "e": "half"}  # methods that cast, by NumPy's codes; others are float32


def fits_into(name: str, value, input) -> None:
    """Raises RuntimeError for something that does not broadcast to the input's shape."""
    shape, target = tuple(value.shape), tuple(input.shape)
    for position, (one, two) in enumerate(zip(reversed(shape), reversed(target), strict=False), 1):
        if one not in (1, two):
            raise RuntimeError(
                f"Attempting to broadcast a dimension of length {one} at -{position}! Mismatching argument at index 1 "
                "had "
                f"torch.Size({list(shape)}); but expected shape should be broadcastable to {list(target)}"
            )


def check_not_enlarged(first, second) -> None:
    """Raises unless the losses have the shape of the first operand, which PyTorch's kernels overwrite."""
    result = broadcast((tuple(first.shape), tuple(second.shape)))
    if result != tuple(first.shape):
        raise RuntimeError(f"output with shape {[*first.shape]} doesn't match the broadcast shape {[*result]}")


def check_smooth_l1_beta(beta) -> None:
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")


def check_huber_delta(delta) -> None:
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")


def check_probabilities(xp, each, name) -> None:
    if each.size and not xp.is_between(each, 0, 1):
        raise noted(
            RuntimeError(f"all elements of {name} should be between 0 and 1"),
            "They are probabilities. Scores of any size go to binary_cross_entropy_with_logits.",
        )


def check_logits_dtype(input) -> None:
    if raw_dtype(input).kind in "iub":
        raise unimplemented("log_sigmoid_cpu")(BY_NUMPY[raw_dtype(input)])


def check_kl_div_dtypes(input, target) -> None:
    if raw_dtype(input).kind not in "fVc" or raw_dtype(target).kind not in "fVc":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if is_complex(input) or is_complex(target):
        raise RuntimeError("kl_div: Complex inputs not supported.")


def check_soft_margin_dtype(input) -> None:
    if input.dtype.kind in "iub":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {scalar_names(input)[0]}")


def check_cosine_embedding_ranks(input1, input2, target) -> None:
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    rank = target.ndim + 1
    if input1.ndim != rank or input2.ndim != rank:
        raise RuntimeError(
            f"{rank - 1}D target tensor expects {rank}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )


def check_target_dtype(input, target) -> None:
    if raw_dtype(target) != raw_dtype(input):
        words = "Found dtype {1} but expected {0}".format(*scalar_names(input, target))
        raise about(RuntimeError(words), "target_dtype", PROBABILITIES, cast=CASTS.get(raw_dtype(input).char, "float"))
