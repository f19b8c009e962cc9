"""Writes the source of in-place functions: `add_` of `add`."""

from __future__ import annotations

import ast
import re
from typing import Any

from rushlight.core.dtype import float32
from rushlight.declarations import autocast
from rushlight.declarations.declare import CONSTANT, OPS, TENSOR
from rushlight.dispatch.source_pieces import (
    OTHERS,
    accepts,
    default_text,
    handed,
    is_one_step,
    is_ufunc_call,
    names_in,
    node_names,
    other_forms,
    own_name,
    passed,
    signature,
    tuple_text,
)  # fmt: skip


def quick_write(op, forward_text) -> str:
    """Returns the lines that write in place where only elements change: by a ufunc, a formula or an index write."""
    first = op.arguments[0].name
    names = ", ".join(argument.name for argument in op.arguments)
    if op.inplace_by_index:
        return if_written(f"run_in_place(xp.{op.name}_into, {own_name(op)}, POSITIONS, {names})", first)
    if op.inplace_kernel and len(op.arguments) > 1:
        rule = "CLIPS" if op.inplace_kernel == "clamp_array" else "FILLS"
        return if_written(f"run_in_place({op.inplace_kernel}, {own_name(op)}, {rule}, {names})", first)
    if op.inplace_kernel:
        return if_written(f"ufunc_in_place({op.inplace_kernel}, {own_name(op)}, MOVED, {names})", first)
    if op.inplace_fill:
        return if_written(ufunc(op, "fill_array", "MOVED", [op.inplace_fill]), first)
    if op.composite:
        return directly_computed(op, forward_text)
    text = forward_text(
        op, {argument.name: default_text(argument.default) for argument in op.arguments if argument.keyword_only}
    )
    if not text or not is_ufunc_call(text):
        return computed(op, forward_text(op, {}))
    step: Any = ast.parse(text, mode="eval").body
    operand, *others = map(ast.unparse, step.args)
    if operand != first:
        return computed(op, text)
    dtypes = {name for name, dtype in OTHERS.items() if accepts(op, dtype)}
    if not {"INT64", "INT32"} <= dtypes:
        return ""
    others += [f"{argument.name}={argument.name}" for argument in op.arguments if argument.keyword_only]
    return if_written(ufunc(op, ast.unparse(step.func), "EASY" if "BOOL" in dtypes else "NUMERIC", others), first)


def if_written(condition: str, tensor: str) -> str:
    """Returns the lines that return a tensor if it has been written."""
    return f"    if {condition}:\n        return {tensor}\n"


def ufunc(op, run: str, dtypes: str, others: list[str]) -> str:
    """Returns the condition that runs a ufunc in place, with the texts of its other operands."""
    names = {argument.name for argument in op.arguments}
    checks = [f"type({other}) in PLAIN_TYPES" for other in others if other in names and not op.takes_number(other)]
    fits = [] if op.casts_scalar.keys().isdisjoint(others) else ["fits=True"]
    args = ", ".join([run, own_name(op), dtypes, op.arguments[0].name, *others, *fits])
    return " and ".join([*checks, f"ufunc_in_place({args})"])


def computed(op, text: str) -> str:
    """Returns the lines for a primitive of several steps: its formula is computed and copied."""
    if not (op.spaces or op.method) or op.inplace_reshapes or not accepts(op, float32.numpy):
        return ""
    return if_written(formula(op, op, text, {}), op.arguments[0].name)


def formula(op, called, text: str, names: dict[str, str]) -> str:
    """Returns the condition that runs a primitive's formula in place, for the operator that is called."""
    step: Any = ast.parse(text, mode="eval").body
    run, args = f"raw.{op.name}", handed(op, names)
    first, *others = ((operand, names.get(operand.name, operand.name)) for operand in op.operands())
    is_kernel = op.kind == "elementwise" and not is_one_step(text) and not (op.exact and op.no_fp_errors)
    if not is_kernel and isinstance(step, ast.Call) and re.match(rf"xp\.\w+\({first[1]}\b", text):
        run, args = ast.unparse(step.func), ", ".join(map(ast.unparse, (*step.args, *step.keywords)))
    rule = "ALIKE" if op.kind == "elementwise" else "PLACES"
    checks = [
        f"type({name}) in PLAIN_TYPES and "
        for operand, name in others
        if operand.role in (TENSOR, CONSTANT) and not op.takes_number(operand.name)
    ]
    return f"{''.join(checks)}run_in_place({run}, {own_name(called)}, {rule}, {args})"


def directly_computed(op, forward_text) -> str:
    """Returns the lines for a composite: the calls that are those of one primitive."""
    lines = ""
    for direct in op.direct if op.inplace else ():
        primitive = OPS[direct.op]
        if not direct.forward and not primitive.view:
            condition = formula(primitive, op, forward_text(primitive, direct.arguments), direct.arguments)
            lines += if_written(f"{direct.when} and {condition}", op.arguments[0].name)
    return lines


def variants(op, forward_text) -> str:
    """Returns the source of the in-place function of an operator: a quick write, else `write` or `reshape_in_place`."""
    if not op.inplace:
        return ""
    first, *rest = op.arguments
    function = own_name(op)
    positional = tuple_text(passed(argument) for argument in rest if not argument.keyword_only)
    keywords = ", ".join(f"{argument.name!r}: {argument.name}" for argument in rest if argument.keyword_only)
    forms = other_forms(op, f"{op.name}_", out=False)
    call = "uncast(write, " if op.name in autocast.LISTED else "write("
    if op.inplace_reshapes:
        names = [name for name in names_in(op.inplace_reshapes, op) if name not in node_names(op)]
        nodes = "\n\n".join(
            f"class {op.name}_{name}({node_names(op)[0]}):\n    pass\n\n\n{op.name}_{name}.__name__ = {name!r}"
            for name in names
        )
        chosen = op.inplace_reshapes
        if names:
            chosen = re.sub("|".join(names), lambda match: f"{op.name}_{match[0]}", chosen)
        return (
            f"{nodes}\n\n"
            f"def {op.name}_({signature(op, public=True)}):\n"
            f'    """In-place version of `{op.name}`."""\n{forms}'
            f"    return reshape_in_place({function}, {first.name}, {positional}, {chosen}, OP_{op.name})\n\n\n"
            f"OP_{op.name}.inplace_function = {op.name}_\n"
        )
    return (
        f"def {op.name}_({signature(op, public=True)}):\n"
        f'    """In-place version of `{op.name}`."""\n{forms}{quick_write(op, forward_text)}'
        f"    return {call}{function}, {first.name}, {positional}, {{{keywords}}}, OP_{op.name})\n\n\n"
        f"OP_{op.name}.inplace_function = {op.name}_\n"
    )
