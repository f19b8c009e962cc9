"""Writing through views: the result of an in-place change, as a function of the old and new elements."""

from __future__ import annotations

import math

from rushlight.core.formats import CONTIGUOUS
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.core.tables import xp
from rushlight.core.tensor import wrap
from rushlight.declarations.batches import front
from rushlight.declarations.declare import OPS, composite, face, linear
from rushlight.declarations.dtype_rules import raw_dtype

# Views that depend on strides, and the operators that read the same elements from other strides.
READERS = {
    "as_strided_from": "strided_copy", "view": "reshape", "view_as_complex": "complex_copy", "conjugate": "conj",
    "_neg_view": "neg",
}  # fmt: skip
MARKS = {"conjugate": "conj", "_neg_view": "negative"}  # views with other values, and the operators that compute these
ELEMENTS_OF_OTHERS = frozenset(("view_as_real", "view_as_complex", "view_dtype"))  # views with other elements
# The second row of a matrix of three columns; its first diagonal below the main one; strided memory.
PATHS = lambda: [
    ((OPS["getitem_view"].function, ((1, ...),)),),
    ((OPS["view"].function, ((3, 2),)), (OPS["diagonal"].function, (-1, 0, 1))),
    ((OPS["as_strided_from"].function, ((3,), (1,), 2, (3, 1))),),
]


@composite(internal=True)
def complex_copy(F, input):
    """Pairs of real numbers as complex numbers, of any strides."""
    return F.view_as_complex(F.clone(input, memory_format=CONTIGUOUS))


def read(F, input, path):
    """The part of `input` that the view operations of a path lead to."""
    for function, arguments in path:
        name = function.__name__
        input = getattr(F, READERS.get(name, name))(input, *arguments)
    return input


def written(xp, out, value, path):
    """Writes `value` to the view at the end of a path from a raw contiguous array."""
    if any(function.__name__ == "as_strided_from" for function, _ in path):
        return _write_in_places(xp, out, value, path)
    part = out
    try:
        for function, arguments in path:
            forward = OPS[function.__name__].forward
            if type(part) is Unresolved:
                part = part.through(lambda array: forward(xp, array, *arguments))  # noqa: B023
            else:
                part = forward(xp, part, *arguments)
    except RuntimeError:  # the views were made from other strides
        return _write_in_places(xp, out, value, path)
    part[...] = xp.astype(value, part.dtype)
    return out


def _write_in_places(xp, out, value, path):
    for function, _ in path:
        name = function.__name__
        value = getattr(xp, MARKS[name])(value) if name in MARKS else value
    xp.write_flat(out, positions_of(xp, out.shape, path), value)
    return out


def positions_of(xp, shape, path):
    """The elements of a tensor that a path leads to, counted from 1; 0 is none."""
    indices = xp.reshape(xp.arange(1, math.prod(shape) + 1), shape)
    for function, arguments in path:
        name = function.__name__
        if name == "view":
            indices = xp.reshape(indices, *arguments)
        elif name not in MARKS:
            indices = OPS["strided_copy" if name == "as_strided_from" else name].forward(xp, indices, *arguments)
    return indices


def replaced(F, b, base, value, path):
    """A batch with the part that a path leads to replaced; NotImplemented where the path has no positions."""
    names = [function.__name__ for function, _ in path]
    if not ELEMENTS_OF_OTHERS.isdisjoint(names):
        return NotImplemented
    positions = positions_of(xp, tuple(base.shape[1:]), path)
    if not positions.all():
        return NotImplemented
    for name in names:
        value = (F.conj(value) if name == "conjugate" else -value) if name in MARKS else value
    value = F.cast(F.reshape(F.expand(value, (b.size, *positions.shape)), (b.size, positions.size)), raw_dtype(base))
    rows = F.reshape(base, (b.size, math.prod(base.shape[1:])))
    return F.reshape(F.index_copy(rows, 1, wrap(positions.reshape(-1) - 1), value), tuple(base.shape))


@linear(internal=True)
class write_view:
    """`base` with the part that `path` leads to replaced by `value`."""

    def forward(xp, base: Tensor, value: Tensor, path):
        return written(xp, xp.copy(base, order="C"), value, path)

    def d_base(F, g, value_shape, path):
        return F.write_view(g, F.new_zeros_of(g, value_shape), path)

    def d_value(F, g, path):
        return read(F, g, path)

    def batch(F, b, base, value, path):
        return replaced(F, b, front(F, b, "base", base), front(F, b, "value", value), path)

    samples = lambda r: [(r(2, 3), r(length), path) for length, path in zip((3, 2, 3), PATHS(), strict=True)]


face(write_view, node="CopySlices")


@linear(internal=True, exact=True)
class placed:
    """Zeros of `shape` with `input` in the part that `path` leads to: the transpose of a view."""

    def forward(xp, input: Tensor, shape, path):
        return written(xp, xp.zeros_like(input, order="C", shape=shape), input, path)

    def d_input(F, g, path):
        return read(F, g, path)

    def batch(F, b, input, shape, path):
        return replaced(F, b, F.new_zeros_of(input, (b.size, *shape)), input, path)

    samples = lambda r: [(r(length), (2, 3), path) for length, path in zip((3, 2, 3), PATHS(), strict=True)]
