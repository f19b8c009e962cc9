"""Templates for the generated code of one operator: its functions, node classes and backward function.

A generated function handles the common case, plain tensors of one floating dtype, and passes everything else to the
general path, which handles scalars, promotion, devices, subclasses and modes. It checks nothing first: if the raw call
fails, the general path runs the operator again and raises the error.
"""

from __future__ import annotations

import re

from rushlight.declarations import autocast
from rushlight.declarations.declare import OPS, TENSORS, Direct, asked_by
from rushlight.dispatch.fast_path_source import WHEN, Fast
from rushlight.dispatch.guards import (
    elements_looked_at,
    is_offered,
    looked_at,
    looked_at_first,
    named_by_type,
    operands_looked_at,
)
from rushlight.dispatch.inplace_source import quick_write, variants
from rushlight.dispatch.source_pieces import (
    call,
    docstring,
    node_expression,
    node_names,
    other_forms,
    own_name,
    passed,
    signature,
    tuple_text,
)  # fmt: skip


def backward(plan, derivative_text, *, real: bool) -> str:
    """Returns the source of the backward function: one expression per input, computed if the input needs it."""
    op = plan.op
    lines = [f"def {op.name}_backward{'' if real else '_complex'}(F, node, saved, g, edges):"]
    if plan.saved:
        lines.append(f"    {tuple_text(plan.saved)[1:-1]} = saved")
    if plan.params:
        lines.append(f"    {tuple_text(plan.params)[1:-1]} = node.params")
    if len(op.results) > 1 and any(name.startswith("g_") for names in plan.asks.values() for name in names):
        lines += _unpacked_gradients(plan)
    if op.common:
        lines.append(f"    common = common_{op.name}({', '.join(['F', *asked_by(op.common)])})")
    texts = [derivative_text(op, name, real=real) for name in plan.differentiable]
    if [plan.roles[name] for name in plan.differentiable] == [TENSORS]:
        return "\n".join([*lines, f"    return {texts[0]}"]) + "\n"
    if len(texts) > 1:
        names = [f"{name}_edge" for name in plan.differentiable]
        lines.append(f"    {', '.join(names)} = edges")
        texts = [f"None if {name} is None else {text}" for name, text in zip(names, texts, strict=True)]
    if any("numbers[" in text for text in texts):
        lines.append("    numbers = F.numbers[g.dtype]")
    return "\n".join([*lines, f"    return {tuple_text(texts)}"]) + "\n"


def _unpacked_gradients(plan) -> list[str]:
    results = plan.op.differentiable_results
    if len(results) == 1:
        return [f"    g_{results[0]} = g"]
    gradients = "g" if plan.op.undefined_grads else "F.present(node, g)"
    return [f"    {', '.join(f'g_{result}' for result in results)} = {gradients}"]


def primitive(plan, forward_text, derivative_text) -> str:
    """Returns all source that is generated for one primitive."""
    op = plan.op
    parts = []
    if plan.differentiable:
        real = backward(plan, derivative_text, real=True)
        full = backward(plan, derivative_text, real=False)
        parts.append(real)
        differs = real != full.replace("_complex(", "(")
        if differs:
            parts.append(full)
        complex_name = f"{op.name}_backward{'_complex' if differs else ''}"
        kind = "Saving" if plan.saved else "Node"
        for name in node_names(op):
            parts.append(
                f"class {name}({kind}):\n    op = OPS[{op.name!r}]\n    saves = {tuple_text(map(repr, plan.saved))}\n"
                f"    parameters = {tuple_text(map(repr, plan.params))}\n    backward = "
                f"staticmethod({op.name}_backward)\n    backward_complex = staticmethod({complex_name})\n\n\n"
                f"enter(objects, {{'{op.name}_{name}': maker_of({name})}})\n"
            )
        arguments = ", ".join(argument.name for argument in op.arguments)
        parts.append(f"OP_{op.name}.nodes = {tuple_text(node_names(op))}\n")
        parts.append(f"OP_{op.name}.select_node = lambda {arguments}: {node_expression(op)}\n")
    fast = Fast(plan, forward_text)
    body = (
        "".join(directly(direct, Fast(plan, forward_text, direct=direct)) + "\n" for direct in op.direct) + fast.text()
    )
    head = f"def {op.name}({signature(op, out=op.out, public=True)}):\n{docstring(op)}"
    forms = other_forms(op, own_name(op), out=op.out)
    parts.append(
        f"{head}{forms}{looked_at(op, fast=bool(body))}{body}{named_by_type(op)}    return {fast._general()}\n"
    )
    parts.append(documented(op))
    parts += [operator(op, Fast(plan, forward_text, operator=True).text()), variants(op, forward_text)]
    return "\n\n".join(part for part in parts if part)


def composite(op, plan_of, forward_text) -> str:
    """Returns the source of the public function of a composite."""
    inner = f"composite_{op.name}(F, {call(op)})"
    lines = [f"def {op.name}({signature(op, out=op.out, public=True)}):", docstring(op).rstrip("\n")]
    lines.append(other_forms(op, own_name(op), out=op.out).rstrip("\n"))
    lines.append(looked_at(op, fast=bool(op.direct)).rstrip("\n"))
    if (op.inplace_fill or op.inplace_kernel) and not op.inplace:
        lines.append(quick_write(op, forward_text).rstrip("\n"))
    keywords = ", ".join(f"{argument.name}={argument.name}" for argument in op.arguments if argument.keyword_only)
    positional = tuple_text(passed(argument) for argument in op.arguments if not argument.keyword_only)
    whole = f"(OP_{op.name}, composite_{op.name}, F, {positional}, dict({keywords}))"
    for direct in op.direct:
        lines.append(directly(direct, Fast(plan_of(OPS[direct.op]), forward_text, direct=direct, called=op)))
    lines.append((named_by_type(op) + operands_looked_at(op)).rstrip("\n"))
    if op.spaces or op.method:
        call_of_it = f"taken_over(OP_{op.name}, {positional}, dict({keywords}){', out' * bool(op.out)})"
        lines.append(f"    if {is_offered(op)}:")
        lines.append(f"        if (_taken := {call_of_it}) is not ABSENT:\n            return _taken")
    if op.arguments and op.method and (looked := looked_at_first(op).rstrip("\n")):
        lines.append(f"    if type({op.arguments[0].name}) not in PLAIN_TYPES:\n{looked}")
    if op.name in autocast.LISTED - autocast.BY_PARTS:
        lines.append(f"    if {'out is None and ' if op.out else ''}type(get_mode()) is Modes:")
        lines.append(f"        return autocasted{whole}")
    if op.refuses_out:
        lines += ["    if out is not None:", f"        OP_{op.name}.refuses_out(out)"]
    if op.out:
        args = tuple_text(passed(argument) for argument in op.arguments)
        made = f"uncast(composite_{op.name}, F, {call(op)})" if op.name in autocast.LISTED else inner
        lines += [
            "    if out is not None:",
            f"        return write_out(out, {op.name!r}, {made}, OP_{op.name}, {args})",
        ]
    lines += explained(op, f"return {inner}")
    text = "\n".join(line for line in lines if line) + "\n"
    of_operator = [(x, Fast(plan_of(OPS[x.op]), forward_text, operator=True, direct=x)) for x in op.direct]
    fast = "".join(f"{directly(*pair)}\n" for pair in of_operator)
    return "\n\n".join(part for part in (text, documented(op), operator(op, fast), variants(op, forward_text)) if part)


def directly(direct: Direct, fast: Fast) -> str:
    """Returns the fast path of a primitive in a composite, whose tensors may have other names there."""
    text = fast.text().rstrip("\n")
    names = {
        operand.name: direct.arguments[operand.name] for operand in fast.operands if operand.name in direct.arguments
    }
    if names:
        text = re.sub(rf"(?<!\.)\b({'|'.join(names)})(?=\b|_array\b|_edge\b)", lambda name: names[name[0]], text)
    return text.replace(WHEN, direct.when)


def explained(op, line: str) -> list[str]:
    """Returns a line of a public function that checks the arguments if it fails."""
    if not (op.spaces or op.method):
        return [f"    {line}"]
    args = tuple_text(passed(argument) for argument in op.arguments)
    return [
        "    try:",
        *elements_looked_at(op),
        f"        {line}",
        "    except Exception:",
        f"        explain_arguments(OP_{op.name}, {args})",
        "        raise",
    ]


def documented(op) -> str:
    """Returns the line that gives a function the argument names that PyTorch documents."""
    return f"{op.name} = documented(OP_{op.name}, {op.name})\n" if op.documented_names else ""


def operator(op, body: str) -> str:
    """Returns the source of the function behind an operator; it returns NotImplemented for foreign operands."""
    if not op.operators:
        return ""
    first, *rest = op.arguments
    args = [arg for arg in rest if not arg.keyword_only]
    end = f"{seen_as(op)}({first.name})"
    if args:
        end = f"operated({seen_as(op)}, {first.name}, {args[0].name})"
    names = ", ".join(arg.name for arg in (first, *args))
    return f"def operator_{op.name}({names}):\n{body}    return {end}\n"


# Operators that subclasses see under the name of a method, `x + y` as `Tensor.add`; they see the rest as themselves.
SEEN_AS_METHODS = frozenset((
    "__add__", "__sub__", "__mul__", "__truediv__", "__mod__", "__matmul__", "__neg__", "__pos__", "__abs__", "__ne__",
    "__lt__", "__le__", "__gt__", "__ge__",
))  # fmt: skip
OTHER_METHODS = {"true_divide": "div", "modulus": "abs"}


def seen_as(op) -> str:
    """Returns the function that an operator runs off the fast path, and that `__torch_function__` receives."""
    if op.operators[0] in SEEN_AS_METHODS:
        return f"Tensor.{OTHER_METHODS.get(op.name, op.name)}"
    return f"Operators.{op.name}"


def refuses_arrays(special: str) -> bool:
    """Whether a special method belongs to a right operand and refuses NumPy's arrays: all but division."""
    return is_reflected(special) and special not in ("__rtruediv__", "__rdiv__", "__reversed__")


COMPARISONS = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))


def has_assignment(op, special: str) -> bool:
    """Whether an operator can be written in place: `x += y`."""
    return op.inplace and len(op.arguments) > 1 and not is_reflected(special) and special not in COMPARISONS


def is_reflected(special: str) -> bool:
    """Whether a special method belongs to a right operand: `__radd__`, not `__rshift__`."""
    return special.startswith("__r") and special != "__rshift__"
