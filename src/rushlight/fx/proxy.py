"""Proxies for tensors during tracing: every call of a proxy becomes a node."""

from __future__ import annotations

import dis
import inspect
import operator
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.core.device import device
from rushlight.core.dtype import dtype
from rushlight.core.errors import noted
from rushlight.core.formats import memory_format
from rushlight.core.shape_queries import layout
from rushlight.core.tensor import Tensor
from rushlight.dispatch.override import observe_constructors
from rushlight.fx.graph import Graph
from rushlight.fx.node import Argument, Node, Target, map_aggregate

__all__ = ["Attribute", "Proxy", "TraceError", "TracerBase"]

BASE_TYPES = (str, int, float, bool, complex, dtype, device, layout, memory_format, type(None), type(...), type(range))
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


class TracerBase:
    """Makes nodes of calls, and proxies of nodes."""

    graph: Graph
    trace_asserts = False

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
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
        if isinstance(a, tuple | list | dict | slice):
            return map_aggregate(a, self.create_arg)
        if isinstance(a, Proxy):
            return a.node
        if isinstance(a, range):
            return range(*(self.create_arg(x) for x in (a.start, a.stop, a.step)))
        if isinstance(a, BASE_TYPES) or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        raise noted(TraceError(NO_BRANCH), in_doubt(obj, "is true or false"))

    def iter(self, obj: Any) -> Iterator:
        """Iterates over a proxy that is unpacked into a fixed number of names; otherwise the length is unknown."""
        frame = inspect.currentframe()
        calling = frame.f_back.f_back if frame is not None and frame.f_back is not None else None
        if calling is not None:
            steps = {instruction.offset: instruction for instruction in dis.get_instructions(calling.f_code)}
            step = steps.get(calling.f_lasti)
            if step is not None and step.opname == "UNPACK_SEQUENCE":
                return (obj[index] for index in range(step.argval))
        raise noted(TraceError(NO_ITERATION), in_doubt(obj, "has how many parts"))

    def keys(self, obj: Proxy) -> Any:
        return Attribute(obj, "keys")()


def in_doubt(proxy: Proxy, what: str) -> str:
    return f"`{proxy.node}` stands for a value, and whether it {what} is only known when the graph runs."


class Proxy:
    """A placeholder for a value at run time."""

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        observe_constructors("proxy")  # torch.zeros(proxy) is also a node
        self.tracer = tracer if tracer is not None else GraphAppendingTracer(node.graph)
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if k in ("tracer", "node"):
            raise AttributeError(k)
        return Attribute(self, k)

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator:
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(NO_LENGTH)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", abs, (self,), {})

    def keys(self) -> Any:
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(cls, orig_method: Callable, types: Any, args: tuple = (), kwargs: dict | None = None):
        kwargs = kwargs or {}
        tracers: dict[TracerBase, None] = {}
        map_aggregate(
            [list(args), kwargs], lambda a: tracers.update({a.tracer: None}) if isinstance(a, Proxy) else None
        )
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers)} while trying to trace operations "
                               f"{orig_method}")  # fmt: skip
        (tracer,) = tracers
        name = orig_method.__name__
        if vars(Tensor).get(name) is orig_method:
            return tracer.create_proxy("call_method", name, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, tracer.graph._target_to_str(name))

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


class GraphAppendingTracer(TracerBase):
    """Appends operations on existing nodes to their graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
