"""Making tensors: from data, and full of zeros, ones, numbers or steps.

https://docs.pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from rushlight.arrays.meta import MetaArray
from rushlight.core import dtype as dtypes
from rushlight.core.device import BACKENDS, as_device
from rushlight.core.dtype import DEFAULTS, from_numpy_dtype
from rushlight.core.tensor import STRIDED, Tensor, host, wrap
from rushlight.dispatch.general import into
from rushlight.ops.promote import number_dtype

INTEGRAL = (int, np.integer)


def made(array, *, dtype=None, device=None, requires_grad=False, out=None) -> Tensor:
    """A tensor on a fresh array, put on its device and marked."""
    if dtype is not None and array.dtype != dtype.numpy:
        array = array.astype(dtype.numpy)
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


def array_of(data, dtype=None) -> np.ndarray:
    """A fresh array with the values of `data`, in the dtype that PyTorch would infer unless one is given."""
    if isinstance(data, np.ndarray):
        return np.array(data, from_numpy_dtype(data.dtype).numpy if dtype is None else dtype.numpy, order="C", copy=True)
    if isinstance(data, np.generic):
        kind = number_dtype(float(data)) if type(data) is np.float64 else from_numpy_dtype(data.dtype)
        return np.array(data, (dtype or kind).numpy)
    if isinstance(data, (bool, int, float, complex)):
        return _array_of_numbers(data, dtype)
    if hasattr(data, "__array_interface__") or hasattr(data, "__array__"):
        return array_of(np.asarray(data), dtype)
    if isinstance(data, (str, bytes)) or not (hasattr(data, "__len__") and hasattr(data, "__getitem__")):
        raise _not_data(data)
    return _array_of_sequence(data, dtype)


def _array_of_sequence(data, dtype) -> np.ndarray:
    shape = shape_of(data)
    flat: list = []
    _flatten(data, shape, 0, flat)
    if any(isinstance(each, (Tensor, np.generic)) for each in flat):
        dtype = dtype or _inferred(flat)
        flat = [each.item() if isinstance(each, (Tensor, np.generic)) else each for each in flat]
    if not flat:
        return np.empty(shape, (dtype or DEFAULTS.floating).numpy)
    return _array_of_numbers(flat, dtype).reshape(shape)


def _inferred(flat):
    found = None
    for each in flat:
        if isinstance(each, np.float64) or not isinstance(each, (Tensor, np.generic)):
            kind = number_dtype(each)
        else:
            kind = each.dtype if isinstance(each, Tensor) else from_numpy_dtype(each.dtype)
        found = kind if found is None else dtypes.promote_types(found, kind)
    return found


def _array_of_numbers(numbers, dtype) -> np.ndarray:
    try:
        array = np.array(numbers)
    except (ValueError, OverflowError) as error:
        raise _not_data(numbers) from error
    if array.dtype == object or array.dtype.kind not in "biufc":
        raise _not_numbers(numbers)
    if array.dtype == np.uint64:
        raise RuntimeError("Overflow when unpacking long long")
    if dtype is not None:
        return _converted(array, numbers, dtype)
    kind = {"b": dtypes.bool, "i": dtypes.int64, "f": DEFAULTS.floating, "c": DEFAULTS.complex}[array.dtype.kind]
    return array.astype(kind.numpy)


def _converted(array, numbers, dtype) -> np.ndarray:
    if dtype.category == dtypes.INTEGER and array.dtype.kind in "iub":
        limits = np.iinfo(dtype.numpy)
        if array.size and (array.max() > limits.max or array.min() < limits.min):
            raise RuntimeError(f"value cannot be converted to type {OVERFLOWING[dtype]} without overflow")
    if dtype.category < dtypes.COMPLEX and array.dtype.kind == "c":
        raise TypeError("must be real number, not complex")
    return array.astype(dtype.numpy)


OVERFLOWING = {
    dtypes.uint8: "uint8", dtypes.int8: "int8_t", dtypes.int16: "int16_t", dtypes.int32: "int", dtypes.int64: "int64_t", dtypes.uint16: "uint16_t",
    dtypes.uint32: "uint32_t", dtypes.uint64: "uint64_t",
}  # fmt: skip


def _not_data(data) -> TypeError:
    return TypeError(f"new(): invalid data type '{type(data).__name__}'")


def _not_numbers(numbers) -> Exception:
    for each in numbers if isinstance(numbers, list) else [numbers]:
        if isinstance(each, int) and not isinstance(each, bool) and not -(2**63) <= each < 2**63:
            return RuntimeError("Overflow when unpacking long long")
        if isinstance(each, str):
            return TypeError(f"new(): invalid data type '{type(each).__name__}'")
        if not isinstance(each, (bool, int, float, complex)):
            return TypeError(f"must be real number, not {type(each).__name__}")
    return TypeError("new(): data must be numbers")


def shape_of(data) -> tuple:
    """The shape of nested sequences, by the first element at each depth."""
    shape: list[int] = []
    while _is_sequence(data):
        shape.append(len(data))
        if len(data) == 0:
            break
        data = data[0]
    return tuple(shape) + (tuple(data.shape) if isinstance(data, (Tensor, np.ndarray)) else ())


def _is_sequence(value) -> bool:
    if isinstance(value, (list, tuple, range)):
        return True
    return (
        hasattr(value, "__len__")
        and hasattr(value, "__getitem__")
        and not isinstance(value, (str, bytes, Tensor, np.ndarray, np.generic, dict, set))
    )


def _flatten(data, shape: tuple, depth: int, flat: list) -> None:
    if isinstance(data, (Tensor, np.ndarray)) and data.ndim:
        _check_length(data.shape[0] if depth < len(shape) else -1, shape, depth)
        flat.extend(np.asarray(host(data) if isinstance(data, Tensor) else data).ravel().tolist())
    elif depth == len(shape):
        if _is_sequence(data):
            raise TypeError(f"only one element tensors can be converted to Python scalars, got {type(data).__name__}")
        flat.append(data.item() if isinstance(data, np.ndarray) else data)
    else:
        if not _is_sequence(data):
            raise TypeError(f"expected a sequence at dim {depth} (got {type(data).__name__})")
        _check_length(len(data), shape, depth)
        if depth == len(shape) - 1 and not any(_is_sequence(each) for each in data):
            flat.extend(data)
            return
        for each in data:
            _flatten(each, shape, depth + 1, flat)


def _check_length(length: int, shape: tuple, depth: int) -> None:
    if depth >= len(shape) or length != shape[depth]:
        expected = shape[depth] if depth < len(shape) else 0
        error = ValueError(f"expected sequence of length {expected} at dim {depth} (got {length})")
        error.add_note("The rows of a tensor are of one length. Pad the short ones, or keep a list of tensors.")
        raise error


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
    """A tensor from anything: shared where possible, copied if `copy` is True, refused if it is False and impossible."""
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
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    kind = from_numpy_dtype(ndarray.dtype)
    if ndarray.dtype != kind.numpy or not ndarray.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )
    if not ndarray.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
            "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
            "writable before converting it to a tensor.",
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
    size = memoryview(buffer).nbytes
    if size == 0 and count != 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if offset < 0 or offset >= max(size, 1):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({size}), but got {offset}")
    if count == -1 and (size - offset) % dtype.itemsize:
        raise ValueError(
            f"buffer size ({size - offset} bytes) must be a multiple of element size ({dtype.itemsize})"
        )
    shared = wrap(np.frombuffer(buffer, dtype.numpy, count, offset))
    return shared.requires_grad_(True) if requires_grad else shared


def from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor:
    """A tensor on the memory of any object with `__dlpack__`."""
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.detach()
    return wrap(np.from_dlpack(ext_tensor))


# ---- full of something


def size_of(size: tuple) -> tuple:
    """A size given as one sequence or as separate numbers."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    for position, each in enumerate(size, 1):
        if isinstance(each, bool) or not (isinstance(each, INTEGRAL) or isinstance(each, Tensor)):
            raise TypeError(f"empty(): argument 'size' (position {position}) must be tuple of ints, not {type(each).__name__}")
    size = tuple(int(each) for each in size)
    negative = [each for each in size if each < 0]
    if negative:
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative[0]}: {list(size)}")
    return size


def _filled(kind, size, value, out, dtype, device, requires_grad) -> Tensor:
    place = as_device(device)
    chosen = (dtype or (out.dtype if out is not None else DEFAULTS.floating)).numpy
    if place.type == "meta":
        return made_on(MetaArray(size, chosen), requires_grad, out)
    array = kind(size, chosen) if value is None else kind(size, value, chosen)
    return made(array, device=place, requires_grad=requires_grad, out=out)


def made_on(array, requires_grad=False, out=None) -> Tensor:
    """A tensor on an array that is on its device already."""
    tensor = wrap(array)
    if out is not None:
        return into(out, "out", tensor)
    if requires_grad:
        tensor._become_leaf()
    return tensor


def zeros(*size, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """Zeros of a size.

    >>> zeros(2, 3).shape
    torch.Size([2, 3])
    """
    return _filled(np.zeros, size_of(size), None, out, dtype, device, requires_grad)


def ones(*size, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """Ones of a size."""
    return _filled(np.ones, size_of(size), None, out, dtype, device, requires_grad)


def empty(
    *size, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False, memory_format=None
) -> Tensor:
    """A tensor of a size, of undefined values."""
    return _filled(np.empty, size_of(size), None, out, dtype, device, requires_grad)


def full(size, fill_value, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False):
    """A tensor of a size, full of one number, whose kind gives the dtype."""
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    if dtype is None and out is None:
        dtype = number_dtype(fill_value)
    return _filled(np.full, size_of((size,) if isinstance(size, int) else (tuple(size),)), fill_value, out, dtype, device,
                   requires_grad)  # fmt: skip


def scalar_tensor(s, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A 0-d tensor, of the default dtype unless one is given."""
    return full((), s, dtype=dtype or DEFAULTS.floating, device=device, requires_grad=requires_grad)


def empty_strided(size, stride, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False):
    """A tensor of undefined values with the strides given, in elements."""
    size = size_of((size,))
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    kind = (dtype or DEFAULTS.floating).numpy
    needed = 0 if 0 in size else 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))
    memory = np.empty(needed, kind)
    steps = tuple(step * kind.itemsize for step in stride)
    array = np.lib.stride_tricks.as_strided(memory, size, steps) if needed else np.empty(size, kind)
    return made(array, device=device, requires_grad=requires_grad)


def empty_permuted(size, physical_layout, *, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False):
    """A tensor of undefined values whose dimensions lie in memory in the order given."""
    size = size_of((size,))
    memory = np.empty([size[each] for each in physical_layout], (dtype or DEFAULTS.floating).numpy)
    return made(memory.transpose(np.argsort(physical_layout)), device=device, requires_grad=requires_grad)


def _like(tensor: Tensor, dtype, device):
    return dtype or tensor.dtype, tensor.device if device is None else device


def like(array: np.ndarray, dtype) -> np.ndarray:
    """Uninitialised memory laid out as a dense array is, else contiguous."""
    return np.empty_like(array, dtype.numpy, order="K", subok=False)


def _like_filled(input, value, dtype, device, requires_grad) -> Tensor:
    dtype, device = _like(input, dtype, device)
    if as_device(device).type == "meta" or input.is_meta:
        return _filled(np.empty, tuple(input.shape), None, None, dtype, device, requires_grad)
    array = like(host(input), dtype)
    if value is not None:
        array.fill(value)
    return made(array, device=device, requires_grad=requires_grad)


def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None):
    """Zeros shaped, typed and placed like `input`."""
    return _like_filled(input, 0, dtype, device, requires_grad)


def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None):
    """Ones shaped, typed and placed like `input`."""
    return _like_filled(input, 1, dtype, device, requires_grad)


def empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None):
    """A tensor of undefined values, shaped, typed and placed like `input`."""
    return _like_filled(input, None, dtype, device, requires_grad)


def full_like(
    input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None
):
    """A tensor full of one number, shaped, typed and placed like `input`."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return _like_filled(input, value, dtype, device, requires_grad)


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False) -> Tensor:
    """A tensor with a copy of `data`, typed and placed like this one."""
    dtype, device = _like(self, dtype, device)
    return tensor(data, dtype=dtype, device=device, requires_grad=requires_grad)


def _new(function):
    def method(self, *size, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
        dtype, device = _like(self, dtype, device)
        return function(*size, dtype=dtype, device=device, requires_grad=requires_grad)

    method.__name__ = f"new_{function.__name__}"
    method.__doc__ = f"`{function.__name__}`, typed and placed like this tensor."
    return method


new_zeros, new_ones, new_empty = _new(zeros), _new(ones), _new(empty)


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
    """A tensor full of one number, typed and placed like this one."""
    dtype, device = _like(self, dtype, device)
    return full(size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad)


def new_empty_strided(self, size, stride, dtype=None, device=None, requires_grad=False, layout=STRIDED, pin_memory=False):
    """A tensor of undefined values with the strides given, typed and placed like this one."""
    dtype, device = _like(self, dtype, device)
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)


# ---- steps


def arange(
    start=0, end=None, step=1, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """The numbers from `start` (0 if only one bound is given) up to `end`, which is left out, in steps.

    >>> arange(3), arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    if end is None:
        start, end = 0, start
    start, end, step = (each.item() if isinstance(each, (Tensor, np.generic)) else each for each in (start, end, step))
    _check_range(start, end, step)
    if dtype is None:
        integral = all(isinstance(each, int) for each in (start, end, step))
        dtype = (out.dtype if out is not None else None) or (dtypes.int64 if integral else DEFAULTS.floating)
    count = math.ceil((end - start) / step) if not all(isinstance(each, int) for each in (start, end, step)) else max(
        -((start - end) // step), 0)  # fmt: skip
    if dtype.category <= dtypes.INTEGER:
        array = int(start) + np.arange(count, dtype=np.int64) * int(step)
    else:
        array = start + np.arange(count, dtype=np.float64) * step
    return made(array, dtype=dtype, device=device, requires_grad=requires_grad, out=out)


def _check_range(start, end, step) -> None:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0 and end < start) or (step < 0 and end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def linspace(
    start, end, steps, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, evenly spaced.

    >>> linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    start, end = (each.item() if isinstance(each, Tensor) else each for each in (start, end))
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if dtype is None:
        dtype = DEFAULTS.complex if isinstance(start, complex) or isinstance(end, complex) else DEFAULTS.floating
    return made(_spaced(start, end, steps, dtype), dtype=dtype, device=device, requires_grad=requires_grad, out=out)


def _spaced(start, end, steps: int, dtype) -> np.ndarray:
    """From both ends towards the middle, as PyTorch computes it, in the result's own precision."""
    if steps == 1:
        return np.array([start]).astype(dtype.numpy)
    kind = dtype.numpy if dtype.category >= dtypes.FLOAT and dtype not in dtypes.REDUCED else np.dtype(np.float32)
    if dtype.category <= dtypes.INTEGER:
        kind = np.dtype(np.float32) if not dtype.category else np.dtype(np.float64)
    first, last = kind.type(start), kind.type(end)
    step = (last - first) / kind.type(max(steps - 1, 1))
    counted = np.arange(steps).astype(kind)
    half = steps // 2
    return np.concatenate([first + step * counted[:half], last - step * counted[: steps - half][::-1]])


def logspace(
    start, end, steps, base=10.0, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False
) -> Tensor:
    """`base` to the powers of a linspace."""
    start, end = (each.item() if isinstance(each, Tensor) else each for each in (start, end))
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    dtype = dtype or DEFAULTS.floating
    exponents = _spaced(start, end, steps, dtype if dtype.category >= dtypes.FLOAT else dtypes.float64)
    array = np.power(exponents.dtype.type(base), exponents)
    return made(array, dtype=dtype, device=device, requires_grad=requires_grad, out=out)


def eye(n, m=None, *, out=None, dtype=None, layout=STRIDED, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """The identity matrix, `n` by `m`."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    kind = (dtype or (out.dtype if out is not None else DEFAULTS.floating)).numpy
    return made(np.eye(n, m, dtype=kind), device=device, requires_grad=requires_grad, out=out)


def is_tensor(obj) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)



METHODS = (new_tensor, new_zeros, new_ones, new_empty, new_full, new_empty_strided)


def attach() -> None:
    """Gives Tensor its `new_*` methods; called once by the package root."""
    for function in METHODS:
        setattr(Tensor, function.__name__, function)
