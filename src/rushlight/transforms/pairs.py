"""Pairs of a raw array and its tangent, and the language in which backward functions compute with them.

A backward function of an elementwise operator computes with the gradient and the saved values by operators, and by
functions of its language F. On pairs these are functions of arrays: one for the value, and the derivative for the
tangent, by the backward function of what was called. An array may have the batch of a `vmap` in front.
"""

from __future__ import annotations

from typing import Any

from numpy import ndarray

import rushlight._generated.functions as F
from rushlight.core.tables import raw
from rushlight.declarations.declare import NOTHING, OPS
from rushlight.dispatch.recording import raw_of
from rushlight.transforms.forward_elements import parameters_of, sum_of
from rushlight.transforms.forward_formulas import recipe_of


class NotTaken(Exception):
    """Raised by a call that the language does not have: operators on tensors compute it."""


class Pair:
    """A raw array that moves, and its tangent."""

    __slots__ = ("primal", "tangent")
    __array_ufunc__ = None  # an array on the left leaves the operator to the pair

    def __init__(self, primal: ndarray, tangent: ndarray):
        self.primal, self.tangent = primal, tangent

    dtype = property(lambda self: self.primal.dtype)

    def __getattr__(self, name: str) -> Any:
        raise NotTaken(name)

    def __mul__(self, other):
        if type(other) is Pair:
            tangent = self.tangent * other.primal + other.tangent * self.primal
            return Pair(self.primal * other.primal, tangent)
        return Pair(self.primal * other, self.tangent * other)

    __rmul__ = __mul__

    def __neg__(self):
        return Pair(-self.primal, -self.tangent)

    def __add__(self, other):
        return PAIRS.add(self, other)

    def __radd__(self, other):
        return PAIRS.add(other, self)

    def __sub__(self, other):
        return PAIRS.sub(self, other)

    def __rsub__(self, other):
        return PAIRS.sub(other, self)

    def __truediv__(self, other):
        return PAIRS.true_divide(self, other)

    def __rtruediv__(self, other):
        return PAIRS.true_divide(other, self)

    def __pow__(self, other):
        return PAIRS.pow(self, other)

    def __rpow__(self, other):
        return PAIRS.pow(other, self)

    def __lt__(self, other):
        return self.primal < primal_of(other)

    def __le__(self, other):
        return self.primal <= primal_of(other)

    def __gt__(self, other):
        return self.primal > primal_of(other)

    def __ge__(self, other):
        return self.primal >= primal_of(other)

    def __eq__(self, other):
        return self.primal == primal_of(other)

    def __ne__(self, other):
        return self.primal != primal_of(other)

    __hash__ = None  # type: ignore[assignment]


def primal_of(value: Any) -> Any:
    return value.primal if type(value) is Pair else value


class Pairs:
    """The language: operators by name, made on first use."""

    def __init__(self) -> None:
        self.numbers = raw.numbers

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # inspect and copy ask for such names
            raise AttributeError(name)
        is_there = hasattr(F, name)  # loads the operator, whose nodes have the derivatives
        op = OPS.get(name) if is_there else None
        if op is None or not (op.composite or (op.kind == "elementwise" and len(op.results) == 1)):
            raise NotTaken(name)
        made = composite(op) if op.composite else elementwise(op)
        setattr(self, name, made)
        return made


PAIRS = Pairs()


def composite(op) -> Any:
    """Returns a composite operator on pairs: its function, with this language."""

    def call(*arguments: Any, **named: Any) -> Any:
        return op.forward(PAIRS, *arguments, **named)

    return call


def elementwise(op) -> Any:
    """Returns an elementwise operator on pairs."""
    defaults = [argument.default for argument in op.arguments]
    plain = getattr(raw, op.name)

    def call(*arguments: Any) -> Any:
        primals = [primal_of(each) for each in arguments]
        result = plain(*primals)
        rest = defaults[len(primals) :]
        if NOTHING in rest:
            raise NotTaken(op.name)
        primals += rest
        tangents = [each.tangent if type(each) is Pair else None for each in arguments] + [None] * len(rest)
        if not op.derivatives or not any([each is not None for each in tangents]):
            return result
        tangent = tangent_of(op, primals, tangents, result)
        return result if tangent is None else Pair(result, tangent)

    return call


def tangent_of(op, primals: list, tangents: list, result) -> Any:
    """Returns the tangent of a result; None if it is zero."""
    recipe = recipe_of(op, op.select_node(*primals))
    if any([look is not raw_of for look, _ in recipe.parameters]):
        raise NotTaken(op.name)
    values = (*primals, result)
    node = parameters_of(recipe, primals)
    return sum_of(recipe, node, [values[i] for i in recipe.saved], [tangents[i] for i in recipe.operands])
