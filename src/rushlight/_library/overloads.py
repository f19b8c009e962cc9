"""`OpOverload` and `OpOverloadPacket`: the public objects of operators, such as `torch.ops.aten.add.Tensor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rushlight._library import registry
from rushlight._library.binding import Mismatch
from rushlight._library.dispatching import dispatch, redispatch
from rushlight._library.keys import ALIASES, BACKENDS, DispatchKeySet, Named, parse_key
from rushlight._library.registry import Kernel, Operator
from rushlight._library.schema import FunctionSchema
from rushlight.core.modes import MODE
from rushlight.core.tensor import PLAIN_TYPES
from rushlight.dispatch.override import ABSENT, offered

SIMPLE = (*PLAIN_TYPES, int, float, bool, str, type(None))
BY_HAND = 0  # owner of kernels registered by `py_impl`


class OpOverload:
    """One overload of an operator."""

    __module__ = "torch._ops"

    def __init__(self, packet: OpOverloadPacket, operator: Operator):
        schema = operator.schema
        self._overloadpacket, self._operator, self._schema = packet, operator, schema
        self._namespace, _, self._opname = schema.name.partition("::")
        self._overloadname = schema.overload_name or "default"
        self._name = operator.name
        self._tags = list(operator.tags)
        self.__name__ = f"{self._opname}.{self._overloadname}"
        self.__qualname__ = self._name
        self.__module__ = packet.__module__

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._overloadpacket}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return f"{self._overloadpacket}.{self._overloadname}"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        taken = taken_by_another(self, args, kwargs)
        if taken is not ABSENT:
            return taken
        return dispatch(self._operator, self._operator.bound(args, kwargs))

    def __deepcopy__(self, memo: Any = None) -> OpOverload:
        return self

    def __reduce__(self) -> Any:
        return find_overload, (self._schema.name, self._overloadname)

    @property
    def _op(self) -> Callable[..., Any]:
        return self

    @property
    def op(self) -> Callable[..., Any]:
        """The underlying callable."""
        return self

    @property
    def namespace(self) -> str:
        """The part before `::`."""
        return self._namespace

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """The packet of all overloads of the name."""
        return self._overloadpacket

    @property
    def tags(self) -> list[Any]:
        """The operator's tags."""
        return self._tags

    @property
    def is_view(self) -> bool:
        """Whether the result shares memory with an argument."""
        return self._schema._is_view_op()

    def name(self) -> str:
        """`namespace::name.overload`."""
        return self._name

    def redispatch(self, /, keyset: DispatchKeySet, *args: Any, **kwargs: Any) -> Any:
        """Runs the call from the highest of some keys on."""
        return redispatch(self._operator, self._operator.bound(args, kwargs), keyset)

    def decompose(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the operator by its decomposition; returns NotImplemented if it has none."""
        kernel = self._operator.kernel("CompositeImplicitAutograd")
        return NotImplemented if kernel is None else kernel.function(*args, **kwargs)

    def has_kernel_for_dispatch_key(self, k: str | Named) -> bool:
        """Whether a kernel is registered for exactly this key."""
        return has_kernel(self._operator, parse_key(k).name)

    def has_kernel_for_any_dispatch_key(self, ks: DispatchKeySet) -> bool:
        """Whether a kernel is registered for one of the keys."""
        return any(has_kernel(self._operator, key.name) for key in ks.keys)

    def py_impl(self, k: str | Named) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Registers a kernel for a key."""

        def inner(fn: Callable[..., Any]) -> Callable[..., Any]:
            self._operator.kernels.setdefault(parse_key(k).name, []).append(Kernel(fn, False, BY_HAND))
            return fn

        return inner


def has_kernel(operator: Operator, key: str) -> bool:
    """Whether there is a kernel for a key. Operators of PyTorch have one for every backend, with derivatives."""
    if operator.built_in:
        return key in (*BACKENDS, *ALIASES) or key.startswith("Autograd")
    return operator.has(key)


class OpOverloadPacket:
    """All overloads of a name; a call uses the first that matches."""

    def __init__(self, qualified_op_name: str):
        namespace, _, name = qualified_op_name.partition("::")
        self._qualified_op_name, self.__name__ = qualified_op_name, name
        self.__module__ = f"torch.ops.{namespace}"
        self._made: dict[str, OpOverload] = {}

    __module__ = "torch._ops"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __deepcopy__(self, memo: Any = None) -> OpOverloadPacket:
        return self

    def __reduce__(self) -> Any:
        return find_packet, (self._qualified_op_name,)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        taken = taken_by_another(self, args, kwargs)
        if taken is not ABSENT:
            return taken
        operators = list(registry.overloads(self._qualified_op_name).values())
        if len(operators) == 1:
            return dispatch(operators[0], operators[0].bound(args, kwargs))
        complaints = []
        for operator in operators:
            try:
                values = operator.bound(args, kwargs)
            except Mismatch as error:
                complaints.append(f"{error}\n")
            else:
                return dispatch(operator, values)
        raise RuntimeError(
            "Overloaded torch operator invoked from Python failed to match any schema:\n" + "\n".join(complaints) + "\n"
        )

    def __getattr__(self, key: str) -> Any:
        if key == "__file__":
            return "torch.ops"
        if key.startswith("__"):
            raise AttributeError(
                f"'{self}' can't have an overload name beginning with '__' and the underlying op {self!r} has no "
                f"attribute {key} either."
            )
        operator = registry.find(self._qualified_op_name, "" if key == "default" else key)
        if operator is None:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{key}'")
        overload = self._overload(operator)
        if operator.built_in:  # these are permanent
            vars(self)[key] = overload
        return overload

    def __iter__(self) -> Iterator[str]:
        return iter(self.overloads())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.overloads()]

    @property
    def _op(self) -> Callable[..., Any]:
        return self

    @property
    def op(self) -> Callable[..., Any]:
        """The underlying callable."""
        return self

    @property
    def _schemas(self) -> dict[str, FunctionSchema]:
        return {name: overload.schema for name, overload in registry.overloads(self._qualified_op_name).items()}

    @property
    def _overload_names(self) -> list[str]:
        return list(registry.overloads(self._qualified_op_name))

    def overloads(self) -> list[str]:
        """Returns the names of the overloads."""
        return [name or "default" for name in self._overload_names]

    def has_kernel_for_dispatch_key(self, k: str | Named) -> bool:
        """Whether an overload has a kernel for exactly this key."""
        return any(getattr(self, name).has_kernel_for_dispatch_key(k) for name in self.overloads())

    def has_kernel_for_any_dispatch_key(self, ks: DispatchKeySet) -> bool:
        """Whether an overload has a kernel for one of the keys."""
        return any(getattr(self, name).has_kernel_for_any_dispatch_key(ks) for name in self.overloads())

    def _overload(self, operator: Operator) -> OpOverload:
        """Returns the overload of an operator: the same object while the operator is the same."""
        name = operator.schema.overload_name
        if name not in self._made or self._made[name]._operator is not operator:
            self._made[name] = OpOverload(self, operator)
        return self._made[name]


def taken_by_another(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns the result of a class or mode with `__torch_function__`, or ABSENT."""
    mode = MODE.get()
    if mode is True or mode is False:
        for arg in (*args, *kwargs.values()):
            if type(arg) not in SIMPLE:
                break
        else:
            return ABSENT
    return offered(function, *args, **kwargs)


PACKETS: dict[str, OpOverloadPacket] = {}


def find_packet(name: str) -> OpOverloadPacket:
    """Returns the packet of a qualified name: always the same object."""
    if name not in PACKETS:
        PACKETS[name] = OpOverloadPacket(name)
    return PACKETS[name]


def find_overload(name: str, overload: str) -> OpOverload:
    """Returns an overload of a qualified name."""
    return getattr(find_packet(name), overload)


def overload_of(operator: Operator) -> OpOverload:
    """Returns the public overload of an operator."""
    return find_packet(operator.schema.name)._overload(operator)


def forget_packet(name: str) -> None:
    if name not in registry.OPERATORS:
        PACKETS.pop(name, None)


Operator.show = staticmethod(overload_of)
registry.FORGETTING.append(forget_packet)
