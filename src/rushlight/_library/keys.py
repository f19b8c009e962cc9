"""Dispatch keys, under which kernels are registered: `DispatchKey`, and sets of keys."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

BACKENDS = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta".split()
FIRST = """Undefined CompositeExplicitAutogradNonFunctional CompositeExplicitAutograd
    CompositeImplicitAutogradNestedTensor CompositeImplicitAutograd AutogradNestedTensor AutogradOther Autograd
    Conjugate ZeroTensor Negative BackendSelect ADInplaceOrView PythonTLSSnapshot Python
    FuncTorchDynamicLayerFrontMode FuncTorchDynamicLayerBackMode FuncTorchBatchedDecomposition FuncTorchBatched
    FuncTorchVmapMode FuncTorchGradWrapper PythonDispatcher PreDispatch Functionalize AutocastCPU AutocastMPS
    AutocastXPU AutocastHPU AutocastIPU AutocastCUDA AutocastPrivateUse1 Dense""".split()
# Functionalities with one key per backend, and the prefixes of those keys.
PER_BACKEND = {
    "Quantized": "Quantized",
    "Sparse": "Sparse",
    "SparseCsr": "SparseCsr",
    "NestedTensor": "NestedTensor",
    "AutogradFunctionality": "Autograd",
}


def key_names() -> list[str]:
    """Returns all names in PyTorch's order; later keys have priority."""
    result = [*FIRST, *BACKENDS]
    for functionality, beginning in PER_BACKEND.items():
        result += [functionality, *(f"{beginning}{backend}" for backend in BACKENDS)]
    return result


class Named(Enum):
    """A key: prints as in PyTorch, and is an int."""

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        return f"DispatchKey.{self.name}"


def made(kind: Any, name: str, names: list[str]) -> Any:
    """Makes an enumeration of names, starting at 0."""
    return kind(name, names, module="torch", start=0)


DispatchKey = made(Named, "DispatchKey", key_names())

# Backend by device type, and its prefix in the names of other keys.
OF_DEVICE = {
    "cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "mps": "MPS", "xpu": "XPU", "hpu": "HPU", "xla": "XLA", "hip": "HIP",
    "ipu": "IPU", "ve": "VE", "lazy": "Lazy", "mtia": "MTIA", "maia": "MAIA", "privateuseone": "PrivateUse1",
}  # fmt: skip
# Alias keys, and the keys they stand for.
ALIASES = frozenset(
    "Autograd CompositeImplicitAutograd CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional".split()
)


def parse_key(name: str | Named) -> Named:
    """Returns the key of a name. Raises RuntimeError for unknown names."""
    if isinstance(name, Named):
        return name
    if name not in DispatchKey.__members__:
        raise RuntimeError(f"could not parse dispatch key: {name}")
    return DispatchKey[name]


class DispatchKeySet:
    """A set of keys."""

    __module__ = "torch._C"

    def __init__(self, keys: Named | Iterable[Named] = ()):
        self.keys = frozenset((keys,) if isinstance(keys, Named) else keys)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.keys | other.keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.keys & other.keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.keys - other.keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self.keys == other.keys

    def __hash__(self) -> int:
        return hash(self.keys)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in sorted(self.keys, key=priority))})"

    def has(self, key: Named) -> bool:
        """Whether the set contains a key."""
        return key in self.keys

    def add(self, key: Named) -> DispatchKeySet:
        """Returns the set with an additional key."""
        return DispatchKeySet(self.keys | {key})

    def remove(self, key: Named) -> DispatchKeySet:
        """Returns the set without a key."""
        return DispatchKeySet(self.keys - {key})

    def highestPriorityTypeId(self) -> Named:  # noqa: N802
        """Returns the key with the highest priority."""
        return max(self.keys, key=priority, default=DispatchKey.Undefined)


def priority(key: Named) -> tuple[int, int]:
    """Orders keys by priority: wrappers of calls, then autograd, writes, and backends last."""
    beginnings = (key.name in BACKENDS, key.name == "ADInplaceOrView", key.name.startswith("Autograd"), True)
    return beginnings.index(True), int(key)
