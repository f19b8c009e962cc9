"""Guards of generated functions: tests that arguments have their common types.

A wrong type mostly raises by itself and is explained then (`argument_errors.py`). But NumPy takes types that PyTorch
does not, such as True for a dimension. Guards find these by comparisons of a few nanoseconds; other types that PyTorch
takes are converted.
"""

from __future__ import annotations

from rushlight.declarations.declare import VARIADIC
from rushlight.dispatch import argument_errors


def looked_at(op, *, fast: bool) -> str:
    """Returns the lines that test the types of arguments other than operands.

    Dimensions are only compared with bools, which costs less than testing a type.
    """
    if not (op.spaces or op.method) or (op.method or "").startswith("__") or op.name in argument_errors.IN_PYTHON:
        return ""
    if op.name.startswith("fft_"):
        return ""  # they test their arguments themselves
    tests = [(argument, uncommon(op, argument, fast=fast)) for argument in op.arguments[op.bound :]]
    condition = " or ".join(
        f"{argument.name} is not None and ({test})" if argument_errors.may_be_none(argument) else test
        for argument, test in tests
        if test
    )
    return f"    if {condition}:\n        {made_python(op)}\n" if condition else ""


def looked_at_first(op) -> str:
    """Returns the line that raises if the first argument is no tensor and does not override calls."""
    if op.name in OF_NUMBERS or argument_errors.kind_of(op, op.arguments[0]) != "Tensor":
        return ""
    return f"        {explained(op)}\n"


def is_offered(op) -> str:
    """Returns the expression that tests whether a mode or an argument may override the call of a composite."""
    tests = ["type(get_mode()) is Modes and get_mode().function_modes"]
    for argument in op.arguments:
        name, kinds = argument.name, (argument_errors.kind_of(op, argument) or "").split(" or ")
        if "tuple of Tensors" in kinds or argument.role == VARIADIC and name in ("operands", "tensors"):
            inside = f"not ORDINARY.issuperset(map(type, {name}))"
            tests.append(f"({inside} if type({name}) in SEQUENCES else hasattr({name}, '__torch_function__'))")
        if "Tensor" in kinds:
            present = f"{name} is not None and " if argument_errors.may_be_none(argument) else ""
            tests.append(f"{present}type({name}) not in PLAIN_TYPES and hasattr({name}, '__torch_function__')")
    return " or ".join(tests)


def operands_looked_at(op) -> str:
    """Returns the lines that convert operands that are neither plain tensors nor Python numbers."""
    if not (op.spaces or op.method) or (op.method or "").startswith("__"):
        return ""
    operands = [argument for argument in op.arguments if argument_errors.kind_of(op, argument) == "Tensor or Number"]
    if len(operands) > 1 and not any(argument_errors.may_be_none(argument) for argument in operands):
        return ""  # both go to a primitive, which raises by itself
    condition = " or ".join(f"type({argument.name}) not in OPERANDS" for argument in operands)
    return f"    if {condition}:\n        {made_python(op)}\n" if condition else ""


# Operators that convert their settings once per signature.
SETTLED = frozenset(f"conv{kind}{rank}d" for kind in ("", "_transpose") for rank in (1, 2, 3))


def elements_looked_at(op) -> list[str]:
    """Returns the lines that test the elements of a composite's sequences; dimensions it tests itself."""
    if op.name in argument_errors.IN_PYTHON or op.name in SETTLED:
        return []
    tests = []
    for argument in op.arguments:
        kinds = (argument_errors.kind_of(op, argument) or "").split(" or ")
        if {"tuple of ints", "sizes"}.isdisjoint(kinds) or "tuple of Tensors" in kinds:
            continue
        if not argument.name.startswith(DIMENSIONS):
            types, name = "WHOLE_OR_NONE" if "sizes" in kinds else "WHOLE", argument.name
            tests.append(f"type({name}) in ROWS and not {types}.issuperset(map(type, {name}))")
    condition = " or ".join(tests)
    return [f"        if {condition}:", f"            {made_python(op)}"] if condition else []


def explained(op) -> str:
    """Returns the call that raises if an argument has a wrong type."""
    values = [f"*{argument.name}" if argument.role == VARIADIC else argument.name for argument in op.arguments]
    return f"explain_arguments(OP_{op.name}, ({', '.join(values)}{',' * (len(values) == 1)}))"


def made_python(op) -> str:
    """Returns the assignment that makes NumPy numbers Python numbers; it raises if an argument has a wrong type."""
    values = ", ".join([f"*{x.name}" if x.role == VARIADIC else x.name for x in op.arguments])
    values += "," * (len(op.arguments) == 1)
    return f"{values} = accepted(OP_{op.name}, ({values}))"


def named_by_type(op) -> str:
    """Returns the line that converts `float` and similar types, passed as `dtype`, to dtypes."""
    if VARIADIC in [x.role for x in op.arguments] or not any(x.name == "dtype" for x in op.arguments):
        return ""
    return f"    if type(dtype) is type:\n        dtype = as_dtype({op.called!r}, dtype)\n"


OF_NUMBERS = frozenset(("conj",))  # derivative formulas call it on numbers too
UNCOMMON = {
    "bool": "{0} is not False and {0} is not True",
    "int": "type({0}) is not int",
    "float": "type({0}) is not float and type({0}) is not int",
    "str": "type({0}) is not str",
    "Number": "type({0}) is not int and type({0}) is not float",
    "Tensor": "type({0}) not in PLAIN_TYPES",
    **dict.fromkeys(("tuple of ints", "tuple of Tensors", "sequence", "sizes"), "not isinstance({0}, (tuple, list))"),
}
FACTOR = "{0} is not ONE and " + UNCOMMON["Number"]  # it is mostly left out
# Python integers of one digit compare fastest; larger ones may have more than 64 bits.
LARGE = "{0} > 0x3FFFFFFF or {0} < -0x3FFFFFFF"
COUNT = "type({0}) is not int or " + LARGE
DIM = "type({0}) is not int"
DIMENSIONS = ("dim", "axis", "start_dim", "end_dim")
SEQUENCE = "type({0}) is not tuple and type({0}) is not list and type({0}) is not Size"
TRUTH = "{0} is True or {0} is False"
NO_TRUTH = "{0} is not True and {0} is not False"


def uncommon(op, argument, *, fast: bool) -> str:
    """Returns the expression that tests whether an argument has an uncommon type."""
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
        return ""  # views are the fastest operations, and test their dimensions themselves
    if is_whole and (name.startswith(DIMENSIONS) or (fast and kinds != ["int"])):
        return whole(kinds).format(name)
    if kinds == ["int"]:
        return COUNT.format(name)
    if fast or {"Tensor", "Number"} <= set(kinds) or not all(kind in UNCOMMON for kind in kinds):
        return ""  # operands are tested where they are made tensors
    if kinds[0] == "Tensor" and (not op.composite or (op.method and argument is op.arguments[0])):
        return ""  # it is tested anyway
    test = " and ".join(UNCOMMON[kind].format(name) for kind in kinds)
    return f"{test} or type({name}) is int and ({LARGE.format(name)})" if "int" in kinds else test


def whole(kinds: list[str]) -> str:
    """Returns the expression that tests whether dimensions of these kinds have an uncommon type."""
    tests = [DIM] * ("int" in kinds) + [SEQUENCE] * ("tuple of ints" in kinds) + [NO_TRUTH] * ("bool" in kinds)
    tests += [UNCOMMON["Tensor"]] * ("Tensor" in kinds)
    return " and ".join(tests) if len(tests) == len(kinds) else TRUTH
