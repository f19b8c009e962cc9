"""The text of an in-place twin: `add_` of `add`."""

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


def written_at_once(op, forward_text) -> str:
    """The lines of an in-place twin that let a ufunc write where it reads."""
    if op.inplace_kernel:
        given = [each.name for each in op.arguments]
        known = "NUMERIC" if op.inplace_kernel.startswith("xp.") else "MOVED"
        texts = ", ".join([op.inplace_kernel, own_name(op), known, *given])
        return f"    if written_with({texts}):\n        return {given[0]}\n"
    if op.inplace_by_index:
        names_given = ", ".join(each.name for each in op.arguments)
        called = f"placed_into(xp.{op.name}_into, {own_name(op)}, {names_given})"
        return f"    if {called}:\n        return {op.arguments[0].name}\n"
    if op.inplace_fill:
        kernel, given, kinds = "overwritten", [op.inplace_fill], list(OTHERS)
    else:
        defaults = {each.name: default_text(each.default) for each in op.arguments if each.keyword_only}
        if op.composite:
            return directly_computed(op, forward_text)
        text = forward_text(op, defaults)
        if not text or not is_ufunc_call(text):
            return computed_at_once(op, forward_text(op, {}))
        step: Any = ast.parse(text, mode="eval").body
        first, *given = map(ast.unparse, step.args)
        kernel, kinds = ast.unparse(step.func), [name for name, kind in OTHERS.items() if accepts(op, kind)]
        if first != op.arguments[0].name:
            return computed_at_once(op, text)
        if not {"INT64", "INT32"} <= {*kinds}:
            return ""
    names = {each.name for each in op.arguments}
    given += [f"{each.name}={each.name}" for each in op.arguments if each.keyword_only]
    conditions = [f"type({each}) in PLAIN_TYPES" for each in given if each in names and not op.takes_number(each)]
    known = "MOVED" if op.inplace_fill else "EASY" if "BOOL" in kinds else "NUMERIC"
    if not op.casts_scalar.keys().isdisjoint(given):
        given.append("fits=True")
    conditions.append(f"written_by({', '.join([kernel, own_name(op), known, op.arguments[0].name, *given])})")
    return f"    if {' and '.join(conditions)}:\n        return {op.arguments[0].name}\n"


def computed_at_once(op, text: str) -> str:
    """The same for a primitive of several steps, which are computed as they are elsewhere and copied."""
    if not (op.spaces or op.method) or op.inplace_reshapes or not accepts(op, float32.numpy):
        return ""
    return f"    if {computed(op, op, text, {})}:\n        return {op.arguments[0].name}\n"


def computed(op, called, text: str, names: dict[str, str]) -> str:
    """What computes a primitive's formula, as the fast path would, for the operator that is called, and copies it."""
    step: Any = ast.parse(text, mode="eval").body
    formula, given = f"raw.{op.name}", handed(op, names)
    first, *others = ((each, names.get(each.name, each.name)) for each in op.operands())
    if op.kind == "elementwise" and not is_one_step(text) and not (op.exact and op.no_fp_errors):
        formula = f"raw.{op.name}"
    elif isinstance(step, ast.Call) and re.match(rf"xp\.\w+\({first[1]}\b", text):
        formula, given = ast.unparse(step.func), ", ".join(map(ast.unparse, (*step.args, *step.keywords)))
    kinds = "ALIKE" if op.kind == "elementwise" else "PLACES"
    tensors = [name for each, name in others if each.role in (TENSOR, CONSTANT) and not op.takes_number(each.name)]
    asked = "".join(f"type({each}) in PLAIN_TYPES and " for each in tensors)
    return f"{asked}computed_into({formula}, {own_name(called)}, {kinds}, {given})"


def directly_computed(op, forward_text) -> str:
    """The same for the calls of a composite that are those of a primitive."""
    lines = ""
    for each in op.direct if op.inplace else ():
        primitive = OPS[each.op]
        if not each.forward and not primitive.view:
            text, when = forward_text(primitive, each.arguments), each.when
            lines += f"    if {when} and {computed(primitive, op, text, each.arguments)}:\n"
            lines += f"        return {op.arguments[0].name}\n"
    return lines


def variants(op, forward_text) -> str:
    """The in-place twin."""
    if not op.inplace:
        return ""
    first, *rest = op.arguments
    function = own_name(op)
    positional = tuple_text(passed(each) for each in rest if not each.keyword_only)
    keywords = ", ".join(f"{each.name!r}: {each.name}" for each in rest if each.keyword_only)
    forms = other_forms(op, f"{op.name}_", out=False)
    written = "uncast(write, " if op.name in autocast.LISTED else "write("
    if op.inplace_reshapes:
        names = [each for each in names_in(op.inplace_reshapes, op) if each not in node_names(op)]
        twins = "\n\n".join(
            f"class {op.name}_{each}({node_names(op)[0]}):\n    pass\n\n\n{op.name}_{each}.__name__ = {each!r}"
            for each in names
        )
        chosen = op.inplace_reshapes
        if names:
            chosen = re.sub("|".join(names), lambda found: f"{op.name}_{found[0]}", chosen)
        return (
            f"{twins}\n\n"
            f"def {op.name}_({signature(op, public=True)}):\n"
            f'    """In-place version of `{op.name}`."""\n{forms}'
            f"    return reshape_in_place({function}, {first.name}, {positional}, {chosen}, OP_{op.name})\n\n\n"
            f"OP_{op.name}.inplace_function = {op.name}_\n"
        )
    return (
        f"def {op.name}_({signature(op, public=True)}):\n"
        f'    """In-place version of `{op.name}`."""\n{forms}{written_at_once(op, forward_text)}'
        f"    return {written}{function}, {first.name}, {positional}, {{{keywords}}}, OP_{op.name})\n\n\n"
        f"OP_{op.name}.inplace_function = {op.name}_\n"
    )
