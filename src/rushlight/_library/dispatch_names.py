"""The dispatcher functions of `torch._C`: which kernels exist, and which are excluded."""

from __future__ import annotations

from typing import Any

from rushlight._library import registry
from rushlight._library.dispatching import AFTER_AUTOGRAD, AFTER_WRITES, EXCLUDED, BelowAutograd, Excluding
from rushlight._library.keys import ALIASES, OF_DEVICE, DispatchKey, DispatchKeySet, parse_key
from rushlight._library.overloads import has_kernel
from rushlight._library.parsing import parse_schema as parse_schema
from rushlight._library.schema import FunctionSchema
from rushlight.core.device import device
from rushlight.core.tensor import Tensor

_AutoDispatchBelowAutograd, _ExcludeDispatchKeyGuard = BelowAutograd, Excluding
_after_autograd_keyset, _after_ADInplaceOrView_keyset = AFTER_AUTOGRAD, AFTER_WRITES
_dispatch_key_parse = parse_key


class _AutoDispatchBelowADInplaceOrView(Excluding):
    """Within the block, writes to an operator's mutated arguments are not counted."""

    def __init__(self) -> None:
        super().__init__(DispatchKeySet([DispatchKey.Autograd, DispatchKey.ADInplaceOrView]))


def _dispatch_key_name(key: Any) -> str:
    """Returns the name of a key."""
    return key.name


def _dispatch_key_for_device(kind: str) -> str:
    """Returns the key name of a device type. Raises RuntimeError for unknown types."""
    return OF_DEVICE[device(kind).type]


def _dispatch_keys(tensor: Tensor) -> DispatchKeySet:
    """Returns a tensor's keys."""
    backend = OF_DEVICE[tensor.device.type]
    names = [backend, *([] if tensor.is_inference() else ["ADInplaceOrView", f"Autograd{backend}"])]
    if f"Autocast{backend}" in DispatchKey.__members__:
        names.append(f"Autocast{backend}")
    return DispatchKeySet(DispatchKey[name] for name in names)


def _dispatch_is_alias_key(key: Any) -> bool:
    """Whether a key is an alias for several keys."""
    return key.name in ALIASES


def _dispatch_has_kernel(name: str) -> bool:
    """Whether an operator has a kernel. Raises RuntimeError if there is no such operator."""
    operator = registry.named(name)
    return operator.built_in or any(operator.kernels.values())


def _dispatch_has_kernel_for_dispatch_key(name: str, key: Any) -> bool:
    """Whether an operator has a kernel for exactly this key. Raises RuntimeError if there is no such operator."""
    return has_kernel(registry.named(name), parse_key(key).name)


def _dispatch_has_kernel_for_any_dispatch_key(name: str, keys: DispatchKeySet) -> bool:
    """Whether an operator has a kernel for one of the keys. Raises RuntimeError if there is no such operator."""
    return any(_dispatch_has_kernel_for_dispatch_key(name, key) for key in keys.keys)


def _dispatch_has_computed_kernel_for_dispatch_key(name: str, key: Any) -> bool:
    """Whether a kernel runs for a key: its own, or an alias key's."""
    operator = registry.named(name)
    return operator.built_in or operator.computed(parse_key(key).name) is not None


def _dispatch_get_all_op_names() -> list[str]:
    """Returns the names of all defined operators."""
    return [overload.name for overloads in registry.OPERATORS.values() for overload in overloads.values()]


def _dispatch_get_registrations_for_dispatch_key(key: str = "") -> list[str]:
    """Returns the operators that have a kernel for a key; without a key, those with any kernel."""
    wanted = parse_key(key).name if key else None
    return [
        name
        for name, kernels in registry.KERNELS.items()
        if any(registered for name, registered in kernels.items() if wanted in (None, name))
    ]


def _dispatch_find_schema_or_throw(name: str, overload_name: str) -> registry.Operator:
    """Returns an operator. Raises RuntimeError if it does not exist."""
    result = registry.find(name, overload_name)
    if result is None:
        raise RuntimeError(f"Could not find schema for {name}.{overload_name}")
    return result


def _dispatch_tls_is_dispatch_key_excluded(key: Any) -> bool:
    """Whether a key is excluded in this context."""
    return key.name in EXCLUDED.get()


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    """Returns the excluded keys of this context."""
    return DispatchKeySet(DispatchKey[name] for name in EXCLUDED.get())


def _jit_get_schemas_for_operator(name: str) -> list[FunctionSchema]:
    """Returns the schemas of all overloads of a name."""
    return [overload.schema for overload in registry.overloads(name).values()]


def _jit_get_all_schemas() -> list[FunctionSchema]:
    """Returns the schemas of all operators, including those of aten."""
    for namespace in registry.FIRST_NAMED:
        registry.load(namespace)
    for name in list(registry.LAZY):
        registry.overloads(name)
    return [overload.schema for overloads in registry.OPERATORS.values() for overload in overloads.values()]
