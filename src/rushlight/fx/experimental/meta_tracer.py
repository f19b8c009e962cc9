"""`torch.fx.experimental.meta_tracer`: traces with tensors of the device `meta`, so that sizes are numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.core.device import device
from rushlight.core.tensor import Tensor
from rushlight.fx._symbolic_trace import Tracer
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule, _get_attr
from rushlight.fx.node import Node, Target, map_aggregate
from rushlight.fx.proxy import Attribute, Proxy
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.stateless import _functional_call

__all__ = ["MetaAttribute", "MetaDeviceAttribute", "MetaProxy", "MetaTracer", "proxys_to_metas", "symbolic_trace"]


class MetaProxy(Proxy):
    """A proxy with the size and the dtype of its tensor."""

    def install_tensor_meta(self, tensor_meta: Any) -> None:
        self._tensor_meta = tensor_meta

    def __getattr__(self, k: str) -> Any:
        if k == "_tensor_meta":
            raise AttributeError(k)
        known = self.__dict__.get("_tensor_meta")
        if k in ("shape", "dtype", "size", "dim", "ndim") and isinstance(known, Tensor):
            return getattr(known, k)
        return MetaDeviceAttribute(self, k) if k == "device" else MetaAttribute(self, k)


class MetaAttribute(MetaProxy, Attribute):
    """An attribute of a proxy, or a method."""

    __init__ = Attribute.__init__
    __call__ = Attribute.__call__


class MetaDeviceAttribute(MetaAttribute):
    """The device of a proxy, which is `meta` while sizes are computed."""


def proxys_to_metas(v: Any) -> Any:
    """Returns the tensor of a proxy, and the device `meta` for any device; another value as it is."""
    if isinstance(v, MetaDeviceAttribute | device):
        return device("meta")
    if isinstance(v, Proxy):
        if not hasattr(v, "_tensor_meta"):
            raise AssertionError("MetaProxy does not have an associated meta")
        return v._tensor_meta
    return v


class MetaTracer(Tracer):
    """A tracer whose proxies know sizes. Modules without state that are made during the trace become members."""

    allow_insert_stateless_mods = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.meta_args: dict[str, Tensor] = {}
        self._forward: Callable[..., Any] | None = None
        self._computing = False  # whether sizes are computed, with the members of the module as they are

    def proxy(self, node: Node) -> MetaProxy:
        return MetaProxy(node, self)

    def create_proxy(self, kind: str, target: Target, args: tuple, kwargs: dict, *others: Any, **more: Any) -> Any:
        proxy = super().create_proxy(kind, target, args, kwargs, *others, **more)
        if kind == "placeholder":
            if target in self.meta_args:
                proxy.install_tensor_meta(self.meta_args[str(target)])
            return proxy
        if isinstance(proxy, MetaProxy):
            try:
                proxy.install_tensor_meta(self._meta(kind, target, args, kwargs))
            except Exception as error:  # noqa: BLE001  whatever the call raises: the proxy then has no sizes
                warnings.warn(f"Could not compute metadata for {kind} target {target}: {error}", stacklevel=2)
        return proxy

    def _meta(self, kind: str, target: Any, args: tuple, kwargs: dict) -> Any:
        """Returns the result of a call on the device `meta`."""
        if kind == "get_attr":
            return self._uncaught(lambda: _get_attr(self.root, target).to(device="meta"))
        args, kwargs = map_aggregate(args, proxys_to_metas), map_aggregate(kwargs, proxys_to_metas)
        if kind == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        if kind == "call_module":
            return self._uncaught(lambda: on_meta(_get_attr(self.root, target), args, kwargs))
        if "device" not in kwargs and makes_tensors(target):
            kwargs = {**kwargs, "device": "meta"}
        return target(*args, **kwargs)

    def _uncaught(self, call: Callable[[], Any]) -> Any:
        self._computing = True
        try:
            return call()
        finally:
            self._computing = False

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        return attr_val if self._computing else super().getattr(attr, attr_val, parameter_proxy_cache)

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return forward(*args, **kwargs) if self._computing else super().call_module(m, forward, args, kwargs)

    def path_of_module(self, mod: Module) -> str:
        try:
            return super().path_of_module(mod)
        except NameError:
            if not self.allow_insert_stateless_mods or any(True for _ in (*mod.parameters(), *mod.buffers())):
                raise
            name = self.get_fresh_qualname(f"{type(mod).__name__.lower()}_")
            self.root.add_module(name, mod)
            if self.submodule_paths is not None:
                self.submodule_paths[mod] = name
            return name

    def trace(  # type: ignore[override]
        self, root: Module | Callable[..., Any], meta_args: dict[str, Tensor], concrete_args: Any = None
    ) -> Graph:
        if not isinstance(meta_args, dict):
            raise AssertionError(f"Expected dict for meta_args, got {type(meta_args)}")
        self.meta_args = meta_args
        graph = super().trace(root, concrete_args)
        graph._tracer_extras = {"meta_args": meta_args}
        return graph


def on_meta(module: Module, args: tuple, kwargs: dict) -> Any:
    """Returns the result of a module with its tensors on the device `meta`."""
    members = {name: value.to(device="meta") for name, value in (*module.named_parameters(), *module.named_buffers())}
    return _functional_call(module, members, args, kwargs)


def makes_tensors(function: Any) -> bool:
    """Whether a function makes tensors of numbers, so that it takes a device."""
    return getattr(function, "__name__", "") in CONSTRUCTORS


CONSTRUCTORS = frozenset("arange zeros ones full eye empty linspace rand randn".split())


def symbolic_trace(
    root: Module | Callable[..., Any],
    meta_args: dict[str, Tensor] | None = None,
    concrete_args: dict[str, Any] | None = None,
) -> GraphModule:
    """Returns a GraphModule of `root`, which may use the sizes of the arguments in `meta_args` as numbers.

    >>> import rushlight as torch
    >>> def halves(x):
    ...     return x[: x.shape[0] // 2]
    >>> print(symbolic_trace(halves, {"x": torch.empty(6, device="meta")}).code.strip().splitlines()[1].strip())
    getitem = x[slice(None, 3, None)];  x = None
    """
    tracer = MetaTracer()
    graph = tracer.trace(root, meta_args or {}, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
