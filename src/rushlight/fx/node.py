"""One step of a graph: an argument, an attribute, a call, or the result."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.create.queries import _assert
from rushlight.fx.naming import qualified, type_in_words

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Target = Callable[..., Any] | str
Argument = Any  # a Node; numbers, strings, dtypes, slices; lists, tuples and dicts of these

SIDE_EFFECTS: set[Callable] = {_assert}


def has_side_effect(fn: Callable) -> Callable:
    """Marks a function: calls of it stay in a graph even if their result is unused."""
    SIDE_EFFECTS.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """Maps `fn` over the items of nested lists, tuples, dicts and slices."""
    if isinstance(a, tuple):
        items = [map_aggregate(x, fn) for x in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return [map_aggregate(x, fn) for x in a]
    if isinstance(a, dict):
        return {key: map_aggregate(value, fn) for key, value in a.items()}
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
        if op == "call_function" and not callable(target):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} "
                             "but a Callable is expected")  # fmt: skip
        if op != "call_function" and not isinstance(target, str):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} "
                             "but a str is expected")  # fmt: skip
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
        self._args, self._kwargs = map_arg(tuple(args), lambda n: n), map_arg(dict(kwargs), lambda n: n)
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
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Replaces uses of this node's result by another node's; returns the changed nodes."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("Called node.replace_all_uses_with(replace_with, propagate_meta=True), "
                                     "but replace_with already has .meta keys")  # fmt: skip
            replace_with.meta.update(self.meta)
        users = [user for user in self.users if delete_user_cb(user)]
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
            return self.target in SIDE_EFFECTS
        if self.op == "call_module" and self.graph.owning_module is not None:
            return getattr(self.graph.owning_module.get_submodule(str(self.target)), "is_impure", False)
        return False

    # Text

    def __repr__(self) -> str:
        return self.name

    def _pretty_print_target(self, target: Target) -> str:
        if isinstance(target, str):
            return target
        if getattr(target, "__module__", None) == "_operator":
            return f"operator.{target.__name__}"
        if target is getattr(builtins, getattr(target, "__name__", ""), None):
            return f"builtins.{target.__name__}"
        return qualified(target)

    def format_node(self) -> str | None:
        """Returns this node's line in the text of its graph."""
        if self.op == "placeholder":
            default = f"(default={self._args[0]})" if self._args else ""
            kind = f"{type_in_words(self.type)} " if self.type is not None else ""
            return f"%{self.name} : {kind}[num_users={len(self.users)}] = placeholder[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"%{self.name} : [num_users={len(self.users)}] = get_attr[target={self.target}]"
        if self.op == "output":
            return f"return {self._args[0]}"
        target = self._pretty_print_target(self.target)
        return (
            f"%{self.name} : [num_users={len(self.users)}] = {self.op}[target={target}]"
            f"(args = {in_words(self._args)}, kwargs = {in_words(self._kwargs)})"
        )


def in_words(a: Argument) -> str:
    """Returns arguments in the text of a graph: nodes with a percent sign, strings without quotation marks."""
    if isinstance(a, Node):
        return f"%{a.name}"
    if isinstance(a, tuple):
        return f"({', '.join(map(in_words, a))}{',' if len(a) == 1 else ''})"
    if isinstance(a, list):
        return f"[{', '.join(map(in_words, a))}]"
    if isinstance(a, dict):
        return "{" + ", ".join(f"{key}: {in_words(value)}" for key, value in a.items()) + "}"
    return str(a)
