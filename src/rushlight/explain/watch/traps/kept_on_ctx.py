"""A custom Function that stores an intermediate result on ctx, and is differentiated twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from rushlight.core.dtype import FLOAT
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import function_at, names_read
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.program_lines import Line
from rushlight.explain.watch.trap import Trap

# Attributes and functions that pass no derivative: shapes, choices, random values of a shape
CONSTANT = frozenset(
    "shape dtype device ndim size dim numel stride detach item tolist numpy zeros_like ones_like rand_like randn_like "
    "empty_like full_like new_zeros new_ones new_full bernoulli sign round floor ceil argmax argmin argsort len "
    "no_grad long int bool isnan isfinite type requires_grad".split()
)


class Kept(NamedTuple):
    """A statement `ctx.name = value` in forward, and forward's arguments that the value depends on."""

    name: str
    line: int
    value: str
    sources: tuple[str, ...]


class KeptOnCtx(Trap):
    """Nothing is recorded in forward of a custom Function, so a result stored on ctx has no history.

    The first derivative is right. With create_graph=True the gradient is differentiated again, and values from ctx
    count as constants: the second derivative is wrong or missing, without an error.
    """

    kind = "kept_on_ctx"
    failing = """
import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.tripled = 3 * x  # <- here
        return ctx.tripled**2

    @staticmethod
    def backward(ctx, g):
        return 6 * ctx.tripled * g

x = torch.tensor([1.0], requires_grad=True)
(first,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
print(first, first.requires_grad)
"""
    repaired = failing.replace(
        "        ctx.tripled = 3 * x  # <- here\n        return ctx.tripled**2",
        "        ctx.save_for_backward(x)\n        return (3 * x) ** 2",
    ).replace("        return 6 * ctx.tripled * g", "        (x,) = ctx.saved_tensors\n        return 6 * (3 * x) * g")

    def before_backward(self, graph: Pass) -> None:
        if not graph.create:
            return
        for node in graph.nodes:
            if node.takes_tensors and any(node.edges):
                numbers = {name for name, value in vars_of(node).items() if is_without_history(value)}
                function = node.function  # type: ignore[attr-defined]  # which nodes of custom functions have
                for kept in kept_in_forward(function) if numbers else ():
                    if kept.name in numbers and reads_in_backward(function, kept.name):
                        self._tell(function, kept)

    def _tell(self, function: type, kept: Kept) -> None:
        sources = " and ".join(f"`{source}`" for source in kept.sources)
        text = (
            f"`ctx.{kept.name}` was computed in forward from {sources}, where nothing is recorded: the graph of "
            f"create_graph=True does not lead through it, and the second derivative of {function.__name__} lacks it."
        )
        names = ", ".join(kept.sources)
        unpacked = f"({names},)" if len(kept.sources) == 1 else f"({names})"
        advice = (
            f"ctx.save_for_backward({names})   (in forward)\n"
            f"           {unpacked} = ctx.saved_tensors   (in backward, and there `{kept.value}` in place of "
            f"`ctx.{kept.name}`)"
        )
        code = function.forward.__code__  # type: ignore[attr-defined]
        self.report(Line(code.co_filename, kept.line), text, advice)


def vars_of(node) -> dict:
    """Returns the attributes that a program has set on ctx."""
    return {name: value for name, value in node.attributes.items() if name not in ("to_save", "saved_for_forward")}


def is_without_history(value) -> bool:
    return isinstance(value, Tensor) and not value.requires_grad and value.dtype.category >= FLOAT


def kept_in_forward(function: type) -> Iterator[Kept]:
    """Yields what forward stores on ctx and computes from its arguments."""
    tree = function_at(function.forward.__code__)  # type: ignore[attr-defined]
    if not isinstance(tree, ast.FunctionDef) or not tree.args.args:
        return
    ctx, *arguments = [arg.arg for arg in tree.args.args]
    known: dict[str, tuple[str, ...]] = {argument: (argument,) for argument in arguments}
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Assign):
            sources = tuple(dict.fromkeys(name for x in read_in(statement.value, ctx) for name in known.get(x, ())))
            for target in statement.targets:
                name = ast.unparse(target)
                if isinstance(target, ast.Name) and sources:
                    known.setdefault(name, sources)
                elif name.startswith(f"{ctx}.") and sources and not isinstance(statement.value, ast.Name):
                    known.setdefault(name, sources)
                    yield Kept(name.removeprefix(f"{ctx}."), statement.lineno, ast.unparse(statement.value), sources)


def read_in(expression: ast.AST, ctx: str) -> Iterator[str]:
    """Yields the names in an expression that derivatives pass through."""
    match expression:
        case ast.Compare():
            return
        case ast.Attribute(attr=name) if name in CONSTANT:
            return
        case ast.Attribute(value=ast.Name(id=holder)) if holder == ctx:
            yield ast.unparse(expression)
            return
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in CONSTANT:
            return
        case ast.Name(id=name):
            yield name
    for node in ast.iter_child_nodes(expression):
        yield from read_in(node, ctx)


def reads_in_backward(function: type, name: str) -> bool:
    """Whether backward reads an attribute of ctx."""
    tree = function_at(function.backward.__code__)  # type: ignore[attr-defined]
    if not isinstance(tree, ast.FunctionDef) or not tree.args.args:
        return False
    return f"{tree.args.args[0].arg}.{name}" in names_read(tree)
