"""Methods of Tensor: the code of a function, under the names that its arguments have in a method.

    torch.add(input, other, *, alpha=1, out=None)           Tensor.add(self, other, *, alpha=1)

A method is a function of its own, which tracebacks, `help` and `__torch_function__` tell from the other, and it costs no
call more: the code is the same but for names. It is made when it is first looked up, for few programs use many.
"""

from __future__ import annotations

from copy import copy
from importlib import import_module
from inspect import Parameter, Signature
from types import CodeType, FunctionType, MethodType

from rushlight.core.tensor import Tensor
from rushlight.ops.declare import NOTHING, OPS, Op

PACKAGE = __name__.partition(".")[0]
HIDDEN = "_out"  # methods take no `out=`


class Operators:
    """What operators run that are no methods in PyTorch: `1 - x` is seen by subclasses as `Tensor.__rsub__`."""


class LaterMethod:
    """A method that is made, and whose family is loaded, when it is first looked up; an ordinary one from then on."""

    __slots__ = ("function", "names", "owner", "made")

    def __init__(self, function: str, *names: str, owner: type = Tensor):
        self.function, self.names, self.owner = function, names, owner
        self.made: dict = {}

    def __get__(self, tensor, kind=None):
        method = self.made.get(None) or self.made.setdefault(None, method_of(self.function, self.names[0], self.owner))
        for name in self.names:
            if vars(self.owner).get(name) is self:
                setattr(self.owner, name, method)
        return method if tensor is None else MethodType(method, tensor)


def method_of(name: str, called: str, owner: type = Tensor) -> FunctionType:
    """The method that a function of the language F is under a name; in-place functions too."""
    function = getattr(import_module(f"{PACKAGE}._generated.functions"), name)
    op = copy(OPS[name] if name in OPS else OPS[name.removesuffix("_")])
    op.called, op.bound = called, 1
    given = names_of_arguments(function.__code__, op)
    placed = f"METHOD_{called}"
    method = FunctionType(
        renamed_code(function.__code__, called, given, {f"OP_{op.name}": placed}),
        function.__globals__,
        called,
        function.__defaults__,
    )
    method.__kwdefaults__ = {given[each]: value for each, value in (function.__kwdefaults__ or {}).items()} or None
    method.__doc__, method.__module__, method.__qualname__ = function.__doc__, PACKAGE, f"Tensor.{called}"
    vars(method).update(__signature__=signature_of(method, op), declaration=op)
    if name in OPS:
        op.function = method if owner is Tensor else getattr(Tensor, called)
    function.__globals__[placed] = op
    return method


def names_of_arguments(code: CodeType, op: Op) -> dict[str, str]:
    """The names of a function's arguments, each with the one that it has in the method."""
    first, *others = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = {first: "self", **{each: op.method_names.get(each, each) for each in others}}
    return {**found, "out": HIDDEN} if op.out and "out" in found else found


def renamed_code(code: CodeType, called: str, given: dict, globals_: dict) -> CodeType:
    """A function's code under another name, with other names for arguments and globals."""
    count = code.co_argcount + code.co_kwonlyargcount
    names = (*(given[each] for each in code.co_varnames[:count]), *code.co_varnames[count:])
    return code.replace(
        co_name=called,
        co_varnames=names,
        co_cellvars=tuple(given.get(each, each) for each in code.co_cellvars),
        co_names=tuple(globals_.get(each, each) for each in code.co_names),
    )


def signature_of(method: FunctionType, op: Op) -> Signature:
    """The arguments that PyTorch documents: without NumPy's names for them, and without the orders of long ago."""
    code, kinds = method.__code__, {}
    for position, name in enumerate(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]):
        kinds[name] = Parameter.POSITIONAL_OR_KEYWORD if position < code.co_argcount else Parameter.KEYWORD_ONLY
    kinds.pop(HIDDEN, None)
    defaults = dict(zip(reversed(list(kinds)[: code.co_argcount]), reversed(method.__defaults__ or ()), strict=False))
    defaults |= method.__kwdefaults__ or {}
    found = [Parameter(name, kind, default=_default(defaults, name)) for name, kind in kinds.items()]
    variadic = [each.name for each in op.arguments if each.role == "variadic"]
    found[code.co_argcount : code.co_argcount] = [Parameter(each, Parameter.VAR_POSITIONAL) for each in variadic]
    return Signature(found, __validate_parameters__=False)


def _default(defaults: dict, name: str):
    found = defaults.get(name, NOTHING)
    return Parameter.empty if found is NOTHING else found
