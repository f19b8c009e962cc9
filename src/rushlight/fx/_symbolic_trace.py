"""Symbolic tracing: runs a module once with proxies as arguments, and records its calls as a graph."""

from __future__ import annotations

import builtins
import copy
import inspect
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.arguments import PH as PH
from rushlight.fx.arguments import Arguments
from rushlight.fx.arguments import PHBase as PHBase
from rushlight.fx.arguments import PHWithMeta as PHWithMeta
from rushlight.fx.arguments import _assert_is_none as _assert_is_none
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Argument
from rushlight.fx.proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase
from rushlight.fx.spelling import composites
from rushlight.fx.wrapping import (
    PROXYABLE,
    WRAPPED,
    ProxyableClassMeta,
    as_call,
    as_node,
    functional_calls,
    is_wrapper,
    wrap,
)
from rushlight.nn.modules.container import Sequential
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = [
    "PH", "ProxyableClassMeta", "Tracer", "is_fx_symbolic_tracing", "is_fx_tracing", "symbolic_trace", "wrap",
]  # fmt: skip


class Running:
    """Whether a trace runs, in any thread: calls of modules are intercepted in all of them."""

    def __init__(self) -> None:
        self.traces = 0


RUNNING = Running()


def is_fx_tracing() -> bool:
    """Whether a trace is running."""
    return RUNNING.traces > 0


is_fx_symbolic_tracing = is_fx_tracing


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
        self._autowrap_function_ids = {id(function) for function in (*functions, *autowrap_functions)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.root: Module = Module()
        self.root_module_name = ""
        self.tensor_attrs: dict[int, str] = {}
        self.submodule_paths: dict[Module, str] | None = None
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}
        self._proxies: dict[str, Proxy] = {}

    def __deepcopy__(self, memo: dict) -> Tracer:
        """Returns a copy with the same modules of Python, which cannot be copied."""
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        for name, value in vars(self).items():
            shared = name in ("_autowrap_search", "_proxies")
            copied.__dict__[name] = copy.copy(value) if shared else copy.deepcopy(value, memo)
        return copied

    # Methods to override

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of a module is one node: true for modules of `torch.nn` except containers."""
        home = type(m).__module__
        ours = home.startswith(("torch.nn", "torch.ao.nn", "rushlight.nn", "rushlight.ao.nn"))
        return ours and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Returns the name of a module within the traced one."""
        known = self.submodule_paths
        paths = known if known is not None else {module: name for name, module in self.root.named_modules()}
        if mod not in paths:
            raise NameError("module is not installed as a submodule")
        return paths[mod]

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Handles a call of a submodule: a node, or the result of tracing its forward."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))):
            count = self.num_calls.get(path, 0)
            self.num_calls[path] = count + 1
            key = f"{path}@{count}" if count else path
            self.module_stack[key] = (path, type(m))
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                del self.module_stack[key]

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Handles a read of a module's attribute: a proxy for a parameter, and for a buffer if these are proxies."""
        if isinstance(attr_val, Parameter):
            known: dict[str, Any] = dict(self.root.named_parameters())
        elif isinstance(attr_val, Tensor) and self.proxy_buffer_attributes:
            known = dict(self.root.named_buffers())
        else:
            return attr_val
        name = next((name for name, value in known.items() if value is attr_val), None)
        if name is None:
            return attr_val
        if name not in parameter_proxy_cache:
            parameter_proxy_cache[name] = self._proxy_of(name, attr_val)
        return parameter_proxy_cache[name]

    def _proxy_of(self, name: str, value: Tensor) -> Proxy:
        if not (self.param_shapes_constant and isinstance(value, Parameter)):
            return self.create_proxy("get_attr", name, (), {})
        return self.create_proxy(
            "get_attr", name, (), {}, proxy_factory_fn=lambda node: ParameterProxy(self, node, name, value)
        )

    def create_arg(self, a: Any) -> Argument:
        """Also converts tensors and modules: to attributes of the root, adding one if needed."""
        if isinstance(a, Tensor):
            return self.create_node("get_attr", self._name_of_tensor(a), (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(x) for x in a), {})
        if type(a) in PROXYABLE:
            name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
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

    def trace(
        self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
    ) -> Graph:
        """Returns the graph of a module's `forward` or of a function. `concrete_args` are constants by name.

        Within a constant that is a tuple, list or dict, `torch.fx.PH` is for what stays an argument.
        """
        function = self._begin(root)
        RUNNING.traces += 1
        try:
            called, arguments = self.create_args_for_root(function, isinstance(root, Module), concrete_args)
            with self._watching(function):
                result = self.create_arg(called(*arguments))
                self.create_node("output", "output", (result,), {}, type_expr=type_of_result(function, called))
        finally:
            RUNNING.traces -= 1
        self.submodule_paths = None
        return self.graph

    def _begin(self, root: Module | Callable[..., Any]) -> FunctionType:
        """Returns the function to trace; the root of a function is an empty module."""
        function: Any = root
        self.root = Module()
        if isinstance(root, Module):
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
            self.root, function = root, getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
        if not isinstance(function, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(function)}")
        self.graph = Graph(tracer_cls=type(self))
        code = function.__code__
        self.graph._origin = f" from {code.co_filename}:{code.co_firstlineno} in {code.co_name}"
        self.submodule_paths = {module: name for name, module in self.root.named_modules()}
        self.tensor_attrs = {id(value): name for name, value in tensors_of(self.root)}
        self._proxies = {}
        return function

    def create_args_for_root(
        self, root_fn: Callable, is_module: bool, concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
    ) -> tuple[Callable, list[Any]]:
        """Returns a function without keyword arguments, and proxies for its arguments."""
        return Arguments(self, root_fn, is_module, concrete_args).made()

    @contextmanager
    def _watching(self, function: FunctionType) -> Iterator[None]:
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
            for (_, name), names in WRAPPED.items():
                self._wrap_global(names, name, as_node)
            stack.enter_context(functional_calls(as_call))
            for module in self._autowrap_search:
                self._wrap_functions_in(vars(module))
            self._wrap_functions_in(function.__globals__)
            yield

    def _wrap_functions_in(self, names: dict[str, Any]) -> None:
        """Makes functions in the globals of a module single nodes: those to wrap, and composites of `functional`."""
        if id(names) in self._replaced:
            return
        self._replaced.add(id(names))
        for name, value in list(names.items()):
            if name.startswith("_") or not callable(value):
                continue
            if id(value) in self._autowrap_function_ids:
                self._wrap_global(names, name, as_node)
            elif isinstance(value, FunctionType) and value in composites():
                self._wrap_global(names, name, as_call)

    def _wrap_global(self, names: dict[str, Any], name: str, wrapper: Callable[[Callable], Callable]) -> None:
        missing = object()
        before = names.get(name, missing)
        original = before if before is not missing else getattr(builtins, name)
        if is_wrapper(original):
            return
        names[name] = wrapper(original)
        self._stack.callback(
            names.pop if before is missing else names.__setitem__, name, *(() if before is missing else (before,))
        )


def type_of_result(function: Callable, called: Callable) -> Any:
    """Returns the annotation of the result, if the function is called as it is."""
    return getattr(inspect.unwrap(function), "__annotations__", {}).get("return") if called is function else None


def tensors_of(root: Module) -> Iterator[tuple[str, Tensor]]:
    """Returns the tensors that are attributes of a module and its submodules, registered or not."""
    for path, module in root.named_modules():
        prefix = f"{path}." if path else ""
        for name, value in (*vars(module).items(), *module._buffers.items()):
            if isinstance(value, Tensor):
                yield f"{prefix}{name}", value


def replace(stack: ExitStack, holder: type, name: str, value: Any) -> None:
    stack.callback(setattr, holder, name, getattr(holder, name))
    setattr(holder, name, value)


def symbolic_trace(
    root: Module | Callable[..., Any], concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
) -> GraphModule:
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
