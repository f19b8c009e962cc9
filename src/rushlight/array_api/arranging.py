"""The standard's functions that rearrange, concatenate and select elements.

https://data-apis.org/array-api/2024.12/API_specification/manipulation_functions.html and indexing_functions.html
"""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.array_api.promotion import together
from rushlight.core import dtype as dtypes
from rushlight.core.tensor import Tensor
from rushlight.declarations.shapes import wrap_dim


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """Broadcasts the arrays to their common shape."""
    return list(F.broadcast_tensors(*arrays)) if arrays else []


def concat(arrays: tuple[Tensor, ...] | list[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Concatenates the arrays along an axis; None flattens them first."""
    promoted = together(*arrays)
    return F.cat([F.flatten(array) for array in promoted], 0) if axis is None else F.cat(promoted, axis)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Returns the differences of neighbours along an axis, `n` times."""
    return F.diff(x, n, axis, prepend, append)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """Inserts an axis of length 1."""
    return F.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Reverses the array along axes, None along all."""
    dims = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return F.flip(x, tuple(dims))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Transposes the last two dimensions."""
    return x.mT


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """Permutes the axes of the array."""
    return F.permute(x, axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Repeats each element; None flattens the array first."""
    times = repeats.to(dtypes.int64) if isinstance(repeats, Tensor) else repeats
    return F.repeat_interleave(x, times, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """Reshapes the array; `copy` as in `asarray`."""
    if copy is not False:
        result = F.reshape(x, shape)
        return F.clone(result) if copy and _shares(result, x) else result
    try:
        return x.view(shape)
    except RuntimeError as error:
        raise ValueError(f"reshape(): no view of this array has the shape {tuple(shape)}") from error


def _shares(first: Tensor, second: Tensor) -> bool:
    return first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Shifts the elements along axes, cyclically; None rolls the flattened array."""
    if axis is None:
        return F.roll(x, shift)
    if axis == ():  # PyTorch needs a shift
        return F.clone(x)
    if isinstance(axis, tuple) and not isinstance(shift, tuple):
        shift = (shift,) * len(axis)
    return F.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Removes axes of length 1. Raises ValueError for longer ones, which PyTorch ignores."""
    dims = axis if isinstance(axis, tuple) else (axis,)
    for dim in dims:
        if x.shape[wrap_dim(dim, x.ndim)] != 1:
            raise ValueError(f"squeeze(): axis {dim} has {x.shape[dim]} elements, not 1")
    return F.squeeze(x, dims)


def stack(arrays: tuple[Tensor, ...] | list[Tensor], /, *, axis: int = 0) -> Tensor:
    """Stacks the arrays along a new axis."""
    return F.stack(together(*arrays), axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Splits the array along an axis."""
    return tuple(F.unbind(x, axis))


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Selects elements at indices along an axis, optional in one dimension; PyTorch's `take` flattens the array."""
    if axis is None and x.ndim != 1:
        raise ValueError(f"take() needs an axis for an array of {x.ndim} dimensions")
    dim = wrap_dim(axis or 0, x.ndim)
    return F.index_select(x, dim, _places(indices, x.shape[dim]))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Selects elements at indices that differ from row to row.

    >>> import rushlight as torch
    >>> torch.take_along_axis(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1], [0]]))
    tensor([[2],
            [3]])
    """
    return F.take_along_dim(x, _places(indices, x.shape[axis]), axis)


def _places(indices: Tensor, length: int) -> Tensor:
    """Converts indices to nonnegative int64, which PyTorch needs."""
    positions = indices.to(dtypes.int64)
    return F.where(positions < 0, positions + length, positions)
