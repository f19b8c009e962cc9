"""Finds the `.grad` that is None in a failing line: `0.1 * w.grad`, `h.grad.norm()`, `w.grad.zero_()`.

Python's error names no tensor. The failed instruction has a position in the source; the expression there is looked up
in the variables of its frame. No code of the program is called except methods that read a module's parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from rushlight.core.graph import Leaf
from rushlight.core.history import edge_of
from rushlight.core.origin import Place as Line
from rushlight.core.tensor import Tensor
from rushlight.core.tracebacks import entries, is_library, of_the_program
from rushlight.explain.none_grad_reason import reason
from rushlight.explain.source_history import Reading
from rushlight.explain.watch.source import is_function, tree_of
from rushlight.nn.modules.module import Module

OF_MODULES = ("parameters", "named_parameters", "children", "modules")  # methods that are called to find a tensor
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
ABSENT = object()


class NoneGrad(NamedTuple):
    """An expression `tensor.grad` that is None."""

    text: str  # the expression for the tensor, as in the source
    tensor: Tensor
    failing: ast.AST  # the expression or statement that failed
    frames: list[FrameType]  # of the program, innermost first


def add_note(error: BaseException) -> None:
    """Adds a note to an exception if a `.grad` in its line is None: why it is."""
    note = note_of(error)
    if note and note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def note_of(error: BaseException) -> str:
    """Returns why a `.grad` in the line of an exception is None; empty if none is."""
    none = none_grad(error)
    return "" if none is None else "\n".join(reason(*none))


def none_grad(error: BaseException) -> NoneGrad | None:
    """Returns the `.grad` that caused an exception, if it is None."""
    words = {AttributeError: "'NoneType' object", TypeError: "None"}.get(type(error))
    if words is None or words not in str(error) or error.__traceback__ is None:
        return None
    traceback = of_the_program(list(entries(error.__traceback__)))[::-1]
    places = [Place(x, error) for x in traceback if not is_library(x.tb_frame.f_code.co_filename)]
    if not places or places[0].node is None:
        return None
    for operand in places[0].operands(error):
        for place, expression in origins(operand, places):
            if (hit := place.none_grad(expression)) is not None:
                frames = [other.frame for other in places[places.index(place) :]]
                return NoneGrad(*hit, places[0].node, frames)
    return None


class Place:
    """An entry of a traceback: its frame, and the expression or statement that failed."""

    def __init__(self, entry: TracebackType, error: BaseException):
        self.frame = entry.tb_frame
        self.line = entry.tb_lineno
        self.node = failing(Line(self.frame.f_code, entry.tb_lasti), error)

    def operands(self, error: BaseException) -> Iterator[ast.expr]:
        """Yields the operands of the failed operation."""
        match self.node:
            case ast.Attribute(value=value) if isinstance(error, AttributeError):
                yield value
            case ast.BinOp(left=left, right=right):
                yield from (left, right)
            case ast.UnaryOp(operand=operand):
                yield operand
            case ast.Compare(left=left, comparators=others):
                yield from (left, *others)
            case ast.Subscript(value=value, slice=index):
                yield from (value, index)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                if isinstance(error, AttributeError) and isinstance(function, ast.Attribute):
                    yield function.value
                yield function
                yield from (argument.value if isinstance(argument, ast.Starred) else argument for argument in arguments)
                yield from (keyword.value for keyword in keywords)
            case ast.AugAssign(target=target, value=value):
                yield from (target, value)
            case ast.JoinedStr(values=values):
                yield from (value.value for value in values if isinstance(value, ast.FormattedValue))
            case ast.Assign(value=value) | ast.For(iter=value):
                yield value
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp() as value:
                yield from (generator.iter for generator in value.generators)
                yield value
            case ast.expr() as value:  # an iterable
                yield value

    def none_grad(self, expression: ast.expr) -> tuple[str, Tensor] | None:
        """Returns (source text, tensor) of an expression `tensor.grad` that is None."""
        match expression:
            case ast.Attribute(value=holder, attr="grad"):
                for names in ({}, *self.bindings()):
                    tensor = self.value(holder, names)
                    if isinstance(tensor, Tensor) and grad_of(tensor) is None:
                        return ast.unparse(holder), tensor
            case ast.IfExp(body=body, orelse=other):
                return self.none_grad(body) or self.none_grad(other)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return next((hit for x in elements if (hit := self.none_grad(x)) is not None), None)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._in_comprehension(expression)
        return None

    def bindings(self) -> Iterator[dict[str, Any]]:
        """Yields the variables of comprehensions in the line: from Python 3.12 on, they end with an error."""
        for statement in statements_at(self.frame.f_code.co_filename, self.line):
            for each in ast.walk(statement):
                if isinstance(each, COMPREHENSIONS) and len(each.generators) == 1:
                    loop = each.generators[0]
                    names = [bound(loop.target, item) for item in iterable(self.value(loop.iter))]
                    yield from (each for each in names if each.keys().isdisjoint(self.frame.f_locals))

    def _in_comprehension(self, expression) -> tuple[str, Tensor] | None:
        inside: ast.expr = expression.elt
        if not (len(expression.generators) == 1 and isinstance(inside, ast.Attribute) and inside.attr == "grad"):
            return None
        loop = expression.generators[0]
        for item in iterable(self.value(loop.iter)):
            tensor = self.value(inside.value, bound(loop.target, item))
            if isinstance(tensor, Tensor) and grad_of(tensor) is None:
                return ast.unparse(inside.value), tensor
        return None

    def value(self, expression: ast.expr, names: Mapping[str, Any] | None = None) -> Any:
        """Returns the value of an expression in the frame; ABSENT if it would need a call."""
        match expression:
            case ast.Name(id=name):
                frame = self.frame
                return {**frame.f_globals, **frame.f_locals, **(names or {})}.get(name, ABSENT)
            case ast.Constant(value=value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
                return -value
            case ast.Attribute(value=holder, attr=name):
                owner = self.value(holder, names)
                return grad_of(owner) if name == "grad" and isinstance(owner, Tensor) else getattr(owner, name, ABSENT)
            case ast.Subscript(value=holder, slice=index):
                return element(self.value(holder, names), self.value(index, names))
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return [self.value(x, names) for x in elements]
            case ast.Call(func=ast.Attribute(value=holder, attr=method), args=[]) if method in OF_MODULES:
                module = self.value(holder, names)
                return list(getattr(module, method)()) if isinstance(module, Module) else ABSENT
            case ast.Call(func=ast.Name(id="list" | "tuple" | "iter"), args=[inner]):
                return list(iterable(self.value(inner, names)))
            case ast.Call(func=ast.Name(id="next"), args=[inner]):
                return next(iter(iterable(self.value(inner, names))), ABSENT)
        return ABSENT


def failing(place: Line, error: BaseException) -> ast.AST | None:
    """Returns the expression or statement of an instruction; None if the source is not known.

    Expressions are parsed on their own: in Python 3.11, positions inside f-strings are relative to the f-string.
    """
    if "unpack" not in str(error):  # else the instruction has the position of the targets
        try:
            return ast.parse(f"({place.expression})", mode="eval").body
        except SyntaxError:
            pass
    around = statements_at(place.file, place.line)
    return around[-1] if around else None


def statements_at(file: str, line: int) -> list[ast.stmt]:
    """Returns the statements that begin at a line, outer ones first."""
    tree = tree_of(file) or ast.Module([], [])
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno == line]


def grad_of(tensor: Tensor) -> Any:
    """Returns `tensor.grad` without PyTorch's warning for non-leaf tensors."""
    edge = edge_of(tensor)
    return edge.grad if isinstance(edge, Leaf) else tensor._grad


def iterable(value: Any) -> Iterable:
    """Returns a list or tuple as it is, and () for iterables that would be consumed."""
    return value if isinstance(value, list | tuple) else ()


def element(holder: Any, index: Any) -> Any:
    """Returns `holder[index]` of a container, or ABSENT."""
    if not isinstance(holder, list | tuple | dict | Module | Tensor) or index is ABSENT:
        return ABSENT
    try:
        return holder[index]  # type: ignore[index]
    except (LookupError, TypeError):
        return ABSENT


def bound(target: ast.expr, value: Any) -> dict[str, Any]:
    """Returns the variables that a loop target binds to one item."""
    match target:
        case ast.Name(id=name):
            return {name: value}
        case ast.Tuple(elts=parts) if isinstance(value, tuple) and len(value) == len(parts):
            return {
                name: value
                for part, item in zip(parts, value, strict=True)
                for name, value in bound(part, item).items()
            }
    return {}


def origins(expression: ast.expr, places: list[Place]) -> Iterator[tuple[Place, ast.expr]]:
    """Yields an expression; if it is a variable, also what was assigned to it or passed for it."""
    place = places[0]
    yield place, expression
    if not isinstance(expression, ast.Name | ast.Attribute) or not is_or_has_none(place.value(expression)):
        return
    name = ast.unparse(expression)
    statement = Reading(place.frame).assignment(name, place.line)
    if statement is not None:
        yield place, statement.value
        return
    loop = loop_over(name, place)
    if loop is not None:
        yield place, loop
    elif len(places) > 1 and (argument := passed(name, place.frame, places[1].node)) is not None:
        yield from origins(argument, places[1:])


def is_or_has_none(value: Any) -> bool:
    return value is None or (isinstance(value, list | tuple) and any(x is None for x in value))


def loop_over(name: str, place: Place) -> ast.expr | None:
    """Returns the iterable of the loop around a line that binds `name`."""
    tree = tree_of(place.frame.f_code.co_filename) or ast.Module([], [])
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.For) and node.lineno <= place.line <= (node.end_lineno or 0)
    ]
    return next((x.iter for x in reversed(around) if name in bound_names(x.target)), None)


def bound_names(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def passed(name: str, frame: FrameType, call: ast.AST | None) -> ast.expr | None:
    """Returns the expression that a call passes for an argument of the frame's function."""
    code = frame.f_code
    tree = tree_of(code.co_filename)
    if not isinstance(call, ast.Call) or tree is None or not any(is_function(node, code) for node in ast.walk(tree)):
        return None
    parameters = list(code.co_varnames[: code.co_argcount])
    if parameters[:1] in (["self"], ["cls"]):
        parameters = parameters[1:]
    by_name = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    starred = any(isinstance(arg, ast.Starred) for arg in call.args)
    by_place = {} if starred else dict(zip(parameters, call.args, strict=False))
    return (by_place | by_name).get(name)
