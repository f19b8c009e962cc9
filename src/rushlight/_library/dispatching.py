"""Chooses the kernel of an operator, like PyTorch's dispatcher.

A call passes through layers: subclasses, autocast, autograd, write tracking, and the backend. Each layer may have a
kernel, which calls the next layer by `redispatch`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from rushlight._library.batching import level_of, on_samples
from rushlight._library.binding import for_kernel, returned, tensors_in
from rushlight._library.keys import OF_DEVICE, DispatchKey, DispatchKeySet
from rushlight._library.registry import FALLTHROUGH, Kernel, Operator
from rushlight.autograd.function import Function
from rushlight.core.device import device
from rushlight.core.errors import noted
from rushlight.core.modes import MODE, change, current
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.core.traced import ENTERED

EXCLUDED: ContextVar[frozenset[str]] = ContextVar("rushlight.excluded_dispatch_keys", default=frozenset())
BACKENDS_BY_RANK = ("Meta", "CUDA", "CPU")
AFTER_WRITES = DispatchKeySet(DispatchKey[key] for key in OF_DEVICE.values())
AFTER_AUTOGRAD = AFTER_WRITES.add(DispatchKey.ADInplaceOrView)
GUIDE = "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
NOT_DERIVED = (
    "{}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through it. This "
    "may lead to silently incorrect behavior. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. If your operator is differentiable, please ensure you have registered an autograd kernel to the correct "
    "Autograd key (e.g. DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your operator is not "
    "differentiable, or to squash this warning and use the previous behavior, please register torch::CppFunction::"
    "makeFallthrough() to DispatchKey::Autograd."
)


class Excluding:
    """`torch._C._ExcludeDispatchKeyGuard`: within the block, the kernels of some keys are skipped."""

    def __init__(self, keys: DispatchKeySet):
        self.names = {key.name for key in keys.keys}

    def __enter__(self) -> None:
        self.token = EXCLUDED.set(EXCLUDED.get() | self.names)

    def __exit__(self, *failure: object) -> None:
        EXCLUDED.reset(self.token)


class BelowAutograd:
    """`torch._C._AutoDispatchBelowAutograd`: within the block nothing is recorded, and Autograd kernels are skipped."""

    def __enter__(self) -> None:
        self.tokens = EXCLUDED.set(EXCLUDED.get() | {"Autograd"}), change(grad=False)

    def __exit__(self, *failure: object) -> None:
        excluded, mode = self.tokens
        MODE.reset(mode)
        EXCLUDED.reset(excluded)


def backend_of(tensors: Sequence[Tensor]) -> str | None:
    """Returns the backend key of some tensors; None without tensors."""
    types = {tensor.device.type for tensor in tensors}
    if len(types) == 1:
        return OF_DEVICE[types.pop()]
    keys = {OF_DEVICE[kind] for kind in types}
    return next((key for key in BACKENDS_BY_RANK if key in keys), None)


def dispatch(op: Operator, values: Sequence[Any]) -> Any:
    """Calls an operator with one value per argument."""
    if op.built_in:  # a function that handles devices and recording itself
        return run(op, op.kernels["CompositeImplicitAutograd"][-1], values)
    tensors = tensors_in(values)
    if op.rules and (rule := rule_for(op, tensors)) is not None:
        arguments, named = for_kernel(op.schema, values)
        return rule[1](rule[0], op.shown, tuple({type(tensor) for tensor in tensors}), arguments, named)
    if ENTERED and (level := level_of(op, values)) is not None:
        return on_samples(op, values, level)
    excluded = EXCLUDED.get()
    backend = backend_of(tensors)
    if backend is not None and f"Autocast{backend}" not in excluded:
        kernel = op.kernel(f"Autocast{backend}")
        autocast = current().autocast
        if kernel is not None and autocast is not None and backend.lower() in autocast.enabled:
            return run(op, kernel, values, f"Autocast{backend}")
    if "Autograd" in excluded:
        return below_autograd(op, values, tensors, backend)
    return with_autograd(op, values, tensors, backend)


def rule_for(op: Operator, tensors: Sequence[Tensor]) -> tuple[type, Any] | None:
    kinds = [type(tensor) for tensor in tensors if type(tensor) not in PLAIN_TYPES]
    return next(((kind, op.rules[kind]) for kind in kinds if kind in op.rules), None)


def with_autograd(op: Operator, values: Sequence[Any], tensors: Sequence[Tensor], backend: str | None) -> Any:
    """Runs the Autograd kernel, a composite kernel, or the backend's without a derivative."""
    kernel = op.kernel(f"Autograd{backend}", "Autograd") if backend else op.kernel("Autograd")
    if kernel is not None and kernel.function is not FALLTHROUGH:
        return run(op, kernel, values, f"Autograd{backend or ''}")
    composite = op.kernel("CompositeImplicitAutograd")
    if composite is not None and (backend is None or not own_kernel(op, backend)):
        return run(op, composite, values)
    result = below_autograd(op, values, tensors, backend)
    recorded = kernel is None and current().grad and any(tensor.requires_grad for tensor in tensors)
    return underived(op, result, tensors) if recorded else result


def own_kernel(op: Operator, backend: str) -> Kernel | None:
    explicit = "CompositeExplicitAutograd"
    return op.kernel(backend, explicit, f"{explicit}NonFunctional")


def below_autograd(op: Operator, values: Sequence[Any], tensors: Sequence[Tensor], backend: str | None) -> Any:
    if "ADInplaceOrView" not in EXCLUDED.get() and (kernel := op.kernel("ADInplaceOrView")) is not None:
        return run(op, kernel, values, "ADInplaceOrView")
    return on_backend(op, values, backend)


def on_backend(op: Operator, values: Sequence[Any], backend: str | None) -> Any:
    """Runs the kernel of the backend, or of all backends. Raises NotImplementedError if there is none."""
    if (computed := current().computed) is not None and (result := computed.take(op)) is not None:
        return result
    if backend is None:
        if (kernel := op.kernel("BackendSelect")) is not None and "BackendSelect" not in EXCLUDED.get():
            return run(op, kernel, values, "BackendSelect")
        kernel = op.kernel("CompositeExplicitAutograd", "CompositeImplicitAutograd")
    else:
        kernel = own_kernel(op, backend) or op.kernel("CompositeImplicitAutograd")
    if kernel is None or kernel.function is FALLTHROUGH:
        raise no_kernel(op, backend)
    return run(op, kernel, values, backend or "")


def run(op: Operator, kernel: Kernel, values: Sequence[Any], key: str = "") -> Any:
    """Runs a kernel and converts its result to the schema's types."""
    arguments, named = for_kernel(op.schema, values)
    if kernel.with_keyset:
        arguments = (keys_from(key, backend_of(tensors_in(values))), *arguments)
    return returned(op.schema, kernel.function(*arguments, **named))


class SafeKernelFunction:
    """`torch.library.get_kernel`: one kernel of an operator, called directly."""

    __module__, __qualname__ = "torch._C", "_SafeKernelFunction"

    def __init__(self, operator: Operator, kernel: Kernel, key: str):
        self.op_handle, self._kernel, self._key = operator, kernel, key

    def __repr__(self) -> str:
        return f"SafeKernelFunction(debug='{self.op_handle.place}')"

    def call_boxed(self, keyset: DispatchKeySet, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the kernel."""
        return run(self.op_handle, self._kernel, self.op_handle.bound(args, kwargs), self._key)


def keys_from(key: str, backend: str | None) -> DispatchKeySet:
    """Returns the keys of a call from one layer down to the backend."""
    names = {key, backend or "Undefined"}
    if key.startswith("Autocast"):
        names.add(f"Autograd{backend}")
    if key.startswith(("Autocast", "Autograd")):
        names.add("ADInplaceOrView")
    return DispatchKeySet(DispatchKey[name] for name in names - {"", "Undefined"})


def redispatch(op: Operator, values: Sequence[Any], keys: DispatchKeySet) -> Any:
    """Runs the call from the highest of some keys on."""
    names = {key.name for key in keys.keys}
    tensors = tensors_in(values)
    backend = backend_of(tensors)
    if any(name.startswith("Autograd") for name in names):
        return with_autograd(op, values, tensors, backend)
    if "ADInplaceOrView" in names:
        return below_autograd(op, values, tensors, backend)
    chosen = [name for name in names if name in BACKENDS_BY_RANK]
    return on_backend(op, values, chosen[0] if chosen else backend)


def on_device(op: Operator, values: Sequence[Any], place: device) -> Any:
    """Runs the call on the backend of a device, whatever the tensors' devices are."""
    return on_backend(op, values, OF_DEVICE[place.type])


def no_kernel(op: Operator, backend: str | None) -> NotImplementedError:
    """Returns the error for an operator without a kernel for its arguments."""
    available = ", ".join(key for key, kernels in op.kernels.items() if kernels)
    if backend is None:
        return NotImplementedError(
            "There were no tensor arguments to this function (e.g., you passed an empty list of Tensors), but no "
            f"fallback function is registered for schema {op.name}.  This usually means that this function requires a "
            "non-empty list of Tensors, or that you (the operator writer) forgot to register a fallback function.  "
            f"Available functions are [{available}]."
        )
    if backend == "Meta":
        return NotImplementedError(
            f"{op.name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
            "registered. You may have run into this message while using an operator with PT2 compilation APIs "
            "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake "
            f"impl. Please see the following for next steps:  {GUIDE}"
        )
    error = NotImplementedError(
        f"Could not run '{op.name}' with arguments from the '{backend}' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build). If you are a Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for "
        f"possible resolutions. '{op.name}' is only available for these backends: [{available}]."
    )
    return noted(error, f'Register a kernel: torch.library.register_kernel("{op.name}", "{backend.lower()}", function)')


# ---- results without a derivative


class WarnNotImplemented(Function):
    """The node of a kernel without a derivative: backward warns, and returns no gradient."""

    @staticmethod
    def forward(ctx: Any, name: str, results: list[Tensor], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.operator = name
        ctx.count = len(tensors)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, ...]:
        warn_underived(ctx.operator)
        return (None,) * (2 + ctx.count)


for shown in (WarnNotImplemented._node_cls, WarnNotImplemented._backward_cls):
    shown.__name__ = shown.__qualname__ = "WarnNotImplemented"


def warn_underived(name: str) -> None:
    warnings.warn(NOT_DERIVED.format(name), UserWarning, stacklevel=2)


def underived(op: Operator, result: Any, tensors: Sequence[Tensor]) -> Any:
    """Attaches nodes that warn in backward to the result of a kernel without a derivative."""
    floating = [tensor for tensor in tensors_in((result,)) if tensor.is_floating_point() or tensor.is_complex()]
    given_ids = {id(tensor) for tensor in tensors}
    for result_tensor in floating:
        if result_tensor.requires_grad and not result_tensor.is_leaf and id(result_tensor) not in given_ids:
            result_tensor.register_hook(lambda gradient: warn_underived(op.name))
    fresh = [x for x in floating if not x.requires_grad and id(x) not in given_ids and x._base is None]
    if not fresh:
        return result
    recorded = WarnNotImplemented.apply(op.name, fresh, *tensors)
    replaced = {id(old): new for old, new in zip(fresh, recorded, strict=True)}
    return exchanged(result, replaced)


def exchanged(value: Any, replaced: dict[int, Tensor]) -> Any:
    """Replaces some tensors of a result."""
    if isinstance(value, (list, tuple)):
        return type(value)([exchanged(x, replaced) for x in value])
    return replaced.get(id(value), value)
