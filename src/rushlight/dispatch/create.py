"""Tensors of a size: full of zeros, ones or a number, or not filled at all.

https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from rushlight.arrays.elementwise import check_size, fitting
from rushlight.arrays.elementwise import full as full_array
from rushlight.arrays.meta import MetaArray
from rushlight.arrays.room import LIMIT, check_extent, check_room, refused
from rushlight.core.determinism import DETERMINISM, fill_unset, unset
from rushlight.core.device import CPU, as_device, host
from rushlight.core.dtype import DEFAULTS, complex32, complex64
from rushlight.core.formats import PRESERVE, in_format
from rushlight.core.numbers import python_number
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.strides import laid_out_like
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor, look_at
from rushlight.declarations.promote import as_dtype, number_dtype
from rushlight.declarations.shapes import as_int
from rushlight.dispatch.from_data import tensor
from rushlight.dispatch.making import (
    check_made,
    kind_of,
    lengths,
    made,
    made_in,
    made_on,
    prepared,
    sequence_size,
    size_of,
)
from rushlight.dispatch.message import type_name
from rushlight.dispatch.override import overridable

ones_array = partial(full_array, 1)


def _filled(name, kind, size, out, dtype, device, requires_grad) -> Tensor:
    if requires_grad or out is not None:
        check_made(name, requires_grad, out)
    chosen = kind_of(name, dtype, out, DEFAULTS.floating).numpy
    if out is not None:
        return made_in(name, _allocated(kind, size, chosen), out=out, device=device, requires_grad=requires_grad)
    place = as_device(device)
    if place is CPU:
        return made_on(_allocated(kind, size, chosen), requires_grad)
    if place.type == "meta":
        check_extent(size, chosen.itemsize)
        return made_on(MetaArray(size, chosen), requires_grad)
    return made(_allocated(kind, size, chosen), device=place, requires_grad=requires_grad)


def _allocated(kind, size, chosen):
    """An array of a size. Raises RuntimeError where there is not as much memory."""
    try:
        return kind(size, chosen)
    except (MemoryError, ValueError) as error:
        raise refused(error, size, chosen.itemsize) from None


def zeros(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Zeros of a size.

    >>> zeros(2, 3).shape
    torch.Size([2, 3])
    """
    if layout is not STRIDED:
        check_layout("zeros", layout)
    return _filled("zeros", np.zeros, size_of("zeros", sizes, size), out, dtype, device, requires_grad)


def ones(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Ones of a size."""
    if layout is not STRIDED:
        check_layout("ones", layout)
    return _filled("ones", ones_array, size_of("ones", sizes, size), out, dtype, device, requires_grad)


def empty(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False,
    memory_format=None,
) -> Tensor:  # fmt: skip
    """A tensor of a size, of undefined values."""
    if layout is not STRIDED:
        check_layout("empty", layout)
    if memory_format is PRESERVE:
        raise RuntimeError("unsupported memory format Preserve")
    size = size_of("empty", sizes, size)
    if out is None:
        made_empty = _filled("empty", unset, size, None, dtype, device, requires_grad)
    else:
        if memory_format is not None:
            raise RuntimeError("'memory_format' argument is incompatible with 'out' tensor argument")
        check_made("empty", requires_grad, out)
        kind_of("empty", dtype, out, DEFAULTS.floating)
        made_empty = prepared("empty", out, size, device)  # what stands there stays, but for deterministic algorithms
        if DETERMINISM.wanted and DETERMINISM.fill and type(made_empty._array) is np.ndarray:
            fill_unset(made_empty._array)
            made_empty._storage.written()
        if requires_grad:
            made_empty.requires_grad_()
    if memory_format is not None and type(made_empty._array) is np.ndarray:
        look_at(made_empty, in_format(made_empty._array, memory_format))
    return made_empty


def full(
    size, fill_value, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """A tensor of a size, full of one number, whose kind gives the dtype."""
    if layout is not STRIDED:
        check_layout("full", layout)
    size = lengths("full", sequence_size("full", size))
    value = fill_number("full", fill_value)
    if dtype is None and out is None:
        dtype = number_dtype(value)
        dtype = complex64 if dtype is complex32 else dtype  # PyTorch does not fill that one unasked
    return _filled("full", partial(full_array, value), size, out, dtype, device, requires_grad)


def fill_number(name: str, value):
    """The number that a tensor is to be filled with."""
    if type(value) is float:
        return value
    if isinstance(value, Tensor) and not value.dim() and not value.requires_grad:
        value = value.item()
    value = python_number(value)
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not {type_name(value)}")
    if isinstance(value, int):
        check_size(value)
    return value


def scalar_tensor(s, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A 0-d tensor, of the default dtype unless one is given."""
    if layout is not STRIDED:
        check_layout("scalar_tensor", layout)
    return full((), s, dtype=dtype or DEFAULTS.floating, device=device, requires_grad=requires_grad)


def empty_strided(
    size, stride, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """A tensor of undefined values with the strides given, in elements."""
    if layout is not STRIDED:
        check_layout("empty_strided", layout)
    size = lengths("empty_strided", size)
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    kind = (as_dtype("empty_strided", dtype) or DEFAULTS.floating).numpy
    check_extent(size, kind.itemsize, stride)
    needed = 0 if 0 in size else 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))
    memory = _allocated(unset, (needed,), kind)
    steps = tuple(step * kind.itemsize for step in stride)
    array = np.ndarray(size, kind, memory, 0, steps) if needed else unset(size, kind)
    return made(array, device=device, requires_grad=requires_grad)


def empty_permuted(
    size, physical_layout, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """A tensor of undefined values whose dimensions lie in memory in the order given."""
    if layout is not STRIDED:
        check_layout("empty_permuted", layout)
    size = lengths("empty_permuted", size)
    if len(size) != len(physical_layout):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    for at, each in enumerate(physical_layout):
        if not 0 <= each < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {each} at index "
                f"{at}).  NB: negative dims not currently supported; file an issue if you want it."
            )
    if len(set(physical_layout)) != len(size):
        raise RuntimeError("Duplicate dim not allowed")
    kind = (as_dtype("empty_permuted", dtype) or DEFAULTS.floating).numpy
    memory = _allocated(unset, [size[each] for each in physical_layout], kind)
    return made(memory.transpose(np.argsort(physical_layout)), device=device, requires_grad=requires_grad)


def _like(name: str, tensor: Tensor, dtype, device):
    return as_dtype(name, dtype) or tensor.dtype, tensor.device if device is None else device


def check_tensor(name: str, input) -> None:
    """Raises TypeError if the first argument of a function is no tensor."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")


def _like_filled(name: str, input, value, dtype, device, requires_grad, memory_format) -> Tensor:
    check_tensor(name, input)
    if requires_grad:
        check_made(name, requires_grad)
    if dtype is None is device and memory_format is None and type(input._array) is np.ndarray:
        array = laid_out_like(input._array, input._array.dtype)
        if value is not None:
            xp.fill(array, value)
        elif DETERMINISM.wanted and DETERMINISM.fill:
            fill_unset(array)
        return made_on(array, requires_grad)
    dtype, device = _like(name, input, dtype, device)
    if as_device(device).type == "meta" or input.is_meta:
        return _filled(name, np.empty, tuple(input.shape), None, dtype, device, requires_grad)
    if memory_format is None or memory_format is PRESERVE:
        array = laid_out_like(host(input), dtype.numpy)
    else:
        array = in_format(np.empty(input.shape, dtype.numpy), memory_format)
    if value is not None:
        xp.fill(array, value)
    elif DETERMINISM.wanted and DETERMINISM.fill:
        fill_unset(array)
    return made(array, device=device, requires_grad=requires_grad)


@overridable
def zeros_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """Zeros shaped, typed and placed like `input`."""
    if layout is not None:
        check_layout("zeros_like", layout)
    return _like_filled("zeros_like", input, 0, dtype, device, requires_grad, memory_format)


@overridable
def ones_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """Ones shaped, typed and placed like `input`."""
    if layout is not None:
        check_layout("ones_like", layout)
    return _like_filled("ones_like", input, 1, dtype, device, requires_grad, memory_format)


@overridable
def empty_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """A tensor of undefined values, shaped, typed and placed like `input`."""
    if layout is not None:
        check_layout("empty_like", layout)
    return _like_filled("empty_like", input, None, dtype, device, requires_grad, memory_format)


@overridable
def full_like(
    input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
    memory_format=None,
) -> Tensor:  # fmt: skip
    """A tensor full of one number, shaped, typed and placed like `input`."""
    if layout is not None:
        check_layout("full_like", layout)
    check_tensor("full_like", input)
    kind = (as_dtype("full_like", dtype) or input.dtype).numpy
    value = fitting(fill_number("full_like", fill_value), kind, input.numel())
    return _like_filled("full_like", input, value, dtype, device, requires_grad, memory_format)


@overridable
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False) -> Tensor:
    """A tensor with a copy of `data`, typed and placed like this one."""
    if layout is not STRIDED:
        check_layout("new_tensor", layout)
    dtype, device = _like("new_tensor", self, dtype, device)
    return tensor(data, dtype=dtype, device=device, requires_grad=requires_grad)


def _new(name: str, kind):
    @overridable
    def method(self, size, *more, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
        if layout is not STRIDED:
            check_layout(name, layout)
        dtype, device = _like(name, self, dtype, device)
        return _filled(name, kind, size_of(name, (size, *more), None), None, dtype, device, requires_grad)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"`{name.removeprefix('new_')}`, typed and placed like this tensor."
    return method


new_zeros, new_ones, new_empty = _new("new_zeros", np.zeros), _new("new_ones", ones_array), _new("new_empty", unset)


@overridable
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
    """A tensor full of one number, typed and placed like this one."""
    if layout is not STRIDED:
        check_layout("new_full", layout)
    sequence_size("new_full", size)
    dtype, device = _like("new_full", self, dtype, device)
    return full(size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad)


def new_empty_strided(
    self, size, stride, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False
):
    """A tensor of undefined values with the strides given, typed and placed like this one."""
    if layout is not STRIDED:
        check_layout("new_empty_strided", layout)
    dtype, device = _like("new_empty_strided", self, dtype, device)
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)


# ---- others


def eye(
    n, m=None, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """The identity matrix, `n` by `m`."""
    if layout is not STRIDED:
        check_layout("eye", layout)
    n, m = as_int("eye", "n", n, " (position 1)"), m if m is None else as_int("eye", "m", m, " (position 2)")
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    kind = kind_of("eye", dtype, out, DEFAULTS.floating).numpy
    size = (n, n if m is None else m)
    if math.prod(size) >= LIMIT:
        raise RuntimeError("numel: integer multiplication overflow")
    check_room(size, kind.itemsize)
    return made_in("eye", np.eye(n, m, dtype=kind), out=out, device=device, requires_grad=requires_grad)


def is_tensor(obj) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


METHODS = (new_tensor, new_zeros, new_ones, new_empty, new_full, new_empty_strided)


def attach() -> None:
    """Gives Tensor its `new_*` methods; called once by the package root."""
    for function in METHODS:
        setattr(Tensor, function.__name__, function)
