"""How lines of a program are spoken of: what they assign to, what they write to, and how else to write it."""

from __future__ import annotations

import ast
import re
import textwrap

from rushlight.core.origin import Made, Place

ASSIGNED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(?::[^=]+)?=(?!=)")
IN_PLACE = re.compile(r"(\w+)_")


def assigned(place: Place | None) -> str | None:
    """The name that a line gives the result of its instruction: `h` for `h = torch.tanh(w @ h)`."""
    found = ASSIGNED.match(place.text) if place is not None else None
    return found[1] if found and not _is_part(place) else None


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
    """An expression as it stands before a dot: `(x * 2)`, but `x.exp()`."""
    return expression if re.fullmatch(r"[\w.]*(\([^()]*\))?", expression) else f"({expression})"


def statement(place: Place | None) -> ast.stmt | None:
    """The one statement of a line, read; None where the line is not whole."""
    if place is None:
        return None
    try:
        body = ast.parse(textwrap.dedent(place.text)).body
    except SyntaxError:
        return None
    return body[0] if len(body) == 1 else None


def out_of_place(place: Place | None) -> str | None:
    """The line of an in-place write, written so that a new tensor is made; None for a line that is something else.

    `b += 1` becomes `b = b + 1`, `b.mul_(c)` becomes `b = b.mul(c)`, `b[0] = 1` is done on a clone.
    """
    node = statement(place)
    match node:
        case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
            sum_ = ast.BinOp(left=ast.Name(target.id, ast.Load()), op=op, right=value)
            return f"{target.id} = {ast.unparse(sum_)}"
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]) if place is not None:
            return f"{name} = {name}.clone(); {place.text}"
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))) if place is not None:
            return f"{name} = {name}.clone(); {place.text}"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) as call):
            if found := IN_PLACE.fullmatch(method):
                call.func = ast.Attribute(ast.Name(name, ast.Load()), found[1], ast.Load())
                return f"{name} = {ast.unparse(call)}"
    return None


def as_float(place: Place | None) -> str | None:
    """A line that assigns a tensor, written so that it is float32; None for a line that is something else."""
    match statement(place):
        case ast.Assign(targets=[target], value=ast.Call() | ast.Name() | ast.Attribute() as value):
            return f"{ast.unparse(target)} = {ast.unparse(value)}.float()"
    return None


def spoken(op: str) -> str:
    """An operation as a sentence names it."""
    return SPOKEN.get(op) or f"{ENDING.sub('', op)}()"


# Operations that a program writes in another way than their declaration is called.
SPOKEN = {
    "": "something", "data": ".data", "getitem": "indexing", "getitem_view": "indexing", "slice_view": "indexing",
    "putitem": "assignment by index", "write_view": "a write into a view", "affine": "linear()", "cast": "a cast",
    "converted": "a cast to whole numbers", "conjugate": "conj()", "conjugate_in_memory": "conj_physical()",
    "copy_values_": "a copy of numbers", "choose": "where()", "to_copy": "to()", "T": ".T", "mT": ".mT", "H": ".H",
    "mH": ".mH",
}  # fmt: skip
ENDING = re.compile(
    r"_(variadic|of_input|by_number|by_tensor|to_numbers?|to_tensors?|with_number|with_tensor|dim|all)$"
)


def at(made: Made | None) -> str:
    """`mul() at train.py:3 (`y = a * b`)`, or what is known of it."""
    if made is None:
        return "something"
    return spoken(made.op) + (f" at {made.place}" if made.place is not None else "")


def named(made: Made | None, otherwise: str = "this tensor") -> str:
    """What the line that made something calls it, in backquotes."""
    name = assigned(made.place) if made is not None else None
    return f"`{name}`" if name else otherwise
