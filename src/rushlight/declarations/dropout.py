"""Dropout: a mask is drawn, then multiplied by. Only the draw is new, and it takes PyTorch's numbers.

Hinton et al. 2012; alpha dropout: Klambauer et al. 2017. https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from rushlight.arrays import mt19937
from rushlight.arrays.draws import draw_of, in_memory_order
from rushlight.arrays.meta import MetaArray
from rushlight.core.dtype import BY_NUMPY
from rushlight.core.dtype import bool as bool_
from rushlight.core.errors import noted
from rushlight.core.generator import generator_of
from rushlight.core.traced import with_level_of_draws
from rushlight.declarations.declare import composite, face, op
from rushlight.declarations.dtype_rules import raw_dtype, scalar_names, unimplemented

# Minus the limit of selu at minus infinity: its scale times its alpha.
ALPHA = 1.7580993408473766


@op(internal=True, exact=True)
class dropout_mask:
    """0 with probability `p`, else 1 / (1 - p): for every element of `input`, or for every channel of each example."""

    def forward(xp, input: Tensor, p, by_channel):
        return drawn(mt19937.channel_mask if by_channel else mt19937.dropout_mask, input, p, by_channel)


@op(internal=True, exact=True)
class kept_mask:
    """1 with probability `p`, else 0: for every element of `input`, or for every channel of each example."""

    def forward(xp, input: Tensor, p, by_channel):
        return drawn(mt19937.bernoulli, input, p, by_channel)


def drawn(draw, input, p, by_channel):
    """A mask of the dtype of a raw array; element by element it is drawn in the order of the array's memory."""
    if type(input) is MetaArray and not by_channel:
        return MetaArray(input.shape, input.dtype)
    generator = generator_of(input)
    draw = draw_of(generator, draw)
    if not by_channel:
        return in_memory_order(lambda shape: draw(generator, shape, input.dtype, p), input)
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return draw(generator, (*input.shape[:2], *[1] * (input.ndim - 2)), input.dtype, p)


def does_nothing(input, p, train) -> bool:
    """Returns whether dropout keeps its input. Raises unless `p` is a probability and the input floating point."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not train or p == 0 or 0 in input.shape:
        return True
    if p < 1 and raw_dtype(input).kind == "c":
        raise unimplemented("bernoulli_scalar_cpu_")(BY_NUMPY[raw_dtype(input)])
    if p < 1:
        refuse_integers(input)
    return False


def refuse_integers(input) -> None:
    """Raises RuntimeError for integers and bools."""
    if raw_dtype(input).kind in "biu":
        name = scalar_names(input)[0]
        raise noted(
            RuntimeError(f"result type Float can't be cast to the desired output type {name}"),
            "Dropout divides by 1 - p, so the input must be floating point: input.float().",
        )


def dropped(F, input, p, train, *, by_channel):
    """`input` times a mask."""
    if does_nothing(input, p, train):
        return input
    if p < 1:  # p = 1 needs no draws
        input = with_level_of_draws(input)
    return input * (F.dropout_mask(input, p, by_channel) if p < 1 else F.new_zeros_of(input, ()))


def dropped_to_limit(F, input, p, train, *, by_channel):
    """Dropped elements take the limit of selu, and all are rescaled to the mean and variance they had."""
    if does_nothing(input, p, train):
        return input
    if p == 1:
        return input * F.new_zeros_of(input, ())
    input = with_level_of_draws(input)
    kept = F.kept_mask(input, 1 - p, by_channel)
    scale = 1 / ((ALPHA**2 * p + 1) * (1 - p)) ** 0.5
    return input * (kept * scale) + ((kept - 1) * (ALPHA * scale) + ALPHA * scale * p)


@composite(samples=lambda r: [(r(2, 3), 0.5, False), (r(2, 3), 0.0, True), (r(2, 3), 1.0, True)])
def dropout(F, input, p: float, train):
    """In training zeroes each element with probability `p` and multiplies the others by 1 / (1 - p)."""
    return dropped(F, input, p, train, by_channel=False)


face(dropout, method=None, inplace=True)


@composite(samples=lambda r: [(r(2, 3, 2), 0.5, False), (r(2, 3, 2), 0.0, True), (r(2, 3, 2), 1.0, True)])
def feature_dropout(F, input, p: float, train):
    """Dropout of whole channels."""
    return dropped(F, input, p, train, by_channel=True)


face(feature_dropout, method=None, inplace=True)


@composite(samples=lambda r: [(r(2, 3), 0.5, False), (r(2, 3), 0.0, True)])
def alpha_dropout(F, input, p: float, train):
    """Dropout that keeps mean and variance under `selu`."""
    return dropped_to_limit(F, input, p, train, by_channel=False)


face(alpha_dropout, method=None, inplace=True)


@composite(samples=lambda r: [(r(2, 3, 2), 0.5, False), (r(2, 3, 2), 0.0, True)])
def feature_alpha_dropout(F, input, p: float, train):
    """Alpha dropout of whole channels."""
    return dropped_to_limit(F, input, p, train, by_channel=True)


face(feature_alpha_dropout, method=None, inplace=True)


def check_kept(p) -> None:
    """Raises RuntimeError unless the fraction that is kept is a probability."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")


@composite(samples=lambda r: [(r(2, 3), 0.5, False), (r(2, 3), 0.0, True), (r(2, 3), 1.0, None)])
def native_dropout(F, input, p: float, train: bool | None):
    """Dropout in training, or where `train` is None, and a mask of the elements that it keeps."""
    if not (train or train is None):
        return F.clone(input), F.cast(F.zeros_of(input) + 1, bool_.numpy)
    check_kept(1 - p)
    refuse_integers(input)
    kept = F.kept_mask(with_level_of_draws(input), 1 - p, False)
    return input * kept * (1 / (1 - p) if p < 1 else 0.0), F.cast(kept, bool_.numpy)


face(native_dropout, method=None)
