"""Methods of Tensor: the code of a function, with the argument names of the method.

    torch.add(input, other, *, alpha=1, out=None)           Tensor.add(self, other, *, alpha=1)

A method is a function of its own: tracebacks, `help` and `__torch_function__` show the method's name. A call costs no
more, since only names in the code differ. Methods are made on first access, since most programs use only some of them.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from keyword import iskeyword
from types import CodeType, FunctionType, MethodType
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import CO_VARARGS, NOTHING, OPS, Op
from rushlight.dispatch.augmented import write_augmented
from rushlight.dispatch.general import reflected
from rushlight.dispatch.plan import entry

PACKAGE = __name__.partition(".")[0]
HIDDEN = "_out"  # methods take no `out=`
FORMER = "between"  # former PyTorch signatures took factors between the operands


LISTENERS: list[Callable[[FunctionType], None]] = []  # called with a method after it is made


class Operators:
    """Functions behind operators that are not methods in PyTorch: subclasses see `1 - x` as `Tensor.__rsub__`."""


class LaterMethod:
    """A descriptor that makes a method, and loads its lazy module, on first access; then replaces itself by it."""

    __slots__ = ("function", "methods", "name", "owner")

    def __init__(self, function: str, name: str, owner: type = Tensor):
        self.function, self.name, self.owner = function, name, owner
        self.methods: dict = {}  # the method by name, one for all threads

    def __get__(self, tensor, kind=None):
        method = self.methods.get(self.name) or self.methods.setdefault(self.name, self.make())
        if vars(self.owner).get(self.name) is self:
            setattr(self.owner, self.name, method)
        for listen in LISTENERS:
            listen(method)
        return method if tensor is None else MethodType(method, tensor)

    def make(self) -> FunctionType:
        return method_of(self.function, self.name, self.owner)


class LaterOperator(LaterMethod):
    """The same for `x += y`: the method `add_`, which as an operator leaves foreign operands to their own methods."""

    __slots__ = ()

    def make(self) -> FunctionType:
        result = calling_instead(getattr(Tensor, self.function), "write", write_augmented)
        result.__name__, result.__qualname__ = self.name, f"Tensor.{self.name}"
        return result


def method_of(name: str, called: str, owner: type = Tensor) -> FunctionType:
    """Returns a function of the language F as a method with another name; in-place functions too."""
    function = getattr(import_module(f"{PACKAGE}._generated.functions"), name)
    op = copy(OPS[name] if name in OPS else OPS[name.removesuffix("_")])
    op.called, op.bound = called, 1
    placed = f"METHOD_{called}"
    method = renamed(function, called, names_of_arguments(function, op), {f"OP_{op.name}": placed})
    make_positional(method, op.method_positional)
    vars(method).update(__signature__=signature_of(method), declaration=op)
    if name in OPS:
        op.function = method if owner is Tensor else getattr(Tensor, called)
    function.__globals__[placed] = op
    return method


def from_the_left(function: FunctionType) -> FunctionType:
    """Returns the function of an operator as the method of a right operand, which accepts other types."""
    return calling_instead(function, "operated", reflected)


def calling_instead(function: FunctionType, name: str, other: Any) -> FunctionType:
    """Returns a function that calls another one in place of the one that it calls by a name."""
    code = code_of(function)
    function.__globals__[other.__name__] = other
    names = tuple(other.__name__ if each == name else each for each in code.co_names)
    result = FunctionType(code.replace(co_names=names), function.__globals__, function.__name__, function.__defaults__)
    result.__kwdefaults__ = function.__kwdefaults__
    vars(result).update(vars(function))
    return result


def as_method(function: Any) -> FunctionType:
    """Returns a handwritten function as a method."""
    first, *rest = arguments_of(function)
    names = {first: "self", **{other: without_underscore(other) for other in rest}}
    method = renamed(function, function.__name__, {**names, "out": HIDDEN} if "out" in names else names, {})
    method.__annotations__ = {
        names.get(argument, argument): kind for argument, kind in function.__annotations__.items()
    }
    vars(method).update(__signature__=signature_of(method))
    return method


def without_underscore(name: str) -> str:
    """Returns `from` for `from_`: calls can pass it, `x.random_(**{"from": 2})`, but no `def` can declare it."""
    return name[:-1] if iskeyword(name[:-1]) else name


def arguments_of(function: FunctionType) -> tuple:
    """Returns the names of a function's arguments, without *args and **kwargs."""
    code = code_of(function)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def documented(op: Op, function: FunctionType) -> FunctionType:
    """Returns a function with the argument names that PyTorch documents."""
    result = renamed(function, op.name, {name: name for name in arguments_of(function)} | op.documented_names, {})
    result.__module__, result.__qualname__ = function.__module__, op.name
    vars(result).update(__signature__=Shown(result))
    return result


def code_of(function: FunctionType) -> CodeType:
    """Returns the code of a function, without observers."""
    return entry(function, "__code__")


@cache
def alias(function: FunctionType, called: str) -> FunctionType:
    """Returns a function under another name, which its error messages use."""
    name = function.__name__
    op = copy(OPS[name] if name in OPS else OPS[name.removesuffix("_")])
    op.called, placed = called, f"ALIAS_{called}"
    result = renamed(function, called, {arg: arg for arg in arguments_of(function)}, {f"OP_{op.name}": placed})
    result.__module__, result.__qualname__ = function.__module__, called
    vars(result).update(vars(function), declaration=op)
    op.function = result if name in OPS else op.function
    function.__globals__[placed] = op
    return result


def renamed(function: FunctionType, called: str, names: dict, globals_: dict) -> FunctionType:
    """Returns a function as a method, with other names for arguments and globals."""
    code = renamed_code(code_of(function), called, names, globals_)
    result = FunctionType(code, function.__globals__, called, function.__defaults__)
    result.__kwdefaults__ = {names[name]: value for name, value in (function.__kwdefaults__ or {}).items()} or None
    result.__doc__, result.__module__, result.__qualname__ = function.__doc__, PACKAGE, f"Tensor.{called}"
    return result


def make_positional(method: FunctionType, names: tuple) -> None:
    """Lets the first of the arguments that have to be named be given without."""
    for name in names:
        code, named = method.__code__, method.__kwdefaults__ or {}
        method.__code__ = code.replace(co_argcount=code.co_argcount + 1, co_kwonlyargcount=code.co_kwonlyargcount - 1)
        method.__defaults__ = (*(method.__defaults__ or ()), named.pop(name))


def names_of_arguments(function: FunctionType, op: Op) -> dict[str, str]:
    """The names of a function's arguments, each with the one that it has in the method."""
    own = {shown: name for name, shown in op.documented_names.items()}
    first, *rest = arguments_of(function)
    names = {first: "self", **{other: op.name_in_method(own.get(other, other)) for other in rest}}
    return {**names, "out": HIDDEN} if op.out and "out" in names else names


def renamed_code(code: CodeType, called: str, names: dict, globals_: dict) -> CodeType:
    """A function's code under another name, with other names for arguments and globals."""
    count = code.co_argcount + code.co_kwonlyargcount
    varnames = (*(names[varname] for varname in code.co_varnames[:count]), *code.co_varnames[count:])
    return code.replace(
        co_name=called,
        co_varnames=varnames,
        co_cellvars=tuple(names.get(cellvar, cellvar) for cellvar in code.co_cellvars),
        co_names=tuple(globals_.get(name, name) for name in code.co_names),
    )


class Shown(Signature):
    """The signature of a function, worked out when it is read: without what is there for other forms of its calls.

    `made` works out another one. `inspect.signature`, and with it `help` and completion, takes what a function has as
    `__signature__`.
    """

    __slots__ = ("_function", "_made")

    def __init__(self, function: FunctionType, made: Callable[[FunctionType], Signature] | None = None) -> None:
        self._function, self._made = function, made or signature_of

    def __getattr__(self, name: str) -> Any:
        if name not in Signature.__slots__:
            raise AttributeError(name)
        made = self._made(self._function)
        super().__init__(
            [*made.parameters.values()], return_annotation=made.return_annotation, __validate_parameters__=False
        )
        return getattr(self, name)

    def replace(self, **changes: Any) -> Signature:  # type: ignore[override]
        return self._made(self._function).replace(**changes)

    def __reduce__(self) -> tuple:
        return self._made, (self._function,)


def show_arguments(*functions: FunctionType) -> None:
    """Shows of functions only the arguments that PyTorch documents."""
    for function in functions:
        vars(function)["__signature__"] = Shown(function)


def signature_of(method: FunctionType) -> Signature:
    """The arguments that PyTorch documents: without NumPy's names for them, and without the orders of long ago."""
    code = code_of(method)
    names, defaults = arguments_of(method), dict(method.__kwdefaults__ or {})
    positional = names[: code.co_argcount]
    defaults |= zip(reversed(positional), reversed(method.__defaults__ or ()), strict=False)
    last = max((at for at, name in enumerate(positional) if iskeyword(name)), default=-1)
    parameters = [
        # A parameter named by a keyword, `from`, and those before it can only be positional.
        _parameter(name, Parameter.POSITIONAL_ONLY if at <= last else Parameter.POSITIONAL_OR_KEYWORD, defaults)
        for at, name in enumerate(positional)
    ]
    if code.co_flags & CO_VARARGS and code.co_varnames[len(names)] != FORMER:
        parameters.append(Parameter(code.co_varnames[len(names)], Parameter.VAR_POSITIONAL))
    named = [name for name in names[code.co_argcount :] if name != HIDDEN]
    parameters += [_parameter(name, Parameter.KEYWORD_ONLY, defaults) for name in named]
    return Signature(parameters, __validate_parameters__=False)


def _parameter(name: str, kind, defaults: dict) -> Parameter:
    default = defaults.get(name, NOTHING)
    return Parameter(name, kind, default=Parameter.empty if default is NOTHING else default)
