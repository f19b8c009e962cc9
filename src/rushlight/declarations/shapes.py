"""Functions on shapes and dimensions that declarations share."""

from __future__ import annotations

from functools import lru_cache
from operator import index

from rushlight.arrays.size_limits import LIMIT
from rushlight.core.convertible import is_integer
from rushlight.core.errors import noted, out_of_range, type_name


def wrap_dim(dim: int, rank: int) -> int:
    """Returns a dimension counted from the front. Raises PyTorch's IndexError if it is out of range."""
    low, high = (-rank, rank - 1) if rank else (-1, 0)
    if not low <= dim <= high:
        if type(dim) is not int and is_integer(dim):  # an unsigned tensor cannot be compared with a negative number
            return wrap_dim(index(dim), rank)
        raise out_of_range(dim, rank)
    return dim + (rank or 1) if dim < 0 else dim


def axis_of(dim: int, rank: int) -> int:
    """Returns a dimension counted from the front; a 0-d tensor has none."""
    if not rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, rank)


def length(value, dim: int) -> int:
    """Returns the size of a tensor or array along one dimension."""
    return value.shape[axis_of(dim, value.ndim)]


def dims(dim, rank: int):
    """Returns the axes of `dim`, as NumPy takes them: None for all."""
    if type(dim) is int and -rank <= dim < rank:
        return dim if dim >= 0 else dim + rank
    if dim is None:
        return None
    if type(dim) is not int and isinstance(dim, (tuple, list)):
        if not dim:
            return None
        for each in dim:
            if type(each) is not int:  # True equals 1, but is not a dimension
                return axes_of.__wrapped__([each if type(each) is bool else index(each) for each in dim], rank)
        return axes_of(tuple(dim), rank)
    return one_dim(dim, rank)


@lru_cache(maxsize=256)
def axes_of(several, rank: int) -> tuple:
    """Returns the axes of several dimensions. Raises RuntimeError if one occurs twice."""
    results = tuple(wrap_dim(each, rank) for each in several)
    if len(set(results)) != len(results):
        double = next(each for each in results if results.count(each) > 1)
        raise RuntimeError(f"dim {double} appears multiple times in the list of dims")
    return results if rank else ()


def one_dim(dim: int, rank: int):
    """Returns the axis of `dim`, as NumPy takes it: () for a 0-d array."""
    if type(dim) is int and -rank <= dim < rank:
        return dim if dim >= 0 else dim + rank
    axis = wrap_dim(dim, rank)
    return axis if rank else ()


def keepdim_shape(shape: tuple, dim) -> tuple:
    """Returns the shape after a reduction over `dim` with keepdim."""
    axes = dims(dim, len(shape))
    if axes is None:
        return (1,) * len(shape)
    axes = axes if isinstance(axes, tuple) else (axes,)
    return tuple(1 if position in axes else length for position, length in enumerate(shape))


def sizes(arguments: tuple) -> tuple:
    """Returns a shape given as one sequence or as several integers."""
    if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
        arguments = arguments[0]
    return tuple(map(index, arguments))


def unpack_sequence(values: tuple) -> tuple | list:
    """Returns the integers of a call that takes one sequence or several integers."""
    return values[0] if len(values) == 1 and isinstance(values[0], (tuple, list)) else values


def dims_of_method(name: str, dim, more: tuple, axis):
    """Returns the dimensions of a method that takes one, a sequence, or several; `axis` is NumPy's name for them."""
    if axis is None:
        return integers(name, "dim", (dim, *more)) if more else dim
    if dim is not None:
        raise TypeError(f"{name}() got an unexpected keyword argument 'axis'")
    return axis


def plain(values) -> tuple:
    """Returns the integers of a call that takes one sequence or several integers, unchecked, as a tuple."""
    if len(values) == 1 and type(values[0]) is not int and isinstance(values[0], (tuple, list)):
        values = values[0]
    return values if type(values) is tuple else tuple(values)


def as_int(name: str, argument: str, value, position: str = "") -> int:
    """Returns an argument that is an integer, or a tensor of one. Raises PyTorch's TypeError otherwise."""
    if type(value) is not int and not is_integer(value):
        raise TypeError(f"{name}(): argument '{argument}'{position} must be int, not {type_name(value)}")
    number = index(value)
    if not -LIMIT <= number < LIMIT:
        raise ValueError("Overflow when unpacking long long")
    return number


def one_or_each(value) -> tuple[int, ...]:
    """Returns a setting of several dimensions as a tuple; one integer gives one element."""
    return tuple(map(index, value)) if isinstance(value, (tuple, list)) else (index(value),)


def integers(name: str, argument: str, values, position: str = "") -> tuple:
    """Returns a sequence of integers as a tuple. Raises PyTorch's TypeError for other elements."""
    try:
        return tuple(map(index, values))
    except TypeError:
        raise _not_integers(name, f"'{argument}'{position}", values) from None


def _not_integers(name: str, argument: str, values) -> TypeError:
    if not isinstance(values, (tuple, list)):
        return TypeError(f"{name}(): argument {argument} must be tuple of ints, not {type_name(values)}")
    position, wrong = next((at, each) for at, each in enumerate(values) if not is_index(each))
    return TypeError(
        f"{name}(): argument {argument} must be tuple of ints, but found element of type {type(wrong).__name__} "
        f"at pos {position}"
    )


def is_index(value) -> bool:
    """Returns whether a value converts to an integer by `__index__`."""
    try:
        index(value)
    except TypeError:
        return False
    return True


def broadcast(shapes) -> tuple:
    """Returns the shape to which several broadcast. Raises PyTorch's RuntimeError if they do not."""
    reached: tuple = ()
    for shape in shapes:
        if not reached or not shape or shape == reached:
            reached = reached or tuple(shape)
            continue
        rank = max(len(reached), len(shape))
        first, second = ((1,) * (rank - len(each)) + tuple(each) for each in (reached, shape))
        for dim in reversed(range(rank)):
            if first[dim] != second[dim] and first[dim] != 1 and second[dim] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({first[dim]}) must match the size of tensor b ({second[dim]}) at "
                    "non-singleton "
                    f"dimension {dim}"
                )
        reached = tuple(b if a == 1 else a for a, b in zip(first, second, strict=True))
    return reached


def nonempty_axes(name: str, shape: tuple, dim, *, one: bool = False):
    """Returns the axes of a reduction without identity. Raises if they are empty."""
    axes = wrap_dim(dim, len(shape)) if one and dim is not None else dims(dim, len(shape))
    if 0 in shape:
        _check_filled(name, shape, axes, axes if one else dim)
    return axes


def _check_filled(name: str, shape: tuple, axes, given) -> None:
    if axes is None:
        raise noted(
            RuntimeError(
                f"{name}: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with the 'dim' argument."
            ),
            f"The tensor has shape {shape} and no elements, so it has no maximum or minimum.",
        )
    axes, given = ((each if isinstance(each, (tuple, list)) else (each,)) for each in (axes, given))
    for axis, written in zip(axes, given, strict=True):
        if not shape[axis]:
            raise noted(
                IndexError(f"{name}: Expected reduction dim {written} to have non-zero size."),
                f"The tensor has shape {shape}: that dimension has no elements.",
            )
