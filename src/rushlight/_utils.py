"""`torch._utils`: helpers that packages import. Those shared with checkpoints are in `serialization`."""

from __future__ import annotations

import copyreg
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import rushlight._generated.functions as F
from rushlight import cuda
from rushlight._library.wrappers import rebuilt as _rebuild_wrapper_subclass
from rushlight.compiler import is_compiling as is_compiling
from rushlight.core.device import device as Place
from rushlight.core.dtype import dtype as Dtype
from rushlight.core.tensor import Tensor
from rushlight.serialization.rebuild import meta_tensor as _rebuild_meta_tensor_no_storage
from rushlight.serialization.rebuild import parameter as _rebuild_parameter
from rushlight.serialization.rebuild import parameter_with_state as _rebuild_parameter_with_state
from rushlight.serialization.rebuild import sparse_tensor as _rebuild_sparse_tensor
from rushlight.serialization.rebuild import tensor_of_device as _rebuild_device_tensor_from_cpu_tensor
from rushlight.serialization.rebuild import tensor_v1 as _rebuild_tensor
from rushlight.serialization.rebuild import tensor_v2 as _rebuild_tensor_v2
from rushlight.serialization.rebuild import tensor_v3 as _rebuild_tensor_v3
from rushlight.utils.data.failure import Failure
from rushlight.utils.data.failure import Verbatim as KeyErrorMessage

__all__ = [
    "ExceptionWrapper", "KeyErrorMessage", "_rebuild_device_tensor_from_cpu_tensor", "_rebuild_meta_tensor_no_storage",
    "_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_sparse_tensor", "_rebuild_tensor",
    "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_wrapper_subclass", "classproperty", "cpu_count",
]  # fmt: skip


# ---- flatten and unflatten tensors


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Concatenates the elements of tensors of one dtype; a single tensor is viewed.

    >>> import rushlight as torch
    >>> _flatten_dense_tensors([torch.ones(1, 2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    flat = [tensor.contiguous().view(-1) for tensor in tensors]
    return flat[0] if len(flat) == 1 else F.cat(flat)


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Returns views of `flat` in the shapes of tensors, in order."""
    views, start = [], 0
    for tensor in tensors:
        views.append(flat.narrow(0, start, tensor.numel()).view(tensor.shape))
        start += tensor.numel()
    return tuple(views)


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Yields groups of tensors of one type, each of at most `size_limit` bytes unless a single tensor has more."""
    groups: dict[str, list[Tensor]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for tensor in tensors:
        kind = tensor.type()
        if groups[kind] and sizes[kind] + tensor.nbytes > size_limit:
            yield groups[kind]
            groups[kind], sizes[kind] = [], 0
        groups[kind].append(tensor)
        sizes[kind] += tensor.nbytes
    yield from filter(None, groups.values())


def _reorder_tensors_as(tensors: Iterable[Tensor], ordered_tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """Returns tensors, which are grouped by type, in the order of types of `ordered_tensors`."""
    by_kind: dict[str, list[Tensor]] = defaultdict(list)
    for tensor in tensors:
        by_kind[tensor.type()].append(tensor)
    following = {kind: iter(tensors_) for kind, tensors_ in by_kind.items()}
    return tuple(next(following[tensor.type()]) for tensor in ordered_tensors)


def _handle_complex(tensor: Tensor) -> Tensor:
    """Returns a complex tensor as a real view; others unchanged."""
    return F.view_as_real(tensor) if tensor.is_complex() else tensor


def _element_size(dtype: Dtype) -> int:
    """Returns the bytes of an element.

    >>> import rushlight as torch
    >>> _element_size(torch.float16)
    2
    """
    return dtype.itemsize


# ---- devices


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """Returns a GPU's index; -1 for the CPU if `allow_cpu`; the current one for None if `optional`."""
    if isinstance(device, str):
        device = Place(device)
    index = device if isinstance(device, int) else None
    if isinstance(device, Place):
        if device.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        index = -1 if device.type == "cpu" else device.index
    if index is not None:
        return index
    if not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return cuda.current_device() if cuda.is_available() else None


def _get_available_device_type() -> str | None:
    """Returns the type of the GPU; None if there is none."""
    return "cuda" if cuda.is_available() else None


def _get_all_device_indices() -> list[int] | None:
    """Returns the indices of all GPUs; None if there is none."""
    return list(range(cuda.device_count())) if cuda.is_available() else None


def _get_device_module(device_type: str) -> ModuleType:
    """Returns `torch.cuda` for "cuda", and so on. Raises RuntimeError if there is no such module."""
    name = f"{__name__.partition('.')[0]}.{device_type}"
    if find_spec(name) is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return import_module(name)


def cpu_count() -> int | None:
    """Returns the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


# ---- objects and their state


def _get_obj_state(obj: Any) -> Any:
    """Returns the state that a pickle stores of an object: its attributes and slots."""
    method = getattr(obj, "__getstate__", None)
    if method is not None and type(obj).__getstate__ is not getattr(object, "__getstate__", None):
        return method()
    names = copyreg._slotnames(type(obj))  # type: ignore[attr-defined]
    slots = {name: getattr(obj, name) for name in names if hasattr(obj, name)}
    own = getattr(obj, "__dict__", None)
    return (own, slots) if slots else own


def _set_obj_state(obj: Any, state: Any) -> Any:
    """Restores a state from `_get_obj_state`."""
    own, slots = state, None
    if isinstance(state, tuple):
        if len(state) != 2:
            raise RuntimeError(f"Invalid serialized state: {state}")
        own, slots = state
    for name, value in (*(own or {}).items(), *(slots or {}).items()):
        setattr(obj, name, value)
    return obj


def _import_dotted_name(name: str) -> Any:
    """Returns the object of a dotted name whose first part is a loaded module."""
    first, *rest = name.split(".")
    result: Any = import_module(first)
    for part in rest:
        result = getattr(result, part)
    return result


def try_import(module_name: str) -> ModuleType | None:
    """Returns a module; None if it does not exist."""
    return import_module(module_name) if find_spec(module_name) is not None else None


class classproperty:  # noqa: N801  # PyTorch's name
    """A property of the class, readable from the class or an instance.

    >>> class Layer:
    ...     @classproperty
    ...     def name(cls):
    ...         return cls.__name__
    >>> Layer.name, Layer().name
    ('Layer', 'Layer')
    """

    def __init__(self, func: Callable):
        self.fget = func

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.fget(owner or type(instance))


# ---- calls and errors


def _get_async_or_non_blocking(function_name: str, non_blocking: bool, kwargs: dict) -> bool:
    """Returns `non_blocking`, or the keyword `async` of older programs."""
    if not kwargs:
        return non_blocking
    if len(kwargs) != 1 or "async" not in kwargs:
        unknown = next(name for name in (*reversed(kwargs), *kwargs) if name != "async" or len(kwargs) == 1)
        raise TypeError(f"{function_name}() got an unexpected keyword argument '{unknown}'")
    warnings.warn("'async' is deprecated; use 'non_blocking'", stacklevel=3)
    return kwargs["async"]


class ExceptionWrapper:
    """An exception with its traceback as text, for raising in another thread or process."""

    def __init__(self, exc_info: tuple | None = None, where: str = "in background"):
        failure = Failure.of((exc_info or sys.exc_info())[1], where)  # type: ignore[arg-type]
        self.exc_type, self.exc_msg, self.where = failure.kind, failure.text, where

    def reraise(self) -> None:
        """Raises an error of the same type; its message has the traceback."""
        Failure(self.exc_type, self.exc_msg, self.where).raise_again()
