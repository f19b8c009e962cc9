"""What generated functions ask of their arguments before they begin: are they of the types that they commonly are?

A wrong kind mostly fails by itself and is explained then (`misuse.py`). What is computed may take more kinds than
PyTorch does, though: any truth for `keepdim`, True for a dimension. Such arguments are looked at, by comparisons that
cost a few nanoseconds; what PyTorch takes is let through.
"""

from __future__ import annotations

from rushlight.dispatch import misuse
from rushlight.ops.declare import VARIADIC


def looked_at(op, *, fast: bool) -> str:
    """The lines that look at arguments of another type than they are commonly of: what is computed may take more kinds.

    On a fast path only truths in the place of a dimension are looked for, which costs less than asking for a type.
    """
    if not (op.spaces or op.method) or (op.method or "").startswith("__") or op.name in misuse.IN_PYTHON:
        return ""
    tests = [(each, uncommon(op, each, fast=fast)) for each in op.arguments[op.bound :]]
    tests = [
        (each, f"{each.name} is not None and ({test})" if each.default is None else test)
        for each, test in tests
        if test
    ]
    found = " or ".join(test for _, test in tests)
    return f"    if {found}:\n        {explained(op)}\n" if found else ""


def looked_at_first(op) -> str:
    """The line that looks at what is no plain tensor, and nothing that answers calls itself, in the first place."""
    return f"        {explained(op)}\n" if misuse.kind_of(op, op.arguments[0]) == "Tensor" else ""


def explained(op) -> str:
    """The call that raises if an argument is of no kind that is taken."""
    given = [f"*{each.name}" if each.role == VARIADIC else each.name for each in op.arguments]
    return f"explain_arguments(OP_{op.name}, ({', '.join(given)}{',' * (len(given) == 1)}))"


UNCOMMON = {
    "bool": "{0} is not False and {0} is not True",
    "int": "type({0}) is not int",
    "float": "type({0}) is not float and type({0}) is not int",
    "str": "type({0}) is not str",
    "Tensor": "type({0}) not in PLAIN_TYPES",
    **dict.fromkeys(("tuple of ints", "sequence", "sizes"), "not isinstance({0}, (tuple, list))"),
}
COUNT = "type({0}) is not int or {0} not in SMALL"
WIDE = "type({0}) is int and {0} not in SMALL"
DIMENSIONS = ("dim", "axis", "start_dim", "end_dim")
TRUTH = "{0} is True or {0} is False"


def uncommon(op, argument, *, fast: bool) -> str:
    """Whether an argument is of another type than it is commonly of, as an expression."""
    kinds = (misuse.kind_of(op, argument) or "None").split(" or ")
    if kinds == ["bool"]:
        return UNCOMMON["bool"].format(argument.name)
    if fast:
        if kinds == ["int"] and not op.view and not argument.name.startswith(DIMENSIONS):
            return COUNT.format(argument.name)
        whole = "bool" not in kinds and not {"int", "tuple of ints"}.isdisjoint(kinds)
        return TRUTH.format(argument.name) if whole else ""
    if kinds[0] == "Tensor" and (not op.composite or (op.method and argument is op.arguments[0])):
        return ""  # which is looked at in any case
    if not all(each in UNCOMMON for each in kinds):
        return ""
    found = " and ".join(UNCOMMON[each].format(argument.name) for each in kinds)
    if kinds == ["int"]:
        return COUNT.format(argument.name)
    return f"{found} or {WIDE.format(argument.name)}" if "int" in kinds else found
