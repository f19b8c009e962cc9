"""Padding: with a constant, by reflection, by repetition of the edge, around the circle."""

from __future__ import annotations

from functools import lru_cache
from operator import index

from rushlight.arrays.meta import MetaArray
from rushlight.core.errors import noted
from rushlight.declarations.checks.pad import check_circular_pad, check_length, check_pad_mode
from rushlight.declarations.declare import composite, face, linear
from rushlight.declarations.shapes import integers

OWN_SAMPLES = lambda r: [
    (r(2, 5), (2, 1)), (r(2, 2, 5), (0, 3)), (r(2, 4, 5), (1, 2, 3, 0)), (r(1, 2, 3, 4), (1, 1, 2, 2)),
    (r(1, 2, 3, 3, 3), (1, 2, 0, 1, 1, 0)), (r(2, 5), (-1, 2)), (r(0, 2, 3), (1, 1)),
]  # fmt: skip


def pairs(pad) -> tuple:
    """PyTorch's flat list, which begins with the last dimension, as (before, after) pairs in dimension order."""
    return tuple(zip(pad[-2::-2], pad[::-2], strict=True))


@linear(exact=True)
class constant_pad_nd:
    """`input` between `value`s: `pad` says how many before and after the last dimension, then the one before it..."""

    def forward(xp, input: Tensor, pad, value=0):
        return xp.constant_pad(input, checked(input, pad), value)

    def shape(input, pad, value=0):
        checked(input, pad)
        return grown(input, pad)

    def d_input(F, g, pad):
        return F.constant_pad_nd(g, [-index(each) for each in pad])

    samples = lambda r: [
        (r(2, 3), (1, 2)), (r(2, 3), (0, 1, 2, 0), 1.5), (r(2, 3, 4), (-1, 2, 0, -2)), (r(3), ()), (r(0, 3), (1, 1)),
        (r(2, 3), (-1, -2)),
    ]  # fmt: skip


face(constant_pad_nd, method=None, out=False)


def grown(input, padding) -> MetaArray:
    """The shape of what is padded."""
    rest = input.shape[: input.ndim - len(padding) // 2]
    sizes = zip(input.shape[len(rest) :], pairs(padding), strict=True)
    return MetaArray((*rest, *(size + before + after for size, (before, after) in sizes)), input.dtype)


def checked(input, pad) -> tuple:
    """Returns a pair of integers for each dimension; raises if they leave a negative size."""
    return checked_pairs(tuple(input.shape), integers("constant_pad_nd", "pad", pad))


@lru_cache(maxsize=256)
def checked_pairs(shape, pad) -> tuple:
    """The same of a shape: found out once, which takes longer than padding a few numbers."""
    check_length(pad, len(shape))
    result = pairs(pad)
    for size, (before, after) in zip(reversed(shape), reversed(result), strict=False):
        if size + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    return result


@linear(internal=True, zero_second_derivative=True, exact=True)
class reflection_pad:
    """`input` continued by its mirror image, the edge not repeated."""

    def forward(xp, input: Tensor, padding):
        result = own_pairs("reflection_pad", tuple(input.shape), tuple(padding), input.dtype.kind)
        return xp.laid_out_as(input, xp.own_pad(input, result, "reflect"))

    def shape(input, padding):
        own_pairs("reflection_pad", tuple(input.shape), tuple(padding), input.dtype.kind)
        return grown(input, padding)

    def d_input(F, g, input_shape, padding):
        return F.padding_transposed(g, input_shape, padding, "reflect")

    samples = OWN_SAMPLES


face(
    reflection_pad,
    node=(
        "ReflectionPad1DBackward0 if len(padding) == 2 else ReflectionPad2DBackward0 if len(padding) == 4 "
        "else ReflectionPad3DBackward0"
    ),
)


@linear(internal=True, zero_second_derivative=True, exact=True)
class replication_pad:
    """`input` continued by its last elements."""

    def forward(xp, input: Tensor, padding):
        result = own_pairs("replication_pad", tuple(input.shape), tuple(padding), input.dtype.kind)
        return xp.laid_out_as(input, xp.own_pad(input, result, "replicate"))

    def shape(input, padding):
        own_pairs("replication_pad", tuple(input.shape), tuple(padding), input.dtype.kind)
        return grown(input, padding)

    def d_input(F, g, input_shape, padding):
        return F.padding_transposed(g, input_shape, padding, "replicate")

    samples = OWN_SAMPLES


face(
    replication_pad,
    node=(
        "ReplicationPad1DBackward0 if len(padding) == 2 else ReplicationPad2DBackward0 if len(padding) == 4 "
        "else ReplicationPad3DBackward0"
    ),
)


@linear(internal=True, exact=True)
class circular_pad:
    """`input` continued by its other end."""

    def forward(xp, input: Tensor, padding):
        for size, (before, after) in zip(reversed(input.shape), reversed(pairs(padding)), strict=False):
            check_circular_pad(size, after, before)
        return xp.own_pad(input, pairs(padding), "circular")

    shape = grown

    def d_input(F, g, input_shape, padding):
        return F.padding_transposed(g, input_shape, padding, "circular")

    samples = OWN_SAMPLES


face(circular_pad, node="PadCircularBackward0")


@linear(internal=True)
class padding_transposed:
    """The transpose of a padding: each element of `grad` added to where it came from in a tensor of `shape`."""

    def forward(xp, grad: Tensor, shape, padding, mode):
        spread = xp.own_pad_input(grad, shape, pairs(padding), mode)
        return xp.ascontiguousarray(spread) if mode == "circular" else xp.laid_out_as(grad, spread)

    def shape(grad, shape, padding, mode):
        return MetaArray(shape, grad.dtype)

    def d_grad(F, g, padding, mode):
        paddings = {"reflect": F.reflection_pad, "replicate": F.replication_pad, "circular": F.circular_pad}
        return paddings[mode](g, padding)

    samples = lambda r: [(r(2, 5), (2, 3), (1, 1), mode) for mode in ("reflect", "replicate", "circular")]


@lru_cache(maxsize=256)
def own_pairs(name: str, shape, padding, kind: str) -> tuple:
    """Returns pairs of integers for a shape; checked once."""
    check_own_padding(name, shape, padding, kind)
    if name == "reflection_pad":
        check_reflection(shape, padding)
    return pairs(padding)


def check_own_padding(name: str, shape, padding, kind: str) -> None:
    """Something to take from, and something left of it."""
    spatial = len(padding) // 2
    batched = len(shape) == spatial + 2
    if 0 in shape[batched:]:
        raise RuntimeError(
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    sizes = shape[-spatial:]
    results = [size + before + after for size, (before, after) in zip(sizes, pairs(padding), strict=True)]
    if min(results) < 1:
        labels = "DHW"[-spatial:]
        given = " ".join(f"{label}: {size}" for label, size in zip(labels, sizes, strict=True))
        result = " ".join(f"{label}: {size}" for label, size in zip(labels, results, strict=True))
        raise RuntimeError(f"input ({given}) is too small. Calculated output {result}")
    if kind == "b":
        raise NotImplementedError(f"\"{name}{spatial}d\" not implemented for 'Bool'")


def check_reflection(shape, padding) -> None:
    """A reflection ends where the array does."""
    for number, (before, after) in enumerate(reversed(pairs(padding))):
        dim = len(shape) - 1 - number
        if max(before, after) >= shape[dim]:
            raise noted(
                RuntimeError(
                    f"Argument #{4 + 2 * number}: Padding size should be less than the corresponding input dimension, "
                    f"but got: padding ({before}, {after}) at dimension {dim} of input {list(shape)}"
                ),
                "The edge itself is not repeated, so at most size - 1 elements can be mirrored; "
                '"replicate" can do more.',
            )


@composite(samples=lambda r: [
    (r(2, 3), (1, 2)), (r(2, 3), (1, 2), "constant", 1.5), (r(2, 3), (1, 2), "reflect"),
    (r(2, 3), (1, 2), "replicate"), (r(2, 3), (1, 2), "circular"),
])  # fmt: skip
def pad(F, input, pad, mode: str = "constant", value: float | None = None):
    """`input` padded by `pad` = (before, after) of the last dimension, then of the one before it, and so on."""
    pad = integers("pad", "pad", pad)
    if mode == "constant":
        value = float(value) if type(value) is int else value  # as the double that PyTorch's argument is
        return F.constant_pad_nd(input, pad, 0 if value is None else value)
    check_length(pad, input.ndim)
    check_pad_mode(input, pad, mode, value)
    paddings = {"reflect": F.reflection_pad, "replicate": F.replication_pad, "circular": F.circular_pad}
    return paddings[mode](input, pad)


face(pad, spaces=("nn.functional",))
