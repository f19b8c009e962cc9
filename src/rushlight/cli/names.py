"""Finds the torch names that a Python file uses.

It follows imports under any alias, assignments of a torch name to a variable, and attribute chains from either. The
type of a call's result is not known, so methods of tensors are skipped; so are names from `import *`.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


class Use(NamedTuple):
    """The full path of a torch name, and a line that uses it."""

    name: str
    line: int


class Scope:
    """The bindings of one scope: the path of a torch name, or None for other values."""

    def __init__(self, node: ast.AST, outer: "Scope | None"):
        self.outer = outer
        self.is_class = isinstance(node, ast.ClassDef)
        self.bindings: dict[str, list[str | None]] = {}
        for child in own_nodes(node):
            for name, path in self.bound_by(child):
                self.bindings.setdefault(name, []).append(path)

    def bound_by(self, node: ast.AST) -> Iterator[tuple[str, str | None]]:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from bound_by_import(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if not is_none(value):
                yield name, self.path(value)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name, None
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, None
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, None

    def path(self, node: ast.AST) -> str | None:
        """Returns the torch name of an expression: a name, or an attribute chain."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        start = self.lookup(node.id) if isinstance(node, ast.Name) else None
        return None if start is None else ".".join([start, *reversed(attributes)])

    def lookup(self, name: str) -> str | None:
        """Returns the torch name that `name` is first bound to, if it has no other bindings."""
        scope: Scope | None = self
        while scope is not None and (name not in scope.bindings or (scope.is_class and scope is not self)):
            scope = scope.outer
        paths = scope.bindings[name] if scope is not None else [None]
        return None if None in paths else paths[0]


def torch_names(tree: ast.Module) -> set[Use]:
    """Yields every torch name in a file, for every line that uses it.

    >>> sorted(torch_names(ast.parse("from torch import nn as layers; layers.Linear")))
    [Use(name='torch.nn', line=1), Use(name='torch.nn.Linear', line=1)]
    """
    return set(uses_within(tree, None))


def uses_within(node: ast.AST, outer: Scope | None) -> Iterator[Use]:
    scope = Scope(node, outer)
    for child in own_nodes(node):
        yield from uses_in(child, scope)
        if isinstance(child, SCOPES):
            yield from uses_within(child, scope)


def uses_in(node: ast.AST, scope: Scope) -> Iterator[Use]:
    match node:
        case ast.Import(names=names):
            yield from (Use(alias.name, node.lineno) for alias in names if is_torch(alias.name))
        case ast.ImportFrom(module=str(module), level=0, names=names) if is_torch(module):
            yield from (Use(member(module, alias), node.lineno) for alias in names)
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
            path = scope.path(node)
            if path is not None:
                yield Use(path, node.end_lineno or node.lineno)


def bound_by_import(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str | None]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            path = member(node.module, alias) if node.level == 0 and node.module else ""
        else:
            path = alias.name if alias.asname else alias.name.partition(".")[0]
        name = alias.asname or (path if isinstance(node, ast.Import) else alias.name)
        yield name, path if is_torch(path) else None


def member(module: str, alias: ast.alias) -> str:
    return module if alias.name == "*" else f"{module}.{alias.name}"


def own_nodes(scope_node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a scope in source order, without those of nested scopes."""
    waiting = children(scope_node)[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting.extend(children(node)[::-1])


def children(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.Assign(targets=[ast.Name()], value=value):
            return [value]  # the assignment itself binds the name
    return list(ast.iter_child_nodes(node))


def is_torch(path: str) -> bool:
    return path.partition(".")[0] == "torch"


def is_none(value: ast.expr) -> bool:
    """Whether a value is `None`, which programs assign after a failed import; the name stays a torch name."""
    return isinstance(value, ast.Constant) and value.value is None
