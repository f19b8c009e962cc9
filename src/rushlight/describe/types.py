"""Types of arguments and results in stubs: from the declaration, else from the samples."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from functools import cache
from inspect import Parameter
from typing import Any

from rushlight.core.device import device
from rushlight.core.dtype import dtype
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import (
    CONSTANT,
    DIMS,
    NOTHING,
    OPTIONAL,
    OPTIONAL_CONSTANT,
    TENSOR,
    TENSORS,
    Argument,
    Op,
)
from rushlight.testing.declared import cases

NUMBER = "_Number"
SIZES = "_Int | Sequence[_Int]"
ROLES = {TENSORS: "Sequence[Tensor]", DIMS: f"{SIZES} | None", CONSTANT: "Tensor", OPTIONAL_CONSTANT: "Tensor | None"}

# Arguments with the same meaning everywhere. With a default of None, None is allowed too.
NAMED = {
    **dict.fromkeys(("fill_value", "nan", "posinf", "neginf"), NUMBER),
    **dict.fromkeys(("alpha", "beta", "value"), f"Tensor | {NUMBER}"),
    **dict.fromkeys(("p", "threshold", "start", "end", "step", "base", "mean", "std", "low"), NUMBER),
    **dict.fromkeys(("min", "max"), f"Tensor | {NUMBER}"),
    **dict.fromkeys(("size", "sizes", "stride", "output_size", "kernel_size", "dilation"), SIZES),
    **dict.fromkeys(("normalized_shape", "output_padding", "shifts", "physical_layout"), SIZES),
    "axis": SIZES,
    "s": SIZES,
    **dict.fromkeys(("rtol", "atol", "tol"), f"Tensor | {NUMBER}"),
    "device": "_Device",
    "dtype": "_Dtype",
    "generator": "_Generator",
    "high": f"{NUMBER} | Sequence[_int]",  # `randint(10, (3,))` passes the size in this position
    "input": "Tensor",
    "keepdims": "_bool",
    "layout": "_layout",
    "memory_format": "_memory_format",
    "other": "Tensor",
    "padding": f"{SIZES} | str",
    "pad": "Sequence[_int]",
    "reduction": "str",
    "requires_grad": "_bool",
    "scale_factor": "_float | Sequence[_float]",
    "size_average": "_bool",
    "tensors": "Sequence[Tensor]",
    "weight": "Tensor",
}
# Their names in annotations.
KINDS = {
    "Ints": "Sequence[_int]",
    "Number": NUMBER,
    "Sequence": "Sequence[Any]",
    "Tensor": "Tensor",
    "Tensors": "Sequence[Tensor]",
}
# Of hand-written functions: these take tensors where operators take numbers.
BY_HAND = {
    **NAMED,
    **dict.fromkeys(("end", "mean", "p", "start", "std"), f"Tensor | {NUMBER}"),
    **dict.fromkeys(("n", "num_samples", "seed", "steps", "window_length"), "_int"),
    "out": "Tensor",
    "s": "Any",
    "reduce": "_bool",
    "tensor": "Tensor",
}
# Type names in annotations, as they are written in a stub: there, `int` may be a dtype or a method.
SPELLED = {
    **{name: f"_{name}" for name in ("int", "float", "bool", "complex", "dtype", "device", "Generator", "Size")},
    **{name: name for name in ("Any", "Sequence", "Tensor", "None", "str", "tuple", "list", "dict", "bytes", "object")},
    "type": "builtins.type[Any]",
    "builtins": "builtins",
    "Callable": "Callable",
    "Iterable": "Iterable",
    "Self": "Self",
    # Shared types of `core/annotations.py`
    "Device": "_Device | None",
    "Dtype": "_Dtype",
    "Floats": "_float | Sequence[_float]",
    "Ints": SIZES,
    "Number": NUMBER,
    "Shape": "Sequence[_Int]",
    "TensorOrFloat": "Tensor | _float",
}
SIMPLE = {bool: "_bool", int: "_int", float: "_float", complex: "_complex", str: "str"}


def parameter_type(op: Op, argument: Argument) -> str:
    """Returns the type of an argument of a declared operator."""
    if argument.role in (TENSOR, OPTIONAL):
        first = argument is op.arguments[0] and op.scalar_operands is True
        number = f" | {NUMBER}" if op.takes_number(argument.name) and not first else ""
        return f"Tensor{number}" + " | None" * (argument.role == OPTIONAL)
    if argument.role in ROLES:
        return ROLES[argument.role]
    kinds = set(observed(op).get(argument.name, ()))
    if argument.name in NAMED:
        kinds.add(NAMED[argument.name])
    kinds |= {KINDS[part] for part in argument.role.split(" | ") if part in KINDS}
    if argument.name == "other" and op.inplace:
        kinds.add(NUMBER)
    if argument.name == "dim" and argument.default in (None, ()):
        kinds.add(SIZES)
    return union([*kinds, *([] if argument.default is NOTHING else [kind_of(argument.default)])])


def plain_type(parameter: Parameter) -> str:
    """Returns the type of a parameter of a hand-written function: its annotation, else by name and default."""
    if parameter.annotation is not Parameter.empty:
        return spelled(parameter.annotation)
    if parameter.name not in BY_HAND:
        known = parameter.default is not Parameter.empty and parameter.default is not None
        return kind_of(parameter.default) if known else "Any"
    return union([BY_HAND[parameter.name], *(["None"] if parameter.default is None else [])])


def spelled(annotation: Any) -> str:
    """Returns an annotation with a stub's names; `Any` if it uses others."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if not isinstance(annotation, (str, type)) or type(annotation) is not type and not isinstance(annotation, str):
        text = str(annotation).replace("torch.", "")
    tree = ast.parse(text or "Any", mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id not in SPELLED:
                return "Any"
            node.id = SPELLED[node.id]
    return re.sub(r"(?: \| None)+( \| None)", r"\1", ast.unparse(tree))


def union(kinds: Iterable[str]) -> str:
    """Returns the union of types, without redundant ones."""
    names = {part.strip() for kind in kinds for part in kind.split(" | ")}
    if "Any" in names or names <= {"None"}:
        return "Any"
    if NUMBER in names:
        names -= {"_int", "_Int", "_float", "_bool", "_complex"}
    if "_Int" in names:
        names -= {"_int"}
    if "_Dtype" in names:
        names -= {"_dtype"}
    if "Sequence[_Int]" in names:
        names -= {"Sequence[_int]"}
    if "_float" in names:
        names -= {"_int"}
    if "Sequence[Any]" in names:
        names = {x for x in names if not x.startswith("Sequence[_")}
    if "Sequence[_float]" in names:
        names -= {"Sequence[_int]", "Sequence[_Int]"}
    return " | ".join(sorted(names - {"None"}, key=lambda x: (x != "Tensor", x)) + ["None"] * ("None" in names))


def kind_of(value: Any) -> str:
    """Returns the type of a sample value."""
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, (dtype, device)):
        return f"_{type(value).__name__}"
    if value is None:
        return "None"
    if isinstance(value, (tuple, list)):
        inner = union(map(kind_of, value)) if value else "_int"
        return "Sequence[Any]" if "|" in inner or "Sequence" in inner else f"Sequence[{inner}]"
    return SIMPLE.get(type(value), "Any")


@cache
def observed(op: Op) -> dict[str, set[str]]:
    """Returns the types of the arguments in the samples, by name."""
    names = [argument.name for argument in op.arguments if not argument.keyword_only]
    result: dict[str, set[str]] = {}
    for case in cases(op):
        # Additional arguments belong to a variadic argument
        for name, value in [*zip(names, case.arguments, strict=False), *case.keywords.items()]:
            result.setdefault(name, set()).add(kind_of(value))
    return result


@cache
def returned(op: Op) -> str:
    """Returns the type of an operator's result: from its samples, if the declaration does not say."""
    if op.named_tuple is not None:
        return f"_results.{op.named_tuple.__name__}"
    if op.multi_output:
        return "tuple[Tensor, ...]"
    if len(op.results) > 1:
        return f"tuple[{', '.join(['Tensor'] * len(op.results))}]"
    if not op.composite or op.name.endswith("_"):
        return "Tensor"
    kinds = set()
    for case in cases(op):
        with warnings.catch_warnings(action="ignore"):
            result = op.function(*case.arguments, **case.keywords)
        named = isinstance(result, tuple) and type(result) is not tuple
        kinds.add(f"_results.{type(result).__name__}" if named else _result_kind(result))
    return kinds.pop() if len(kinds) == 1 else "Any"


def _result_kind(result) -> str:
    if type(result) is tuple:
        return "tuple[Tensor, ...]" if all(isinstance(x, Tensor) for x in result) else "Any"
    return kind_of(result)
