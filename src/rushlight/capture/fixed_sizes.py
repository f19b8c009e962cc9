"""Sizes that follow from those of the inputs of a run, although a draw comes before: reading them needs no check."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from types import BuiltinFunctionType, FunctionType
from typing import Any

from rushlight.capture.calls import A_TENSOR, Built, Call, Check, Constant, Run, Value, inside, number_of
from rushlight.capture.watched_code import DRAWING
from rushlight.core.origin import PACKAGE
from rushlight.declarations.declare import OPS

MAKING = ("filled", "random", "random_inplace", "ranges", "from_data")  # files of functions that make tensors
ARITHMETIC = frozenset("add sub mul truediv floordiv mod pow neg pos abs invert and_ or_ xor lt le eq ne gt ge".split())
OTHERS = frozenset(
    """
    clamp broadcast_tensors softmax log_softmax logsumexp stack cat matmul linear reshape flatten cumsum cumprod pad
    detach clone contiguous to type_as gather new_zeros new_ones new_full new_empty
    """.split()
)
TURNED = frozenset(("T", "mT", "H", "mH"))  # attributes of tensors
KINDS = ("elementwise", "linear", "multilinear")  # operators of which no result has a size that depends on elements


def without_checks_of_fixed(run: Run) -> list:
    """Returns the items of a run without the checks of sizes that are the same in each replay, and what they read."""
    fixed, kept = Fixed(run), []
    for item in run.items:
        if type(item) is Call:
            fixed.add(item)
        if type(item) is Check and item.meta is not None and number_of(item.value) in fixed.reads:
            continue
        kept.append(item)
    read = {number_of(each) for each in (*chain(*map(expressions_of, kept)), *inside(run.returned))}
    return [item for item in kept if type(item) is Check or item.number not in fixed.reads or item.number in read]


def expressions_of(item: Any) -> Iterable[Any]:
    """Returns what an item reads."""
    return inside(item.value) if type(item) is Check else item.expressions()


class Fixed:
    """The results whose sizes are the same in each replay, and the calls that read sizes of these, in order."""

    def __init__(self, run: Run):
        self.run = run
        self.results: set[int] = set()
        self.reads: set[int] = set()
        self.changed: set[Value] = set()  # inputs that calls may have changed

    def add(self, call: Call) -> None:
        """Notes a call."""
        is_fixed = all([self.has(each) for each in (*call.arguments, *call.keywords.values())])
        if call.meta:
            self.reads |= {call.number} if is_fixed else set()
        elif sizes_follow(call):
            self.results |= {call.number} if is_fixed else set()
        elif not call.pure:
            for each in call.expressions():
                self.results.discard(number_of(each))
                self.changed |= {each} if type(each) is Value else set()

    def has(self, expression: Any) -> bool:
        """Whether an expression is a constant, a tensor that a guard fixes, or one of the results."""
        if type(expression) is Built:
            return all(map(self.has, expression.items))
        if (number := number_of(expression)) is not None:
            return number in self.results
        if type(expression) is Value:
            return self.run.kind_of(expression) is A_TENSOR and expression not in self.changed
        return type(expression) is Constant


def sizes_follow(call: Call) -> bool:
    """Whether the sizes of a result follow from those of the arguments: of draws, new tensors and some operators."""
    function, name = call.function, getattr(call.function, "__name__", "")
    if function is getattr:
        return type(call.arguments[1]) is Constant and call.arguments[1].value in TURNED
    if type(function) is BuiltinFunctionType:
        return function.__module__ == "_operator" and name in ARITHMETIC
    if type(function) is not FunctionType:
        return False
    op = OPS.get(name.removeprefix("operator_"))
    follows = name in OTHERS or (op is not None and op.kind in KINDS)
    makes = is_made_in(call, *MAKING) or function.__code__.co_filename.endswith(DRAWING)
    return makes or (call.pure and follows)


def is_made_in(call: Call, *names: str) -> bool:
    """Whether the function of a call is in a file with one of these names, of those that make tensors."""
    code = getattr(getattr(call.function, "__wrapped__", call.function), "__code__", None)
    return code is not None and code.co_filename in [f"{PACKAGE}create/{name}.py" for name in names]
