"""What the texts of generated functions are put together from."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from rushlight.arrays import cpu
from rushlight.core.dtype import BY_NUMPY
from rushlight.core.tensor import wrap
from rushlight.declarations.declare import NOTHING, VARIADIC
from rushlight.dispatch.call_forms import takes_factors_between, takes_other_names

BUILTINS = {"len", "tuple", "range", "int", "float", "max", "min", "isinstance", "True", "False", "None"}
# The dtypes beside floats that a fast path may take, by their names in the generated code.
OTHERS = {
    "INT64": np.dtype("int64"),
    "BOOL": np.dtype("bool"),
    "INT32": np.dtype("int32"),
    "UINT8": np.dtype("uint8"),
    "INT8": np.dtype("int8"),
    "INT16": np.dtype("int16"),
}


def signature(op, *, out: bool = False, public: bool = False) -> str:
    """The parameter list of a function, with room for PyTorch's other forms of a call where it is `public`."""
    parts, named = [], False
    axis, between = public and takes_other_names(op), public and takes_factors_between(op)
    for each in op.arguments:
        if each.role == VARIADIC:
            parts.append(f"*{each.name}")
            named = True
            continue
        if each.keyword_only and not named:
            parts.append("*between" if between else "*")
            named = True
        required = each.default is NOTHING and not (axis and may_be_missing(op, each))
        parts.append(each.name if required else f"{each.name}={default_text(each.default)}")
    if out:
        parts += [] if named or op.out == "positional" else ["*"]
        parts.append("out=None")
    return ", ".join([*parts, "**named"] if axis else parts)


def may_be_missing(op, argument) -> bool:
    """Whether a function finds out by itself that an argument is missing, since it may be there by another name."""
    return argument is not op.arguments[0] or argument.name in op.documented_names


def other_forms(op, function: str, *, out: bool) -> str:
    """The lines that hand a call in another form to `dispatch/call_forms.py`."""
    keywords = [each.name for each in op.arguments if each.keyword_only] + ["out"] * bool(out)
    if takes_factors_between(op):
        given = tuple_text([*(each.name for each in op.arguments if not each.keyword_only), "*between"])
        return f"    if between:\n        return reordered(OP_{op.name}, {function}, {given}, {dict_text(keywords)})\n"
    if not takes_other_names(op):
        return ""
    names = [each.name for each in op.arguments if not each.keyword_only]
    required = [each.name for each in op.arguments if each.default is NOTHING and may_be_missing(op, each)]
    if not op.documented_names and not op.method_names:
        required = required[-1:]  # the others stand before it
    missing = "".join(f" or {each} is NOTHING" for each in required)
    given = dict_text(names + keywords)
    return f"    if named{missing}:\n        return renamed(OP_{op.name}, {function}, {given}, named)\n"


def dict_text(names) -> str:
    return "{" + ", ".join(f"{each!r}: {each}" for each in names) + "}"


def default_text(value) -> str:
    """A default as source."""
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def docstring(op) -> str:
    text = op.doc.replace("\\", "\\\\").replace('"""', "'''")
    return f'    """{text}"""\n' if text else ""


def call(op) -> str:
    """The arguments of a call that passes every argument on under its own name."""
    return ", ".join(f"{each.name}={each.name}" if each.keyword_only else passed(each) for each in op.arguments)


def passed(argument) -> str:
    """A positional argument as it is handed on."""
    return f"*{argument.name}" if argument.role == VARIADIC else argument.name


def handed(op, names: dict) -> str:
    """The arguments of a raw call, which have other names where they are used; a keyword stays one."""
    texts = [names.get(each.name, each.name) for each in op.arguments]
    return ", ".join(
        f"{each.name}={text}" if each.keyword_only else text for each, text in zip(op.arguments, texts, strict=True)
    )


def tuple_text(parts) -> str:
    parts = list(parts)
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def is_ufunc_call(text: str) -> bool:
    """Whether an inlined forward is one call of a NumPy ufunc, which can be told to return an array."""
    tree = ast.parse(text, mode="eval").body
    if not (isinstance(tree, ast.Call) and ast.unparse(tree.func).startswith("xp.")):
        return False
    return isinstance(getattr(cpu, tree.func.attr, None), np.ufunc) and not tree.keywords


def with_looked_up(text: str) -> str:
    """A call of a ufunc with 0-d arrays, of its arrays' dtype, in the place of whole numbers."""
    call: Any = ast.parse(text, mode="eval").body
    # Not `_dtype`, which nobody has set where tensors are known to be alike.
    array = next(
        (each.id for each in ast.walk(call) if isinstance(each, ast.Name) and each is not call.func.value), None
    )
    texts = [
        f"numbers_of[{array}.dtype]{f'[{each.value}]' if each.value else '.zero'}"
        if isinstance(each, ast.Constant) and type(each.value) is int
        else ast.unparse(each)
        for each in call.args
    ]
    return f"{ast.unparse(call.func)}({', '.join(texts)})"


def is_one_step(text: str) -> bool:
    """Whether an inlined forward is one call of the backend, or a choice between such by a parameter."""
    tree = ast.parse(text, mode="eval").body
    return isinstance(tree, ast.IfExp) or (
        isinstance(tree, ast.Call)
        and all(isinstance(each, ast.Name | ast.Constant | ast.Attribute) for each in tree.args)
    )


def accepts(op, kind, numbers: dict | None = None) -> bool:
    """Whether a declaration refuses nothing where all operands are of one dtype, a NumPy one, or certain numbers."""
    if op.refuses is None:
        return True
    if callable(op.refuses):
        operands = [(numbers or {}).get(each.name, wrap(np.ones((), kind))) for each in op.operands()]
        return op.refuses(*operands) is None
    return not {BY_NUMPY[kind], BY_NUMPY[kind].category} & op.refuses.keys()


def own_name(op) -> str:
    """How the function is reached where one of its arguments has its name."""
    return f"OP_{op.name}.function" if any(each.name == op.name for each in op.arguments) else op.name


def node_expression(op) -> str:
    """The expression that picks the node class, in terms of the operator's arguments."""
    return op.node or f"{camel(op.name)}Backward0"


def new_node(op) -> str:
    """The expression that picks the function that makes the node."""
    found = re.sub("|".join(node_names(op)), lambda name: f"objects.{op.name}_{name[0]}", node_expression(op))
    return found if found.replace(".", "_").isidentifier() else f"({found})"


def camel(name: str) -> str:
    return "".join(each.capitalize() for each in name.split("_"))


def node_names(op) -> list[str]:
    """Every node class that an operator may record."""
    return names_in(node_expression(op), op)


def names_in(expression: str, op) -> list[str]:
    """The names in an expression that picks a node class, other than the operator's arguments."""
    tree = ast.parse(expression, mode="eval")
    arguments = {each.name for each in op.arguments}
    names = [each.id for each in ast.walk(tree) if isinstance(each, ast.Name)]
    return [each for each in dict.fromkeys(names) if each not in arguments and each not in BUILTINS]
