"""Dropout: a mask is drawn, then multiplied by. Only the draw is new, and it takes PyTorch's numbers.

Hinton et al. 2012; alpha dropout: Klambauer et al. 2017. https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from rushlight.arrays import mt19937
from rushlight.arrays.draws import in_memory_order
from rushlight.core.generator import default_generator
from rushlight.ops.declare import composite, op

# The limit of selu for very negative numbers, negated: its scale times its alpha.
ALPHA = 1.7580993408473766


@op(spaces=(), exact=True, out=False)
class dropout_mask:
    """0 with probability `p`, else 1 / (1 - p), for every element of `input`."""

    def forward(xp, input: Tensor, p):
        return in_memory_order(lambda shape: mt19937.dropout_mask(default_generator, shape, input.dtype, p), input)


@op(spaces=(), exact=True, out=False)
class kept_mask:
    """1 with probability `p`, else 0, for every element of `input`."""

    def forward(xp, input: Tensor, p):
        return in_memory_order(lambda shape: mt19937.bernoulli(default_generator, shape, input.dtype, p), input)


def check(p) -> None:
    """Raises RuntimeError for what is no probability."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")


def channels(F, input):
    """Something with one element per channel and example, on which whole channels are drawn."""
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return F.new_zeros_of(input, (*input.shape[:2], *(1,) * (input.dim() - 2)))


@composite(method=None, inplace=True)
def dropout(F, input, p, train):
    """In training zeroes each element with probability `p` and multiplies the others by 1 / (1 - p)."""
    check(p)
    return input * F.dropout_mask(input, p) if train and p and input.numel() else input


@composite(method=None, inplace=True)
def feature_dropout(F, input, p, train):
    """Dropout of whole channels."""
    check(p)
    return input * F.dropout_mask(channels(F, input), p) if train and p and input.numel() else input


@composite(method=None, inplace=True)
def alpha_dropout(F, input, p, train):
    """Dropout that keeps mean and variance under `selu`: dropped elements take its limit, and all are rescaled."""
    check(p)
    if not (train and p and input.numel()):
        return input
    return _rescaled(input, F.kept_mask(input, 1 - p), p)


@composite(method=None, inplace=True)
def feature_alpha_dropout(F, input, p, train):
    """Alpha dropout of whole channels."""
    check(p)
    if not (train and p and input.numel()):
        return input
    return _rescaled(input, F.kept_mask(channels(F, input), 1 - p), p)


def _rescaled(input, kept, p):
    if p == 1:
        return input * kept
    scale = 1 / ((ALPHA**2 * p + 1) * (1 - p)) ** 0.5
    shift = (kept - 1) * (ALPHA * scale) + ALPHA * scale * p
    return input * (kept * scale) + shift
