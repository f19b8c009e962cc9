"""`Tensor._make_wrapper_subclass`: tensors without elements, whose class computes what is called on them."""

from __future__ import annotations

import weakref
from typing import Any

from rushlight._library.wrapper_calls import dispatches, watch_calls
from rushlight.arrays.meta import MetaArray
from rushlight.core.device import as_device, resolved
from rushlight.core.dtype import DEFAULTS, dtype
from rushlight.core.errors import noted, type_name
from rushlight.core.modes import MODE, change
from rushlight.core.shape_queries import STRIDED
from rushlight.core.storage import Storage
from rushlight.core.strides import contiguous_strides
from rushlight.core.tables import objects
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import CLASSES, WrapperArray

POLICIES = ("strides", "sizes")
NO_SUBCLASS = (
    "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class "
    "inherits from Tensor."
)
NO_COPY = (
    "The default implementation of __deepcopy__() for wrapper subclasses only works for subclass types that implement "
    "clone() and for which cloning returns another instance of the same subclass. You should either properly implement "
    "clone() for your subclass or override __deepcopy__() if it is intended behavior for clone() to return an instance "
    "of a different type."
)


def make_wrapper_subclass(
    cls: type,
    size: Any,
    strides: Any = None,
    storage_offset: int | None = None,
    memory_format: Any = None,
    dtype: dtype | None = None,
    layout: Any = STRIDED,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: str | None = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
) -> Tensor:
    """Returns a tensor of a subclass that has a shape, strides, a dtype and a device, but no elements.

    The class has `__torch_dispatch__`, which computes the operators called on it. Raises TypeError for a class without,
    or one that does not inherit from Tensor, ValueError for another policy than "strides" and "sizes", RuntimeError for
    strides that do not fit the size.

    >>> import rushlight as torch
    >>> class Ones(torch.Tensor):
    ...     @classmethod
    ...     def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
    ...         return func(*[torch.ones(x.shape) if isinstance(x, cls) else x for x in args], **(kwargs or {}))
    >>> torch.Tensor._make_wrapper_subclass(Ones, (2,)) + 1
    Ones([2., 2.])
    """
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(NO_SUBCLASS)
    if not dispatches(cls):
        raise noted(TypeError(f"{cls.__name__} must define __torch_dispatch__"), "Tensor._make_subclass needs none.")
    if not isinstance(size, (tuple, list)):
        words = f"argument 'size' (position 2) must be tuple of ints, not {type_name(size)}"
        raise TypeError(f"_make_wrapper_subclass(): {words}")
    if dispatch_sizes_strides_policy not in (None, *POLICIES):
        raise ValueError(
            f"Unknown sizes_strides_policy: {dispatch_sizes_strides_policy}; expected 'strides' or 'sizes'"
        )
    if layout is not STRIDED:
        raise NotImplementedError(f"wrappers have the layout torch.strided, not {layout}")
    if strides is not None and len(strides) != len(size):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(strides)})"
        )
    tensor = made(cls, tuple(size), strides, dtype or DEFAULTS.floating, resolved(as_device(device)))
    if requires_grad:
        tensor._become_leaf("Only Tensors of floating point and complex dtype can require gradients")
    return tensor


def made(cls: type, size: tuple, strides: Any, kind: dtype, place: Any) -> Tensor:
    """Returns a wrapper without history."""
    watch_calls()
    steps = contiguous_strides(size) if strides is None else strides
    array = MetaArray(size, kind.numpy, tuple([step * kind.numpy.itemsize for step in steps]))
    tensor: Tensor = objects.instance(cls)
    tensor._array = WrapperArray(wrap(array), place)
    tensor._array.owner = weakref.ref(tensor)
    tensor._meta_key = tensor._base = tensor._edge = tensor._generation = None
    tensor._store = Storage()
    return tensor


def copied(wrapper: Tensor) -> Tensor:
    """Returns the clone of a wrapper, for `copy.deepcopy`. Raises RuntimeError if that has another class."""
    token = change(grad=False)
    try:
        result = wrapper.clone()
    finally:
        MODE.reset(token)
    if type(result) is not type(wrapper):
        raise RuntimeError(NO_COPY)
    return result


def reduced(wrapper: Tensor, state: Any) -> tuple:
    """Returns the pickle of a wrapper: its shape, and the attributes that the program has set."""
    return rebuilt, facts_of(wrapper), state


def facts_of(wrapper: Tensor) -> tuple:
    """Returns the arguments of `rebuilt` for a wrapper."""
    shape, steps = tuple(wrapper.shape), wrapper.stride()
    return type(wrapper), wrapper.dtype, shape, steps, 0, STRIDED, wrapper.device, wrapper.requires_grad


def rebuilt(
    cls: type,
    dtype: Any,
    size: tuple,
    stride: tuple,
    storage_offset: int,
    layout: Any,
    device: Any,
    requires_grad: bool,
) -> Tensor:
    """Returns a wrapper from its pickle, without its attributes."""
    return make_wrapper_subclass(
        cls, size, stride, storage_offset, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


CLASSES.copied, CLASSES.reduced = copied, reduced
