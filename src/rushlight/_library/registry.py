"""Registry of the operators that programs define: their schemas, and their kernels by dispatch key."""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rushlight._library.binding import bound
from rushlight._library.keys import ALIASES, BACKENDS
from rushlight._library.schema import FunctionSchema, qualified

FALLTHROUGH = object()  # kernel of a key that has nothing to do


class Kernel(NamedTuple):
    """A function, its owner, and whether it takes the key set as first argument."""

    function: Any
    with_keyset: bool
    owner: int


class Operator:
    """One overload: its schema, tags, and definition."""

    # Makes the public `OpOverload`; set by `overloads.py`.
    show: Callable[[Operator], Any]

    def __init__(self, schema: FunctionSchema, tags: tuple[Any, ...], place: str):
        self.schema, self.tags, self.place = schema, tags, place
        self.name = qualified(schema.name, schema.overload_name)
        self.vmap_rule: Any = None
        self.custom: Any = None  # its `CustomOpDef`
        self.fake: Any = None  # function for meta tensors, if registered
        self.rules: dict[type, Any] = {}  # functions by class of an argument
        self.built_in = False  # whether PyTorch has it
        self.numbers = False  # whether Python numbers may replace tensors
        self.autograd: Any = None  # argument of `register_autograd`
        self.autograd_function: Any = None  # the class that records its nodes

    def __repr__(self) -> str:
        return f"<operator {self.schema}>"

    @property
    def shown(self) -> Any:
        """The public `OpOverload`."""
        return type(self).show(self)

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Returns a value for each argument. Raises RuntimeError if they do not match the schema."""
        return bound(self.schema, args, kwargs, self.numbers)

    @property
    def kernels(self) -> dict[str, list[Kernel]]:
        """Kernels by key name; the last one of a key is active."""
        return KERNELS.setdefault(self.name, {})

    def kernel(self, *keys: str) -> Kernel | None:
        """Returns the kernel of the first key that has one."""
        kernels = KERNELS.get(self.name)
        if kernels is not None:
            for key in keys:
                if stack := kernels.get(key):
                    return stack[-1]
        return None

    def has(self, key: str) -> bool:
        """Whether a kernel is registered for exactly this key."""
        return bool(KERNELS.get(self.name, {}).get(key))

    def computed(self, key: str) -> Kernel | None:
        """Returns the kernel that runs for a key: its own, or an alias key's."""
        return self.kernel(key, *over(key))


def over(key: str) -> tuple[str, ...]:
    """Returns the alias keys that include `key`."""
    if key in BACKENDS:
        explicit = ("CompositeExplicitAutograd", "CompositeImplicitAutograd")
        return explicit if key == "Meta" else ("CompositeExplicitAutogradNonFunctional", *explicit)
    if key.startswith("Autograd") and key not in ALIASES:
        return ("Autograd",)
    return ()


# Built-in namespaces, each with the module that defines its operators on first use.
FIRST_NAMED = {"aten": "rushlight._library.aten", "torchvision": "rushlight._torchvision"}

OPERATORS: dict[str, dict[str, Operator]] = {}  # by qualified name, then by overload
# Functions that define an operator on first use, by qualified name.
LAZY: dict[str, Callable[[], None]] = {}
KERNELS: dict[str, dict[str, list[Kernel]]] = {}  # by qualified name with overload, then by key
# Namespaces defined by a library of kind "DEF": owner and line.
OWNED: dict[str, tuple[int, str]] = {"aten": (0, "PyTorch itself")}
FORGETTING: list[Callable[[str], None]] = []  # called when an operator is removed


def overloads(name: str) -> dict[str, Operator]:
    """Returns the operators of a qualified name by overload; empty if it does not exist."""
    load(name.partition("::")[0])
    if name in LAZY:
        LAZY.pop(name)()
    return OPERATORS.get(name, {})


def load(namespace: str) -> None:
    """Defines the operators of a built-in namespace."""
    if namespace in FIRST_NAMED:
        importlib.import_module(FIRST_NAMED[namespace])


def find(name: str, overload: str = "") -> Operator | None:
    """Returns the operator of a qualified name; None if it does not exist."""
    return overloads(name).get(overload)


def split(name: str) -> tuple[str, str]:
    """Splits `aten::add.Tensor` into `aten::add` and `Tensor`."""
    name, _, overload = name.partition(".")
    return name, "" if overload == "default" else overload


def named(name: str) -> Operator:
    """Returns the operator of a name with optional overload. Raises RuntimeError if there is none."""
    result = find(*split(name))
    if result is None:
        raise RuntimeError(f"operator {name} does not exist")
    return result


def define(schema: FunctionSchema, tags: tuple[Any, ...], place: str) -> Operator:
    """Adds an operator. Raises RuntimeError if it exists."""
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
    """Sets the owner of a namespace. Raises RuntimeError if it has another one."""
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
    """Removes an operator with its kernels."""
    packet, overload = split(name)
    overloads = OPERATORS.get(packet, {})
    overloads.pop(overload, None)
    if not overloads:
        OPERATORS.pop(packet, None)
    KERNELS.pop(name, None)
    for tell in FORGETTING:
        tell(packet)


def withdraw(owner: int, names: list[str]) -> None:
    """Removes an owner's kernels; the previous ones become active again."""
    for name in names:
        for kernels in KERNELS.get(name, {}).values():
            kernels[:] = [kernel for kernel in kernels if kernel.owner != owner]


def forget_with(holder: object, owner: int, defined: list[str], implemented: list[str]) -> weakref.finalize:
    """Removes a library's registrations when `holder` dies."""
    return weakref.finalize(holder, end, owner, defined, implemented)


def end(owner: int, defined: list[str], implemented: list[str]) -> None:
    for namespace in [name for name, (who, _) in OWNED.items() if who == owner]:
        del OWNED[namespace]
    withdraw(owner, implemented)
    for name in defined:
        forget(name)
