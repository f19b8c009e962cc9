"""Symbolic tracing: runs a module once with proxies as arguments, and records its calls as a graph."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.create.queries import _assert
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Argument, has_side_effect, map_aggregate
from rushlight.fx.proxy import Proxy, TracerBase
from rushlight.nn import functional
from rushlight.nn.modules.container import Sequential
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["Tracer", "symbolic_trace", "wrap"]

# Functions passed to `wrap`: the globals of a module, and a name there.
WRAPPED: list[tuple[dict[str, Any], str]] = []


def wrap(fn_or_name: str | Callable) -> str | Callable:
    """Makes calls of a function single nodes: tracing does not enter it. Also a decorator.

    It is called where the function is defined or imported, at the top of a module.

    >>> import rushlight as torch
    >>> torch.fx.wrap("len")
    'len'
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name of function."
        )
    frame = inspect.currentframe()
    calling = frame.f_back if frame is not None else None
    if calling is None or calling.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    WRAPPED.append((calling.f_globals, name))
    return fn_or_name


class Tracer(TracerBase):
    """Records the calls of a module or function as a graph."""

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable, ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        functions = [
            value
            for module in autowrap_modules
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        ]
        self._autowrap = {id(function) for function in (*functions, *autowrap_functions)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.root: Module = Module()
        self.tensor_attrs: dict[int, str] = {}
        self.submodule_paths: dict[Module, str] = {}
        self._proxies: dict[str, Proxy] = {}

    # Methods to override

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of a module is one node: true for modules of `torch.nn` except containers."""
        home = type(m).__module__
        ours = home.startswith(("torch.nn", "torch.ao.nn", "rushlight.nn", "rushlight.ao.nn"))
        return ours and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Returns the name of a module within the traced one."""
        if mod not in self.submodule_paths:
            raise NameError("module is not installed as a submodule")
        return self.submodule_paths[mod]

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Handles a call of a submodule: a node, or the result of tracing its forward."""
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Handles a read of a module's attribute: a proxy for a parameter."""
        if isinstance(attr_val, Parameter) and not self.param_shapes_constant:
            for name, parameter in self.root.named_parameters():
                if attr_val is parameter:
                    if name not in parameter_proxy_cache:
                        parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {})
                    return parameter_proxy_cache[name]
        return attr_val

    def create_arg(self, a: Any) -> Argument:
        """Also converts tensors: to attributes of the module, adding one if needed."""
        if isinstance(a, Tensor):
            return self.create_node("get_attr", self._name_of_tensor(a), (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super().create_arg(a)

    def get_fresh_qualname(self, prefix: str) -> str:
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def _name_of_tensor(self, tensor: Tensor) -> str:
        for name, parameter in self.root.named_parameters() if isinstance(tensor, Parameter) else ():
            if tensor is parameter:
                return name
        if isinstance(tensor, Parameter):
            raise NameError("parameter is not a member of this module")
        if id(tensor) not in self.tensor_attrs:
            name = self.get_fresh_qualname("_tensor_constant")
            setattr(self.root, name, tensor)
            self.tensor_attrs[id(tensor)] = name
        return self.tensor_attrs[id(tensor)]

    # The trace

    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Returns the graph of a module's `forward` or of a function. `concrete_args` are constants by name."""
        is_module = isinstance(root, Module)
        self.root = root if isinstance(root, Module) else Module()
        function: Any = type(root).forward if isinstance(root, Module) else root
        self.graph = Graph(tracer_cls=type(self))
        self.submodule_paths = {module: name for name, module in self.root.named_modules()}
        self.tensor_attrs = {id(value): name for name, value in tensors_of(self.root)}
        self._proxies = {}
        with self._watching():
            called, arguments = self.create_args_for_root(function, is_module, concrete_args)
            self.create_node("output", "output", (self.create_arg(called(*arguments)),), {})
        return self.graph

    def create_args_for_root(
        self, root_fn: Callable, is_module: bool, concrete_args: dict[str, Any] | None = None
    ) -> tuple[Callable, list[Any]]:
        """Returns a function without keyword arguments, and proxies for its arguments."""
        parameters = sorted(
            inspect.signature(root_fn).parameters.values(), key=lambda parameter: parameter.kind in VARIADIC
        )
        own = parameters[1:] if is_module else parameters
        arguments = [self._argument(x, concrete_args or {}) for x in own]
        return flat(root_fn, parameters), [self.root, *arguments] if is_module else arguments

    def _argument(self, parameter: inspect.Parameter, known: dict[str, Any]) -> Any:
        if parameter.name in known:
            return self._known(parameter, known[parameter.name])
        stars = STARS.get(parameter.kind, "")
        default = () if parameter.default is parameter.empty else (parameter.default,)
        name = f"_{parameter.name}" if stars else parameter.name
        return self.create_proxy("placeholder", stars + parameter.name, default, {}, name, annotation(parameter))

    def _known(self, parameter: inspect.Parameter, value: Any) -> Any:
        """Returns the constant itself; the graph asserts that it gets the same value."""
        name = f"{parameter.name}_1"
        proxy = self.create_proxy("placeholder", name, (), {}, name, annotation(parameter))
        words = f"{parameter.name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, words), {})
        elif isinstance(value, bool | int | float | str):
            self.create_proxy("call_function", _assert, (proxy == value, words), {})
        return value

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Within the block, calls of modules, their parameters, and wrapped functions go to this tracer."""
        with ExitStack() as stack:
            self._stack, self._replaced = stack, set[int]()
            original_call, original_getattr = Module.__call__, Module.__getattr__

            @wraps(original_getattr)
            def module_getattr(module: Module, attr: str) -> Any:
                return self.getattr(attr, original_getattr(module, attr), self._proxies)

            @wraps(original_call)
            def module_call(module: Module, *args: Any, **kwargs: Any) -> Any:
                def forward(*args: Any, **kwargs: Any) -> Any:
                    return original_call(module, *args, **kwargs)

                self._wrap_functions_in(getattr(getattr(module, "forward", None), "__globals__", {}))
                return self.call_module(module, forward, args, kwargs)

            replace(stack, Module, "__getattr__", module_getattr)
            replace(stack, Module, "__call__", module_call)
            for names, name in WRAPPED:
                self._wrap_global(names, name)
            self._wrap_functional()
            for module in self._autowrap_search:
                self._wrap_functions_in(vars(module))
            self._wrap_functions_in(getattr(type(self.root).forward, "__globals__", {}))
            yield

    def _wrap_functional(self) -> None:
        """Makes functions of `torch.nn.functional` that are composites single nodes."""
        names = vars(functional)
        for name, value in list(names.items()):
            if (
                not name.startswith("_")
                and inspect.isfunction(value)
                and value.__module__.startswith(functional.__name__)
            ):
                self._wrap_global(names, name)

    def _wrap_functions_in(self, names: dict[str, Any]) -> None:
        """Makes wrapped functions in a module's globals single nodes."""
        if id(names) not in self._replaced:
            self._replaced.add(id(names))
            for name, value in list(names.items()):
                if not name.startswith("_") and callable(value) and id(value) in self._autowrap:
                    self._wrap_global(names, name)

    def _wrap_global(self, names: dict[str, Any], name: str) -> None:
        missing = object()
        before = names.get(name, missing)
        original = before if before is not missing else getattr(sys.modules["builtins"], name)
        if getattr(original, "_fx_original", None) is not None:
            return
        names[name] = as_node(original)
        self._stack.callback(
            names.pop if before is missing else names.__setitem__, name, *(() if before is missing else (before,))
        )


def _assert_is_none(value: object, msg: str) -> None:
    """Raises AssertionError with `msg` unless the value is None."""
    if value is not None:
        raise AssertionError(msg)


has_side_effect(_assert_is_none)

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def annotation(parameter: inspect.Parameter) -> Any:
    """Returns a parameter's annotation, if it is given and not a string."""
    kind = parameter.annotation
    return None if kind is parameter.empty or isinstance(kind, str) else kind


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


def tensors_of(root: Module) -> Iterator[tuple[str, Tensor]]:
    """Returns the tensors that are attributes of a module and its submodules, registered or not."""
    for path, module in root.named_modules():
        prefix = f"{path}." if path else ""
        for name, value in (*vars(module).items(), *module._buffers.items()):
            if isinstance(value, Tensor):
                yield f"{prefix}{name}", value


def as_node(function: Callable) -> Callable:
    """Returns a wrapper whose calls with proxies are nodes."""

    @wraps(function, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxies: list[Proxy] = []
        map_aggregate([list(args), kwargs], lambda a: proxies.append(a) if isinstance(a, Proxy) else None)
        if not proxies:
            return function(*args, **kwargs)
        return proxies[0].tracer.create_proxy("call_function", function, args, kwargs)

    wrapped._fx_original = function  # type: ignore[attr-defined]
    return wrapped


def replace(stack: ExitStack, holder: type, name: str, value: Any) -> None:
    stack.callback(setattr, holder, name, getattr(holder, name))
    setattr(holder, name, value)


def symbolic_trace(root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Returns a GraphModule that does what `root` does.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> traced(torch.tensor([-1.0, 2.0])).tolist()
    [1.0, 3.0]
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else getattr(root, "__name__", type(root).__name__)
    return GraphModule(tracer.root, graph, name)
