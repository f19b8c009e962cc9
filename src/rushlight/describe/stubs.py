"""Type stubs: namespaces of generated functions, and Tensor with its attached methods.

A stub hides its module from type checkers. Our own run of mypy leaves stubs out (`exclude` in pyproject.toml), so it
checks the source, not the stubs.
"""

from __future__ import annotations

import ast
import inspect
from functools import partial
from inspect import CO_VARKEYWORDS, Parameter
from keyword import iskeyword
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from rushlight.core.formats import memory_format
from rushlight.core.tensor import Tensor
from rushlight.declarations import results
from rushlight.declarations.declare import NOTHING, OPS, VARIADIC, Op
from rushlight.describe.overloads import OVERLOADS, PARAMETERS, PROPERTIES, RETURNS, SETTERS, SPELLED_OUT
from rushlight.describe.types import SIZES, parameter_type, plain_type, returned, spelled
from rushlight.dispatch.call_forms import takes_names_of_numpy
from rushlight.dispatch.methods import LaterMethod
from rushlight.memory.typed_storage import LegacyStorage

HEAD = '''"""Written by `python -m rushlight.describe` from the declarations in `declarations/`: do not edit."""

import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeVar, overload

import numpy

from rushlight.core.device import device as _device
from rushlight.core.dtype import dtype as _dtype
from rushlight.core.formats import memory_format as _memory_format
from rushlight.core.generator import Generator as _Generator
from rushlight.core.shape_queries import layout as _layout
from rushlight.core.size import Size as _Size
from rushlight.core.tensor import Tensor
from rushlight.declarations import results as _results

_int = builtins.int
_float = builtins.float
_bool = builtins.bool
_complex = builtins.complex
_Int = builtins.int | numpy.integer[Any]
_Number = builtins.int | builtins.float | builtins.complex | numpy.number[Any]
_Operand = Tensor | _Number | numpy.ndarray[Any, Any]
_Dtype = _dtype | builtins.type[_bool] | builtins.type[_int] | builtins.type[_float] | builtins.type[_complex]
_Device = _device | str | builtins.int
'''
ONLY_OF_ROOT = (
    "from rushlight.memory.typed_storage import LegacyStorage as _LegacyStorage",
    "from rushlight.torch_version import TorchVersion as _TorchVersion",
)
IMPORT_OF_TENSOR = "from rushlight.core.tensor import Tensor\n"


def namespace(module: ModuleType) -> str:
    """Returns the stub of a namespace: its functions spelled out, the rest imported."""
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    modules = dict(place for node in tree.body for place in _imports(node))
    lines = []
    lazy, elsewhere = getattr(module, "_LAZY", ()), getattr(module, "_ELSEWHERE", {})
    known = {*lazy, *elsewhere, "__version__", "_assert"}
    for name in sorted(x for x in dir(module) if x in known or x.startswith("__array_") or x[0] != "_"):
        value = getattr(module, name)
        if isinstance(elsewhere.get(name), partial):
            lines += _imported(name, elsewhere[name].args[0], name)
        elif isinstance(value, FunctionType):
            lines.append(function_text(value, name))
        elif name in modules:
            lines += _imported(name, *modules[name])
        elif isinstance(value, ModuleType) and callable(value):
            lines += [*_imported(f"_{name}", value.__name__, type(value).__name__), f"{name}: _{name}"]
        elif name in lazy or isinstance(value, ModuleType) and lazy and value.__name__ == f"rushlight.{name}":
            lines.append(f"from {module.__name__} import {name} as {name}")
        elif isinstance(value, type) and issubclass(value, LegacyStorage):
            lines.append(f"class {name}(_LegacyStorage): ...")
        elif isinstance(value, type) and value.__module__.startswith(f"{module.__name__}."):
            lines += _imported(name, value.__module__, value.__qualname__)
        elif isinstance(value, str):
            lines.append(f"{name}: {'_TorchVersion' if name == '__version__' else 'str'}")
        elif not isinstance(value, ModuleType):
            lines.append(f"{name}: {'_memory_format' if isinstance(value, memory_format) else 'Any'}")
    if module.__name__ != "rushlight":
        return "\n".join([HEAD, *lines, ""])
    return "\n".join([HEAD.replace(IMPORT_OF_TENSOR, ""), *ONLY_OF_ROOT, *lines, ""])


def _imported(name: str, module: str, original: str) -> list[str]:
    """Yields the lines that re-export a name; an import under another name does not re-export in a stub."""
    if name == original:
        return [f"from {module} import {original} as {name}"]
    return [f"from {module} import {original} as _{name}", f"{name} = _{name}"]


def _imports(node: ast.stmt):
    """Yields the names that an import binds, each with its module and its name there."""
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, ("." * node.level + (node.module or ""), alias.name)


def tensor_module() -> str:
    """Returns the stub of `core/tensor.py`."""
    head = HEAD.replace(IMPORT_OF_TENSOR, "")
    own = {name for cls in Tensor.__mro__ if cls is not object for name in vars(cls)}
    names = sorted(name for name in dir(Tensor) if name in own and _belongs(name))
    members = [_member(name, inspect.getattr_static(Tensor, name)) for name in names]
    return "\n".join([head, "class Tensor:", *(f"    {x}" for text in members for x in text), PARAMETER])


PARAMETER = """
class ParameterMeta(type): ...

class Parameter(Tensor, metaclass=ParameterMeta):
    def __new__(cls, data: Tensor | None = None, requires_grad: _bool = True) -> Self: ...

def wrap(array: Any) -> Tensor: ...
def alias(tensor: Tensor, kind: type[Tensor] = ...) -> Tensor: ...
def __getattr__(name: str) -> Any: ...
"""
INHERITED = frozenset(("__module__", "__doc__", "__annotations__", "__dict__", "__slots__", "__weakref__"))
# Private names that users of PyTorch know.
PRIVATE = frozenset(("_version", "_base", "_is_view", "_make_subclass", "_grad", "_backward_hooks"))


def _belongs(name: str) -> bool:
    return name in PRIVATE or name not in INHERITED and (not name.startswith("_") or name.startswith("__"))


def _member(name: str, value: Any) -> list[str]:
    """Yields the lines of one member of Tensor."""
    if isinstance(value, LaterMethod):
        value = getattr(Tensor, name)
    if name in SPELLED_OUT:
        return SPELLED_OUT[name].splitlines()
    if isinstance(value, property):
        kind = PROPERTIES.get(name) or spelled(value.fget.__annotations__.get("return", "Any"))
        value_type = SETTERS.get(name, kind)
        setter = [f"@{name}.setter", f"def {name}(self, value: {value_type}) -> None: ..."] if value.fset else []
        return ["@property", f"def {name}(self) -> {kind}: ...", *setter]
    if isinstance(value, FunctionType):
        return function_text(value, name, method=True).splitlines()
    return [f"{name}: {PROPERTIES.get(name) or spelled(type(value))}"]


# ---- functions


def function_text(function: FunctionType, name: str, *, method: bool = False) -> str:
    """Returns the lines that describe a function under a name."""
    op, inplace = operator_of(function)
    if (key := op.name if op and not inplace else name) in OVERLOADS:
        return _overloaded(name, OVERLOADS[key], method)
    parameters = list(inspect.signature(function).parameters.values())
    arguments = _parameters(name, parameters[method:], op)
    if op is not None:
        if (method or function.__code__.co_flags & CO_VARKEYWORDS) and not any("axis:" in arg for arg in arguments):
            arguments += _names_of_numpy(op, any(arg.startswith("*") for arg in arguments))
        result = "Tensor" if inplace or name.startswith("__i") and op.inplace else returned(op)
        arguments = [_with_out(arg, result) for arg in arguments]
    else:
        result = RETURNS.get(name) or spelled(function.__annotations__.get("return", "Any"))
    result = RETURNS.get(name, result) if name.startswith("__") or result == "Any" else result
    ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    arguments = PARAMETERS.get(name, arguments)
    if name.startswith("__"):  # operators also take NumPy arrays
        arguments = [arg.replace("Tensor | _Number", "_Operand") for arg in arguments]
    return f"def {name}({', '.join(['self'] * method + arguments)}) -> {result}: ...{ignored}"


def _overloaded(name: str, forms: list[tuple[str, str]], method: bool) -> str:
    first = "self" if method else "input: Tensor"
    return "\n".join(
        f"@overload\ndef {name}({', '.join(filter(None, (first, arguments)))}) -> {result}: ..."
        for arguments, result in forms
    )


def operator_of(function: FunctionType) -> tuple[Op | None, bool]:
    """Returns the operator of a generated function, and whether it is the in-place variant."""
    if (op := vars(function).get("declaration")) is not None:
        return op, function.__name__.endswith("_")
    if function.__module__ == "rushlight.create.legacy" and function.__name__.removesuffix("_") in OPS:
        return OPS[function.__name__.removesuffix("_")], True
    if not function.__module__.startswith("rushlight._generated"):
        return None, False
    name = function.__name__.removeprefix("operator_")
    return (OPS[name], False) if name in OPS else (OPS[name.removesuffix("_")], True)


def _parameters(name: str, parameters: list[Parameter], op: Op | None) -> list[str]:
    """Returns typed parameters as text; NumPy's names for `dim` and `keepdim` where PyTorch's are optional."""
    known = {argument.name: argument for argument in op.arguments} if op else {}
    for shown in (op.documented_names, op.method_names) if op else ():
        known |= {other: known[own.rpartition(".")[2]] for own, other in shown.items()}
    texts, named = [], False
    for parameter in parameters:
        if parameter.kind is Parameter.KEYWORD_ONLY and not named:
            texts.append("*")
        named = named or parameter.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        kind = parameter_type(op, known[parameter.name]) if op and parameter.name in known else plain_type(parameter)
        if (
            parameter.kind is Parameter.VAR_POSITIONAL
            and known.get(parameter.name)
            and known[parameter.name].role == VARIADIC
        ):
            kind = VARIADIC_TYPES.get(parameter.name, SIZES) + " | _dtype" * (name == "view")
        star = (
            "*"
            if parameter.kind is Parameter.VAR_POSITIONAL
            else "**"
            if parameter.kind is Parameter.VAR_KEYWORD
            else ""
        )
        texts.append(f"{star}{parameter.name}{'_' * iskeyword(parameter.name)}: {kind}{_default(parameter)}")
        if parameter.kind is Parameter.POSITIONAL_ONLY:
            texts = [*(text for text in texts if text != "/"), "/"]
    return texts


VARIADIC_TYPES = {
    "tensors": "Tensor | Sequence[Tensor]",
    "matrices": "Tensor",
    "operands": "Any",
    "shapes": SIZES,
    "counts": SIZES,
}


def _names_of_numpy(op: Op, named: bool) -> list[str]:
    if not takes_names_of_numpy(op):
        return []
    arguments = {argument.name: argument for argument in op.arguments}
    texts = []
    for numpy, own in (("axis", "dim"), ("keepdims", "keepdim")):
        if own in arguments and arguments[own].default is not NOTHING and op.documented_names.get(own) != numpy:
            texts.append(f"{numpy}: {parameter_type(op, arguments[own])} = ...")
    return texts if named or not texts else ["*", *texts]


def _with_out(parameter: str, result: str) -> str:
    kind = {"Tensor": "Tensor | None", "Any": "Any"}.get(result, "Sequence[Tensor] | None")
    return f"out: {kind} = None" if parameter.startswith("out: ") else parameter


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if value is Parameter.empty or value is NOTHING:
        return ""
    simple = type(value) in (bool, str, type(None)) or type(value) in (int, float) and abs(value) < float("inf")
    return f" = {value!r}" if simple else " = ..."


def results_module() -> str:
    """Returns the stub of `declarations/results.py`: the named tuples."""
    kinds = [var for var in vars(results).values() if isinstance(var, type) and hasattr(var, "_fields")]
    lines = ["def __getattr__(name: str) -> Any: ...", ""]
    for kind in sorted(kinds, key=lambda kind: kind.__name__):
        lines += [f"class {kind.__name__}(NamedTuple):", *(f"    {field}: Tensor" for field in kind._fields), ""]
    return "\n".join([HEAD.replace("from rushlight.declarations import results as _results\n", ""), *lines])
