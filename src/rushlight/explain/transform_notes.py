"""Notes of errors under `vmap`: the repaired line of the program.

Each function gets the line that failed, or the line that called the function of samples. An empty result keeps the
default note.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from importlib import import_module
from types import CodeType

from rushlight.core.origin import Place
from rushlight.core.tensor import Tensor
from rushlight.core.traced import BatchedArray
from rushlight.explain.source_history import program_frame
from rushlight.explain.source_rewriting import out_of_place
from rushlight.explain.source_text import function_at, last_assignment, statement_at

# ---- numbers and branches


def batched_item(place: Place) -> list[str]:
    """The note for a Python number of a sample: the line without item(), or the choice that it was read for."""
    choice = chosen(place)
    if choice is not None:
        return [EITHER, f"Cure: {choice}"]
    line = without_item(place)
    return [] if line is None else ["There is one number for each sample, and none for all of them.", f"Cure: {line}"]


def batched_branch(place: Place) -> list[str]:
    """The note for a branch: the line that computes both sides and chooses."""
    choice = chosen(place)
    if choice is not None:
        return [EITHER, f"Cure: {choice}"]
    torch = library_in(place.code)
    return [
        EITHER,
        f"Compute both and choose with {torch}.where(condition, a, b), or put each branch into a function: "
        f"{torch}.cond(condition, one, other, (x,)).",
    ]


EITHER = "Some samples would take one branch and some the other, and there is one run for all of them."


def without_item(place: Place) -> str | None:
    """Returns a line with the tensor in place of its number; None if more than arithmetic is done with the number."""
    statement = statement_at(place.code, place.line)
    if statement is None:
        return None
    changed = copy.deepcopy(statement)
    numbers = [node for node in arithmetic_in(changed) if number_of(node) is not None]
    if len(numbers) != 1 or len([node for node in ast.walk(changed) if number_of(node) is not None]) != 1:
        return None
    return ast.unparse(Replaced(numbers[0], number_of(numbers[0])).visit(changed))


def number_of(node: ast.AST) -> ast.expr | None:
    """Returns the tensor of `tensor.item()` or `float(tensor)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=tensor, attr="item"), args=[], keywords=[]):
            return tensor
        case ast.Call(func=ast.Name(id="float"), args=[tensor], keywords=[]):
            return tensor
    return None


def arithmetic_in(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yields the operands of the arithmetic whose result a statement assigns, adds or returns."""
    waiting: list = [getattr(statement, "value", None)]
    while waiting:
        node = waiting.pop()
        if node is not None:
            yield node
        match node:
            case ast.BinOp(left=left, right=right):
                waiting += [left, right]
            case ast.UnaryOp(operand=operand):
                waiting.append(operand)
            case ast.Compare(left=left, comparators=comparators):
                waiting += [left, *comparators]
            case ast.Tuple(elts=elements):
                waiting += elements


class Replaced(ast.NodeTransformer):
    """Replaces one node of a tree by another."""

    def __init__(self, node: ast.AST, by: ast.AST | None):
        self.node, self.by = node, by

    def visit(self, node):
        return self.by if node is self.node else self.generic_visit(node)


def chosen(place: Place) -> str | None:
    """Returns the statement that chooses by `torch.where`, for the branch on a line; None if it is another one."""
    where = f"{library_in(place.code)}.where"
    for block in blocks_in(place.code):
        for branch, rest in zip(block, [*block[1:], None], strict=True):
            if isinstance(branch, ast.If) and is_on(branch.test, place.line):
                return of_branches(where, branch, rest)
    statement = statement_at(place.code, place.line)
    choices = [node for node in ast.walk(statement or ast.Pass()) if isinstance(node, ast.IfExp)]
    if statement is None or len(choices) != 1:
        return None
    changed = copy.deepcopy(statement)
    choice = next(node for node in ast.walk(changed) if isinstance(node, ast.IfExp))
    call = called(where, choice.test, choice.body, choice.orelse)
    return ast.unparse(Replaced(choice, call).visit(changed))


def blocks_in(code: CodeType) -> Iterator[list[ast.stmt]]:
    """Yields the lists of statements in a function."""
    for node in ast.walk(function_at(code) or ast.Pass()):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(node, name, None), list):
                yield block


def is_on(node: ast.expr, line: int) -> bool:
    """Whether an expression is on a line."""
    return node.lineno <= line <= (node.end_lineno or 0)


def of_branches(where: str, branch: ast.If, rest: ast.stmt | None) -> str | None:
    """Returns the statement in place of branches of one statement each; `rest` is what follows them."""
    one, other = only(branch.body), only(branch.orelse) if branch.orelse else rest
    match one, other:
        case ast.Return(value=ast.expr() as a), ast.Return(value=ast.expr() as b):
            return f"return {ast.unparse(called(where, branch.test, a, b))}"
    if branch.orelse:
        match one, other:
            case ast.Assign(targets=[to], value=a), ast.Assign(targets=[also], value=b) if same(to, also):
                return f"{ast.unparse(to)} = {ast.unparse(called(where, branch.test, a, b))}"
        return None
    match one:
        case ast.Assign(targets=[ast.Name() as to], value=a):
            return f"{to.id} = {ast.unparse(called(where, branch.test, a, to))}"
        case ast.AugAssign(target=ast.Name() as to, op=op, value=value):
            return f"{to.id} = {ast.unparse(called(where, branch.test, ast.BinOp(to, op, value), to))}"
    return None


def only(block: list[ast.stmt]) -> ast.stmt | None:
    """Returns the only statement of a block."""
    return block[0] if len(block) == 1 else None


def same(one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions are written in the same way."""
    return ast.unparse(one) == ast.unparse(other)


def called(where: str, test: ast.expr, a: ast.expr, b: ast.expr) -> ast.expr:
    """Returns the call of `torch.where`."""
    words = ", ".join([ast.unparse(each) for each in (condition(test), a, b)])
    return ast.parse(f"{where}({words})", mode="eval").body


def condition(test: ast.expr) -> ast.expr:
    """Returns the test of a branch as a tensor of booleans."""
    match test:
        case ast.Call() if (tensor := number_of(test)) is not None:
            return condition(tensor)
        case ast.BoolOp(op=op, values=values):
            sign = " & " if isinstance(op, ast.And) else " | "
            return expression(sign.join([f"({ast.unparse(condition(value))})" for value in values]))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return expression(f"~({ast.unparse(condition(operand))})")
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return ast.Compare(number_of(left) or left, [op], [number_of(right) or right])
        case ast.Compare(left=left, ops=[first, second], comparators=[middle, right]):
            pair = ast.Compare(left, [first], [middle]), ast.Compare(middle, [second], [right])
            return expression(" & ".join([f"({ast.unparse(each)})" for each in pair]))
        case ast.Call(func=ast.Attribute(attr="any" | "all" | "isnan" | "isinf" | "isfinite" | "bool")):
            return test
    return expression(f"({ast.unparse(test)}) != 0")


def expression(text: str) -> ast.expr:
    """Returns a parsed expression."""
    return ast.parse(text, mode="eval").body


def library_in(code: CodeType) -> str:
    """Returns the name by which a file has imported the library."""
    tree = import_module("rushlight.explain.watch.source").tree_of(code.co_filename)
    imports = [node for node in ast.walk(tree or ast.Pass()) if isinstance(node, ast.Import)]
    names = [alias.asname or alias.name for node in imports for alias in node.names if alias.name in LIBRARY]
    return names[0] if names else "torch"


LIBRARY = ("torch", "rushlight")


# ---- writes


def unbatched_write(place: Place) -> list[str]:
    """The note for a write to a tensor that all samples share: the line that makes it, or one that makes a new one."""
    line = made_of_a_sample(place)
    if line is None and "[" not in place.text.split("=")[0]:
        line = out_of_place(place)
    return [] if line is None else [SHARED, f"Cure: {line}"]


SHARED = "All samples share the tensor that this line writes to, and the values differ between samples."
FILLED = ("zeros", "ones", "empty", "full")


def made_of_a_sample(place: Place) -> str | None:
    """Returns the line that makes the tensor which is written to, with one for each sample; None if it cannot be."""
    sample, target = name_of_sample(place), written_on(place)
    assignment = None if target is None else last_assignment(place.code, target, place.line)
    match assignment:
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr=maker), args=args, keywords=keywords)) if sample:
            if maker in FILLED and all(keyword.arg != "requires_grad" for keyword in keywords):
                made = ast.Call(ast.Attribute(ast.Name(sample), f"new_{maker}"), args, keywords)
                return f"{target} = {ast.unparse(made)}"
    return None


def written_on(place: Place) -> str | None:
    """Returns the variable that a line writes to in place."""
    match statement_at(place.code, place.line):
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
            return name
        case ast.AugAssign(target=ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name))):
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name
    return None


def name_of_sample(place: Place) -> str | None:
    """Returns an argument of the running function that is a sample."""
    frame = program_frame()
    if frame is None or frame.f_code is not place.code:
        return None
    names = place.code.co_varnames[: place.code.co_argcount]
    values = ((name, frame.f_locals.get(name)) for name in names)
    return next((name for name, value in values if isinstance(value, Tensor) and has_batch(value)), None)


def has_batch(tensor: Tensor) -> bool:
    """Whether a tensor has a batch at its own level."""
    return isinstance(tensor._array, BatchedArray) and tensor._array.batched


# ---- the call of vmap


def randomness(level: int, place: Place | None = None) -> list[str]:
    """The note for a random operation: the call of `vmap` that says how to draw."""
    line = None if place is None else with_keyword(place, "randomness", "'different'")
    if line is None:
        return []
    return [
        f"Random operations need a word under vmap (level {level}): 'different' draws for each sample, 'same' for all.",
        f"Cure: {line}",
    ]


def in_dims(place: Place, dims: tuple, shared: str) -> list[str]:
    """The note for inputs with different numbers of samples: the call of `vmap` in which one is shared."""
    line = with_keyword(place, "in_dims", repr(dims))
    return [] if line is None else [f"If all samples share {shared}, it has None in `in_dims`.", f"Cure: {line}"]


def with_keyword(place: Place, keyword: str, value: str) -> str | None:
    """Returns the statement that calls `vmap` with a keyword: that of a line, or the one that made its function."""
    statement = statement_at(place.code, place.line)
    if statement is None:
        return None
    for candidate in (statement, *makers_of(statement, place)):
        changed = copy.deepcopy(candidate)
        calls = [node for node in ast.walk(changed) if is_vmap(node)]
        if len(calls) == 1 and isinstance(call := calls[0], ast.Call):
            others = [each for each in call.keywords if each.arg != keyword]
            call.keywords = [*others, ast.keyword(keyword, expression(value))]
            call.args = call.args[:1] if keyword == "in_dims" else call.args
            return ast.unparse(changed)
    return None


def makers_of(statement: ast.stmt, place: Place) -> Iterator[ast.stmt]:
    """Yields the assignments of the functions that a statement calls, in its function and in the module."""
    names = [
        node.func.id for node in ast.walk(statement) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    for name in names:
        if (assignment := last_assignment(place.code, name, place.line)) is not None:
            yield assignment
    tree = import_module("rushlight.explain.watch.source").tree_of(place.file)
    for node in tree.body if tree is not None else []:
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id in names for to in node.targets):
            yield node


def is_vmap(node: ast.AST) -> bool:
    """Whether an expression is a call of `vmap`, by whatever path."""
    match node:
        case ast.Call(func=ast.Name(id="vmap") | ast.Attribute(attr="vmap")):
            return True
    return False


NOTES_OF_TRANSFORMS = (batched_item, batched_branch, unbatched_write, randomness, in_dims)
