"""Traces a model: records every operator call."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.errors import noted
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.nn.modules.module import Module


@dataclass(frozen=True)
class Name:
    """A variable of the exported function: an input, or the result of an earlier call."""

    text: str


class Call(NamedTuple):
    """One call of an operator."""

    op: str
    arguments: tuple  # in declared order with defaults; variables are `Name`s, constants are tensors
    results: tuple[Name, ...]
    place: Place  # line of the program


class Trace(NamedTuple):
    """The trace of one run."""

    inputs: tuple[Name, ...]
    calls: list[Call]
    results: Any  # the model's return value with `Name`s instead of tensors
    values: Any  # the same with tensors


class Tape:
    """Records the calls of a run."""

    def __init__(self):
        self.calls: list[Call] = []
        self.count = 0

    def named(self, tensor: Tensor, text: str = "") -> Tensor:
        """Returns the tensor as a variable, with a new name unless given."""
        traced = tensor if isinstance(tensor, Traced) else tensor.as_subclass(Traced)
        traced.tape, traced.variable = self, Name(text or f"x{self.count + 1}")
        self.count += not text
        return traced

    def note(self, function, arguments: tuple, keywords: dict, result):
        """Records a call and names its results; an in-place write gets a new name."""
        args = as_names(bound(function, arguments, keywords))
        results = [self.named(x) for x in flat([result]) if isinstance(x, Traced)]
        op = function.__name__.removeprefix("operator_")
        if op == "squeeze" and result.shape == arguments[0].shape:
            op = "alias"  # nothing to squeeze, which NumPy refuses
        self.calls.append(Call(op, args, tuple(result.variable for result in results), here()))
        return result


class Traced(Tensor):
    """A tensor whose operator calls are recorded."""

    tape: Tape | None = None
    variable: Name | None = None  # None if it was made in an unknown way

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        result = super().__torch_function__(func, types, args, kwargs or {})
        if not any(isinstance(x, Traced) for x in flat([result])):
            return result
        seen = (getattr(x, "tape", None) for x in flat([*args, *(kwargs or {}).values()]))
        tape = next((x for x in seen if x is not None), None)
        return result if tape is None else tape.note(func, args, kwargs or {}, result)

    @staticmethod
    def _looks_inside(op) -> bool:
        """Whether a composite is traced into: all but methods, which have NumPy forms."""
        return not op.method

    def __iter__(self):
        return iter(self.unbind(0))


def looks(name: str):
    """Returns a method that raises: a program that reads values would always take the same branch in the file."""

    def refused(self, *arguments, **keywords):
        raise noted(
            TypeError(f"export(): the model looks at the numbers of a tensor, by {name}, at {here()}"),
            "The exported file would take the same branch for every input. Use torch.where().",
        )

    return refused


for _name in "item tolist numpy __bool__ __float__ __int__ __index__ __array__".split():
    setattr(Traced, _name, looks(_name))


def flat(values: Iterable) -> Iterator:
    """Yields the items of nested lists, tuples and dicts."""
    for value in values:
        if isinstance(value, tuple | list):
            yield from flat(value)
        elif isinstance(value, dict):
            yield from flat(value.values())
        else:
            yield value


OF_THE_CALL = frozenset(("out", "old", "named"))  # arguments that do not belong to the operator


def bound(function, arguments: tuple, keywords: dict) -> tuple:
    """Returns the arguments of a call in order, with defaults; variadic sizes are joined to one."""
    signature = inspect.signature(function).bind(*arguments, **keywords)
    signature.apply_defaults()
    kinds = signature.signature.parameters
    values = []
    for name, value in signature.arguments.items():
        if name in OF_THE_CALL:
            continue
        variadic = kinds[name].kind is inspect.Parameter.VAR_POSITIONAL
        values.append(value[0] if variadic and len(value) == 1 and isinstance(value[0], tuple | list) else value)
    return tuple(values)


def as_names(value):
    """Replaces traced tensors by their variable names."""
    if isinstance(value, Traced):
        if value.variable is None:
            raise NotImplementedError(f"export(): something before {here()} makes a tensor in a way that is not seen")
        return value.variable
    if isinstance(value, dict):
        return {key: as_names(value) for key, value in value.items()}
    if isinstance(value, tuple | list):
        return (list if isinstance(value, list) else tuple)(map(as_names, value))
    return value


def trace(model: Module, inputs: tuple[Tensor, ...]) -> Trace:
    """Runs a model in evaluation mode and records its calls."""
    names = tuple(Name("x" if len(inputs) == 1 else f"input{number}") for number in range(1, len(inputs) + 1))
    modes = [(module, module.training) for module in model.modules()]
    tape = Tape()
    try:
        with no_grad():
            returned = model.eval()(
                *(tape.named(input_.detach(), name.text) for input_, name in zip(inputs, names, strict=True))
            )
    finally:
        for module_, training in modes:
            module_.training = training
    return Trace(names, tape.calls, as_names(returned), returned)
