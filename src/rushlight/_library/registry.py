"""The operators that programs have defined: their schemas, and their kernels by dispatch key."""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rushlight._library.binding import bound
from rushlight._library.keys import ALIASES, BACKENDS
from rushlight._library.schema import FunctionSchema, qualified

FALLTHROUGH = object()  # the kernel of a key that has nothing to do


class Kernel(NamedTuple):
    """A function, who registered it, and whether it is given the set of keys first."""

    function: Any
    with_keyset: bool
    owner: int


class Operator:
    """One overload: what it takes and gives, what is known of it, and where it was defined."""

    # What makes of it the `OpOverload` that programs see; `overloads.py` attaches it.
    show: Callable[[Operator], Any]

    def __init__(self, schema: FunctionSchema, tags: tuple[Any, ...], place: str):
        self.schema, self.tags, self.place = schema, tags, place
        self.name = qualified(schema.name, schema.overload_name)
        self.vmap_rule: Any = None
        self.custom: Any = None  # the `CustomOpDef` that it belongs to
        self.fake: Any = None  # the function that computes on meta tensors, where one was registered
        self.rules: dict[type, Any] = {}  # what to call instead, by the class of an argument
        self.built_in = False  # whether PyTorch has it
        self.numbers = False  # whether Python's numbers may stand for tensors
        self.autograd: Any = None  # what `register_autograd` was given
        self.autograd_function: Any = None  # the class that records its steps

    def __repr__(self) -> str:
        return f"<operator {self.schema}>"

    @property
    def shown(self) -> Any:
        """The `OpOverload` that programs see."""
        return type(self).show(self)

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """A value for each argument. Raises RuntimeError for what the schema does not take."""
        return bound(self.schema, args, kwargs, self.numbers)

    @property
    def kernels(self) -> dict[str, list[Kernel]]:
        """By the names of keys; the last one of a key counts."""
        return KERNELS.setdefault(self.name, {})

    def kernel(self, *keys: str) -> Kernel | None:
        """The kernel of the first of some keys that has one."""
        kernels = KERNELS.get(self.name)
        if kernels is not None:
            for key in keys:
                if stack := kernels.get(key):
                    return stack[-1]
        return None

    def has(self, key: str) -> bool:
        """Whether a kernel was registered for a key itself."""
        return bool(KERNELS.get(self.name, {}).get(key))

    def computed(self, key: str) -> Kernel | None:
        """The kernel that runs for a key: its own, or one of several keys among which it is."""
        return self.kernel(key, *over(key))


def over(key: str) -> tuple[str, ...]:
    """The keys that stand for several, where one of them is `key`."""
    if key in BACKENDS:
        explicit = ("CompositeExplicitAutograd", "CompositeImplicitAutograd")
        return explicit if key == "Meta" else ("CompositeExplicitAutogradNonFunctional", *explicit)
    if key.startswith("Autograd") and key not in ALIASES:
        return ("Autograd",)
    return ()


# The namespaces that are here from the start, each with the module that defines its operators when it is first named.
FIRST_NAMED = {"aten": "rushlight._library.aten", "torchvision": "rushlight._torchvision"}

OPERATORS: dict[str, dict[str, Operator]] = {}  # by qualified name, then by overload
# What is defined when it is first looked for: what defines it, by qualified name.
LAZY: dict[str, Callable[[], None]] = {}
KERNELS: dict[str, dict[str, list[Kernel]]] = {}  # by qualified name with overload, then by key
# The namespaces that a library of kind "DEF" defines: who, and where.
OWNED: dict[str, tuple[int, str]] = {"aten": (0, "PyTorch itself")}
FORGETTING: list[Callable[[str], None]] = []  # who is told that an operator is no more


def overloads(name: str) -> dict[str, Operator]:
    """The operators of a qualified name by overload; none where it is not there."""
    load(name.partition("::")[0])
    if name in LAZY:
        LAZY.pop(name)()
    return OPERATORS.get(name, {})


def load(namespace: str) -> None:
    """Defines the operators of a namespace that is here from the start."""
    if namespace in FIRST_NAMED:
        importlib.import_module(FIRST_NAMED[namespace])


def find(name: str, overload: str = "") -> Operator | None:
    """The operator of a qualified name, None if it is not there."""
    return overloads(name).get(overload)


def split(name: str) -> tuple[str, str]:
    """`aten::add.Tensor` as `aten::add` and `Tensor`."""
    name, _, overload = name.partition(".")
    return name, "" if overload == "default" else overload


def named(name: str) -> Operator:
    """The operator of a name that may have an overload. Raises RuntimeError if there is none."""
    result = find(*split(name))
    if result is None:
        raise RuntimeError(f"operator {name} does not exist")
    return result


def define(schema: FunctionSchema, tags: tuple[Any, ...], place: str) -> Operator:
    """Adds an operator. Raises RuntimeError if it is there."""
    before = find(schema.name, schema.overload_name)
    if before is not None:
        raise RuntimeError(
            f"Tried to register an operator ({schema}) with the same name and overload name multiple times. Each "
            "overload's schema should only be registered with a single call to def(). "
            f"Duplicate registration: {place}. Original registration: {before.place}"
        )
    made = Operator(schema, tags, place)
    OPERATORS.setdefault(schema.name, {})[schema.overload_name] = made
    return made


def own(namespace: str, owner: int, place: str) -> None:
    """Says who defines a namespace. Raises RuntimeError if another one does."""
    if namespace in OWNED:
        raise RuntimeError(
            f"Only a single TORCH_LIBRARY can be used to register the namespace {namespace}; please put all of your "
            "definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, consider "
            "using TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define operators for a "
            "single namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  "
            f"Previous registration of TORCH_LIBRARY was registered at {OWNED[namespace][1]}; latest registration was "
            f"registered at {place}"
        )
    OWNED[namespace] = owner, place


def forget(name: str) -> None:
    """Takes an operator away, with its kernels."""
    packet, overload = split(name)
    overloads = OPERATORS.get(packet, {})
    overloads.pop(overload, None)
    if not overloads:
        OPERATORS.pop(packet, None)
    KERNELS.pop(name, None)
    for tell in FORGETTING:
        tell(packet)


def withdraw(owner: int, names: list[str]) -> None:
    """Takes away the kernels that somebody has registered: those of before count again."""
    for name in names:
        for kernels in KERNELS.get(name, {}).values():
            kernels[:] = [kernel for kernel in kernels if kernel.owner != owner]


def forget_with(holder: object, owner: int, defined: list[str], implemented: list[str]) -> weakref.finalize:
    """Lets what a library has registered end with it."""
    return weakref.finalize(holder, end, owner, defined, implemented)


def end(owner: int, defined: list[str], implemented: list[str]) -> None:
    for namespace in [name for name, (who, _) in OWNED.items() if who == owner]:
        del OWNED[namespace]
    withdraw(owner, implemented)
    for name in defined:
        forget(name)
