"""Parts of the source of generated functions: signatures, calls, node names."""

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
# Dtypes other than floats that a fast path may take, by their names in the generated code.
OTHERS = {
    "INT64": np.dtype("int64"),
    "BOOL": np.dtype("bool"),
    "INT32": np.dtype("int32"),
    "UINT8": np.dtype("uint8"),
    "INT8": np.dtype("int8"),
    "INT16": np.dtype("int16"),
}


def signature(op, *, out: bool = False, public: bool = False) -> str:
    """Returns the parameter list of a function; if `public`, with parameters for other forms of a call."""
    parts, named = [], False
    axis, between = public and takes_other_names(op), public and takes_factors_between(op)
    for argument in op.arguments:
        if argument.role == VARIADIC:
            parts.append(f"*{argument.name}")
            named = True
            continue
        if argument.keyword_only and not named:
            parts.append("*between" if between else "*")
            named = True
        required = argument.default is NOTHING and not (axis and may_be_missing(op, argument))
        parts.append(argument.name if required else f"{argument.name}={default_text(argument.default)}")
    if out:
        parts += [] if named or op.out == "positional" else ["*"]
        parts.append("out=None")
    return ", ".join([*parts, "**named"] if axis else parts)


def may_be_missing(op, argument) -> bool:
    """Returns whether a function itself tests for a missing argument, which may be passed by another name."""
    return argument is not op.arguments[0] or argument.name in op.documented_names


def other_forms(op, function: str, *, out: bool) -> str:
    """Returns the lines that pass a call in another form to `dispatch/call_forms.py`."""
    keywords = [argument.name for argument in op.arguments if argument.keyword_only] + ["out"] * bool(out)
    if takes_factors_between(op):
        values = tuple_text([*(argument.name for argument in op.arguments if not argument.keyword_only), "*between"])
        return f"    if between:\n        return reordered(OP_{op.name}, {function}, {values}, {dict_text(keywords)})\n"
    if not takes_other_names(op):
        return ""
    names = [argument.name for argument in op.arguments if not argument.keyword_only]
    required = [x.name for x in op.arguments if x.default is NOTHING and may_be_missing(op, x)]
    if not op.documented_names and not op.method_names:
        required = required[-1:]  # the others precede it
    missing = "".join(f" or {name} is NOTHING" for name in required)
    values = dict_text(names + keywords)
    return f"    if named{missing}:\n        return renamed(OP_{op.name}, {function}, {values}, named)\n"


def dict_text(names) -> str:
    return "{" + ", ".join(f"{name!r}: {name}" for name in names) + "}"


def default_text(value) -> str:
    """Returns a default as source."""
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def docstring(op) -> str:
    text = op.doc.replace("\\", "\\\\").replace('"""', "'''")
    return f'    """{text}"""\n' if text else ""


def call(op) -> str:
    """Returns the arguments of a call that passes all arguments on under their names."""
    return ", ".join(f"{x.name}={x.name}" if x.keyword_only else passed(x) for x in op.arguments)


def passed(argument) -> str:
    """Returns the text that passes a positional argument on."""
    return f"*{argument.name}" if argument.role == VARIADIC else argument.name


def handed(op, names: dict) -> str:
    """Returns the arguments of a call of a raw function; `names` has the texts that replace their names."""
    texts = [names.get(argument.name, argument.name) for argument in op.arguments]
    return ", ".join(
        f"{x.name}={text}" if x.keyword_only else text for x, text in zip(op.arguments, texts, strict=True)
    )


def tuple_text(parts) -> str:
    parts = list(parts)
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def is_ufunc_call(text: str) -> bool:
    """Returns whether an inlined forward is one call of a NumPy ufunc, which takes `out=`."""
    tree = ast.parse(text, mode="eval").body
    if not (
        isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute) and ast.unparse(tree.func.value) == "xp"
    ):
        return False
    return isinstance(cpu.FUNCTIONS.get(tree.func.attr), np.ufunc) and not tree.keywords


def with_looked_up(text: str) -> str:
    """Returns the call of a ufunc with integers replaced by 0-d arrays of the dtype of its arrays."""
    call: Any = ast.parse(text, mode="eval").body
    # Not `_dtype`, which is not assigned on the path of tensors with equal metadata.
    array = next(
        (node.id for node in ast.walk(call) if isinstance(node, ast.Name) and node is not call.func.value), None
    )
    texts = [
        f"numbers_of[{array}.dtype]{f'[{node.value}]' if node.value else '.zero'}"
        if isinstance(node, ast.Constant) and type(node.value) is int
        else ast.unparse(node)
        for node in call.args
    ]
    return f"{ast.unparse(call.func)}({', '.join(texts)})"


def is_one_step(text: str) -> bool:
    """Returns whether an inlined forward is one call of the backend, or a conditional expression of such calls."""
    tree = ast.parse(text, mode="eval").body
    return isinstance(tree, ast.IfExp) or (
        isinstance(tree, ast.Call)
        and all(isinstance(node, ast.Name | ast.Constant | ast.Attribute) for node in tree.args)
    )


def accepts(op, dtype, numbers: dict | None = None) -> bool:
    """Returns whether an operator accepts operands of one NumPy dtype; `numbers` has those that are numbers."""
    if op.refuses is None:
        return True
    if callable(op.refuses):
        operands = [(numbers or {}).get(operand.name, wrap(np.ones((), dtype))) for operand in op.operands()]
        return op.refuses(*operands) is None
    return not {BY_NUMPY[dtype], BY_NUMPY[dtype].category} & op.refuses.keys()


def own_name(op) -> str:
    """Returns the expression for the function, also where one of its arguments has the same name."""
    return f"OP_{op.name}.function" if any(x.name == op.name for x in op.arguments) else op.name


def node_expression(op) -> str:
    """Returns the expression that selects the node class, in terms of the operator's arguments."""
    return op.node or f"{camel(op.name)}Backward0"


def new_node(op) -> str:
    """Returns the expression that selects the function that makes the node."""
    text = re.sub("|".join(node_names(op)), lambda name: f"objects.{op.name}_{name[0]}", node_expression(op))
    return text if text.replace(".", "_").isidentifier() else f"({text})"


def camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def node_names(op) -> list[str]:
    """Returns the names of all node classes that an operator may record."""
    return names_in(node_expression(op), op)


def names_in(expression: str, op) -> list[str]:
    """Returns the names in an expression that selects a node class, without the operator's arguments."""
    tree = ast.parse(expression, mode="eval")
    arguments = {argument.name for argument in op.arguments}
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return [name for name in dict.fromkeys(names) if name not in arguments and name not in BUILTINS]
