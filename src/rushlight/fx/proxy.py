"""Proxies for tensors during tracing: every call of a proxy becomes a node."""

from __future__ import annotations

import copy
import enum
import inspect
import operator
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from rushlight.core.device import device
from rushlight.core.dtype import dtype
from rushlight.core.errors import noted
from rushlight.core.formats import memory_format
from rushlight.core.shape_queries import layout
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.dispatch.override import observe_constructors
from rushlight.fx.frames import is_asserting, unpacked_count
from rushlight.fx.graph import Graph
from rushlight.fx.naming import short_name
from rushlight.fx.node import Argument, Node, Target, map_aggregate, map_arg
from rushlight.fx.operator_schemas import check_for_mutable_operation
from rushlight.fx.scopes import Scope as Scope
from rushlight.fx.scopes import ScopeContextManager as ScopeContextManager
from rushlight.fx.spelling import spelled
from rushlight.fx.traceback import get_current_meta, has_preserved_node_meta, stack_of_program
from rushlight.nn.parameter import Parameter

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]

BASE_TYPES = (
    str, int, float, bool, complex, dtype, device, layout, memory_format, type(None), type(...), enum.Enum,
)  # fmt: skip
NO_BRANCH = "symbolically traced variables cannot be used as inputs to control flow"
NO_ITERATION = (
    "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs "
    "function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what types of control "
    "flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy iteration errors"
)
NO_LENGTH = (
    "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
    "torch.fx.wrap('len') at module scope"
)
# Python's operators: forward and reflected.
OPERATORS = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift eq ne lt le gt ge neg pos invert getitem"
).split()
FROM_THE_RIGHT = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()


class TraceError(ValueError):
    """The program uses a value that is not known before it runs."""


def assert_fn(x: Any) -> None:
    """Raises AssertionError unless the value is true."""
    assert x


class TracerBase:
    """Makes nodes of calls, and proxies of nodes. Subclasses change how."""

    graph: Graph
    check_mutable_operations = False  # whether operators that write to arguments are refused
    record_stack_traces = False  # whether nodes note the lines of the program that made them
    trace_asserts = False  # whether `assert x` of a proxy becomes a node
    proxy_buffer_attributes = False  # whether buffers are proxies, as parameters are
    traced_func_name = "forward"  # the method of a module that is traced
    scope: Scope
    module_stack: OrderedDict[str, tuple[str, Any]]
    node_name_to_scope: dict[str, tuple[str, Any]]

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node to the graph, and notes which module's call it is a part of."""
        if kind == "call_function" and self.check_mutable_operations:
            check_for_mutable_operation(target, args, kwargs)  # type: ignore[arg-type]
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if has_preserved_node_meta():
            node.meta.update(get_current_meta())
        elif self.module_stack:
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = "".join(traceback.format_list(stack_of_program())).strip()
        return node

    def proxy(self, node: Node) -> Proxy:
        """Returns a proxy of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Adds a node for a call, and returns a proxy for its result."""
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Argument:
        """Converts an argument for a node: proxies become their nodes."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(x) for x in a]
            return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
        if isinstance(a, list):
            return [self.create_arg(x) for x in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice | range):
            return type(a)(*(self.create_arg(x) for x in (a.start, a.stop, a.step)))
        if is_dataclass(a) and not isinstance(a, type):
            parts = {field.name: self.create_arg(getattr(a, field.name)) for field in fields(a)}
            return self.create_node("call_function", type(a), (), parts)
        if isinstance(a, BASE_TYPES) or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Argument:
        def refuse(node: Node) -> Argument:
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {node}")

        return key if isinstance(key, str) else map_arg(self.create_arg(key), refuse)

    def to_bool(self, obj: Proxy) -> bool:
        """Returns whether a proxy is true, where a program branches on it: raises TraceError."""
        raise noted(TraceError(NO_BRANCH), in_doubt(obj, "is true or false"))

    def iter(self, obj: Proxy) -> Iterator:
        """Returns an iterator over a proxy of unknown length: raises TraceError."""
        raise noted(TraceError(NO_ITERATION), in_doubt(obj, "has how many parts"))

    def keys(self, obj: Proxy) -> Any:
        """Returns the keys of a proxy, which `**proxy` needs: the node of a call."""
        return Attribute(obj, "keys")()


def in_doubt(proxy: Proxy, what: str) -> str:
    return f"`{proxy.node}` stands for a value, and whether it {what} is only known when the graph runs."


class GraphAppendingTracer(TracerBase):
    """Appends operations on existing nodes to their graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = OrderedDict()
        self.node_name_to_scope = {}


class Proxy:
    """A placeholder for a value at run time."""

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        observe_constructors("proxy")  # torch.zeros(proxy) is also a node
        self.tracer = tracer if tracer is not None else GraphAppendingTracer(node.graph)
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state

    def __deepcopy__(self, memo: dict) -> Proxy:
        copied = object.__new__(type(self))
        copied.__dict__.update({name: copy.deepcopy(value, memo) for name, value in self.__dict__.items()})
        return copied

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator:
        frame = inspect.currentframe()
        if frame is not None and frame.f_back is not None:
            count = unpacked_count(frame.f_back)
            if count is not None:
                return (self[index] for index in range(count))  # type: ignore[index]
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        frame = inspect.currentframe()
        if self.tracer.trace_asserts and frame is not None and frame.f_back is not None and is_asserting(frame.f_back):
            self.tracer.create_proxy("call_function", assert_fn, (self,), {})
            return True
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(NO_LENGTH)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def keys(self) -> Any:
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(cls, orig_method: Callable, types: Any, args: tuple = (), kwargs: dict | None = None):
        kwargs = kwargs or {}
        tracers: dict[TracerBase, None] = {}
        map_aggregate([list(args), kwargs], lambda a: tracers.update({a.tracer: None}) if isinstance(a, cls) else None)
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers)} while trying to trace operations "
                               f"{orig_method}")  # fmt: skip
        (tracer,) = tracers
        name = orig_method.__name__
        if getattr(Tensor, name, None) is orig_method:
            return tracer.create_proxy("call_method", name, args, kwargs)
        args, kwargs = spelled(orig_method, args, kwargs)
        wished = tracer.graph._target_to_str(short_name(orig_method))
        return tracer.create_proxy("call_function", orig_method, args, kwargs, wished)

    __hash__ = object.__hash__


def forwards(name: str) -> Callable:
    target = getattr(operator, name)

    def method(self: Proxy, *others: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", target, (self, *others), {})

    return method


def from_the_right(name: str) -> Callable:
    target = getattr(operator, name)

    def method(self: Proxy, other: Any) -> Proxy:
        return self.tracer.create_proxy("call_function", target, (other, self), {})

    return method


for each in OPERATORS:
    setattr(Proxy, f"__{each.rstrip('_')}__", forwards(each))
for each in FROM_THE_RIGHT:
    setattr(Proxy, f"__r{each.rstrip('_')}__", from_the_right(each))


class Attribute(Proxy):
    """An attribute of a proxy. It becomes a node when used as a value; when called, the call becomes a node."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy of a parameter whose sizes are known, so that a program may branch on them."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Parameter) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, Parameter):
            raise AssertionError(f"Expected Parameter, got {type(param)}")
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Size:  # type: ignore[override]
        return self.param.shape

    @property
    def ndim(self) -> int:  # type: ignore[override]
        return self.param.ndim

    def size(self) -> Size:
        return self.param.size()

    def dim(self) -> int:
        return self.param.dim()

    def numel(self) -> int:
        return self.param.numel()

    def nelement(self) -> int:
        return self.param.nelement()
