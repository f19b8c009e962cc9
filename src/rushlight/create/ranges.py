"""Evenly spaced values: `arange`, `linspace`, `logspace`, and the deprecated `range`.

https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from rushlight.arrays.elementwise import element
from rushlight.arrays.size_limits import LIMIT, check_size_fits
from rushlight.arrays.spacing import evenly_spaced
from rushlight.core import dtype as dtypes
from rushlight.core.device import as_device
from rushlight.core.dtype import DEFAULTS
from rushlight.core.errors import noted
from rushlight.core.numbers import python_number
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.tensor import Tensor
from rushlight.core.traced import TRACED
from rushlight.create.construction import dtype_for, from_array, make_or_fill
from rushlight.create.overrides import offer
from rushlight.declarations.dtype_rules import unimplemented
from rushlight.declarations.promote import as_dtype
from rushlight.declarations.shapes import as_int
from rushlight.dispatch.message import no_form, type_name
from rushlight.dispatch.override import ABSENT, OBSERVERS

REAL = frozenset((int, float))
COUNT = 1 << 24  # up to so many elements, free memory is not checked
LARGEST = 1 << 62  # bounds below it cannot overflow


def arange(
    start=0,
    end=None,
    step=1,
    *,
    out=None,
    dtype=None,
    layout=STRIDED,
    device=None,
    requires_grad=False,
    pin_memory=False,
) -> Tensor:
    """Returns the values from `start` (0 if only one bound is given) up to but not including `end`.

    >>> import rushlight as torch
    >>> torch.arange(3), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    if (OBSERVERS or pin_memory) and (result := offer(arange, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("arange", layout)
    args = (start, end, step) if end is not None else (start,)
    if end is None:
        start, end = 0, start
    if type(start) is int and type(end) is int and type(step) is int and 0 < step < LARGEST:
        if -LARGEST < start <= end < LARGEST and dtype is None is out:
            if end - start > COUNT:
                check_size_fits((-((start - end) // step),), 8)
            return from_array(np.arange(start, end, step, dtype=np.int64), device=device, requires_grad=requires_grad)
    if not (type(start) in REAL and type(end) in REAL and type(step) in REAL):
        if not all(map(_is_number, (start, end, step))):
            raise _not_numbers("arange", args)
        start, end, step = map(_number, (start, end, step))
    _check_range(start, end, step)
    integral = isinstance(start, int) and isinstance(end, int) and isinstance(step, int)
    dtype = dtype_for("arange", dtype, out, dtypes.int64 if integral else DEFAULTS.floating)
    if dtype is dtypes.int64:  # PyTorch counts in the dtype itself there
        start, end, step, integral = int(start), int(end), int(step), True
        if not step:
            raise ValueError("step must be nonzero")
    _check_dtype("arange", dtype, device)
    count = max(-((start - end) // step), 0) if integral else math.ceil((end - start) / step)
    array = _counted(start, step, count, dtype)
    warn_of_resize(out, count)
    return make_or_fill("arange", array, out=out, dtype=dtype, device=device, requires_grad=requires_grad, counted=True)


def warn_of_resize(out: Tensor | None, count: int, stacklevel: int = 3) -> None:
    """Warns about an `out` with elements, but another number of them."""
    if out is None or out.numel() in (0, count):
        return
    shape = list(out.shape)
    warnings.warn(
        f"The number of elements in the out tensor of shape {shape} is {out.numel()} which does not match the computed "
        f"number of elements {count}. Note that this may occur as a result of rounding error. The out tensor will be "
        f"resized to a tensor of shape ({count},).",
        UserWarning,
        stacklevel=stacklevel,
    )


def range(
    start=0, end=None, step=1, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False,
    pin_memory=False,
) -> Tensor:  # fmt: skip
    """Returns the values from `start` to `end`, inclusive. Deprecated: `arange` counts as Python does."""
    if (OBSERVERS or pin_memory) and (result := offer(range, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("range", layout)
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        UserWarning,
        stacklevel=2,
    )
    start, end, step = map(_number, (start, end, step))
    _check_range(start, end, step)
    dtype = dtype_for("range", dtype, out, DEFAULTS.floating)
    _check_dtype("range", dtype, device)
    count = math.floor((end - start) / step) + 1
    array = _counted(start, step, count, dtype)
    return make_or_fill("range", array, out=out, dtype=dtype, device=device, requires_grad=requires_grad, counted=True)


def _is_number(value) -> bool:
    if isinstance(value, Tensor):
        return not value.dim()
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def _not_numbers(name: str, args: tuple) -> TypeError:
    """Returns the error for bounds that are no numbers."""
    if len(args) == 1:
        return TypeError(f"{name}(): argument 'end' (position 1) must be Number, not {type_name(args[0])}")
    return no_form(name, args)


def _number(value):
    return value.item() if isinstance(value, Tensor) else python_number(value)


EXACT = 1 << 24  # float32 represents all integers up to it


def _counted(start, step, count: int, dtype) -> np.ndarray:
    if count >= LIMIT:
        raise RuntimeError("invalid size, possible overflow?")
    check_size_fits((count,), 8)
    if dtype.category <= dtypes.INTEGER:
        return int(start) + np.arange(count, dtype=np.int64) * int(step)
    if start == 0 and step == 1 and dtype is dtypes.float32 and count <= EXACT:
        return np.arange(count, dtype=np.float32)
    steps = np.arange(count, dtype=np.float64)
    if type(step) is int and step == 1:
        return steps if type(start) is int and not start else steps + start
    return steps * step + start


def _check_dtype(name: str, dtype, device) -> None:
    """Raises for bool and complex dtypes, unless the tensor is meta."""
    if dtype.category in (dtypes.BOOL, dtypes.COMPLEX) and as_device(device).type != "meta":
        raise unimplemented(f"{name}_cpu")(dtype)


def _check_range(start, end, step) -> None:
    for value in (start, end, step):
        if type(value) is int and not -LIMIT <= value < LIMIT:
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0 and end < start) or (step < 0 and end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def linspace(
    start, end, steps, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns `steps` evenly spaced values from `start` to `end`, inclusive.

    >>> import rushlight as torch
    >>> torch.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if (OBSERVERS or pin_memory) and (result := offer(linspace, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("linspace", layout)
    if is_traced(start) or is_traced(end):
        return _between(start, end, steps, dtype)
    start, end = _bounds("linspace", start, end, steps)
    steps = as_int("linspace", "steps", steps)
    dtype = _spaced_dtype("linspace", start, end, dtype, out)
    if dtype is dtypes.bool and steps > 1 and as_device(device).type != "meta":
        raise unimplemented("linspace_cpu")(dtype)
    array = _spaced(start, end, steps, dtype)
    return make_or_fill(
        "linspace", array, out=out, dtype=dtype, device=device, requires_grad=requires_grad, counted=True
    )


def logspace(
    start,
    end,
    steps,
    base=10.0,
    *,
    out=None,
    dtype=None,
    layout=STRIDED,
    device=None,
    requires_grad=False,
    pin_memory=False,
) -> Tensor:
    """Returns `base` raised to the values of `linspace(start, end, steps)`.

    >>> import rushlight as torch
    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    if (OBSERVERS or pin_memory) and (result := offer(logspace, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("logspace", layout)
    if is_traced(start) or is_traced(end):
        return base ** _between(start, end, steps, dtype)
    start, end = _bounds("logspace", start, end, steps)
    steps = as_int("logspace", "steps", steps)
    dtype = _spaced_dtype("logspace", start, end, dtype, out)
    if dtype is dtypes.bool:
        raise unimplemented("logspace_cpu")(dtype)
    exponents = np.array([float(start)]) if _is_single(steps, dtype) else _spaced(start, end, steps, dtype)
    with np.errstate(all="ignore"):
        array = np.power(exponents.dtype.type(_number(base)), exponents)
    return make_or_fill(
        "logspace", array, out=out, dtype=dtype, device=device, requires_grad=requires_grad, counted=True
    )


def is_traced(bound) -> bool:
    """Whether a bound is a tensor inside a transform, whose number cannot be read."""
    return isinstance(bound, Tensor) and type(bound._array) in TRACED


def _between(start, end, steps: int, dtype) -> Tensor:
    """The same by operators, for bounds inside a transform."""
    dtype = DEFAULTS.floating if dtype is None else dtype
    start, end = (each.to(dtype) if isinstance(each, Tensor) else each for each in (start, end))
    shares = from_array(np.linspace(0, 1, steps)).to(dtype)
    return start + (end - start) * shares


def _is_single(steps: int, dtype) -> bool:
    """Returns whether there is one integer power: PyTorch does not round its exponent."""
    return steps == 1 and dtype.category == dtypes.INTEGER


def _bounds(name: str, start, end, steps) -> tuple:
    """Returns the bounds as Python numbers. Raises if PyTorch has no such signature or a bound is no scalar."""
    if type(start) in REAL and type(end) in REAL and type(steps) is int and steps >= 0:
        return start, end
    if (
        type(steps) is bool
        or not hasattr(steps, "__index__")
        or bool(getattr(steps, "ndim", False))
        or not all(isinstance(bound, Tensor) or _is_number(bound) for bound in (start, end))
    ):
        raise noted(
            no_form(name, (start, end, steps)), "The bounds are numbers or 0-d tensors, `steps` is a whole number."
        )
    for label, bound in (("start", start), ("end", end)):
        if isinstance(bound, Tensor) and bound.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {label} with {bound.ndim} "
                "dimension(s)."
            )
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return _number(start), _number(end)


def _spaced_dtype(name: str, start, end, dtype, out):
    dtype = as_dtype(name, dtype)
    is_complex = isinstance(start, complex) or isinstance(end, complex)
    result = dtype_for(name, dtype, out, DEFAULTS.complex if is_complex else DEFAULTS.floating)
    if is_complex and out is None and result.category != dtypes.COMPLEX:
        wide = "double" if DEFAULTS.complex is dtypes.complex128 else "float"
        raise RuntimeError(
            f"torch.{name}(): inferred dtype c10::complex<{wide}> can't be safely cast to passed dtype "
            f"{dtypes.SCALAR_NAMES[result]}"
        )
    return result


def _wrapped(bound: int, dtype) -> int:
    """Wraps a negative integer to the range of an unsigned dtype."""
    return bound + (1 << 8 * dtype.itemsize) if bound < 0 and dtype.category and not dtype.is_signed else bound


def _spaced(start, end, steps: int, dtype) -> np.ndarray:
    """Computes from both ends towards the middle, as PyTorch does, in the precision of the result."""
    if dtype.category > dtypes.INTEGER:
        for bound in (start, end)[:steps]:
            element(bound, dtype.numpy)  # raises if the bound overflows the dtype
    if steps == 1:
        return np.array([start]).astype(dtype.numpy)
    numpy_dtype = dtype.numpy
    check_size_fits((steps,), numpy_dtype.itemsize)
    if dtype.category <= dtypes.INTEGER:
        numpy_dtype = np.dtype(np.float32) if not dtype.category else np.dtype(np.float64)
        start, end = (_wrapped(int(bound), dtype) for bound in (start, end))  # truncated first, as in PyTorch
    return evenly_spaced(start, end, steps, numpy_dtype)
