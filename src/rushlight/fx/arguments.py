"""The arguments of a function that is traced: proxies, constants, and what of both is inside of nested lists."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

from rushlight.create.queries import _assert
from rushlight.fx.graph import _PyTreeCodeGen, _PyTreeInfo
from rushlight.fx.node import Node, has_side_effect
from rushlight.utils._pytree import TreeSpec, tree_flatten, tree_map, tree_unflatten

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
UNCHECKED = (
    "Was not able to add assertion to guarantee correct input {} to specialized function. It is up to the user to make "
    "sure that your inputs match the inputs you specialized the function with."
)


class PHBase:
    """What stays an argument within `concrete_args`."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """What stays an argument; its attributes become those of the node."""

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


def _assert_is_none(value: object, msg: str) -> None:
    """Raises AssertionError with `msg` unless the value is None."""
    if value is not None:
        raise AssertionError(msg)


has_side_effect(_assert_is_none)


class Arguments:
    """Makes the arguments of one trace, and the function that takes them one by one."""

    def __init__(self, tracer: Any, function: Callable, is_module: bool, known: dict | tuple | None) -> None:
        self.tracer, self.function, self.is_module = tracer, function, is_module
        self.inner = inspect.unwrap(function)
        self.parameters = sorted(inspect.signature(self.inner).parameters.values(), key=lambda x: x.kind in VARIADIC)
        if is_module and (not self.parameters or self.parameters[0].kind in VARIADIC):
            raise RuntimeError("``self`` argument cannot be part of *args expansion!")
        self.own = self.parameters[1:] if is_module else self.parameters
        self.several: tuple = ()  # what `*args` is for, if a module takes nothing else
        self.known = self._by_name(known)

    def _by_name(self, known: dict | tuple | None) -> dict[str, Any]:
        if not isinstance(known, tuple):
            return known or {}
        names = [parameter.name for parameter in self.own if parameter.kind not in VARIADIC]
        if self.is_module and not names and any(parameter.kind is parameter.VAR_POSITIONAL for parameter in self.own):
            self.several = known
            return {}
        if len(names) != len(known):
            raise RuntimeError(f"Tracing expected {len(names)} arguments but got {len(known)} concrete arguments")
        return dict(zip(names, known, strict=True))

    def made(self) -> tuple[Callable, list[Any]]:
        first = [self.tracer.root] if self.is_module else []
        if self.several:
            return self.function, [*first, *map(self._one_of_several, range(len(self.several)))]
        values = [*first, *(self._value(parameter) for parameter in self.own)]
        function = flat(self.function, self.parameters)
        leaves, spec = tree_flatten(tuple(values))
        if all(child.is_leaf() for child in spec.children()):
            return function, values
        named = [parameter.name for parameter in self.parameters if parameter.kind not in VARIADIC]
        return self._unflattening(function, named, spec), leaves

    def _unflattening(self, function: Callable, names: list[str], spec: TreeSpec) -> Callable:
        """Returns a function of leaves; the generated `forward` takes and returns what the traced one does."""
        graph = self.tracer.graph
        codegen = _PyTreeCodeGen(_PyTreeInfo(names, spec, None))
        graph.set_codegen(codegen)

        def of_leaves(*leaves: Any) -> Any:
            results, out_spec = tree_flatten(function(*tree_unflatten(list(leaves), spec)))
            codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
            return results

        return of_leaves

    def _value(self, parameter: inspect.Parameter) -> Any:
        if parameter.name in self.known and parameter.kind not in VARIADIC:
            return self._constant(parameter, self.known[parameter.name])
        name = STARS.get(parameter.kind, "") + parameter.name
        kind = self.inner.__annotations__.get(name)
        return self.tracer.create_proxy("placeholder", name, default(parameter), {}, type_expr=kind)

    def _one_of_several(self, index: int) -> Any:
        """Returns one of the values of `*args`."""
        name, value = f"input_{index}", self.several[index]
        proxy = self.tracer.create_proxy("placeholder", name, (), {})
        if isinstance(value, PHBase):
            return proxy
        self._assert_same(name, proxy, value)
        return value

    def _constant(self, parameter: inspect.Parameter, value: Any) -> Any:
        """Returns the constant itself; the graph asserts that it gets the same value. `PH` is a proxy."""
        count = 0

        def leaf(x: Any) -> Any:
            nonlocal count
            count += 1
            proxy = self.tracer.create_proxy("placeholder", f"{parameter.name}_{count}", default(parameter), {})
            if isinstance(x, PHBase):
                if x is not PH:
                    transfer(x, proxy.node)
                return proxy
            self._assert_same(parameter.name, proxy, x)
            return x

        return tree_map(leaf, value)

    def _assert_same(self, name: str, proxy: Any, value: Any) -> None:
        words = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.tracer.create_proxy("call_function", _assert_is_none, (proxy, words), {})
        elif isinstance(value, bool | int | float | str | complex):
            self.tracer.create_proxy("call_function", _assert, (proxy == value, words), {})
        else:
            warnings.warn(UNCHECKED.format(name), stacklevel=2)


def default(parameter: inspect.Parameter) -> tuple:
    has_default = parameter.kind not in VARIADIC and parameter.default is not parameter.empty
    return (parameter.default,) if has_default else ()


def transfer(source: PHBase, node: Node) -> None:
    """Copies the attributes that a program has set."""
    for name, value in vars(source).items():
        if not hasattr(node, name):
            setattr(node, name, value)


def flat(function: Callable, parameters: list[inspect.Parameter]) -> Callable:
    """Returns the function as one that takes a value for each parameter, in order."""
    if any(parameter.kind in VARIADIC for parameter in parameters):
        return with_variadic(inspect.unwrap(function))
    names = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    if not names:
        return function
    count = len(parameters) - len(names)
    return lambda *values: function(*values[:count], **dict(zip(names, values[count:], strict=True)))


def with_variadic(function: Callable) -> Callable:
    """Returns the function with `*args` and `**kwargs` as plain parameters, with one proxy each."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    plain = code.replace(
        co_argcount=count + stars,
        co_kwonlyargcount=0,
        co_posonlyargcount=0,
        co_flags=code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
    )
    return FunctionType(plain, function.__globals__, function.__name__, None, function.__closure__)
