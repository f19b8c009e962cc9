"""`torch.library.Library`: defines operators in a namespace, and registers kernels."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight._library import registry
from rushlight._library.keys import BACKENDS, parse_key
from rushlight._library.parsing import parse_schema
from rushlight._library.registry import FALLTHROUGH, Kernel
from rushlight._library.schema import FunctionSchema
from rushlight._library.tags import as_tags
from rushlight.core.errors import noted

KINDS = ("IMPL", "DEF", "FRAGMENT")
RESERVED = ("prim",)
OWNERS = itertools.count(1)
ALIAS_ANALYSES = ("", "FROM_SCHEMA", "CONSERVATIVE")
ELSEWHERE = tuple(backend for backend in BACKENDS if backend not in ("CPU", "CUDA", "Meta"))
OURS = "aten"  # its functions are not called through kernels


def fallthrough_kernel(*args: Any, **kwargs: Any) -> Any:
    """Passed to `Library.impl`: the key has nothing to do."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class Library:
    """Defines operators in a namespace, or registers kernels for another one's; registrations end with the object.

    `kind` is "DEF" to define a namespace, "FRAGMENT" to extend one, "IMPL" for kernels only.

    >>> import rushlight as torch
    >>> library = torch.library.Library("shop", "DEF")
    >>> library.define("price(Tensor x, int pieces=2) -> Tensor")
    'price'
    >>> library.impl("price", lambda x, pieces=2: x * pieces, "CPU")
    >>> torch.ops.shop.price(torch.ones(2), 3)
    tensor([3., 3.])
    """

    __module__ = "torch.library"

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in KINDS:
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        if dispatch_key:
            parse_key(dispatch_key)
        registry.load(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._owner = next(OWNERS)
        if kind == "DEF":
            registry.own(ns, self._owner, called_at())
        self._op_defs: list[str] = []
        self._op_impls: list[str] = []
        self._end = registry.forget_with(self, self._owner, self._op_defs, self._op_impls)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Defines an operator by its schema, and returns its name.

        Raises RuntimeError for an invalid schema, and for an existing operator.
        """
        if alias_analysis not in ALIAS_ANALYSES:
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        parsed = self._qualified(parse_schema(schema))
        operator = registry.define(parsed, as_tags(tags), f"registered at {called_at()}")
        self._op_defs.append(operator.name)
        return parsed.name.partition("::")[2]

    def impl(
        self,
        op_name: Any,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Registers a kernel of an operator in this namespace; without a key for all backends and autograd."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = parse_key(dispatch_key or self.dispatch_key or "CompositeImplicitAutograd").name
        name = self._full_name(op_name)
        if name.startswith(f"{OURS}::") and is_asked(key):
            raise noted(
                NotImplementedError(f"The operators of PyTorch cannot be given other kernels: {name}"),
                "They are functions here, which call each other directly. Define an operator of your own, or override "
                "__torch_function__.",
            )
        kernels = registry.KERNELS.setdefault(name, {}).setdefault(key, [])
        if kernels and not allow_override:
            raise RuntimeError(
                f"This is not allowed since there's already a kernel registered from python overriding {name}'s "
                f"behavior for {key} dispatch key and {self.ns} namespace."
            )
        function = FALLTHROUGH if fn is fallthrough_kernel else fn
        kernels.append(Kernel(function, with_keyset, self._owner))
        self._op_impls.append(name)

    def fallback(self, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """Would set the kernel of a key for all operators without one. Raises NotImplementedError."""
        raise noted(
            NotImplementedError("A fallback for all operators cannot be registered"),
            "Operators are functions here, which call each other directly: give each operator its kernel by impl.",
        )

    def _destroy(self) -> None:
        """Removes all registrations."""
        self._end()

    def _full_name(self, op: Any) -> str:
        name = op if isinstance(op, str) else op._name
        if "::" not in name:
            name = f"{self.ns}::{name}"
        packet, overload = registry.split(name)
        return f"{packet}.{overload}" if overload else packet

    def _qualified(self, parsed: FunctionSchema) -> FunctionSchema:
        namespace, separator, name = parsed.name.rpartition("::")
        if separator and namespace != self.ns:
            raise RuntimeError(
                f"Explicitly provided namespace ({namespace}) in schema string does not match namespace of enclosing "
                f"TORCH_LIBRARY block ({self.ns}).  Move this definition to the (unique) TORCH_LIBRARY block "
                "corresponding to this namespace (and consider deleting the namespace from your schema string.)"
            )
        return FunctionSchema(
            f"{self.ns}::{name}", parsed.overload_name, parsed.arguments, parsed.returns, parsed.variadic
        )


def is_asked(key: str) -> bool:
    """Whether a tensor can have a key: there are no devices of other types."""
    return not key.endswith(ELSEWHERE)


def called_at() -> str:
    """Returns the line of the program that defines an operator."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("rushlight."):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """Returns a library that ends with the block."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


KEPT: list[Library] = []  # of functions without a library argument


def library_for(qualname: str, lib: Library | None) -> Library:
    """Returns the library that registers a function: the argument, or a permanent one."""
    if lib is not None:
        return lib
    made = Library(parse_namespace(qualname)[0], "FRAGMENT")
    KEPT.append(made)
    return made


def parse_namespace(qualname: str) -> tuple[str, str]:
    """Splits `ns::name`. Raises ValueError for other texts."""
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    return parts[0], parts[1]
