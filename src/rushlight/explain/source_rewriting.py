"""Source lines in words: what they assign, what they write to, and how to rewrite them."""

from __future__ import annotations

import ast
import re
import textwrap

from rushlight.core.origin import Made, Place
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import statement_at

ASSIGNED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(?::[^=]+)?=(?!=)")
IN_PLACE = re.compile(r"(\w+)_")


def assigned(place: Place | None) -> str | None:
    """Returns the variable that a line assigns its instruction's result to: `h` for `h = torch.tanh(w @ h)`."""
    match = ASSIGNED.match(place.text) if place is not None else None
    return match[1] if match and not _is_part(place) else None


def _is_part(place: Place | None) -> bool:
    """Whether an instruction computes only a part of what its line assigns: `x * 2` of `y = (x * 2).numpy()`."""
    match statement(place):
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) if place is not None:
            try:
                return ast.dump(ast.parse(place.expression, mode="eval").body) != ast.dump(value)
            except SyntaxError:
                return False
    return False


def in_brackets(expression: str) -> str:
    """Puts an expression in parentheses if it needs them before a dot: `(x * 2)`, but `x.exp()`."""
    return expression if re.fullmatch(r"[\w.]*(\([^()]*\))?", expression) else f"({expression})"


def statement(place: Place | None) -> ast.stmt | None:
    """Returns the only statement of a line, parsed; None if the line is not complete."""
    if place is None:
        return None
    try:
        body = ast.parse(textwrap.dedent(place.text)).body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def code_of(place: Place | None) -> str:
    """Returns the statement of a line without its comment."""
    node = statement(place)
    return place.text if node is None and place is not None else ast.unparse(node) if node is not None else ""


def out_of_place(place: Place | None) -> str | None:
    """Rewrites an in-place line so that it makes a new tensor; None for other lines.

    `b += 1` becomes `b = b + 1`, `b.mul_(c)` becomes `b = b.mul(c)`, `b[0] = 1` is done on a clone.
    """
    node = statement(place)
    match node:
        case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
            sum_ = ast.BinOp(left=ast.Name(target.id, ast.Load()), op=op, right=value)
            return f"{target.id} = {ast.unparse(sum_)}"
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]) if place is not None:
            return f"{name} = {name}.clone(); {code_of(place)}"
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))) if place is not None:
            return f"{name} = {name}.clone(); {code_of(place)}"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) as call):
            match = IN_PLACE.fullmatch(method)
            if match and match[1] in NEW_TENSOR:
                return (
                    f"{name} = {NEW_TENSOR[match[1]].format(name=name, given=', '.join(map(ast.unparse, call.args)))}"
                )
            if match and hasattr(Tensor, match[1]):
                call.func = ast.Attribute(ast.Name(name, ast.Load()), match[1], ast.Load())
                return f"{name} = {ast.unparse(call)}"
    return None


# In-place methods that have no method without the underscore.
NEW_TENSOR = {"copy": "{given}.clone()", "zero": "torch.zeros_like({name})", "fill": "torch.full_like({name}, {given})"}


def as_float(place: Place | None) -> str | None:
    """Rewrites an assignment of a tensor so that it is float32; None for other lines."""
    match statement(place):
        case ast.Assign(targets=[target], value=ast.Call() | ast.Name() | ast.Attribute() as value):
            return f"{ast.unparse(target)} = {ast.unparse(value)}.float()"
    return None


def with_cast_target(place: Place, cast: str) -> str | None:
    """Returns a line's statement with the target of its loss cast; None for other lines."""
    whole = statement_at(place.code, place.line)
    try:
        call = ast.parse(place.expression, mode="eval").body
    except SyntaxError:
        return None
    changed = None if whole is None else ast.parse(ast.unparse(whole)).body[0]
    for node in ast.walk(changed or ast.Pass()):
        if isinstance(node, ast.Call) and ast.dump(node) == ast.dump(call):
            named = next((key for key in node.keywords if key.arg == "target"), None)
            if named is not None:
                named.value = cast_by(named.value, cast)
            elif len(node.args) > 1:
                node.args[1] = cast_by(node.args[1], cast)
            else:
                return None
            return ast.unparse(changed) if changed is not None else None
    return None


def cast_by(value: ast.expr, cast: str) -> ast.Call:
    """Casts an expression by a method, replacing a cast: `y.long()` for `y.float()`."""
    match value:
        case ast.Call(func=ast.Attribute(value=inner, attr="float" | "double" | "half" | "long" | "int"), args=[]):
            value = inner
    return ast.Call(ast.Attribute(value, cast, ast.Load()), [], [])


def attached(place: Place | None) -> str | None:
    """Returns a line without detach() and `.data`; None if it has neither."""
    node = statement(place)
    if node is None or place is None:
        return None
    line = ast.unparse(Attached().visit(node))
    return None if line == ast.unparse(statement(place) or node) else line


class Attached(ast.NodeTransformer):
    """Removes detach() and `.data` from expressions."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr="detach"), args=[], keywords=[]):
                return inner
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return node.value if node.attr == "data" and isinstance(node.ctx, ast.Load) else node


def tracked(place: Place | None) -> str | None:
    """Rewrites a line that makes a tensor with requires_grad=True; None for other lines."""
    match statement(place):
        case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute(attr=maker), keywords=keywords) as call):
            if maker in MAKERS and all(arg.arg != "requires_grad" for arg in keywords):
                call.keywords.append(ast.keyword("requires_grad", ast.Constant(True)))
                return f"{ast.unparse(target)} = {ast.unparse(call)}"
    return None


MAKERS = frozenset("empty eye full linspace logspace normal ones rand randn tensor zeros".split())


def spoken(op: str) -> str:
    """Returns the name of an operation in a sentence."""
    return SPOKEN.get(op) or f"{ENDING.sub('', op)}()"


# Operations whose spelling in a program differs from their declared name.
SPOKEN = {
    "": "something", "data": ".data", "getitem": "indexing", "getitem_view": "indexing", "slice_view": "indexing",
    "putitem": "assignment by index", "write_view": "a write into a view", "affine": "linear()", "cast": "a cast",
    "converted": "a cast to whole numbers", "conjugate": "conj()", "conjugate_in_memory": "conj_physical()",
    "copy_values_": "a copy of numbers", "native_layer_normalization": "layer_norm()",
    "native_batch_normalization": "batch_norm()", "native_group_normalization": "group_norm()",
    "convolve": "convolution()", "choose": "where()", "to_copy": "to()", "T": ".T", "mT": ".mT", "H": ".H", "mH": ".mH",
}  # fmt: skip
ENDING = re.compile(
    r"_(variadic|of_input|by_number|by_tensor|to_numbers?|to_tensors?|with_number|with_tensor|dim|all)$"
)


def at(made: Made | None) -> str:
    """Returns `mul() at train.py:3 (`y = a * b`)`, or as much as is known."""
    if made is None:
        return "something"
    return spoken(made.op) + (f" at {made.place}" if made.place is not None else "")


def named(made: Made | None, otherwise: str = "this tensor") -> str:
    """Returns the variable that a record's line assigns, in backquotes."""
    name = assigned(made.place) if made is not None else None
    return f"`{name}`" if name else otherwise
