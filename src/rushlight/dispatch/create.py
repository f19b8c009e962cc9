"""Making tensors: from data, and full of zeros, ones, numbers or steps.

https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import math
import warnings
from functools import partial
from importlib import import_module

import numpy as np

from rushlight.arrays.elementwise import fill
from rushlight.arrays.elementwise import full as full_array
from rushlight.arrays.meta import MetaArray
from rushlight.core.device import BACKENDS, as_device
from rushlight.core.dtype import DEFAULTS, from_numpy_dtype
from rushlight.core.formats import PRESERVE, in_format
from rushlight.core.strides import laid_out_like
from rushlight.core.tensor import STRIDED, Tensor, host, wrap
from rushlight.dispatch.data import array_of, check_strides
from rushlight.dispatch.errors_of_numpy import cast, out_of_memory
from rushlight.dispatch.general import into
from rushlight.dispatch.message import type_name
from rushlight.dispatch.override import overridable
from rushlight.ops.promote import as_dtype, number_dtype
from rushlight.ops.shapes import whole


def made(array, *, dtype=None, device=None, requires_grad=False, out=None) -> Tensor:
    """A tensor on a fresh array, put on its device and marked."""
    if dtype is not None and array.dtype != dtype.numpy:
        array = cast(array, dtype.numpy)
    place = as_device(device)
    if place.type != "cpu":
        array = BACKENDS.on(place).from_cpu(array, place)
    tensor = wrap(array)
    if out is not None:
        return into(out, "out", tensor)
    if requires_grad:
        tensor._become_leaf()
    return tensor


# ---- from data


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A tensor with a copy of `data`: numbers, nested sequences of numbers, arrays, or tensors.

    Raises ValueError if the sequences are of unequal length, TypeError if they hold anything but numbers.

    >>> tensor([[1, 2], [3, 4]]).dtype, tensor(2.5).dtype
    (torch.int64, torch.float32)
    """
    dtype = as_dtype("tensor", dtype)
    if isinstance(data, Tensor):
        _warn_about_copy()
        place = data.device if device is None else as_device(device)
        return made(host(data).copy(), dtype=dtype, device=place, requires_grad=requires_grad)
    return made(array_of(data, dtype), dtype=dtype, device=device, requires_grad=requires_grad)


def _warn_about_copy() -> None:
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
        UserWarning,
        stacklevel=3,
    )


def as_tensor(data, dtype=None, device=None) -> Tensor:
    """A tensor that shares memory with `data` where it can: a tensor or array of the same dtype and device."""
    if isinstance(data, Tensor):
        if (dtype is None or data.dtype is dtype) and (device is None or as_device(device) == data.device):
            return data
        return data.to(device=data.device if device is None else device, dtype=dtype or data.dtype)
    if isinstance(data, np.ndarray):
        shared = from_numpy(data)
        wanted = shared if dtype is None or dtype is shared.dtype else shared.to(dtype)
        return wanted if as_device(device).type == "cpu" else wanted.to(device)
    return tensor(data, dtype=dtype, device=device)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False) -> Tensor:
    """A tensor from anything: shared where possible, copied if `copy` is True, refused if it is False and cannot be."""
    if isinstance(obj, (Tensor, np.ndarray, np.generic)) or hasattr(obj, "__dlpack__") or _is_buffer(obj):
        source = obj if isinstance(obj, Tensor) else _shared(obj, dtype)
        result = source if dtype is None and device is None else source.to(
            device=source.device if device is None else device, dtype=dtype or source.dtype)  # fmt: skip
        if copy is False and result is not source:
            raise ValueError("can't alias tensor with dtype or device other than its own")
        if copy and result is source:
            result = source.clone()
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        result = tensor(obj, dtype=dtype, device=device)
    if isinstance(obj, Tensor) and not requires_grad:
        return result.detach() if result.requires_grad else result
    return result.detach().requires_grad_(True) if requires_grad else result


def _is_buffer(value) -> bool:
    return isinstance(value, (bytearray, memoryview, bytes))


def _shared(value, dtype) -> Tensor:
    if _is_buffer(value):
        return frombuffer(value, dtype=dtype or DEFAULTS.floating)
    if isinstance(value, np.generic):
        return wrap(np.asarray(value))
    return from_numpy(value) if isinstance(value, np.ndarray) else from_dlpack(value)


def from_numpy(ndarray) -> Tensor:
    """A tensor on the memory of a NumPy array. Raises TypeError for anything else, or a dtype that PyTorch lacks."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    check_strides(ndarray)
    kind = from_numpy_dtype(ndarray.dtype)
    if ndarray.dtype != kind.numpy or not ndarray.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )
    if not ndarray.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor.",
            UserWarning,
            stacklevel=2,
        )
    shared = wrap(ndarray if type(ndarray) is np.ndarray else ndarray.view(np.ndarray))
    shared._storage.memory = shared._array
    if shared._array.dtype is not kind.numpy:
        shared._array = shared._array.view(kind.numpy)
    return shared


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False) -> Tensor:
    """A one-dimensional tensor on the memory of an object with the buffer protocol."""
    try:
        size = memoryview(buffer).nbytes
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if size == 0 and count != 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if offset < 0 or offset >= max(size, 1):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({size}), but got {offset}")
    if count == -1 and (size - offset) % dtype.itemsize:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({dtype.itemsize})"
        )
    shared = wrap(np.frombuffer(buffer, dtype.numpy, count, offset))
    return shared.requires_grad_(True) if requires_grad else shared


def to_dlpack(tensor):
    """A capsule on the memory of a tensor, to be read once.

    Raises BufferError for a tensor that requires grad.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type_name(tensor)}")
    return tensor.__dlpack__()


def from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor:
    """A tensor on the memory of any object with `__dlpack__`, or of a capsule that such an object gave.

    `copy=True` copies always, None where the device asks for it, and False never.
    """
    if isinstance(ext_tensor, Tensor):
        ext_tensor._check_dlpack()
        source = ext_tensor.detach()
    else:
        source = wrap(np.from_dlpack(ext_tensor if hasattr(ext_tensor, "__dlpack__") else Capsule(ext_tensor)))
    moved = source if device is None else source.to(device)
    if moved.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    if copy is False and moved is not source:
        raise ValueError(f"cannot move {source.device} tensor to {moved.device} without copying; set copy=True or None")
    return source.clone() if copy and moved is source else moved


class Capsule:
    """What gives out a DLPack capsule on the CPU."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **wishes):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


# ---- full of something


def size_of(name: str, sizes: tuple | list, size=None) -> tuple:
    """The size that the function `name` was given: separate numbers, one sequence, or the keyword `size`.

    Raises TypeError for anything but whole numbers, RuntimeError for negative ones.
    """
    if size is not None:
        if sizes:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        sizes = sequence_size(name, size, "")
    elif not sizes:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    elif len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    elif isinstance(sizes[0], bool) and len(sizes) == 1:
        raise not_a_size(name, sizes[0])
    else:
        return lengths(name, sizes, together=False)
    return lengths(name, sizes)


def sequence_size(name: str, size, position: str = " (position 1)") -> tuple | list:
    """A size that must be given as one sequence."""
    if not isinstance(size, (tuple, list)):
        raise not_a_size(name, size, position)
    return size


def not_a_size(name: str, size, position: str = " (position 1)") -> TypeError:
    """Something that is given as a size and is none."""
    return TypeError(f"{name}(): argument 'size'{position} must be tuple of ints, not {type_name(size)}")


def lengths(name: str, sizes, *, together: bool = True) -> tuple:
    """The numbers of a size, given `together` or one by one, as Python integers, none of them negative."""
    if all([type(each) is int and each >= 0 for each in sizes]):
        return tuple(sizes)
    found = tuple(
        each if type(each) is int else _length(name, place, each, sizes, together) for place, each in enumerate(sizes)
    )
    if found and min(found) < 0:
        raise _negative(name, found)
    if found and max(found) >= 2**63:
        raise import_module("rushlight.dispatch.misuse").unpacking(name, "size", found)
    return found


def _length(name: str, place: int, value, sizes, together: bool) -> int:
    whole = isinstance(value, (int, np.integer))
    if whole or (isinstance(value, Tensor) and value.numel() == 1 and not value.is_floating_point()):
        return int(value)
    if together and not place:
        raise TypeError(
            f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type "
            f"{type_name(value)} at pos 0"
        )
    if len(sizes) == 1 and not together:
        raise not_a_size(name, value)
    raise import_module("rushlight.dispatch.misuse").several_numbers(name, "size", sizes)


def _negative(name: str, size: tuple) -> RuntimeError:
    if name == "zeros":
        return RuntimeError("zeros: Dimension size must be non-negative.")
    first = next(each for each in size if each < 0)
    return RuntimeError(f"Trying to create tensor with negative dimension {first}: {list(size)}")


def _filled(name, kind, size, out, dtype, device, requires_grad) -> Tensor:
    place = as_device(device)
    chosen = (as_dtype(name, dtype) or (out.dtype if out is not None else DEFAULTS.floating)).numpy
    if place.type == "meta":
        return made_on(MetaArray(size, chosen), requires_grad, out)
    return made(_allocated(kind, size, chosen), device=place, requires_grad=requires_grad, out=out)


def _allocated(kind, size, chosen):
    """An array of a size. Raises RuntimeError where there is not as much memory."""
    try:
        return kind(size, chosen)
    except MemoryError as error:
        raise out_of_memory(error) from None
    except ValueError:
        if math.prod(size) * chosen.itemsize < 1 << 63:
            raise
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}") from None


def made_on(array, requires_grad=False, out=None) -> Tensor:
    """A tensor on an array that is on its device already."""
    tensor = wrap(array)
    if out is not None:
        return into(out, "out", tensor)
    if requires_grad:
        tensor._become_leaf()
    return tensor


def zeros(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Zeros of a size.

    >>> zeros(2, 3).shape
    torch.Size([2, 3])
    """
    return _filled("zeros", np.zeros, size_of("zeros", sizes, size), out, dtype, device, requires_grad)


def ones(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """Ones of a size."""
    return _filled("ones", partial(full_array, 1), size_of("ones", sizes, size), out, dtype, device, requires_grad)


def empty(
    *sizes, size=None, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False,
    memory_format=None,
) -> Tensor:  # fmt: skip
    """A tensor of a size, of undefined values."""
    made_empty = _filled("empty", np.empty, size_of("empty", sizes, size), out, dtype, device, requires_grad)
    if memory_format is not None and type(made_empty._array) is np.ndarray:
        made_empty._array = in_format(made_empty._array, memory_format)
    return made_empty


def full(
    size, fill_value, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """A tensor of a size, full of one number, whose kind gives the dtype."""
    size = lengths("full", sequence_size("full", size))
    value = fill_number("full", fill_value)
    if dtype is None and out is None:
        dtype = number_dtype(value)
    return _filled("full", partial(full_array, value), size, out, dtype, device, requires_grad)


def fill_number(name: str, value):
    """The number that a tensor is to be filled with."""
    if isinstance(value, np.generic) or (isinstance(value, Tensor) and not value.dim() and not value.requires_grad):
        value = value.item()
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not {type_name(value)}")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError("int too big to convert")
    return value


def scalar_tensor(s, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A 0-d tensor, of the default dtype unless one is given."""
    return full((), s, dtype=dtype or DEFAULTS.floating, device=device, requires_grad=requires_grad)


def empty_strided(
    size, stride, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """A tensor of undefined values with the strides given, in elements."""
    size = lengths("empty_strided", size)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    kind = (as_dtype("empty_strided", dtype) or DEFAULTS.floating).numpy
    needed = 0 if 0 in size else 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))
    memory = np.empty(needed, kind)
    steps = tuple(step * kind.itemsize for step in stride)
    array = np.lib.stride_tricks.as_strided(memory, size, steps) if needed else np.empty(size, kind)
    return made(array, device=device, requires_grad=requires_grad)


def empty_permuted(
    size, physical_layout, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """A tensor of undefined values whose dimensions lie in memory in the order given."""
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
    memory = np.empty([size[each] for each in physical_layout], kind)
    return made(memory.transpose(np.argsort(physical_layout)), device=device, requires_grad=requires_grad)


def _like(name: str, tensor: Tensor, dtype, device):
    return as_dtype(name, dtype) or tensor.dtype, tensor.device if device is None else device


def check_tensor(name: str, input) -> None:
    """Raises TypeError if the first argument of a function is no tensor."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")


def _like_filled(name: str, input, value, dtype, device, requires_grad, memory_format) -> Tensor:
    check_tensor(name, input)
    if dtype is None is device and memory_format is None and type(input._array) is np.ndarray:
        array = laid_out_like(input._array, input._array.dtype)
        if value is not None:
            fill(array, value)
        return made_on(array, requires_grad)
    dtype, device = _like(name, input, dtype, device)
    if as_device(device).type == "meta" or input.is_meta:
        return _filled(name, np.empty, tuple(input.shape), None, dtype, device, requires_grad)
    if memory_format is None or memory_format is PRESERVE:
        array = laid_out_like(host(input), dtype.numpy)
    else:
        array = in_format(np.empty(input.shape, dtype.numpy), memory_format)
    if value is not None:
        fill(array, value)
    return made(array, device=device, requires_grad=requires_grad)


@overridable
def zeros_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """Zeros shaped, typed and placed like `input`."""
    return _like_filled("zeros_like", input, 0, dtype, device, requires_grad, memory_format)


@overridable
def ones_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """Ones shaped, typed and placed like `input`."""
    return _like_filled("ones_like", input, 1, dtype, device, requires_grad, memory_format)


@overridable
def empty_like(
    input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """A tensor of undefined values, shaped, typed and placed like `input`."""
    return _like_filled("empty_like", input, None, dtype, device, requires_grad, memory_format)


@overridable
def full_like(
    input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
    memory_format=None,
) -> Tensor:  # fmt: skip
    """A tensor full of one number, shaped, typed and placed like `input`."""
    value = fill_number("full_like", fill_value)
    return _like_filled("full_like", input, value, dtype, device, requires_grad, memory_format)


@overridable
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False) -> Tensor:
    """A tensor with a copy of `data`, typed and placed like this one."""
    dtype, device = _like("new_tensor", self, dtype, device)
    return tensor(data, dtype=dtype, device=device, requires_grad=requires_grad)


def _new(name: str, kind):
    @overridable
    def method(self, size, *more, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
        dtype, device = _like(name, self, dtype, device)
        return _filled(name, kind, size_of(name, (size, *more), None), None, dtype, device, requires_grad)

    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"`{name.removeprefix('new_')}`, typed and placed like this tensor."
    return method


new_zeros, new_ones, new_empty = _new("new_zeros", np.zeros), _new("new_ones", np.ones), _new("new_empty", np.empty)


@overridable
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
    """A tensor full of one number, typed and placed like this one."""
    sequence_size("new_full", size)
    dtype, device = _like("new_full", self, dtype, device)
    return full(size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad)


def new_empty_strided(
    self, size, stride, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False
):
    """A tensor of undefined values with the strides given, typed and placed like this one."""
    dtype, device = _like("new_empty_strided", self, dtype, device)
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)


# ---- others


def eye(
    n, m=None, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """The identity matrix, `n` by `m`."""
    n, m = whole("eye", "n", n, " (position 1)"), m if m is None else whole("eye", "m", m, " (position 2)")
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    kind = (as_dtype("eye", dtype) or (out.dtype if out is not None else DEFAULTS.floating)).numpy
    return made(np.eye(n, m, dtype=kind), device=device, requires_grad=requires_grad, out=out)


def is_tensor(obj) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


METHODS = (new_tensor, new_zeros, new_ones, new_empty, new_full, new_empty_strided)


def attach() -> None:
    """Gives Tensor its `new_*` methods; called once by the package root."""
    for function in METHODS:
        setattr(Tensor, function.__name__, function)
