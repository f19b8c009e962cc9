"""The standard's functions that arrange, join and pick elements.

https://data-apis.org/array-api/2024.12/API_specification/manipulation_functions.html and indexing_functions.html
"""

from __future__ import annotations

from rushlight._generated import functions as F
from rushlight.array_api.promotion import together
from rushlight.core import dtype as dtypes
from rushlight.core.tensor import Tensor
from rushlight.declarations.shapes import wrap_dim


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """The arrays in their common shape."""
    return list(F.broadcast_tensors(*arrays)) if arrays else []


def concat(arrays: tuple[Tensor, ...] | list[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The arrays one after the other along an axis; None flattens them first."""
    promoted = together(*arrays)
    return F.cat([F.flatten(each) for each in promoted], 0) if axis is None else F.cat(promoted, axis)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along an axis, `n` times."""
    return F.diff(x, n, axis, prepend, append)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """The array with one more axis, of one element."""
    return F.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """The array backwards along axes, None along all."""
    dims = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return F.flip(x, tuple(dims))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The matrices in the last two dimensions, transposed."""
    return x.mT


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """The array with its axes in another order."""
    return F.permute(x, axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element several times; None flattens the array first."""
    times = repeats.to(dtypes.int64) if isinstance(repeats, Tensor) else repeats
    return F.repeat_interleave(x, times, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The array in another shape; `copy` as in `asarray`."""
    if copy is not False:
        found = F.reshape(x, shape)
        return F.clone(found) if copy and _shares(found, x) else found
    try:
        return x.view(shape)
    except RuntimeError as error:
        raise ValueError(f"reshape(): no view of this array has the shape {tuple(shape)}") from error


def _shares(one: Tensor, other: Tensor) -> bool:
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """The elements moved along axes, those beyond the end to the front; None rolls the flattened array."""
    if axis is None:
        return F.roll(x, shift)
    if isinstance(axis, tuple) and not isinstance(shift, tuple):
        shift = (shift,) * len(axis)
    return F.roll(x, shift, axis)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """The array without axes of one element. Raises ValueError for longer ones, which PyTorch leaves alone."""
    dims = axis if isinstance(axis, tuple) else (axis,)
    for each in dims:
        if x.shape[wrap_dim(each, x.ndim)] != 1:
            raise ValueError(f"squeeze(): axis {each} has {x.shape[each]} elements, not 1")
    return F.squeeze(x, dims)


def stack(arrays: tuple[Tensor, ...] | list[Tensor], /, *, axis: int = 0) -> Tensor:
    """The arrays beside each other along a new axis."""
    return F.stack(together(*arrays), axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The arrays that lie beside each other along an axis."""
    return tuple(F.unbind(x, axis))


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The elements at places along an axis, which one dimension need not name; PyTorch's counts flattened elements."""
    if axis is None and x.ndim != 1:
        raise ValueError(f"take() needs an axis for an array of {x.ndim} dimensions")
    dim = wrap_dim(axis or 0, x.ndim)
    return F.index_select(x, dim, _places(indices, x.shape[dim]))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The elements at places that differ from row to row.

    >>> import rushlight as torch
    >>> torch.take_along_axis(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1], [0]]))
    tensor([[2],
            [3]])
    """
    return F.take_along_dim(x, _places(indices, x.shape[axis]), axis)


def _places(indices: Tensor, length: int) -> Tensor:
    """Indices as PyTorch takes them: of int64, counted from the front."""
    places = indices.to(dtypes.int64)
    return F.where(places < 0, places + length, places)
