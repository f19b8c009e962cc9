"""Connectionist temporal classification: scores of classes against label sequences (Graves et al., 2006).

https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.dtype import BOOL, INTEGER
from rushlight.core.tensor import wrap
from rushlight.declarations.batches import folded, fronts, into_channels, out_of_channels
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype, unimplemented, wide_floats_only
from rushlight.declarations.reduction import reduction_name


@op(internal=True)
class alignment:
    """Minus the log-probability of each sequence of labels, over all its alignments with the input."""

    def forward(xp, log_probs: Tensor, targets, lengths, target_lengths, blank, zero_infinity):
        return xp.alignment_loss(log_probs, targets, lengths, target_lengths, blank)

    def d_log_probs(F, g, log_probs, out, targets, lengths, target_lengths, blank, zero_infinity):
        return F.alignment_gradients(g, log_probs, out, targets, lengths, target_lengths, blank, zero_infinity)

    def batch(F, b, log_probs, targets, lengths, target_lengths, blank, zero_infinity):
        wide = into_channels(F, log_probs, 1, 1)
        settings = targets * b.size, lengths * b.size, target_lengths * b.size, blank, zero_infinity
        return F.reshape(F.alignment(wide, *settings), (b.size, len(lengths)))


face(
    alignment,
    node="CtcLossBackward0",
    refuses=wide_floats_only("ctc_loss_cpu") | dict.fromkeys((BOOL, INTEGER), unimplemented("ctc_loss_cpu")),
)


@op(internal=True)
class alignment_gradients:
    """The derivative of `alignment`, which PyTorch gives at the scores whose log softmax `log_probs` must be."""

    def forward(
        xp, grad: Tensor, log_probs: Tensor, losses: Constant, targets, lengths, target_lengths, blank, zero_infinity
    ):
        settings = targets, lengths, target_lengths, blank, zero_infinity
        return xp.alignment_gradient(grad, log_probs, losses, *settings)

    def d_grad(F, g):
        raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented")

    def d_log_probs(F, g):
        raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented")

    def batch(F, b, grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity):
        grad, log_probs, losses = fronts(F, b, grad=grad, log_probs=log_probs, losses=losses)
        settings = targets * b.size, lengths * b.size, target_lengths * b.size, blank, zero_infinity
        pulled = F.alignment_gradients(folded(F, grad), into_channels(F, log_probs, 1, 1), folded(F, losses), *settings)
        return out_of_channels(F, pulled, 1, 1, b.size)


@composite(
    # No gradients: PyTorch's are those of the scores before their log softmax, which finite differences do not show.
    samples=lambda r: [
        (r(5, 2, 4).log_softmax(2).detach(), r.integers(3, 2, 3) + 1, (5, 5), (3, 2)),
        (r(5, 2, 4).log_softmax(2).detach(), r.integers(3, 2, 3) + 1, (5, 4), (3, 2), 0, 1),
        (r(5, 2, 4).log_softmax(2).detach(), r.integers(3, 2, 2) + 1, (5, 4), (2, 1), 0, 0),
        (r(4, 3).log_softmax(1).detach(), r.integers(2, 2), (4,), (2,), 2, 2, True),
    ]
)
def ctc_loss(F, log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    """The loss of connectionist temporal classification (Graves et al., 2006).

    `log_probs` is (T, N, C) or (T, C), `targets` (N, S), or all sequences one after the other; "mean" divides each loss
    by the length of its target first.
    """
    name = reduction_name(reduction)
    unbatched = log_probs.ndim == 2
    if log_probs.ndim != 3:
        log_probs = F.unsqueeze(log_probs, 1)
    lengths, target_lengths = whole("input_lengths", input_lengths), whole("target_lengths", target_lengths)
    rows = sequences(log_probs, targets, lengths, target_lengths, blank)
    losses = F.alignment(log_probs, rows, lengths, target_lengths, blank, zero_infinity)
    if zero_infinity:
        losses = F.where(losses == math.inf, F.zeros_of(losses), losses)
    if name == "mean":
        most = wrap(np.maximum(np.array(target_lengths, raw_dtype(losses)), 1))
        return F.mean(losses / F.to_copy(most, None, losses.device))
    if name == "sum":
        return F.sum(losses)
    return F.squeeze(losses, 0) if unbatched else losses


face(
    ctc_loss,
    method=None,
    forms=("Tensor, Tensor, Ints, Ints, int, int, bool", "Tensor, Tensor, Tensor, Tensor, int, int, bool"),
)


def whole(name: str, lengths) -> tuple:
    """Lengths given as a tensor or as numbers."""
    if hasattr(lengths, "_array"):
        if raw_dtype(lengths).kind not in "iu":
            raise RuntimeError(f"{name} must be integral")
        lengths = numbers_of(lengths)
    return tuple(int(each) for each in lengths)


def numbers_of(tensor) -> list:
    """The numbers of a tensor of one dimension or none."""
    result = tensor.tolist()
    return result if isinstance(result, list) else [result]


def sequences(log_probs, targets, lengths: tuple, target_lengths: tuple, blank: int) -> tuple:
    """The label sequences, checked, as raw vectors."""
    where = "(while checking arguments for ctc_loss_allocate_outputs)"
    if log_probs.ndim != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 'log_probs' "
            f"{where}"
        )
    if targets.ndim not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets' {where}"
        )
    steps, batch, classes = log_probs.shape
    if 0 in (steps, batch, classes):
        raise RuntimeError("log_probs tensor must not be empty")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, each in (("input_lengths", lengths), ("target_lengths", target_lengths)):
        if len(each) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
        if min(each) < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {min(each)} {where}")
    if max(lengths) > steps:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {steps}, but got value {max(lengths)} {where}"
        )
    numbers = numbers_of(targets)
    if targets.ndim == 1:
        if len(numbers) != sum(target_lengths):
            raise RuntimeError(
                f"Expected tensor to have size {sum(target_lengths)} at dimension 0, but got size {len(numbers)} for "
                f"argument #2 'targets' {where}"
            )
        begins = [sum(target_lengths[:row]) for row in range(batch)]
        numbers = [numbers[begin : begin + length] for begin, length in zip(begins, target_lengths, strict=True)]
    elif targets.shape[1] < max(target_lengths):
        raise RuntimeError(
            f"Expected tensor to have size at least {max(target_lengths)} at dimension 1, but got size "
            f"{targets.shape[1]} for argument #2 'targets' {where}"
        )
    return tuple(tuple(int(each) for each in row) for row in numbers)
