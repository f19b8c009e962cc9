"""Tensors filled with one value: `zeros`, `ones`, `full`, `eye`; uninitialized ones: `empty`.

https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from rushlight.arrays.elementwise import check_size, fitting
from rushlight.arrays.elementwise import full as full_array
from rushlight.arrays.meta import MetaArray
from rushlight.arrays.size_limits import LIMIT, check_copy_fits, check_extent, check_size_fits, refused
from rushlight.core.determinism import DETERMINISM, fill_unset, unset
from rushlight.core.device import CPU, as_device
from rushlight.core.dtype import DEFAULTS, complex32, complex64
from rushlight.core.formats import PRESERVE, in_format
from rushlight.core.numbers import python_number
from rushlight.core.shape_queries import STRIDED, check_layout
from rushlight.core.strides import fresh, laid_out_like, preserved_strides
from rushlight.core.tables import xp
from rushlight.core.tensor import Tensor, look_at
from rushlight.core.traced import BatchedArray, RecordedArray
from rushlight.create.construction import check_options, dtype_for, from_array, make_or_fill, resize_out, wrap_array
from rushlight.create.from_data import tensor
from rushlight.create.overrides import made_pinned, offer
from rushlight.create.sizes import check_sequence, parse_size, size_tuple
from rushlight.create.sparse_methods import SPARSE, created_in, without_entries
from rushlight.declarations.promote import as_dtype, number_dtype
from rushlight.declarations.shapes import as_int
from rushlight.dispatch.message import type_name
from rushlight.dispatch.override import ABSENT, OBSERVERS, overridable

ones_array = partial(full_array, 1)


def _filled(name, allocate, size, out, dtype, device, requires_grad) -> Tensor:
    if requires_grad or out is not None:
        check_options(name, requires_grad, out)
    dtype = dtype_for(name, dtype, out, DEFAULTS.floating).numpy
    if out is not None:
        if out.layout is not STRIDED:
            return created_in(out, name, size)
        return make_or_fill(
            name, _allocated(allocate, size, dtype), out=out, device=device, requires_grad=requires_grad
        )
    device = as_device(device)
    if device is CPU:
        return wrap_array(_allocated(allocate, size, dtype), requires_grad)
    if device.type == "meta":
        check_extent(size, dtype.itemsize)
        return wrap_array(MetaArray(size, dtype), requires_grad)
    return from_array(_allocated(allocate, size, dtype), device=device, requires_grad=requires_grad)


def _allocated(allocate, size, dtype):
    """Returns a new array. Raises RuntimeError if there is not enough memory."""
    try:
        return allocate(size, dtype)
    except (MemoryError, ValueError) as error:
        raise refused(error, size, dtype.itemsize) from None


def zeros(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns a tensor of zeros.

    >>> zeros(2, 3).shape
    torch.Size([2, 3])
    """
    if (OBSERVERS or pin_memory) and (result := offer(zeros, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        if layout in SPARSE and out is None:
            return without_entries(parse_size("zeros", sizes, size), dtype, device, requires_grad, layout)
        check_layout("zeros", layout)
    return _filled("zeros", np.zeros, parse_size("zeros", sizes, size), out, dtype, device, requires_grad)


def ones(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns a tensor of ones."""
    if (OBSERVERS or pin_memory) and (result := offer(ones, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("ones", layout)
    return _filled("ones", ones_array, parse_size("ones", sizes, size), out, dtype, device, requires_grad)


def empty(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False,
    memory_format=None,
) -> Tensor:  # fmt: skip
    """Returns an uninitialized tensor."""
    if (OBSERVERS or pin_memory) and (result := offer(empty, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        if layout in SPARSE and out is None:
            return without_entries(parse_size("empty", sizes, size), dtype, device, requires_grad, layout)
        check_layout("empty", layout)
    if memory_format is PRESERVE:
        raise RuntimeError("unsupported memory format Preserve")
    size = parse_size("empty", sizes, size)
    if out is None:
        result = _filled("empty", unset, size, None, dtype, device, requires_grad)
    else:
        if memory_format is not None:
            raise RuntimeError("'memory_format' argument is incompatible with 'out' tensor argument")
        check_options("empty", requires_grad, out)
        dtype_for("empty", dtype, out, DEFAULTS.floating)
        if out.layout is not STRIDED:
            return created_in(out, "empty", size)
        result = resize_out("empty", out, size, device)  # keeps its values, unless algorithms are deterministic
        if DETERMINISM.wanted and DETERMINISM.fill and type(result._array) is np.ndarray:
            fill_unset(result._array)
            result._storage.written()
        if requires_grad:
            result._require_grad()
    if memory_format is not None and type(result._array) is np.ndarray:
        look_at(result, in_format(result._array, memory_format))
    return result


def full(
    size, fill_value, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns a tensor filled with one value, of the dtype of its Python type."""
    if (OBSERVERS or pin_memory) and (result := offer(full, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("full", layout)
    size = size_tuple("full", check_sequence("full", size))
    value = fill_number("full", fill_value)
    if dtype is None and out is None:
        dtype = number_dtype(value)
        dtype = complex64 if dtype is complex32 else dtype  # PyTorch has no default of complex32
    return _filled("full", partial(full_array, value), size, out, dtype, device, requires_grad)


def fill_number(name: str, value):
    """Returns `fill_value` as a Python number. Raises TypeError if it is none."""
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
    """Returns a 0-d tensor, of the default dtype unless one is given."""
    if (OBSERVERS or pin_memory) and (result := offer(scalar_tensor, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("scalar_tensor", layout)
    return full((), s, dtype=dtype or DEFAULTS.floating, device=device, requires_grad=requires_grad)


def empty_strided(
    size, stride, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns an uninitialized tensor with the given strides, in elements."""
    if (OBSERVERS or pin_memory) and (result := offer(empty_strided, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("empty_strided", layout)
    size = size_tuple("empty_strided", size)
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    dtype = (as_dtype("empty_strided", dtype) or DEFAULTS.floating).numpy
    check_extent(size, dtype.itemsize, stride)
    needed = 0 if 0 in size else 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))
    memory = _allocated(unset, (needed,), dtype)
    array = np.ndarray(size, dtype, memory, 0, [step * dtype.itemsize for step in stride])
    return from_array(array, device=device, requires_grad=requires_grad)


def empty_permuted(
    size, physical_layout, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns an uninitialized tensor whose dimensions are stored in the given order, outermost first."""
    if (OBSERVERS or pin_memory) and (result := offer(empty_permuted, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("empty_permuted", layout)
    size = size_tuple("empty_permuted", size)
    if len(size) != len(physical_layout):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    for index, dim in enumerate(physical_layout):
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at index "
                f"{index}).  NB: negative dims not currently supported; file an issue if you want it."
            )
    if len(set(physical_layout)) != len(size):
        raise RuntimeError("Duplicate dim not allowed")
    dtype = (as_dtype("empty_permuted", dtype) or DEFAULTS.floating).numpy
    memory = _allocated(unset, [size[dim] for dim in physical_layout], dtype)
    return from_array(memory.transpose(np.argsort(physical_layout)), device=device, requires_grad=requires_grad)


def _like(name: str, tensor: Tensor, dtype, device):
    return as_dtype(name, dtype) or tensor.dtype, tensor.device if device is None else device


def check_tensor(name: str, input) -> None:
    """Raises TypeError if the argument `input` of the function `name` is no tensor."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")


def _like_filled(name: str, input, value, dtype, device, requires_grad, memory_format) -> Tensor:
    check_tensor(name, input)
    check_copy_fits(input._array)
    if requires_grad:
        check_options(name, requires_grad)
    if dtype is None is device and memory_format is None and type(input._array) is np.ndarray:
        array = laid_out_like(input._array, input._array.dtype)
        if value is not None:
            xp.fill(array, value)
        elif DETERMINISM.wanted and DETERMINISM.fill:
            fill_unset(array)
        return wrap_array(array, requires_grad)
    if type(input._array) is BatchedArray:  # the result has the batch too, so that samples can be written to it
        filled = _like_filled(name, input._array.value, value, dtype, device, requires_grad, None)
        return wrap_array(input._array.with_value(filled), requires_grad)
    if type(input._array) is RecordedArray:
        filled = _like_filled(name, input._array.value, value, dtype, device, requires_grad, memory_format)
        return input._array.level.constant(filled)  # to which the function may write
    dtype, device = _like(name, input, dtype, device)
    if as_device(device).type == "meta" or input.is_meta:
        return _filled(name, np.empty, tuple(input.shape), None, dtype, device, requires_grad)
    if memory_format is None or memory_format is PRESERVE:
        shape = tuple(input.shape)
        array = fresh(shape, preserved_strides(shape, tuple(input.stride()), 1), dtype.numpy)
    else:
        array = in_format(np.empty(input.shape, dtype.numpy), memory_format)
    if value is not None:
        xp.fill(array, value)
    elif DETERMINISM.wanted and DETERMINISM.fill:
        fill_unset(array)
    return from_array(array, device=device, requires_grad=requires_grad)


@overridable
def zeros_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """Returns zeros of the shape, dtype and device of `input`."""
    if pin_memory:
        return made_pinned(zeros_like, locals())
    if layout is not None:
        if layout in SPARSE:
            return without_entries(tuple(input.shape), dtype or input.dtype, device, requires_grad, layout)
        check_layout("zeros_like", layout)
    return _like_filled("zeros_like", input, 0, dtype, device, requires_grad, memory_format)


@overridable
def ones_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """Returns ones of the shape, dtype and device of `input`."""
    if pin_memory:
        return made_pinned(ones_like, locals())
    if layout is not None:
        check_layout("ones_like", layout)
    return _like_filled("ones_like", input, 1, dtype, device, requires_grad, memory_format)


@overridable
def empty_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """Returns an uninitialized tensor of the shape, dtype and device of `input`."""
    if pin_memory:
        return made_pinned(empty_like, locals())
    if layout is not None:
        check_layout("empty_like", layout)
    return _like_filled("empty_like", input, None, dtype, device, requires_grad, memory_format)


@overridable
def full_like(
    input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
    memory_format=None,
) -> Tensor:  # fmt: skip
    """Returns a tensor filled with one value, of the shape, dtype and device of `input`."""
    if pin_memory:
        return made_pinned(full_like, locals())
    if layout is not None:
        check_layout("full_like", layout)
    check_tensor("full_like", input)
    numpy_dtype = (as_dtype("full_like", dtype) or input.dtype).numpy
    value = fitting(fill_number("full_like", fill_value), numpy_dtype, input.numel())
    return _like_filled("full_like", input, value, dtype, device, requires_grad, memory_format)


@overridable
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False) -> Tensor:
    """Returns a tensor with a copy of `data`, of the dtype and device of this one."""
    if pin_memory:
        return made_pinned(new_tensor, locals())
    if layout is not STRIDED:
        check_layout("new_tensor", layout)
    dtype, device = _like("new_tensor", self, dtype, device)
    return tensor(data, dtype=dtype, device=device, requires_grad=requires_grad)


def _new(name: str, allocate):
    @overridable
    def method(self, size, *more, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
        if pin_memory:
            return made_pinned(method, locals())
        if layout is not STRIDED:
            check_layout(name, layout)
        dtype, device = _like(name, self, dtype, device)
        size = parse_size(name, (size, *more), None)
        if type(self._array) is BatchedArray:
            filled = method(self._array.value, self._array.in_front(size), dtype=dtype, device=device)
            return wrap_array(self._array.with_value(filled), requires_grad)
        return _filled(name, allocate, size, None, dtype, device, requires_grad)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"`{name.removeprefix('new_')}`, of the dtype and device of this tensor."
    return method


new_zeros, new_ones, new_empty = _new("new_zeros", np.zeros), _new("new_ones", ones_array), _new("new_empty", unset)


@overridable
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
    """Returns a tensor filled with one value, of the dtype and device of this one."""
    if pin_memory:
        return made_pinned(new_full, locals())
    if layout is not STRIDED:
        check_layout("new_full", layout)
    check_sequence("new_full", size)
    dtype, device = _like("new_full", self, dtype, device)
    if type(self._array) is BatchedArray:
        filled = new_full(self._array.value, self._array.in_front(size), fill_value, dtype=dtype, device=device)
        return wrap_array(self._array.with_value(filled), requires_grad)
    return full(size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad)


def new_empty_strided(
    self, size, stride, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False
):
    """Returns an uninitialized tensor with the given strides, of the dtype and device of this one."""
    if pin_memory:
        return made_pinned(new_empty_strided, locals())
    if layout is not STRIDED:
        check_layout("new_empty_strided", layout)
    dtype, device = _like("new_empty_strided", self, dtype, device)
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)


def eye(
    n, m=None, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Returns the identity matrix, `n` by `m`."""
    if (OBSERVERS or pin_memory) and (result := offer(eye, locals())) is not ABSENT:
        return result
    if layout is not STRIDED:
        check_layout("eye", layout)
    n, m = as_int("eye", "n", n, " (position 1)"), m if m is None else as_int("eye", "m", m, " (position 2)")
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    dtype = dtype_for("eye", dtype, out, DEFAULTS.floating).numpy
    size = (n, n if m is None else m)
    if math.prod(size) >= LIMIT:
        raise RuntimeError("numel: integer multiplication overflow")
    check_size_fits(size, dtype.itemsize)
    return make_or_fill("eye", np.eye(n, m, dtype=dtype), out=out, device=device, requires_grad=requires_grad)


def is_tensor(obj) -> bool:
    """Returns whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


METHODS = (new_tensor, new_zeros, new_ones, new_empty, new_full, new_empty_strided)


def attach() -> None:
    """Gives Tensor its `new_*` methods; called once by the package root."""
    for function in METHODS:
        setattr(Tensor, function.__name__, function)
