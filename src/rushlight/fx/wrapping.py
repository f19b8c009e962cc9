"""Functions and classes whose calls are single nodes: tracing does not enter them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from rushlight.fx.naming import short_name
from rushlight.fx.node import map_aggregate
from rushlight.fx.proxy import Proxy
from rushlight.fx.spelling import METHODS, composites, spelled
from rushlight.nn import functional

# The functions passed to `wrap`: the globals of a module by their identity and a name there.
WRAPPED: dict[tuple[int, str], dict[str, Any]] = {}
PROXYABLE: dict[type, None] = {}


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
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe()
    calling = frame.f_back if frame is not None else None
    if calling is None or calling.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    WRAPPED[id(calling.f_globals), name] = calling.f_globals
    return fn_or_name


def proxy_in(*values: Any) -> Proxy | None:
    """Returns a proxy in nested lists, tuples and dicts, if there is one."""
    proxies: list[Proxy] = []
    map_aggregate(values, lambda a: proxies.append(a) if isinstance(a, Proxy) else None)
    return proxies[-1] if proxies else None


def as_node(function: Callable) -> Callable:
    """Returns a wrapper whose calls with proxies are nodes, marked so that generated code wraps the function too."""

    @wraps(function, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = proxy_in(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        result.node.meta["is_wrapped"] = True
        return result

    wrapped._fx_original = function  # type: ignore[attr-defined]
    return wrapped


def as_call(function: Callable) -> Callable:
    """Returns a wrapper for a function of `torch.nn.functional`, whose calls with proxies are nodes."""

    @wraps(function, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = proxy_in(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        name = short_name(function)
        if name in METHODS:
            return proxy.tracer.create_proxy("call_method", name, args, kwargs)
        args, kwargs = spelled(function, args, kwargs)
        return proxy.tracer.create_proxy("call_function", function, args, kwargs)

    wrapped._fx_original = function  # type: ignore[attr-defined]
    return wrapped


@contextmanager
def functional_calls(wrapper: Callable[[Callable], Callable]) -> Iterator[None]:
    """Within the block, functions of `torch.nn.functional` that are more than one operator are wrapped, everywhere."""
    names = vars(functional)
    before = {name: names[name] for name in composites().values()}
    names.update({name: wrapper(function) for name, function in before.items() if not is_wrapper(function)})
    try:
        yield
    finally:
        names.update(before)


def is_wrapper(function: Callable) -> bool:
    return getattr(function, "_fx_original", None) is not None


class ProxyableClassMeta(type):
    """The class of classes whose constructors may get proxies: such a call is a node.

    >>> import rushlight as torch
    >>> class Pair(metaclass=torch.fx.ProxyableClassMeta):
    ...     def __init__(self, left, right):
    ...         self.left, self.right = left, right
    >>> traced = torch.fx.symbolic_trace(lambda x: Pair(x, x + 1))
    >>> traced(2).right
    3
    """

    def __init__(cls, name: str, bases: tuple, attrs: dict[str, Any]) -> None:
        PROXYABLE.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls)  # type: ignore[call-overload]
        proxy = proxy_in(args, kwargs)
        if proxy is not None:
            return proxy.tracer.create_proxy("call_function", cls, args, kwargs)
        instance.__init__(*args, **kwargs)
        return instance
