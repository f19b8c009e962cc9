"""The arguments of Fourier transforms: along which dimensions, of how many elements, divided by what."""

from __future__ import annotations

from rushlight.core.dtype import COMPLEX, FLOAT, SCALAR_NAMES, complex64, complex128, float32, float64
from rushlight.core.errors import noted, type_name
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks.arguments import not_a_tensor
from rushlight.declarations.promote import floating
from rushlight.declarations.shapes import as_int, axis_of, integers

FLOATS = (float32, float64, complex64, complex128)


# ---- how large, and by what it is divided


def normalization(name: str, norm, forward: bool) -> int:
    """Returns the divisor of a transform: none (0), the square root of the number of elements (1), that number (2)."""
    if norm is not None and not isinstance(norm, str):
        raise TypeError(f"{name}(): argument 'norm' must be str, not {type_name(norm)}")
    if norm == "ortho":
        return 1
    if norm not in (None, "backward", "forward"):
        raise noted(
            RuntimeError(f'Invalid normalization mode: "{norm}"'),
            'norm= is "backward" (inverse transforms divide), "forward" (the others do) or "ortho".',
        )
    return 0 if forward == (norm != "forward") else 2


def promoted(name: str, input):
    """The dtype in which a tensor is transformed. Raises for anything else, and for dtypes without a transform."""
    if not isinstance(input, Tensor):
        raise not_a_tensor(name, input)
    dtype = floating(input.dtype)
    if dtype.category < COMPLEX and dtype not in FLOATS:
        raise noted(
            RuntimeError(f"Unsupported dtype {SCALAR_NAMES[dtype]}"),
            "Transforms compute in float32 and float64: input.float().",
        )
    return dtype


def check_real(name: str, wanted: str, input) -> None:
    """Raises for complex numbers where a transform takes real ones."""
    if isinstance(input, Tensor) and input.dtype.category == COMPLEX:
        raise noted(
            RuntimeError(f"{name} expects a {wanted} input tensor, but got {SCALAR_NAMES[input.dtype]}"),
            "fft and fftn transform complex numbers; input.real is the real part.",
        )


def check_floats(kind) -> None:
    """Raises for complex numbers where the many-dimensional inverse takes real ones."""
    if kind.category == COMPLEX:
        raise noted(
            RuntimeError(f"Only supports floating-point dtypes, but found: {SCALAR_NAMES[kind]}"),
            "ifftn transforms complex numbers; input.real is the real part.",
        )


def check_points(number: int) -> int:
    """A number of elements to transform. Raises unless there is one."""
    if number < 1:
        raise noted(
            RuntimeError(f"Invalid number of data points ({number}) specified"),
            "A transform needs at least one element along each of its dimensions.",
        )
    return number


# ---- which dimensions


def one_dim(name: str, input, n, dim) -> tuple[int, int]:
    """(dimension, number of elements along it) of a transform along one dimension."""
    axis = axis_of(as_int(name, "dim", dim), input.ndim)
    return axis, input.shape[axis] if n is None else as_int(name, "n", n)


def listed(name: str, argument: str, values) -> tuple:
    """Returns a list of integers; one integer is a list of one."""
    return integers(name, argument, (values,) if hasattr(type(values), "__index__") else values)


def dims_of(name: str, rank: int, sizes, dim) -> tuple:
    """The dimensions of a transform along several: those given, else the last ones if there are sizes, else all."""
    if dim is None:
        if sizes is not None and len(sizes) > rank:
            raise RuntimeError(f"Got shape with {len(sizes)} values but input tensor only has {rank} dimensions.")
        return tuple(range(0 if sizes is None else rank - len(sizes), rank))
    axes = tuple(axis_of(each, rank) for each in listed(name, "dim", dim))
    if len(set(axes)) < len(axes):
        raise noted(RuntimeError("FFT dims must be unique"), f"dim is {dim} of a tensor with {rank} dimensions.")
    if sizes is not None and len(sizes) != len(axes):
        raise noted(
            RuntimeError("When given, dim and shape arguments must have the same length"),
            f"dim names {len(axes)} dimensions, and s has {len(sizes)} sizes.",
        )
    return axes


def dims_and_sizes(name: str, input, s, dim) -> tuple[tuple, tuple]:
    """(dimensions, numbers of elements along them) of a transform along several; a size of -1 is that of the input."""
    sizes = None if s is None else listed(name, "s", s)
    axes = dims_of(name, input.ndim, sizes, dim)
    given = (-1,) * len(axes) if sizes is None else sizes
    pairs = zip(axes, given, strict=True)
    return axes, tuple(check_points(input.shape[axis] if size == -1 else size) for axis, size in pairs)


def dims_and_half_sizes(name: str, input, s, dim) -> tuple[tuple, tuple, int]:
    """(dimensions, numbers of coefficients along them, size of the result's last one) where half of those are given."""
    axes, sizes = dims_and_sizes(name, input, s, dim)
    check_some(name, axes)
    unknown = s is None or listed(name, "s", s)[-1] == -1
    size = check_points(2 * (input.shape[axes[-1]] - 1)) if unknown else sizes[-1]
    return axes, (*sizes[:-1], size // 2 + 1), size


def check_some(name: str, axes: tuple) -> None:
    """Raises unless there is a dimension to halve."""
    if not axes:
        short = name.removeprefix("fft_").removesuffix("2").removesuffix("n")
        raise RuntimeError(f"{short}n must transform at least one axis")


def check_two(name: str, dim) -> None:
    """Raises for the None that only the functions of many dimensions take."""
    if dim is None:
        raise TypeError(f"{name}(): argument 'dim' (position 3) must be tuple of ints, not NoneType")


# ---- where to write


def complex_out(name: str):
    """Returns the error for an `out=` that is not complex."""
    return _refusing(lambda kind: kind.category == COMPLEX, f"{name} expects a complex output tensor, but got ")


def real_out(name: str):
    """Returns the error for an `out=` that is not real floating point."""
    return _refusing(lambda kind: kind.category == FLOAT, f"{name} expects a floating point output tensor, but got ")


def _refusing(accepts, words: str):
    def check(out) -> None:
        if isinstance(out, Tensor) and not accepts(out.dtype):
            raise RuntimeError(words + SCALAR_NAMES[out.dtype])

    return check
