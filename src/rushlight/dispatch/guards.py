"""What generated functions ask of their arguments before they begin: are they of the types that they commonly are?

A wrong kind mostly fails by itself and is explained then (`argument_errors.py`). What is computed may take more kinds
than PyTorch does, though: any truth for `keepdim`, True for a dimension. Such arguments are looked at, by comparisons
that cost a few nanoseconds; what PyTorch takes is let through.
"""

from __future__ import annotations

from rushlight.declarations.declare import VARIADIC
from rushlight.dispatch import argument_errors


def looked_at(op, *, fast: bool) -> str:
    """The lines that look at arguments of another type than they are commonly of: what is computed may take more kinds.

    In the place of a dimension only truths are looked for, which costs less than asking for a type.
    """
    if not (op.spaces or op.method) or (op.method or "").startswith("__") or op.name in argument_errors.IN_PYTHON:
        return ""
    if op.name.startswith("fft_"):
        return ""  # which look at their arguments themselves
    tests = [(each, uncommon(op, each, fast=fast)) for each in op.arguments[op.bound :]]
    found = " or ".join(
        f"{each.name} is not None and ({test})" if argument_errors.may_be_none(each) else test
        for each, test in tests
        if test
    )
    return f"    if {found}:\n        {made_python(op)}\n" if found else ""


def looked_at_first(op) -> str:
    """The line that looks at what is no plain tensor, and nothing that answers calls itself, in the first place."""
    if op.name in OF_NUMBERS or argument_errors.kind_of(op, op.arguments[0]) != "Tensor":
        return ""
    return f"        {explained(op)}\n"


def is_offered(op) -> str:
    """Whether somebody else may answer the call of a composite, a mode or an operand, as an expression."""
    tests = ["type(get_mode()) is Modes and get_mode().function_modes"]
    for each in op.arguments:
        name, kinds = each.name, (argument_errors.kind_of(op, each) or "").split(" or ")
        if "tuple of Tensors" in kinds or each.role == VARIADIC and name in ("operands", "tensors"):
            tests.append(f"type({name}) in SEQUENCES and not ORDINARY.issuperset(map(type, {name}))")
        if "Tensor" in kinds:
            given = f"{name} is not None and " if argument_errors.may_be_none(each) else ""
            tests.append(f"{given}type({name}) not in PLAIN_TYPES and hasattr({name}, '__torch_function__')")
    return " or ".join(tests)


def operands_looked_at(op) -> str:
    """The lines that look at operands, behind all short cuts, that are neither plain tensors nor Python's numbers."""
    if not (op.spaces or op.method) or (op.method or "").startswith("__"):
        return ""
    taken = [each for each in op.arguments if argument_errors.kind_of(op, each) == "Tensor or Number"]
    if len(taken) > 1 and not any(argument_errors.may_be_none(each) for each in taken):
        return ""  # both go to a primitive, which refuses by itself
    found = " or ".join(f"type({each.name}) not in OPERANDS" for each in taken)
    return f"    if {found}:\n        {made_python(op)}\n" if found else ""


# What makes its settings Python's once for each kind of call.
SETTLED = frozenset(f"conv{kind}{rank}d" for kind in ("", "_transpose") for rank in (1, 2, 3))


def elements_looked_at(op) -> list[str]:
    """The lines that look into the sequences of a composite. Dimensions are looked at one by one anyway."""
    if op.name in argument_errors.IN_PYTHON or op.name in SETTLED:
        return []
    tests = []
    for each in op.arguments:
        kinds = (argument_errors.kind_of(op, each) or "").split(" or ")
        if {"tuple of ints", "sizes"}.isdisjoint(kinds) or "tuple of Tensors" in kinds:
            continue
        if not each.name.startswith(DIMENSIONS):
            whole = "WHOLE_OR_NONE" if "sizes" in kinds else "WHOLE"
            tests.append(f"type({each.name}) in ROWS and not {whole}.issuperset(map(type, {each.name}))")
    found = " or ".join(tests)
    return [f"        if {found}:", f"            {made_python(op)}"] if found else []


def explained(op) -> str:
    """The call that raises if an argument is of no kind that is taken."""
    given = [f"*{each.name}" if each.role == VARIADIC else each.name for each in op.arguments]
    return f"explain_arguments(OP_{op.name}, ({', '.join(given)}{',' * (len(given) == 1)}))"


def made_python(op) -> str:
    """The assignment that makes NumPy's numbers Python's; it raises if an argument is of no kind that is taken."""
    given = ", ".join([f"*{each.name}" if each.role == VARIADIC else each.name for each in op.arguments])
    given += "," * (len(op.arguments) == 1)
    return f"{given} = accepted(OP_{op.name}, ({given}))"


def named_by_type(op) -> str:
    """The line that takes the types of Python's numbers for the dtypes that they stand for, and no other types."""
    if VARIADIC in [each.role for each in op.arguments] or not any(each.name == "dtype" for each in op.arguments):
        return ""
    return f"    if type(dtype) is type:\n        dtype = as_dtype({op.called!r}, dtype)\n"


OF_NUMBERS = frozenset(("conj",))  # which formulas of derivatives ask of numbers as well
UNCOMMON = {
    "bool": "{0} is not False and {0} is not True",
    "int": "type({0}) is not int",
    "float": "type({0}) is not float and type({0}) is not int",
    "str": "type({0}) is not str",
    "Number": "type({0}) is not int and type({0}) is not float",
    "Tensor": "type({0}) not in PLAIN_TYPES",
    **dict.fromkeys(("tuple of ints", "tuple of Tensors", "sequence", "sizes"), "not isinstance({0}, (tuple, list))"),
}
FACTOR = "{0} is not ONE and " + UNCOMMON["Number"]  # which mostly is left out
# Numbers of one digit of Python's integers are compared soonest; any that is larger may have more than 64 bits.
LARGE = "{0} > 0x3FFFFFFF or {0} < -0x3FFFFFFF"
COUNT = "type({0}) is not int or " + LARGE
DIM = "type({0}) is not int"
DIMENSIONS = ("dim", "axis", "start_dim", "end_dim")
SEQUENCE = "type({0}) is not tuple and type({0}) is not list and type({0}) is not Size"
TRUTH = "{0} is True or {0} is False"
NO_TRUTH = "{0} is not True and {0} is not False"


def uncommon(op, argument, *, fast: bool) -> str:
    """Whether an argument is of another type than it is commonly of, as an expression."""
    name, kinds = argument.name, (argument_errors.kind_of(op, argument) or "None").split(" or ")
    if kinds == ["bool"]:
        return UNCOMMON["bool"].format(name)
    if kinds == ["Number"]:
        if name == "alpha" and argument.keyword_only and op.kind == "elementwise":
            return FACTOR.format(name)
        return (UNCOMMON["float"] if type(argument.default) is float else UNCOMMON["Number"]).format(name)
    if kinds == ["float"]:
        return UNCOMMON["float"].format(name)
    is_whole = not {"int", "tuple of ints"}.isdisjoint(kinds)
    if is_whole and op.view and fast:
        return ""  # views are the shortest operations, and look at their dimensions themselves
    if is_whole and (name.startswith(DIMENSIONS) or (fast and kinds != ["int"])):
        return whole(kinds).format(name)
    if kinds == ["int"]:
        return COUNT.format(name)
    if fast or {"Tensor", "Number"} <= set(kinds) or not all(each in UNCOMMON for each in kinds):
        return ""  # of operands, those that are no tensors are looked at where they are made some
    if kinds[0] == "Tensor" and (not op.composite or (op.method and argument is op.arguments[0])):
        return ""  # which is looked at in any case
    found = " and ".join(UNCOMMON[each].format(name) for each in kinds)
    return f"{found} or type({name}) is int and ({LARGE.format(name)})" if "int" in kinds else found


def whole(kinds: list[str]) -> str:
    """Whether dimensions are of another type than those of these kinds commonly are, as an expression."""
    tests = [DIM] * ("int" in kinds) + [SEQUENCE] * ("tuple of ints" in kinds) + [NO_TRUTH] * ("bool" in kinds)
    tests += [UNCOMMON["Tensor"]] * ("Tensor" in kinds)
    return " and ".join(tests) if len(tests) == len(kinds) else TRUTH
