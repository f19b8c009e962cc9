"""Views of raw arrays: the same memory with another shape or other strides, with PyTorch's errors for invalid views."""

from __future__ import annotations

import math
from operator import index as as_integer

import numpy as np
from numpy.exceptions import AxisError

from rushlight.arrays.meta import MetaArray
from rushlight.core.convertible import is_integer
from rushlight.core.dtype import BY_NUMPY, REAL_OF, SCALAR_NAMES
from rushlight.core.storage import address, flat, owner
from rushlight.core.strides import contiguous_strides, element_strides


class Window:
    """Array interface through which NumPy makes an array on another object's memory."""

    def __init__(self, interface: dict, base):
        self.__array_interface__, self.base = interface, base


def strided(array, shape, strides, offset=0):
    """Returns a view of the memory behind `array`; strides and offset are in bytes, from its first element."""
    if type(array) is np.ndarray:
        memory = array if array.flags.forc and offset >= 0 else owner(array)
        start = offset if memory is array else offset + address(array) - address(memory)
        try:
            if not memory.flags.forc:
                memory = flat(memory)  # np.ndarray accepts only a contiguous buffer
            # Several times as fast as the path below, and `base` is the owner of the memory.
            return np.ndarray(shape, array.dtype, memory, start, strides)
        except (TypeError, ValueError):
            pass
    if isinstance(array, MetaArray):
        return MetaArray(shape, array.dtype, strides)
    interface = array.__array_interface__
    pointer, read_only = interface["data"]
    changed = {**interface, "shape": tuple(shape), "strides": tuple(strides), "data": (pointer + offset, read_only)}
    result = np.asarray(Window(changed, array)).view(array.dtype)
    if type(array) is not np.ndarray:
        result = result.view(type(array))
        result.__array_finalize__(array)
    return result


# ---- shapes


def view(array, shape):
    """Returns the same memory in another shape. Raises PyTorch's RuntimeError if that needs a copy."""
    reshape = array.reshape  # which an array of a transform does not have
    try:
        for length in shape:
            if (
                length < -1 and as_integer(length) < -1
            ):  # which NumPy takes for -1; a tensor of bytes is below it itself
                raise unviewable(array, list(shape))
        # A contiguous array never needs a copy, and NumPy takes twice as long with the argument.
        return reshape(shape) if array.flags.c_contiguous else reshape(shape, copy=False)
    except ValueError:
        raise unviewable(array, list(shape)) from None
    except TypeError:
        raise TypeError(f"view(): argument 'size' must be tuple of ints, not {shape}") from None


def needs_copy(array, shape) -> bool:
    """Whether a shape is valid for an array, but needs a copy."""
    if array.flags.c_contiguous:
        return False
    if not hasattr(array, "reshape"):  # it belongs to a transform; strides say it all
        array = np.lib.stride_tricks.as_strided(np.empty((), array.dtype), array.shape, array.strides)
    try:
        getattr(array, "layout", array).reshape(shape, copy=False)
    except (TypeError, ValueError) as error:
        return str(error).startswith("Unable to avoid creating a copy") and min(shape) >= -1
    return False


def unviewable(array, shape: list) -> RuntimeError:
    """Returns the error for an array that cannot be viewed in a shape."""
    negative = next((position for position, length in enumerate(shape) if length < -1), None)
    if negative is not None:
        return RuntimeError(f"invalid shape dimension {shape[negative]} at index {negative} of shape {shape}")
    if shape.count(-1) > 1:
        return RuntimeError("only one dimension can be inferred")
    known = math.prod(length for length in shape if length != -1)
    if -1 in shape and known == 0 and array.size == 0:
        return RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {shape} because the unspecified dimension size -1 "
            "can be any "
            "value and is ambiguous"
        )
    if array.size != known and (-1 not in shape or not known or array.size % known):
        return _wrong_size(array, shape)
    return _not_in_order(array, shape)


def _wrong_size(array, shape: list) -> RuntimeError:
    error = RuntimeError(f"shape '{shape}' is invalid for input of size {array.size}")
    error.add_note(f"The tensor has shape {array.shape}: the sizes of the new shape must multiply to {array.size}.")
    return error


def _not_in_order(array, shape: list) -> RuntimeError:
    error = RuntimeError(
        "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
        "contiguous subspaces). Use .reshape(...) instead."
    )
    error.add_note(
        f"The elements of this tensor of shape {array.shape} are not in memory in the order of shape "
        f"{tuple(shape)}: it "
        "was transposed, permuted, expanded or cut. reshape copies where it must."
    )
    return error


def expand(array, shape):
    """Returns `array` with dimensions of size 1 repeated to `shape`, without copying; -1 keeps a size."""
    if type(array) is np.ndarray:
        if shape == array.shape:
            return array[...]
        if not array.ndim:
            try:
                return np.ndarray(shape, array.dtype, array, 0, (0,) * len(shape))
            except ValueError:
                pass  # the code below finds the error
    extra = len(shape) - array.ndim
    sizes, strides = list(shape), [0] * extra
    if extra < 0 or (extra and min(shape[:extra]) < 0):
        raise unexpandable(array, sizes)
    dim = extra
    for length, step in zip(array.shape, array.strides, strict=True):
        wanted = sizes[dim]
        if wanted == length or wanted == -1:
            sizes[dim] = length
        elif length == 1 and wanted >= 0:
            step = 0
        else:
            raise unexpandable(array, list(shape))
        strides.append(step)
        dim += 1
    return strided(array, sizes, strides)


def unexpandable(array, shape: list) -> RuntimeError:
    """Returns the error for an array that cannot be expanded to a shape."""
    lengths, extra = list(array.shape), len(shape) - array.ndim
    if extra < 0:
        return RuntimeError(
            f"expand(torch.{SCALAR_NAMES[BY_NUMPY[array.dtype]]}Tensor{{{lengths}}}, size={shape}): the number of "
            "sizes "
            f"provided ({len(shape)}) must be greater or equal to the number of dimensions in the tensor ({array.ndim})"
        )
    for dim in reversed(range(len(shape))):
        if dim < extra and shape[dim] < 0:
            return RuntimeError(
                f"The expanded size of the tensor ({shape[dim]}) isn't allowed in a leading, non-existing "
                f"dimension {dim}"
            )
        if dim >= extra and shape[dim] != lengths[dim - extra] and (lengths[dim - extra] != 1 or shape[dim] < 0):
            break
    error = RuntimeError(
        f"The expanded size of the tensor ({shape[dim]}) must match the existing size ({lengths[dim - extra]}) at "
        f"non-singleton dimension {dim}.  Target sizes: {shape}.  Tensor sizes: {lengths}"
    )
    error.add_note("Only a dimension of size 1 can be expanded, and new dimensions come in front.")
    return error


# ---- dimensions


ZERO = 0  # False is equal to it, but another object


def axis(dim: int, rank: int) -> int:
    """Returns a dimension counted from the front; a 0-d array counts as 1-d."""
    rank = rank or 1
    if type(dim) is not int:
        dim = counted(dim)
    if not -rank <= dim < rank:
        raise AxisError(dim, rank)
    return dim + rank if dim < 0 else dim


def counted(dim) -> int:
    """Converts a dimension that is not an int. Raises TypeError if PyTorch does not accept it as an integer."""
    if not is_integer(dim):
        raise TypeError("a dimension is a whole number")
    return as_integer(dim)


def swapaxes(array, first, second):
    """Returns `array` with two dimensions swapped."""
    if type(first) is not int or type(second) is not int:
        first, second = counted(first), counted(second)
    try:
        return array.swapaxes(first, second)
    except (AxisError, OverflowError) as error:
        if array.ndim and type(error) is AxisError:
            raise
        axis(first, array.ndim), axis(second, array.ndim)
        return array[...]


def t(array):
    """Transposes a matrix; arrays with fewer dimensions are returned unchanged."""
    if array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {array.ndim}D")
    return array.T


def permute(array, order):
    """Returns `array` with its dimensions in another order."""
    try:
        return array.transpose(order)
    except np.exceptions.AxisError:
        raise
    except ValueError:
        pass
    if len(order) != array.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {array.ndim} is not equal to len(dims) = {len(order)}"
        )
    raise RuntimeError("permute(): duplicate dims are not allowed.")


def drop_dims(array, dim):
    """Returns `array` without its dimensions of size 1: all of them, or those in `dim`."""
    if dim is None:
        return array.squeeze()
    dims = [axis(dim_, array.ndim) for dim_ in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    repeated = next((dim_ for dim_ in dims if dims.count(dim_) > 1), None)
    if repeated is not None:
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return array.squeeze(tuple(dim_ for dim_ in dims if array.ndim and array.shape[dim_] == 1))


def new_dim(array, dim):
    """Returns `array` with a new dimension of size 1 at `dim`, with the stride of a fresh tensor."""
    dim = axis(dim, array.ndim + 1)
    if type(array) is not np.ndarray or array.flags.c_contiguous:
        return array[(slice(None),) * dim + (None,)]
    shape, strides = array.shape, array.strides
    step = shape[dim] * strides[dim] if dim < len(shape) else array.itemsize
    return strided(array, (*shape[:dim], 1, *shape[dim:]), (*strides[:dim], step, *strides[dim:]))


# ---- parts


def diagonal(array, offset, dim1, dim2):
    """Returns the diagonals of the matrices in two dimensions, as a last dimension."""
    check_plane(array.ndim, dim1, dim2)
    if type(offset) is not int:
        offset = counted(offset)
    if offset:
        offset = within_corners(array.shape[dim1], array.shape[dim2], offset)
    result = array.diagonal(offset, dim1, dim2)
    if not result.flags.writeable and array.flags.writeable:
        result.flags.writeable = True
    return result


def within_corners(rows: int, columns: int, diagonal: int) -> int:
    """Clips the offset of a diagonal to the corners of the matrix.

    >>> within_corners(2, 3, 2**63), within_corners(2, 3, -1)
    (3, -1)
    """
    return max(-rows, min(diagonal, columns))


def check_plane(rank: int, dim1: int, dim2: int) -> None:
    """Raises unless two dimensions are in range and differ."""
    if axis(dim1, rank) == axis(dim2, rank):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")


def windows(array, dim, size, step):
    """Returns every window of `size` along `dim`, `step` apart, as a last dimension."""
    dim = axis(dim, array.ndim)
    length, stride = (array.shape[dim], array.strides[dim]) if array.ndim else (1, array.itemsize)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step is True:
        raise TypeError("a step is a whole number")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not array.ndim:
        return array.reshape(1)[:size]
    shape, strides = list(array.shape), list(array.strides)
    count = (length - size) // step + 1
    shape[dim], strides[dim] = count, stride * (step if count > 1 else min(step, length + 1))
    return strided(array, (*shape, size), (*strides, stride))


def add_windows(windowed, shape, dim, step):
    """The transpose of `windows`: adds every window to the elements that it shows."""
    out = np.zeros_like(windowed, shape=shape)
    if not shape:
        return windowed.sum(-1)
    dim = axis(dim, len(shape))
    count = windowed.shape[dim]
    target = np.moveaxis(out, dim, -1)
    source = np.moveaxis(windowed, dim, -2)
    for start in range(0, windowed.shape[-1], step):
        # Pieces no longer than a step, one per window, do not overlap.
        pieces = source[..., start : start + step]
        targets = windows(target[..., start:], -1, pieces.shape[-1], step)[..., :count, :]
        targets += pieces
    return out


def position(value) -> int:
    """Converts to an integer. Raises TypeError for a bool, which PyTorch does not accept."""
    if isinstance(value, bool):
        raise TypeError("a position is a whole number")
    return as_integer(value)


def select(array, dim, index):
    """Returns the slice at a position along a dimension."""
    if type(index) is not int:
        index = position(index)
    try:
        if dim is ZERO:
            return array[index, ...]
        return array[(*(slice(None),) * axis(dim, array.ndim), index, ...)]
    except AxisError:
        raise
    except IndexError:
        if not array.ndim:
            raise IndexError("select() cannot be applied to a 0-dim tensor.") from None
        where = f"tensor of size {list(array.shape)} at dimension {dim}"
        raise IndexError(f"select(): index {index} out of range for {where}") from None


def sliced(array, dim, start, end, step):
    """Returns every `step`-th slice between two positions along a dimension."""
    if dim:
        return array[(*(slice(None),) * dim, slice(start, end, step))]
    return array[start:end:step]


def part_of_zeros(array, shape, index):
    """Returns zeros of a shape, with an array in the part selected by an index."""
    out = np.zeros(shape, array.dtype) if type(array) is np.ndarray else np.zeros_like(array, shape=shape)
    out[index] = array
    return out


def unbind(array, dim):
    """Returns every slice along a dimension."""
    if not array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    lead = (slice(None),) * axis(dim, array.ndim)
    return tuple(array[(*lead, position, ...)] for position in range(array.shape[len(lead)]))


def split_evenly(array, size, dim):
    """Returns parts of `size` slices along a dimension; the last one may be shorter."""
    if not array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    lead = (slice(None),) * axis(dim, array.ndim)
    length = array.shape[len(lead)]
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0:
        if length:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
        return (array[...],)
    return tuple(array[(*lead, slice(start, start + size))] for start in range(0, max(length, 1), size))


def split_with_sizes(array, sizes, dim):
    """Returns parts of the given sizes along a dimension."""
    if not array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    lead = (slice(None),) * axis(dim, array.ndim)
    length = array.shape[len(lead)]
    if any(size < 0 for size in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(sizes)}"
        )
    if sum(sizes) != length:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size at dimension "
            f"{len(lead)}), but got split_sizes={list(sizes)}"
        )
    parts, start = [], 0
    for size in sizes:
        parts.append(array[(*lead, slice(start, start + size))])
        start += size
    return tuple(parts)


# ---- other dtypes


def unmarked(array):
    """Returns the same memory without a device's marked dtype, with which NumPy cannot view it as another dtype."""
    return np.asarray(array) if isinstance(array, np.ndarray) else array


def marked(result, array):
    """Returns a view of unmarked memory with the array type of `array`."""
    return result if type(result) is type(array) else result.view(type(array))


def view_dtype(array, dtype):
    """Returns the same bytes viewed as another dtype."""
    if array.dtype == dtype:
        return array[...]
    old, new = array.itemsize, dtype.itemsize
    if old != new:
        _check_dtype_view(array, dtype, old, new)
    if array.size == 0 and old != new:
        return np.ndarray((*array.shape[:-1], array.shape[-1] * old // new), dtype, array)
    return marked(unmarked(array).view(dtype), array)


def _check_dtype_view(array, dtype, old: int, new: int) -> None:
    names = f"{SCALAR_NAMES[BY_NUMPY[array.dtype]]} as {SCALAR_NAMES[BY_NUMPY[dtype]]} (different element sizes)"
    if not array.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 to view {names}")
    # NumPy does not keep the strides of an empty array
    strides = element_strides(array) if array.size else contiguous_strides(array.shape)
    if new < old:
        _check_last_stride(strides, names)
        return
    ratio = new // old
    if array.shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} to view {names}, but got {array.shape[-1]}")
    start = (address(array) - address(owner(array))) // old
    if start % ratio:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} to view {names}, but got {start}")
    _check_last_stride(strides, names)
    for dim, step in enumerate(strides[:-1]):
        if step % ratio:
            raise RuntimeError(f"self.stride({dim}) must be divisible by {ratio} to view {names}, but got {step}")


def _check_last_stride(strides: tuple, names: str) -> None:
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 to view {names}, but got {strides[-1]}")


def as_real(array):
    """Views complex numbers as pairs of real ones, in a new last dimension."""
    if array.dtype.kind not in "cW":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if isinstance(array, np.generic):
        array = np.asarray(array)  # NumPy's scalar result of 0-d arithmetic has no memory for a view
    # NumPy has no parts of complex32, but can view a last dimension as twice as many float16.
    part = array.real if array.dtype.kind == "c" else array[..., None].view(np.float16)[..., 0]
    return strided(part, (*array.shape, 2), (*array.strides, part.itemsize))


COMPLEX = {part.numpy: whole for whole, part in REAL_OF.items()}


def as_complex(array):
    """Views pairs of real numbers, the last dimension, as complex ones."""
    dtype = COMPLEX.get(array.dtype)
    if dtype is None:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{SCALAR_NAMES[BY_NUMPY[array.dtype]]}"
        )
    if not array.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    dtype = dtype.numpy
    if not array.size:
        return np.ndarray(array.shape[:-1], dtype, array)
    if array.strides[-1] != array.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % (2 * array.itemsize) for step in array.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if (address(array) - address(owner(array))) % (2 * array.itemsize):
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return marked(unmarked(array).view(dtype)[..., 0], array)


# ---- reading and writing through another array's strides


def locations(shape, strides, offset=0):
    """Returns the location of each element of a strided layout, in elements from the first one."""
    result = np.full(shape, offset)
    for dim, (length, step) in enumerate(zip(shape, strides, strict=True)):
        result += (np.arange(length) * step).reshape((-1,) + (1,) * (len(shape) - dim - 1))
    return result


def regather(array, source, target, *, shared):
    """Moves elements from the locations `source` to the locations `target`; duplicates are added.

    Locations not in `source` are zero. Each location is divided by its multiplicity in `shared`.
    """
    low = min(np.minimum.reduce(x, None, initial=0) for x in (source, target))
    size = int(max(np.maximum.reduce(x, None, initial=0) for x in (source, target)) - low + 1)
    memory = np.zeros(size, array.dtype)
    np.add.at(memory, (source - low).ravel(), array.ravel())
    multiplicity = np.bincount((shared - low).ravel(), minlength=size)
    return (memory / np.maximum(multiplicity, 1)).astype(array.dtype)[target - low]


def write_flat(out, indices, value):
    """Writes a value to the elements of `out` at flat indices `indices`, counted from 1; 0 is no element."""
    reached = indices > 0
    out.flat[indices[reached] - 1] = np.broadcast_to(value, indices.shape)[reached]
