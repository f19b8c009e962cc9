"""Explains why the `.grad` of a tensor is None, from the lines that made the tensor, and what to write."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from types import FrameType

from rushlight.core.dtype import FLOAT
from rushlight.core.graph import Leaf, node_of
from rushlight.core.history import edge_of
from rushlight.core.tensor import Tensor
from rushlight.explain.graph import graph_of, named_tensors, names_in
from rushlight.explain.records import op_name, record_of
from rushlight.explain.source_history import Reading
from rushlight.explain.source_rewriting import assigned, in_brackets, spoken
from rushlight.explain.watch.source import tree_of

OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "true_divide", ast.MatMult: "matmul", ast.Pow: "pow",
    ast.USub: "neg",
}  # fmt: skip
INSIDE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")  # code objects inside a statement


def reason(text: str, tensor: Tensor, failing: ast.AST, frames: Sequence[FrameType]) -> list[str]:
    """Returns the lines of the note: which `.grad` is None and why, and the repair."""
    edge = edge_of(tensor)
    if isinstance(edge, Leaf):
        return _of_a_leaf(text, tensor, failing, frames)
    made = Making(text, tensor, frames)
    state = "does not require grad" if edge is None else "is not a leaf"
    if made.is_update:
        return [
            f"`{text}.grad` is None: {made.place} {made.verb} `{text}`, which {state}. {STORED}",
            "Cure: with torch.no_grad():",
            *(f"          {x}" for x in made.in_place()),
            *([f"      return {text}"] if made.verb == RETURNS else []),
        ]
    if made.part_of is not None:
        return [
            f"`{text}.grad` is None: `{text}` is a new tensor, the result of indexing, and no leaf. {STORED}",
            f"Cure: {made.part_of}.grad{text.removeprefix(made.part_of)}",
        ]
    known = f"`{called(text, tensor, frames)}`"
    if edge is None:
        origin = "" if made.place is None or not made.place.text else f" It was made at {made.place}."
        return [f"`{text}.grad` is None: {known} does not require grad.{origin}", f"Cure: {made.requiring_grad()}"]
    origin = f" at {made.place}" if made.place is not None and made.place.text else ""
    return [
        f"`{text}.grad` is None: {known} is not a leaf, {spoken(op_name(node_of(edge)))}{origin} computed it. {STORED}",
        f"Cure: {made.as_leaf_or_kept()}",
    ]


STORED = "backward() stores gradients in leaves that require grad only."


def called(text: str, tensor: Tensor, frames: Sequence[FrameType]) -> str:
    """Returns the program's name for a tensor; for a parameter, its name in the module."""
    for frame in frames:
        for name, candidate in named_tensors(names_in({**frame.f_globals, **frame.f_locals})):
            if candidate is tensor and name != text:
                return name if "." in name else text
    return text


# ---- leaves without a gradient


def _of_a_leaf(text: str, tensor: Tensor, failing: ast.AST, frames: Sequence[FrameType]) -> list[str]:
    known = f"`{called(text, tensor, frames)}`"
    of = "" if known == f"`{text}`" else f", the gradient of {known}"
    begin = f"`{text}.grad` is None{of}:"
    calls = Calls(frames)
    loss = calls.loss()
    if loss is not None and node_of(edge_of(tensor)) not in graph_of(loss[1]).index:
        name = loss[0]
        return [
            f"{begin} `{name}` was not computed from {known}, so {name}.backward() gives it no gradient.",
            f"Cure: compute `{name}` from {known}, or leave it out: if {text}.grad is not None: ...",
        ]
    if calls.cleared is not None and (calls.backward is None or calls.cleared.lineno > calls.backward.lineno):
        line = ast.unparse(calls.cleared)
        after = (
            "" if calls.backward is None else f", after {ast.unparse(calls.backward)} at line {calls.backward.lineno}"
        )
        return [
            f"{begin} {line} at line {calls.cleared.lineno} set it to None{after}.",
            f"Cure: read {text}.grad before {line}.",
        ]
    if isinstance(failing, ast.Attribute) and failing.attr == "zero_":
        return [f"{begin} no backward() has been called yet.", f"Cure: {text}.grad = None"]
    if calls.backward is not None or calls.elsewhere:
        return [
            f"{begin} no backward() has reached {known} since it was made or since the last zero_grad().",
            f"Cure: read {text}.grad after backward() and before zero_grad(). If it is read there, the loss was not "
            f"computed from {known}, or detach(), .data or no_grad cut the graph on the way.",
        ]
    return [f"{begin} backward() has not been called.", f"Cure: call loss.backward() before {text}.grad is read."]


class Calls:
    """The last calls of backward() and zero_grad() above the program's current lines."""

    def __init__(self, frames: Sequence[FrameType]):
        self.backward: ast.Call | None = None
        self.cleared: ast.Call | None = None
        self.frame = frames[0]
        trees = [tree for frame in frames if (tree := tree_of(frame.f_code.co_filename)) is not None]
        names = (node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        self.elsewhere = "backward" in names  # whether another function may have called it
        for frame in frames:
            for call in _calls_above(frame):
                if call.func.attr == "backward":  # type: ignore[attr-defined]
                    self.backward = call
                else:
                    self.cleared = call
            if self.backward is not None or self.cleared is not None:
                self.frame = frame
                return

    def loss(self) -> tuple[str, Tensor] | None:
        """Returns (name, tensor) of the loss that backward() was called on, if it is a variable with a graph."""
        match self.backward:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                value = {**self.frame.f_globals, **self.frame.f_locals}.get(name)
                return (name, value) if isinstance(value, Tensor) and value.requires_grad else None
        return None


def _calls_above(frame: FrameType) -> Iterator[ast.Call]:
    """Yields the calls in the order of lines."""
    for statement in Reading(frame).statements:
        if statement.lineno < frame.f_lineno and isinstance(statement, ast.Expr):
            match statement.value:
                case ast.Call(func=ast.Attribute(attr="backward" | "zero_grad"), keywords=keywords) as call:
                    if not any(
                        keyword.arg == "set_to_none" and ast.unparse(keyword.value) == "False" for keyword in keywords
                    ):
                        yield call


# ---- the statement that made a tensor


RETURNS = "returns a new tensor for"


class Making:
    """The statement that made a tensor, found by recorded lines, else by the source text."""

    def __init__(self, text: str, tensor: Tensor, frames: Sequence[FrameType]):
        self.text, self.tensor = text, tensor
        self.verb = "assigns a new tensor to"
        self.frame = next((frame for frame in frames if frame.f_code.co_name not in INSIDE), None)
        self.place = record_of(tensor).place
        self.statement = self._find()
        if self.statement is not None and self.place is None and self.frame is not None:
            self.place = Reading(self.frame).place(self.statement)

    def _find(self) -> ast.Assign | None:
        """Returns the assignment that fits by line, by operation, or by position."""
        if self.frame is None:
            return None
        statements = [statement for statement in Reading(self.frame).statements if isinstance(statement, ast.Assign)]
        if (whole := next((statement for statement in statements if self._updates_all(statement)), None)) is not None:
            return whole
        assignments = [pair for one in statements for pair in pairs(one) if ast.unparse(pair.targets[0]) == self.text]
        if not assignments and (given_back := self._returned()) is not None:
            self.verb = RETURNS
            return given_back
        if self.place is not None:
            line = self.place.line
            return next((x for x in assignments if x.lineno <= line <= (x.end_lineno or 0)), None)
        edge = edge_of(self.tensor)
        if edge is not None:
            operation = op_name(node_of(edge))
            fitting = [x for x in assignments if operation_of(x.value) in (operation, None)]
            assignments = [x for x in fitting if operation_of(x.value) is not None] or fitting or assignments
        line = self.frame.f_lineno
        # In a loop, a statement below the current line ran last if it uses its own old value
        again = [x for x in assignments if x.lineno >= line and mentions(x.value, self.text)]
        above = [x for x in assignments if x.lineno < line]
        return next(iter([*again[-1:], *above[-1:], *assignments[-1:]]), None)

    def _returned(self) -> ast.Assign | None:
        """Returns `return w - 0.1 * w.grad` as an assignment to the argument `w`, if such a line made the tensor."""
        frame, edge = self.frame, edge_of(self.tensor)
        if frame is None or edge is None or self.text not in frame.f_code.co_varnames[: frame.f_code.co_argcount]:
            return None
        for node in ast.walk(tree_of(frame.f_code.co_filename) or ast.Module([], [])):
            match node:
                case ast.Return(value=ast.expr() as value) if node.lineno == frame.f_lineno:
                    if operation_of(value) == op_name(node_of(edge)) and mentions(value, f"{self.text}.grad"):
                        return ast.copy_location(ast.Assign([ast.Name(self.text, ast.Store())], value), node)
        return None

    def _updates_all(self, statement: ast.Assign) -> bool:
        """Whether the failing line is `params = [p - 0.1 * p.grad for p in params]`."""
        match statement:
            case ast.Assign(
                targets=[target], value=ast.ListComp(elt=each, generators=[ast.comprehension(target=name, iter=old)])
            ) if statement.lineno <= self.frame.f_lineno <= (statement.end_lineno or 0):  # type: ignore[union-attr]
                same = ast.unparse(target) == ast.unparse(old) and ast.unparse(name) == self.text
                return same and mentions(each, f"{self.text}.grad")
        return False

    @property
    def is_update(self) -> bool:
        """Whether the statement computes a variable anew from its old value and its gradient."""
        value = None if self.statement is None else self.statement.value
        return value is not None and mentions(value, self.text) and mentions(value, f"{self.text}.grad")

    def in_place(self) -> list[str]:
        """Returns the update as in-place code, which keeps the tensor."""
        value = self.statement.value  # type: ignore[union-attr]
        if isinstance(value, ast.ListComp):
            loop = value.generators[0]
            return [f"for {self.text} in {ast.unparse(loop.iter)}:", f"    {self._written(value.elt)}"]
        return [self._written(value)]

    def _written(self, value: ast.expr) -> str:
        value = undone(value)
        match value:
            case ast.BinOp(left=left, op=ast.Sub() | ast.Add() as op, right=right) if ast.unparse(left) == self.text:
                return f"{self.text} {'-' if isinstance(op, ast.Sub) else '+'}= {ast.unparse(right)}"
        return f"{self.text}.copy_({ast.unparse(value)})"

    @property
    def part_of(self) -> str | None:
        """The leaf that the expression indexes: `w` for `w[0]`."""
        try:
            expression = ast.parse(self.text, mode="eval").body
        except SyntaxError:
            return None
        if isinstance(expression, ast.Subscript) and self.frame is not None:
            holder = ast.unparse(expression.value)
            tensor = dict(named_tensors(names_in({**self.frame.f_globals, **self.frame.f_locals}))).get(holder)
            return holder if tensor is not None and isinstance(edge_of(tensor), Leaf) else None
        return None

    def requiring_grad(self) -> str:
        if self.tensor.dtype.category < FLOAT:
            kind = str(self.tensor.dtype).removeprefix("torch.")
            return f"{self.text} = {self.text}.float().requires_grad_()   ({kind} has no gradients)"
        if self.statement is not None and not isinstance(self.statement.value, ast.Name):
            return f"{self.text} = {in_brackets(ast.unparse(self.statement.value))}.requires_grad_()"
        return f"{self.text}.requires_grad_()   (before the loss is computed)"

    def as_leaf_or_kept(self) -> str:
        """Returns code that makes the tensor a leaf, or that retains its gradient."""
        if self.statement is not None and (leaf := leaf_at_the_end(self.statement.value)) is not None:
            return f"{self.text} = {leaf}"
        below = f"below {self.place.short}, " if self.place is not None and self.place.text else ""
        return f"{assigned(self.place) or self.text}.retain_grad()   ({below}before backward() is called)"


def pairs(statement: ast.Assign) -> list[ast.Assign]:
    """Splits `a, b = x, y` into one assignment per target."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            both = zip(targets, values, strict=True)
            return [ast.copy_location(ast.Assign([target], value), statement) for target, value in both]
    return [ast.copy_location(ast.Assign([target], statement.value), statement) for target in statement.targets]


def mentions(expression: ast.AST, text: str) -> bool:
    return any(isinstance(node, ast.expr) and ast.unparse(node) == text for node in ast.walk(expression))


def operation_of(expression: ast.expr) -> str | None:
    """Returns the name of the operation of an expression, as nodes have it; None if the text does not say."""
    match expression:
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return OPERATORS.get(type(operator), "")
    return None


def undone(expression: ast.expr) -> ast.expr:
    """Removes a trailing detach(), clone() or requires_grad_() from an update."""
    match expression:
        case ast.Call(func=ast.Attribute(value=inner, attr="detach" | "clone" | "requires_grad_"), args=[]):
            return undone(inner)
    return expression


def leaf_at_the_end(expression: ast.expr) -> str | None:
    """Rewrites `ones(3, requires_grad=True) * 2` as `(ones(3) * 2).requires_grad_()`; None for other forms."""
    whole = copy.deepcopy(expression)
    begin = Beginning()
    plain = begin.visit(whole)
    if begin.wrapper is None or ast.dump(plain) == ast.dump(expression):
        return None
    text = ast.unparse(plain)
    return f"{in_brackets(text)}.requires_grad_()" if begin.wrapper == "" else f"{begin.wrapper}({text})"


class Beginning(ast.NodeTransformer):
    """Removes what makes the first operand of an expression a leaf."""

    wrapper: str | None = None  # the wrapper of the whole expression instead; "" for requires_grad_()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr="requires_grad_"), args=[]):
                self.wrapper = ""
                return inner
            case ast.Call(func=ast.Attribute(attr="Parameter") | ast.Name(id="Parameter"), args=[inner]):
                self.wrapper = ast.unparse(node.func)
                return inner
        switched = [keyword for keyword in node.keywords if keyword.arg == "requires_grad"]
        if switched:
            self.wrapper = ""
            node.keywords = [keyword for keyword in node.keywords if keyword not in switched]
        return node
