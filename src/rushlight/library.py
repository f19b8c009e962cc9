"""`torch.library`: custom operators, with kernels for devices, meta tensors and backward.

https://docs.pytorch.org/docs/stable/library.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight._library import registry
from rushlight._library.autograd import Formula, autograd_kernel
from rushlight._library.custom_ops import (
    CustomOpDef,
    DeviceTypes,
    _maybe_get_opdef,
    check_differentiable,
    custom_op,
    register_rule,
    run_fake,
)
from rushlight._library.custom_ops import register_autocast as _cast_by_autocast
from rushlight._library.dispatching import SafeKernelFunction
from rushlight._library.fake_impl import get_ctx
from rushlight._library.infer_schema import infer_schema
from rushlight._library.keys import OF_DEVICE, parse_key
from rushlight._library.libraries import Library, fallthrough_kernel, library_for, parse_namespace
from rushlight._library.libraries import _scoped_library as _scoped_library
from rushlight._library.opcheck import opcheck
from rushlight._library.overloads import OpOverload
from rushlight._library.triton import triton_op, wrap_triton
from rushlight.core.device import device

__all__ = [
    "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx", "get_kernel", "impl", "impl_abstract",
    "infer_schema", "opcheck", "register_autocast", "register_autograd", "register_fake", "register_kernel",
    "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip

Op = str | OpOverload | CustomOpDef


@functools.singledispatch
def define(qualname: Any, schema: str, *, lib: Library | None = None, tags: Any = ()) -> Any:
    """Defines `namespace::name` by its schema, `(Tensor x) -> Tensor`.

    `define(library, schema)`, the older form, is a decorator that registers the function as a kernel.
    """
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    _, name = parse_namespace(qualname)
    if not schema.lstrip().startswith("("):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    library_for(qualname, lib).define(name + schema, tags=tags)


@define.register
def _(lib: Library, schema: str, alias_analysis: str = "") -> Any:
    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        name = lib.define(schema, alias_analysis)
        lib.impl(name, function)
        return function

    return wrap


@functools.singledispatch
def impl(qualname: Any, types: Any, func: Callable[..., Any] | None = None, *, lib: Library | None = None) -> Any:
    """Registers a kernel of an operator for device types, "cpu", or for all without their own, "default".

    `impl(library, name, dispatch_key)` is the older form, a decorator.
    """
    kinds = (types,) if isinstance(types, str) else types
    keys = dict.fromkeys(
        "CompositeExplicitAutograd" if kind == "default" else OF_DEVICE[device(kind).type] for kind in kinds
    )

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        library = library_for(qualname, lib)
        for key in keys:
            library.impl(qualname, function, key)
        return function

    if func is None:
        return register
    register(func)
    return None


@impl.register
def _(lib: Library, name: Any, dispatch_key: str = "") -> Any:
    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        lib.impl(name, function, dispatch_key)
        return function

    return wrap


def register_kernel(
    op: Op, device_types: DeviceTypes, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None
) -> Any:
    """Registers the kernel of an operator for device types; None means all."""
    name = name_of(op, "register_kernel")
    custom = _maybe_get_opdef(name)
    if custom is not None:
        return custom.register_kernel(device_types, func) if func else custom.register_kernel(device_types)
    kinds: Any = "default" if device_types is None else device_types
    return impl(name, kinds, func, lib=lib)


def register_fake(
    op: Op,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Any:
    """Registers the function for an operator's result shape, dtype and strides, on meta tensors.

    Raises RuntimeError for an operator that does not exist.
    """
    name = name_of(op, "register_fake")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if (custom := _maybe_get_opdef(name)) is not None:
            return custom.register_fake(function)
        operator = registry.named(name)

        def on_meta(*args: Any, **kwargs: Any) -> Any:
            return run_fake(name, function, args, kwargs)

        library_for(name, lib).impl(name, on_meta, "Meta", allow_override=allow_override)
        operator.fake = function
        return function

    return register if func is None else register(func)


def impl_abstract(
    qualname: str, func: Callable[..., Any] | None = None, *, lib: Library | None = None, _stacklevel: int = 1
) -> Any:
    """The older name of `register_fake`."""
    return register_fake(qualname, func, lib=lib)


def register_autograd(
    op: Op,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """Registers `backward(ctx, *grads)` of an operator, and the function that saves its inputs.

    Raises RuntimeError for an operator that writes to its arguments or returns views of them.
    """
    name = name_of(op, "register_autograd")
    if (custom := _maybe_get_opdef(name)) is not None:
        custom.register_autograd(backward, setup_context=setup_context)
        return
    operator = existing(name)
    check_differentiable(name, operator.schema)
    operator.autograd = Formula(backward, setup_context)
    library_for(name, lib).impl(name, autograd_kernel(operator), "Autograd")


def register_vmap(op: Op, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Registers `func(info, in_dims, *args)`, which returns the results of a batch and where the batch is in them.

    `torch.vmap` calls it; without one, it calls the operator for each sample.
    """
    operator = existing(name_of(op, "register_vmap"))
    if operator.custom is not None:
        return operator.custom.register_vmap(func)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        operator.vmap_rule = function
        return function

    if func is None:
        return register
    register(func)
    return None


def register_torch_dispatch(
    op: Op, torch_dispatch_class: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None
) -> Any:
    """Registers `func(cls, func, types, args, kwargs)`, which runs if an argument is of a subclass of Tensor.

    Raises NotImplementedError for mode classes.
    """
    operator = existing(name_of(op, "register_torch_dispatch"))

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        return register_rule(operator, torch_dispatch_class, function)

    return register if func is None else register(func)


def register_autocast(op: Op, device_type: str, cast_inputs: Any, /, *, lib: Library | None = None) -> None:
    """Makes autocast on a device type cast the operator's floating point tensors to a dtype."""
    name = name_of(op, "register_autocast")
    if (custom := _maybe_get_opdef(name)) is not None:
        custom.register_autocast(device_type, cast_inputs)
        return
    operator = existing(name)
    _cast_by_autocast(library_for(name, lib), operator, device_type, cast_inputs)


def get_kernel(op: Op, dispatch_key: Any) -> SafeKernelFunction:
    """Returns the kernel of an operator for a key. Raises RuntimeError if there is none."""
    operator = registry.named(name_of(op, "get_kernel"))
    try:
        key = parse_key(dispatch_key).name
    except RuntimeError:
        raise ValueError(f"Invalid dispatch key: {dispatch_key}") from None
    kernel = operator.computed(key)
    if kernel is None:
        raise RuntimeError(f"no kernel for {key} for {operator.name}")
    return SafeKernelFunction(operator, kernel, key)


def name_of(op: Any, function: str) -> str:
    """Returns the qualified name of an operator. Raises ValueError for other objects."""
    if isinstance(op, OpOverload):
        return op._name
    if isinstance(op, CustomOpDef):
        return op._qualname
    if not isinstance(op, str):
        raise ValueError(f"{function}({op}): got unexpected type for op: {type(op)}")
    return op


def existing(name: str) -> registry.Operator:
    """Returns the operator of a name. Raises AttributeError as `torch.ops` does if there is none."""
    namespace, _ = parse_namespace(name)
    result = registry.find(*registry.split(name))
    if result is None:
        raise AttributeError(f"'_OpNamespace' '{namespace}' object has no attribute '{name.partition('::')[2]}'")
    return result
