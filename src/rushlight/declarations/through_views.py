"""Writing through views: the result of an in-place change, as a function of the old and new elements."""

from __future__ import annotations

from rushlight.core.formats import CONTIGUOUS
from rushlight.core.lazy_conj_neg import Unresolved
from rushlight.declarations.declare import OPS, composite, face, linear

# Views that depend on strides, and the operators that read the same elements from other strides.
READERS = {
    "as_strided_from": "strided_copy", "view": "reshape", "view_as_complex": "complex_copy", "conjugate": "conj",
    "_neg_view": "neg",
}  # fmt: skip
MARKS = {"conjugate": "conj", "_neg_view": "negative"}  # views with other values, and the operators that compute these
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
    indices = xp.reshape(xp.arange(1, out.size + 1), out.shape)
    for function, arguments in path:
        name = function.__name__
        if name in MARKS:
            value = getattr(xp, MARKS[name])(value)
        elif name == "view":
            indices = xp.reshape(indices, *arguments)
        else:
            indices = OPS["strided_copy" if name == "as_strided_from" else name].forward(xp, indices, *arguments)
    xp.write_flat(out, indices, value)
    return out


@linear(internal=True)
class write_view:
    """`base` with the part that `path` leads to replaced by `value`."""

    def forward(xp, base: Tensor, value: Tensor, path):
        return written(xp, xp.copy(base, order="C"), value, path)

    def d_base(F, g, value_shape, path):
        return F.write_view(g, F.new_zeros_of(g, value_shape), path)

    def d_value(F, g, path):
        return read(F, g, path)

    samples = lambda r: [(r(2, 3), r(length), path) for length, path in zip((3, 2, 3), PATHS(), strict=True)]


face(write_view, node="CopySlices")


@linear(internal=True, exact=True)
class placed:
    """Zeros of `shape` with `input` in the part that `path` leads to: the transpose of a view."""

    def forward(xp, input: Tensor, shape, path):
        return written(xp, xp.zeros_like(input, order="C", shape=shape), input, path)

    def d_input(F, g, path):
        return read(F, g, path)

    samples = lambda r: [(r(length), (2, 3), path) for length, path in zip((3, 2, 3), PATHS(), strict=True)]
