"""Dimensions in another order, and those of size 1: views all of them."""

from __future__ import annotations

import warnings

from rushlight.declarations.checks.dimensions import check_H_rank, check_movedim, check_movedim_given
from rushlight.declarations.declare import Direct, composite, face, linear
from rushlight.declarations.dtype_rules import raw_dtype
from rushlight.declarations.shapes import dims_of_method, plain, wrap_dim

# ---- dimensions in another order


@linear(view=True)
class transpose:
    """`input` with two dimensions swapped."""

    def forward(xp, input: Tensor, dim0, dim1):
        return xp.swapaxes(input, dim0, dim1)

    def d_input(F, g, dim0, dim1):
        return F.transpose(g, dim0, dim1)

    samples = lambda r: [(r(2, 3), 0, 1), (r(2, 3, 4), -1, 0), (r(), 0, -1)]


face(transpose, aliases=("swapdims",), inplace=True, inplace_reshapes="TransposeBackward1")


@composite(samples=lambda r: [(r(2, 3), 0, 1), (r(2, 3, 4), -1, 0)])
def swapaxes(F, input, axis0, axis1):
    """`input` with two dimensions swapped: `transpose` by NumPy's name."""
    return F.transpose(input, axis0, axis1)


face(swapaxes, inplace=True, inplace_reshapes="None")


@linear(view=True)
class t:
    """A matrix transposed; fewer dimensions are left as they are."""

    def forward(xp, input: Tensor):
        return xp.t(input)

    def d_input(F, g):
        return F.t(g)

    samples = lambda r: [(r(2, 3),), (r(3),), (r(),)]


face(t, inplace=True, inplace_reshapes="TBackward1", node="TBackward0")


@linear(view=True)
class permute:
    """`input` with its dimensions in another order."""

    def forward(xp, input: Tensor, dims):
        return xp.permute(input, dims)

    def d_input(F, g, dims):
        order = [dim % len(dims) for dim in dims]
        return F.permute(g, tuple(sorted(range(len(order)), key=order.__getitem__)))

    samples = lambda r: [(r(2, 3, 4), (2, 0, 1)), (r(2, 3), (-1, -2)), (r(), ())]


face(permute, method=None)


@composite(samples=lambda r: [(r(2, 3, 4), 2, 0, 1), (r(2, 3), (-1, -2))])
def permute_variadic(F, input, *order, dims=None):
    """`input` with its dimensions in another order."""
    return F.permute(input, plain(order if dims is None else dims))


face(permute_variadic, spaces=(), method="permute")


@composite(samples=lambda r: [(r(2, 3, 4), 0, 2), (r(2, 3, 4), (0, 1), (-1, 0)), (r(3), 0, 0)])
def movedim(F, input, source, destination):
    """`input` with some dimensions moved to other positions, the rest in their order."""
    source, destination = (each if isinstance(each, (tuple, list)) else (each,) for each in (source, destination))
    check_movedim(source, destination)
    indices = []
    for name, given in (("source", source), ("destination", destination)):
        indices.append([wrap_dim(dim, input.ndim) for dim in given])
        check_movedim_given(given, indices, name)
    if not input.ndim:
        return F.permute(input, ())
    order = [dim for dim in range(input.ndim) if dim not in indices[0]]
    for target, dim in sorted(zip(indices[1], indices[0], strict=True)):
        order.insert(target, dim)
    return F.permute(input, tuple(order))


face(movedim, aliases=("moveaxis",), forms=("Tensor, int, int", "Tensor, Ints, Ints"))


@composite(internal=True)
def T(F, input):
    """`input` with all its dimensions in reverse order: a property."""
    if input.ndim == 2:
        return F.permute(input, (1, 0))
    _warn_about_rank("T", input.ndim)
    return F.permute(input, tuple(reversed(range(input.ndim))))


def _warn_about_rank(name: str, rank: int) -> None:
    if rank == 0:
        warnings.warn(
            f"Tensor.{name} is deprecated on 0-D tensors. "
            + ("Consider using x.conj()." if name in ("H", "mH") else "This function is the identity in these cases."),
            UserWarning,
            stacklevel=5,
        )
    elif name == "T" and rank > 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
            "will throw "
            "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange("
            "x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=5,
        )


@composite(internal=True)
def mT(F, input):
    """The matrices in the last two dimensions, transposed: a property."""
    return _matrix_transpose(F, input, "mT", conjugate=False)


@composite(internal=True)
def mH(F, input):
    """The matrices in the last two dimensions, transposed and conjugated: a property."""
    return _matrix_transpose(F, input, "mH", conjugate=True)


@composite(internal=True)
def H(F, input):
    """A matrix transposed and conjugated: a property."""
    check_H_rank(input)
    return _matrix_transpose(F, input, "H", conjugate=True)


@composite(samples=lambda r: [(r(2, 3),), (r(4, 2, 3),)])
def adjoint(F, input):
    """The matrices in the last two dimensions, transposed and conjugated."""
    return _matrix_transpose(F, input, "adjoint()", conjugate=True)


def _matrix_transpose(F, input, name: str, *, conjugate: bool):
    if input.ndim == 1:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    if input.ndim == 0:
        _warn_about_rank(name, 0)
    else:
        input = F.transpose(input, -2, -1)
    return F.conj(input) if conjugate and raw_dtype(input).kind == "c" else input


# ---- dimensions of size 1


@linear(view=True)
class squeeze:
    """`input` without its dimensions of size 1: all of them, or those that `dim` names."""

    def forward(xp, input: Tensor, dim=None):
        return xp.drop_dims(input, dim)

    def d_input(F, g, input_shape):
        return F.view(g, input_shape)

    samples = lambda r: [(r(2, 1, 3, 1),), (r(2, 1), -1), (r(2, 1), 0), (r(1, 2, 1), (0, 1, 2)), (r(), 0), (r(1), ())]


face(
    squeeze,
    method=None,
    inplace=True,
    inplace_reshapes=(
        "SqueezeBackward3 if dim is None else SqueezeBackward5 if isinstance(dim, tuple) else SqueezeBackward4"
    ),
    node="SqueezeBackward0 if dim is None else SqueezeBackward1 if isinstance(dim, int) else SqueezeBackward2",
)


@composite(samples=lambda r: [(r(2, 1, 3, 1),), (r(2, 1), -1), (r(1, 2, 1), 0, 2), (r(1, 2, 1), (0, 1, 2))])
def squeeze_variadic(F, input, dim: Ints | int = None, *more, axis: Ints | int = None):
    """`input` without its dimensions of size 1: all of them, or those that are named."""
    return F.squeeze(input, dims_of_method("squeeze", dim, more, axis))


face(squeeze_variadic, spaces=(), method="squeeze", direct=(Direct("not more and axis is None", "squeeze", {}),))


@composite
def squeeze_variadic_(F, input, dim: Ints | int = None, *more, axis: Ints | int = None):
    """`input` loses its dimensions of size 1, all of them, or those that are named."""
    return F.squeeze_(input, dims_of_method("squeeze_", dim, more, axis))


face(squeeze_variadic_, spaces=(), method="squeeze_")


@linear(view=True)
class unsqueeze:
    """`input` with a dimension of size 1 at `dim`."""

    def forward(xp, input: Tensor, dim):
        return xp.new_dim(input, dim)

    def d_input(F, g, dim):
        return F.squeeze(g, dim)

    samples = lambda r: [(r(2, 3), 0), (r(2, 3), -1), (r(2, 3), 1), (r(), 0), (r(0), 1)]


face(unsqueeze, inplace=True, inplace_reshapes="UnsqueezeBackward1")


@composite(samples=lambda r: [(r(),), (r(2, 3),), (r(), r(2)), ([r(), r(2)],)])
def atleast_1d(F, *tensors):
    """The tensors with at least one dimension."""
    return _each(tensors, lambda x: F.reshape(x, (1,)) if x.ndim == 0 else x)


face(atleast_1d, method=None)


@composite(samples=lambda r: [(r(),), (r(3),), (r(2, 3),), (r(), r(2))])
def atleast_2d(F, *tensors):
    """The tensors with at least two dimensions, new ones in front."""
    return _each(tensors, lambda x: F.reshape(x, (1, 1)) if x.ndim == 0 else F.unsqueeze(x, 0) if x.ndim == 1 else x)


face(atleast_2d, method=None)


@composite(samples=lambda r: [(r(),), (r(3),), (r(2, 3),), (r(), r(2, 1))])
def atleast_3d(F, *tensors):
    """The tensors with at least three dimensions: vectors go to the middle, matrices get a last one."""
    return _each(tensors, lambda x: _three_dims(F, x))


face(atleast_3d, method=None)


def _three_dims(F, x):
    if x.ndim == 0:
        return F.reshape(x, (1, 1, 1))
    if x.ndim == 1:
        return F.unsqueeze(F.unsqueeze(x, 0), -1)
    return F.unsqueeze(x, -1) if x.ndim == 2 else x


def _each(tensors, change):
    if len(tensors) == 1:
        return tuple(map(change, tensors[0])) if isinstance(tensors[0], (tuple, list)) else change(tensors[0])
    return tuple(map(change, tensors))
