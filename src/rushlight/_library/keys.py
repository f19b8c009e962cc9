"""The names under which kernels are registered: `DispatchKey`, and sets of them."""

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
# The functionalities of which every backend has its own key, each with what a key of it begins with.
PER_BACKEND = {
    "Quantized": "Quantized",
    "Sparse": "Sparse",
    "SparseCsr": "SparseCsr",
    "NestedTensor": "NestedTensor",
    "AutogradFunctionality": "Autograd",
}


def key_names() -> list[str]:
    """All names, in PyTorch's order: of two keys the later one is asked first."""
    result = [*FIRST, *BACKENDS]
    for functionality, beginning in PER_BACKEND.items():
        result += [functionality, *(f"{beginning}{backend}" for backend in BACKENDS)]
    return result


class Named(Enum):
    """A key: it prints as PyTorch's does, and is a number."""

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        return f"DispatchKey.{self.name}"


def made(kind: Any, name: str, names: list[str]) -> Any:
    """An enumeration of names, from 0 on."""
    return kind(name, names, module="torch", start=0)


DispatchKey = made(Named, "DispatchKey", key_names())

# Of which kind of device which backend is, and what stands before it in the names of its other keys.
OF_DEVICE = {
    "cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "mps": "MPS", "xpu": "XPU", "hpu": "HPU", "xla": "XLA", "hip": "HIP",
    "ipu": "IPU", "ve": "VE", "lazy": "Lazy", "mtia": "MTIA", "maia": "MAIA", "privateuseone": "PrivateUse1",
}  # fmt: skip
# Keys that stand for several: of what registrations for all of them are called.
ALIASES = frozenset(
    "Autograd CompositeImplicitAutograd CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional".split()
)


def parse_key(name: str | Named) -> Named:
    """The key of a name. Raises RuntimeError for one that PyTorch does not have."""
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
        """Whether a key is in it."""
        return key in self.keys

    def add(self, key: Named) -> DispatchKeySet:
        """The set with one key more."""
        return DispatchKeySet(self.keys | {key})

    def remove(self, key: Named) -> DispatchKeySet:
        """The set without a key."""
        return DispatchKeySet(self.keys - {key})

    def highestPriorityTypeId(self) -> Named:  # noqa: N802
        """The key that is asked first."""
        return max(self.keys, key=priority, default=DispatchKey.Undefined)


def priority(key: Named) -> tuple[int, int]:
    """What comes later is asked first: backends last, then writes, derivatives, and whatever looks at calls."""
    beginnings = (key.name in BACKENDS, key.name == "ADInplaceOrView", key.name.startswith("Autograd"), True)
    return beginnings.index(True), int(key)
