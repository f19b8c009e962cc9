"""`torch.library.custom_op`: an operator whose kernels are Python functions.

https://docs.pytorch.org/docs/stable/library.html
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight._library import registry
from rushlight._library.autograd import Formula, autograd_kernel
from rushlight._library.binding import tensors_in
from rushlight._library.dispatching import AFTER_WRITES, Excluding, on_device, redispatch
from rushlight._library.fake_impl import ctx_getter, refuse_on_meta
from rushlight._library.infer_schema import infer_schema
from rushlight._library.keys import OF_DEVICE, DispatchKey, DispatchKeySet
from rushlight._library.libraries import Library
from rushlight._library.schema import FunctionSchema
from rushlight._library.tags import Tag, as_tags
from rushlight.core.device import device
from rushlight.core.modes import announce_write
from rushlight.core.tensor import Tensor
from rushlight.create.conversion import to

log = logging.getLogger(__name__)
DeviceTypes = str | Sequence[str] | None
ALL_DEVICES = "CompositeExplicitAutograd"
ALIASING = (
    "{} (with implementation in {}): The output of this custom operator (1) must not also be an input to this custom "
    "operator and (2) may not alias any inputs to this custom operator or other returns. The most common way to "
    "trigger this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return a clone "
    "of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y."
)
OPDEFS: dict[str, Any] = {}  # by qualified name


class CustomOpDef:
    """The result of `custom_op`: callable, with methods to register kernels."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[..., Any], tags: Sequence[Any] = ()):
        if (before := OPDEFS.get(f"{namespace}::{name}")) is not None:
            before._lib._destroy()
        self._namespace, self._name, self._schema, self._init_fn = namespace, name, schema, fn
        self._tags = tags
        self._backend_fns: dict[str | None, Callable[..., Any]] = {}
        self._abstract_fn: Callable[..., Any] | None = None
        self._setup_context_fn: Callable[..., Any] | None = None
        self._backward_fn: Callable[..., Any] | None = None
        self._vmap_fn: Callable[..., Any] | None = None
        self._autocast_dtype: dict[str, Any] = {}
        self._disabled: set[str] = set()
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(f"{name}{schema}", tags=[*tags, Tag.pt2_compliant_tag])
        self._operator = registry.named(self._qualname)
        self._operator.custom = self
        if has_named_tensors(self._operator.schema):
            raise NotImplementedError(
                f"custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: {name}{schema}"
            )
        self._register_kernels()
        OPDEFS[self._qualname] = self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    @property
    def _opoverload(self) -> Any:
        return self._operator.shown

    # ---- registration

    def register_kernel(self, device_types: DeviceTypes, fn: Callable[..., Any] | None = None, /) -> Any:
        """Registers the kernel for device types; `None` means all without their own."""

        def inner(fn: Callable[..., Any]) -> Callable[..., Any]:
            types = [device_types] if device_types is None or isinstance(device_types, str) else device_types
            for type_ in dict.fromkeys(types):
                self._register_kernel(type_, fn)
            return fn

        return inner if fn is None else inner(fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Registers the function for the result's shape, dtype and strides: it runs on meta tensors."""
        self._abstract_fn = self._operator.fake = fn
        return fn

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Registers `backward(ctx, *grads)`, and `setup_context(ctx, inputs, output)`, which saves its inputs."""
        check_differentiable(self, self._operator.schema)
        self._backward_fn, self._setup_context_fn = backward, setup_context
        self._operator.autograd = Formula(backward, setup_context)

    def register_vmap(self, func: Callable[..., Any] | None = None, /) -> Any:
        """Registers `func(info, in_dims, *args)`, which returns the results of a batch and where the batch is in them.

        `torch.vmap` calls it; without one, it calls the operator for each sample.
        """

        def keep(func: Callable[..., Any]) -> Callable[..., Any]:
            self._vmap_fn = self._operator.vmap_rule = func
            return func

        if func is None:
            return keep
        keep(func)
        return None

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Registers `fn(cls, func, types, args, kwargs)`, which runs if an argument is of a subclass of Tensor."""

        def inner(fn: Callable[..., Any]) -> Callable[..., Any]:
            return register_rule(self._operator, torch_dispatch_class, fn)

        return inner if fn is None else inner(fn)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """Makes autocast on a device type cast the operator's tensors to a dtype."""
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        register_autocast(self._lib, self._operator, device_type, cast_inputs)
        self._autocast_dtype[device_type] = cast_inputs

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Within the block, enables or disables the kernel of a device type; without it the first function runs."""
        if device_type not in self._backend_fns:
            log.warning(
                "Attempted to %s kernel for %s but no kernel was registered for this device type.",
                "enable" if enabled else "disable",
                device_type,
            )
        before = set(self._disabled)
        self._disabled = before - {device_type} if enabled else before | {device_type}
        try:
            yield
        finally:
            self._disabled = before

    # ---- kernels

    def _register_kernels(self) -> None:
        name, schema = self._name, self._operator.schema
        self._lib.impl(name, self._on_meta, "Meta")
        self._lib.impl(name, autograd_kernel(self._operator), "Autograd")
        if schema.is_mutable:
            self._lib.impl(name, self._noting_writes, "ADInplaceOrView", with_keyset=True)

    def _register_kernel(self, kind: str | None, fn: Callable[..., Any]) -> None:
        if kind is not None:
            kind = device(kind).type  # raises for an unknown type
        schema = self._operator.schema
        if not any(argument.real_type.holds_tensors() for argument in schema.arguments):
            self._register_backend_select(kind)
        if kind not in self._backend_fns:
            self._lib.impl(self._name, self._on_backend(kind), ALL_DEVICES if kind is None else OF_DEVICE[kind])
        self._backend_fns[kind] = fn

    def _register_backend_select(self, kind: str | None) -> None:
        """Makes an operator without tensors choose its kernel by a device argument."""
        arguments = self._operator.schema.arguments
        at = next(
            (position for position, argument in enumerate(arguments) if "Device" in str(argument.real_type)), None
        )
        if kind is None or self._operator.has("BackendSelect"):
            return
        if at is None:
            raise ValueError("Functions without tensor inputs are required to have a `device: torch.device` argument")

        def select(*args: Any, **kwargs: Any) -> Any:
            values = self._operator.bound(args, kwargs)
            return on_device(self._operator, values, values[at] or device("cpu"))

        self._lib.impl(self._name, select, "BackendSelect")

    def _on_backend(self, kind: str | None) -> Callable[..., Any]:
        def kernel(*args: Any, **kwargs: Any) -> Any:
            fn = self._init_fn if kind in self._disabled else self._backend_fns[kind]
            result = fn(*args, **kwargs)
            check_aliasing(self._name, (args, kwargs), result, lambda: inspect.getmodule(fn))
            return result

        return kernel

    def _on_meta(self, *args: Any, **kwargs: Any) -> Any:
        if self._abstract_fn is None:
            if self._operator.schema.is_mutable and not self._operator.schema.returns:
                return None
            raise RuntimeError(
                f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx tracing "
                f"to work. Please use `{self._init_fn.__name__}.register_fake` to add an fake impl."
            )
        return run_fake(self._qualname, self._abstract_fn, args, kwargs)

    def _noting_writes(self, keyset: DispatchKeySet, *args: Any, **kwargs: Any) -> Any:
        """Counts writes to the operator's mutated arguments, whatever its kernel does, and continues."""
        values = self._operator.bound(args, kwargs)
        written = [
            value for argument, value in zip(self._operator.schema.arguments, values, strict=True) if argument.is_write
        ]
        for tensor in tensors_in(written):
            announce_write(tensor)
            tensor._storage.written()
        return redispatch(self._operator, values, keyset & AFTER_WRITES)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes an operator `namespace::name` from a Python function; `torch.ops.namespace.name` calls it.

    Its schema is inferred from the annotations where none is given; `mutates_args` names the arguments that it writes
    to. `register_fake`, `register_autograd` and `register_kernel` of the result add what it does on meta tensors, in
    backward and on other devices.

    >>> import numpy as np
    >>> import rushlight as torch
    >>> @torch.library.custom_op("mylib::sine", mutates_args=())
    ... def sine(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(np.sin(x.numpy()))
    >>> sine.register_autograd(
    ...     lambda ctx, g: g * ctx.saved_tensors[0].cos(),
    ...     setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    ... )
    >>> x = torch.zeros(2, requires_grad=True)
    >>> torch.ops.mylib.sine(x).sum().backward(); x.grad
    tensor([1., 1.])
    """

    def inner(fn: Callable[..., Any]) -> CustomOpDef:
        text = infer_schema(fn, mutates_args=mutates_args) if schema is None else schema
        namespace, opname = name.split("::")
        made = CustomOpDef(namespace, opname, text, fn, as_tags(tags))
        if schema is not None:
            check_mutated(made._operator.schema, schema, mutates_args)
        made.register_kernel(device_types)(fn)
        return made

    return inner if fn is None else inner(fn)


def check_mutated(parsed: FunctionSchema, schema: str, mutates_args: str | Iterable[str]) -> None:
    """Raises ValueError if a schema and `mutates_args` differ."""
    written = {argument.name for argument in parsed.arguments if argument.is_write}
    if mutates_args != "unknown" and written != set(mutates_args):
        raise ValueError(
            f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema "
            f"suggests that the op mutates {written}which is different from what was provided to us in `mutates_args`. "
            "Please make these consistent."
        )


def has_named_tensors(schema: FunctionSchema) -> bool:
    """Whether there are tensors among the keyword-only arguments."""
    return any(argument.kwarg_only and argument.real_type.holds_tensors() for argument in schema.arguments)


def check_differentiable(what: object, schema: FunctionSchema) -> None:
    """Raises if an operator cannot have a formula."""
    if schema.is_mutable or schema._is_view_op():
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {what} with schema {schema}. Please create "
            "a functional operator and register an autograd formula for that."
        )
    if has_named_tensors(schema):
        raise NotImplementedError(
            f"register_autograd with kwarg-only Tensor args. In the original definition of the op, please make your "
            f"tensors not kwarg-only. Got: {schema}"
        )


def check_aliasing(name: str, args: Any, result: Any, module: Callable[[], Any]) -> None:
    """Raises RuntimeError if a result shares memory with an argument or another result."""
    seen = {id(tensor._storage) for tensor in tensors_in(args)}
    for tensor in tensors_in((result,)):
        if id(tensor._storage) in seen:
            raise RuntimeError(ALIASING.format(name, module()))
        seen.add(id(tensor._storage))


def register_rule(op: registry.Operator, kind: Any, fn: Callable[..., Any]) -> Callable[..., Any]:
    """Registers a function for arguments of a class. Raises NotImplementedError for mode classes."""
    if not (isinstance(kind, type) and issubclass(kind, Tensor)):
        raise NotImplementedError(
            f"{kind} is no subclass of Tensor: there are no dispatch modes, so nothing would call the rule"
        )
    op.rules[kind] = fn
    return fn


def register_autocast(library: Library, op: registry.Operator, device_type: str, cast_inputs: Any) -> None:
    """Adds a kernel that casts floating point tensors and calls the operator outside of autocast."""
    key = f"Autocast{OF_DEVICE[device(device_type).type]}"
    keys = DispatchKeySet(DispatchKey[key])

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with Excluding(keys):
            named = {name: cast_one(kwarg, cast_inputs) for name, kwarg in kwargs.items()}
            return op.shown(*casted(args, cast_inputs), **named)

    library.impl(op.name, kernel, key)


def casted(values: Iterable[Any], dtype: Any) -> tuple[Any, ...]:
    """Casts floating point tensors except float64."""
    return tuple([cast_one(value, dtype) for value in values])


def cast_one(value: Any, dtype: Any) -> Any:
    if isinstance(value, list):
        return list(casted(value, dtype))
    floating = isinstance(value, Tensor) and value.is_floating_point() and value.dtype.itemsize < 8
    return to(value, dtype) if floating else value


def run_fake(name: str, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs a fake function on meta tensors."""
    code = getattr(fn, "__code__", None)
    place = f"{code.co_filename}:{code.co_firstlineno}" if code else "unknown"
    with ctx_getter(refuse_on_meta(name, place)):
        return fn(*args, **kwargs)


def _maybe_get_opdef(op: Any) -> CustomOpDef | None:
    """Returns the definition of a custom operator, from itself, its overload or its name; None for other operators."""
    if isinstance(op, CustomOpDef):
        return op
    name = op if isinstance(op, str) else op._name
    return OPDEFS.get(name)
