"""One step of a graph: an argument, an attribute, a call, or the result."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from rushlight._C import _set_grad_enabled
from rushlight.core.tensor import Tensor
from rushlight.create.checks import _assert_async
from rushlight.create.queries import _assert, typename
from rushlight.fx.immutable_collections import immutable_dict, immutable_list
from rushlight.fx.naming import qualified, root, type_in_words
from rushlight.fx.operator_schemas import ArgsKwargsPair, normalize_function, normalize_module
from rushlight.utils._dtype_abbrs import dtype_abbrs

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Target = Callable[..., Any] | str
Argument = Any  # a Node; numbers, strings, dtypes, slices; lists, tuples and dicts of these

OPS = ("call_function", "call_method", "get_attr", "call_module", "placeholder", "output")
SIDE_EFFECTS: set[Callable] = {_assert, _assert_async, operator.setitem, _set_grad_enabled}
# They advance the random generator.
RANDOM = frozenset(
    "rand randn randint randperm rand_like randn_like randint_like normal poisson bernoulli multinomial".split()
)


def has_side_effect(fn: Callable) -> Callable:
    """Marks a function: calls of it stay in a graph even if their result is unused."""
    SIDE_EFFECTS.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Maps `fn` over the items of nested lists, tuples, dicts and slices. Lists and dicts become immutable."""
    if isinstance(a, tuple):
        items = [map_aggregate(x, fn) for x in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return immutable_list([map_aggregate(x, fn) for x in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(*(map_aggregate(x, fn) for x in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """Maps `fn` over the nodes in nested lists, tuples, dicts and slices."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def nodes_of(arguments: Argument) -> Iterator[Node]:
    nodes: list[Node] = []
    map_arg(arguments, nodes.append)
    return iter(nodes)


class Node:
    """A step of a graph: `op` is its kind, `target` what it reads or calls, `users` the nodes that use its result."""

    def __init__(
        self,
        graph: Any,  # the Graph
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any = None,
    ) -> None:
        wanted = "a Callable" if op == "call_function" else "a str"
        if not (callable(target) if op == "call_function" else isinstance(target, str)):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {typename(target)} "
                             f"but {wanted} is expected")  # fmt: skip
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.type = return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._prev = self._next = self
        self._erased = False
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Argument, ...] = ()
        self._kwargs: dict[str, Argument] = {}
        self._take(args, kwargs)

    def _take(self, args: tuple[Argument, ...], kwargs: dict[str, Argument]) -> None:
        """Sets the arguments, and updates the users of the nodes among them."""
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._args, self._kwargs = map_arg(tuple(args), lambda n: n), map_arg(kwargs, lambda n: n)
        self._input_nodes = dict.fromkeys(nodes_of([list(self._args), self._kwargs]))
        for node in self._input_nodes:
            node.users[self] = None

    @property
    def args(self) -> tuple[Argument, ...]:
        return self._args

    @args.setter
    def args(self, args: tuple[Argument, ...]) -> None:
        self._take(args, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Argument]) -> None:
        self._take(self._args, kwargs)

    @property
    def all_input_nodes(self) -> list[Node]:
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        self.args = (*self._args[:idx], arg, *self._args[idx + 1 :])

    def insert_arg(self, idx: int, arg: Argument) -> None:
        if not 0 <= idx <= len(self._args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        self.kwargs = {**self._kwargs, key: arg}

    @property
    def stack_trace(self) -> str | None:
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    # Order: a doubly linked ring of nodes, closed by the root node of the graph

    @property
    def next(self) -> Node:
        return self._next

    @property
    def prev(self) -> Node:
        return self._prev

    def __lt__(self, other: Node) -> bool:
        """Whether the node comes before another one in its graph."""
        node = self._next
        while node.op != "root":
            if node is other:
                return True
            node = node._next
        return False

    def __gt__(self, other: Node) -> bool:
        return other < self

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or other < self

    def prepend(self, x: Node) -> None:
        """Moves `x` before this node."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._leave()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Moves `x` after this node."""
        self._next.prepend(x)

    def _leave(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    # Uses

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Replaces uses of this node's result by another node's; returns the changed nodes."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("Called node.replace_all_uses_with(replace_with, propagate_meta=True), "
                                     "but replace_with already has .meta keys")  # fmt: skip
            replace_with.meta.update(self.meta)
        users = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        def other(node: Node) -> Node:
            return new_input if node is old_input else node

        self._take(map_arg(self._args, other), map_arg(self._kwargs, other))

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the node must stay although its result is unused."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            return has_effects(self.target)  # type: ignore[arg-type]
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(self.graph.owning_module.get_submodule(str(self.target)), "_is_impure", False)
        return False

    def normalized_arguments(
        self,
        root: Any,
        arg_types: tuple | None = None,
        kwarg_types: dict[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> ArgsKwargsPair | None:
        """Returns the arguments by the names in the signature, defaults included; None for other kinds of nodes."""
        if self.op == "call_function":
            return normalize_function(
                self.target,  # type: ignore[arg-type]
                self._args,
                self._kwargs,
                arg_types,
                kwarg_types,
                normalize_to_only_use_kwargs,
            )
        if self.op == "call_module":
            return normalize_module(root, str(self.target), self._args, self._kwargs, normalize_to_only_use_kwargs)
        return None

    def _rename(self, candidate: str) -> None:
        """Gives the node another name, with a number if the name is in use."""
        if candidate != self.name:
            self.name = self.graph._names.fresh(candidate)

    # Text

    def __repr__(self) -> str:
        return self.name

    def _pretty_print_target(self, target: Target) -> str:
        if isinstance(target, str):
            return target
        name = getattr(target, "__name__", None)
        if isinstance(name, str):
            if target.__module__ == "_operator":
                return f"operator.{name}"
            if target.__module__ == "builtins":
                return f"builtins.{name}"
        return qualified(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """Returns this node's line in the text of its graph.

        The lists are appended to as PyTorch does: `placeholder_names` gets the line of a placeholder, which is then
        not returned, if it has items; the only item of `maybe_return_typename` becomes the type of the output.
        """
        kind = f"{type_in_words(self.type)} " if self.type is not None else ""
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {type_in_words(self.type)}"
            return f"return {self._args[0]}"
        if self.op == "placeholder" and placeholder_names:
            placeholder_names.append(f"{self.target}: {kind.rstrip()}" if kind else str(self.target))
            return None
        value = self.meta.get("val", self.meta.get("tensor_meta", self.meta.get("example_value")))
        if include_tensor_metadata and isinstance(value, Tensor):
            kind = f'Tensor "{dtype_abbrs[value.dtype]}{list(value.shape)}{list(value.stride())}{value.device}"'
        target = self._pretty_print_target(self.target)
        return f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={target}]{self._in_brackets()}"

    def _in_brackets(self) -> str:
        if self.op == "placeholder":
            return f"(default={self._args[0]})" if self._args else ""
        if self.op == "get_attr":
            return ""
        return f"(args = {in_words(self._args)}, kwargs = {in_words(self._kwargs)})"


def has_effects(function: Callable) -> bool:
    """Whether calls of a function stay in a graph even if their result is unused."""
    schema = getattr(function, "_schema", None)
    if schema is not None and schema.is_mutable:
        return True
    name = getattr(function, "__name__", "")
    return function in SIDE_EFFECTS or (name in RANDOM and getattr(root(), name) is function)


def in_words(a: Argument, max_list_len: float = float("inf")) -> str:
    """Returns arguments in the text of a graph: nodes with a percent sign, strings without quotation marks.

    Of longer lists and tuples only the first items are written, and the number of all.
    """
    if isinstance(a, tuple | list) and len(a) > max_list_len:
        first = ", ".join(in_words(x) for x in a[: int(max_list_len)])
        rest = f", ...[total_len={len(a)}]"
        return f"({first}{rest})" if isinstance(a, tuple) else f"[{first}{rest}]"
    if isinstance(a, Node):
        return f"%{a.name}"
    if isinstance(a, tuple) and hasattr(a, "_fields"):
        parts = ", ".join(f"{name}={in_words(value)}" for name, value in zip(a._fields, a, strict=True))
        return f"{type(a).__name__}({parts})"
    if isinstance(a, tuple):
        return f"({', '.join(map(in_words, a))}{',' if len(a) == 1 else ''})"
    if isinstance(a, list):
        return f"[{', '.join(map(in_words, a))}]"
    if isinstance(a, dict):
        return "{" + ", ".join(f"{key}: {in_words(value)}" for key, value in a.items()) + "}"
    return str(a)


_format_arg = in_words
_get_qualified_name = qualified
_type_repr = type_in_words
