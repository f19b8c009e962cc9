"""How operators compute with Taylor series: every rule follows from the rule of forward mode (`forward.rule_of`).

A series has the coefficients x_0 (the value), x_1, ..., x_n of x(s) = x_0 + x_1 s + ... + x_n s^n, each a tensor.

    constant slope      y_k = J x_k: linear operators, views, and those whose derivative reads nothing that moves
    products            y_k = the sum of op(a_i, b_(k-i)): `mul` and multilinear operators of two series
    quotients           y_k = (a_k - the sum of y_j b_(k-j) for j < k) / b_0
    any other           y' = J(x) x', computed with series of one order less; then y_k = (y')_(k-1) / k

The last one needs no line for an operator: J(x) x' are calls of operators on series. A coefficient of zero is None
wherever that is known.
"""

from __future__ import annotations

from typing import Any

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor, look_at, wrap
from rushlight.core.traced import TaylorArray
from rushlight.declarations.declare import DIFFERENTIABLE, OPS, asked_by
from rushlight.dispatch.planned import called
from rushlight.transforms.forward import FOLLOWED, fitted, of_linear, of_products, rule_of

# Operators without a derivative whose results do not depend on the numbers in their operands.
CONSTANT = ("dropout_mask", "kept_mask", "ones_at", "random_directions")
PRODUCTS = ("mul", "mm", "bmm", "mv", "dot", "linalg_cross")


class Operands:
    """The arguments of a call: their values, and the coefficients of those that move.

    `series` has None for an argument that does not move, and for a list of tensors a list of series.
    """

    def __init__(self, level, op, values: list):
        self.level, self.op, self.values = level, op, values
        self.primals = [primal_of(level, value) for value in values]
        self.series = [series_of(level, value) for value in values]
        lengths = [len(terms) for terms in all_series(self.series)]
        self.order = min(lengths, default=0)
        self.moving = [i for i, terms in enumerate(self.series) if terms is not None]

    def terms(self, k: int) -> list:
        """Returns the coefficient of order `k` of each argument, None for zero; for a list a list of them."""
        return [self._term(terms, k) for terms in self.series]

    def _term(self, terms, k: int):
        if type(terms) is not list:
            return None if terms is None else terms[k - 1]
        parts = [None if each is None else each[k - 1] for each in terms]
        return parts if any([part is not None for part in parts]) else None


def interpret(level, op, values: dict) -> Any:
    """Returns the array of the result of an operator, or a list of them."""
    op = OPS[op.name]  # the function of a method or an operator has fewer arguments
    operands = Operands(level, op, list(values.values()))
    result = called(op, operands.primals)
    one = isinstance(result, Tensor)
    results = (result,) if one else tuple(result)
    followed = [each for each in results if each._array.dtype.kind in FOLLOWED]
    if not operands.order or not followed:
        arrays = [TaylorArray(level, each) for each in results]
    else:
        check_rule(op)
        coefficients = coefficients_of(operands, results) if op.derivatives else []
        arrays = [
            made(level, each, [terms[place] for terms in coefficients]) if each._array.dtype.kind in FOLLOWED
            else TaylorArray(level, each)
            for place, each in enumerate(results)
        ]  # fmt: skip
    return arrays[0] if one else arrays


def check_rule(op) -> None:
    """Raises NotImplementedError for an operator of which no derivative is declared."""
    if not op.derivatives and op.kind == "op" and op.name not in CONSTANT:
        raise NotImplementedError(
            f"jet: {op.name} has no Taylor series, because no derivative of it is declared. Call it on x.detach(), or "
            "compute the same by operators that have a derivative."
        )


def made(level, value: Tensor, terms: list) -> TaylorArray:
    """Returns an array of the level, with coefficients in the shape and dtype of the value."""
    return TaylorArray(level, value, tuple([fitted(term, value) for term in terms]))


def coefficients_of(operands: Operands, results: tuple) -> list[tuple]:
    """Returns the coefficients of each order from 1, a tuple of one for each result."""
    op = operands.op
    if has_constant_slope(operands, results):
        return by_order(operands, results)
    if op.name in PRODUCTS:
        return of_two(operands, results)
    if op.name == "true_divide":
        return of_quotient(operands, results[0])
    return by_recursion(operands, results)


# ---- the arguments


def is_series(level, value) -> bool:
    return isinstance(value, Tensor) and type(value._array) is TaylorArray and value._array.level is level


def primal_of(level, value):
    """Returns an argument without its series."""
    if type(value) in (list, tuple):
        return type(value)([primal_of(level, each) for each in value])
    return value._array.value if is_series(level, value) else value


def series_of(level, value):
    """Returns the coefficients of an argument, or a list of those of a list; None if it does not move."""
    if type(value) in (list, tuple):
        parts = [series_of(level, each) for each in value]
        return parts if any([part is not None for part in parts]) else None
    return value._array.terms or None if is_series(level, value) else None


def all_series(series: list) -> list[tuple]:
    """Returns the series of all arguments and of the elements of lists."""
    collected: list = []
    for terms in series:
        if type(terms) is list:
            collected += all_series(terms)
        elif terms is not None:
            collected.append(terms)
    return collected


# ---- constant slope


def has_constant_slope(operands: Operands, results: tuple) -> bool:
    """Whether the derivative reads nothing that moves: no operand with a series, and no result."""
    op, positions = operands.op, operands.moving
    if op.kind == "linear" or (op.zero_second_derivative and len(positions) == 1):
        return True
    names = [op.arguments[place].name for place in positions]
    if op.kind == "multilinear":
        return sum([not op.arguments[place].role.endswith("None") for place in positions]) < 2
    moving = {*names, *moving_results(op, results)}
    return all([moving.isdisjoint(op.asks[name]) for name in names if name in op.derivatives])


def moving_results(op, results: tuple) -> list[str]:
    """Returns the names of the results that move with the operands."""
    if op.multi_output:
        return list(op.results)
    return [name for name, each in zip(op.results, results, strict=True) if each._array.dtype.kind in FOLLOWED]


def by_order(operands: Operands, results: tuple) -> list[tuple]:
    """Applies the derivative to the coefficients of each order by themselves."""
    op, collected = operands.op, []
    rule = of_linear if op.kind == "linear" else rule_of(op)
    for k in range(1, operands.order + 1):
        terms = operands.terms(k)
        moves = any([term is not None for term in terms])
        collected.append(rule(op, operands.primals, terms, results) if moves else (None,) * len(results))
    return collected


# ---- products and quotients


def of_two(operands: Operands, results: tuple) -> list[tuple]:
    """The rule of products of two series; an optional operand, such as a bias, is a term of its own."""
    op, arguments = operands.op, operands.op.arguments
    optional = [i for i, each in enumerate(arguments) if each.role.endswith("None") and each.role in DIFFERENTIABLE]
    first, second = [place for place in operands.moving if place not in optional]
    columns = [operands.primals, *[operands.terms(k) for k in range(1, operands.order + 1)]]
    collected = []
    for k in range(1, operands.order + 1):
        total = None
        for i in range(k + 1):
            a, b = columns[i][first], columns[k - i][second]
            if a is None or b is None:
                continue
            series = [None if place in optional else value for place, value in enumerate(operands.primals)]
            series[first], series[second] = a, b
            total = added(total, called(op, series))
        rest = [term if place in optional else None for place, term in enumerate(columns[k])]
        if any([term is not None for term in rest]):
            total = added(total, of_products(op, operands.primals, rest, results)[0])
        collected.append((total,))
    return collected


def added(total, term):
    """Returns a sum, in which None is zero."""
    return term if total is None else total if term is None else F.add(total, term)


def of_quotient(operands: Operands, result: Tensor) -> list[tuple]:
    """The rule of a quotient by a series, from result * other = input."""
    divisor = operands.primals[1]
    quotient: list = [result]
    for k in range(1, operands.order + 1):
        total, below = operands.terms(k)[0], None
        for j, each in enumerate(quotient):
            term = operands.terms(k - j)[1]
            if each is not None and term is not None:
                below = added(below, F.mul(each, term))
        if below is not None:
            total = F.neg(below) if total is None else F.sub(total, below)
        quotient.append(None if total is None else F.true_divide(total, divisor))
    return [(each,) for each in quotient[1:]]


# ---- any other operator


def by_recursion(operands: Operands, results: tuple) -> list[tuple]:
    """The slope along the series, computed with series of one order less, and its integral."""
    level, op, order = operands.level, operands.op, operands.order - 1
    values = [cut(level, value, order) for value in operands.values]
    speeds = [
        [None if t is None else speed(level, each, t, order) for each, t in zip(primal, series, strict=True)]
        if type(series) is list
        else None if series is None
        else speed(level, primal, series, order)
        for primal, series in zip(operands.primals, operands.series, strict=True)
    ]  # fmt: skip
    if order and reads_results(op, operands, results):
        lower = coefficients_of(Operands(level, op, values), results)
        results = tuple(
            [wrap(made(level, each, [terms[place] for terms in lower])) if each._array.dtype.kind in FOLLOWED else each
             for place, each in enumerate(results)]
        )  # fmt: skip
    derivatives = rule_of(op)(op, values, speeds, results)
    return list(zip(*[integrated(level, slope, order) for slope in derivatives], strict=True))


def reads_results(op, operands: Operands, results: tuple) -> bool:
    """Whether the rule of an operator reads results, so that their lower coefficients are needed."""
    if op.jvp is not None:
        asked = set(asked_by(op.jvp))
    else:
        asked = {each for i in operands.moving for each in op.asks.get(op.arguments[i].name, ())}
    return not asked.isdisjoint(moving_results(op, results))


def cut(level, value, order: int):
    """Returns an argument with the coefficients up to an order."""
    if type(value) in (list, tuple):
        return type(value)([cut(level, each, order) for each in value])
    if not is_series(level, value):
        return value
    array = value._array
    return wrap(TaylorArray(level, array.value, array.terms[:order])) if order and array.terms else array.value


def speed(level, primal: Tensor, terms: tuple, order: int) -> Tensor:
    """Returns the derivative of a series by its variable, up to an order."""
    first = F.zeros_of(primal) if terms[0] is None else terms[0]
    rest = [None if term is None else F.mul(term, k) for k, term in enumerate(terms[1 : order + 1], 2)]
    return wrap(TaylorArray(level, first, tuple(rest))) if order else first


def integrated(level, slope, order: int) -> list:
    """Returns the coefficients from order 1 of the series with a derivative."""
    if slope is None:
        return [None] * (order + 1)
    if not is_series(level, slope):
        return [slope, *[None] * order]
    array = slope._array
    terms = array.terms or (None,) * order
    return [array.value, *[None if term is None else F.true_divide(term, k) for k, term in enumerate(terms, 2)]]


# ---- writes


def write(level, tensor: Tensor, source: Tensor) -> None:
    """Writes the elements and the series of `source` to `tensor`, of which one is of the level."""
    value, terms = (source._array.value, source._array.terms) if is_series(level, source) else (source, ())
    own = is_series(level, tensor)
    if (terms or (own and tensor._array.terms)) and (
        not own or tensor._base is not None or tensor._generation is not None
    ):
        raise NotImplementedError(
            "jet: a Taylor series cannot be written to a view, to a tensor that has views, or to a tensor made outside "
            "of the function. Make the result of its parts instead, by torch.stack, torch.cat or torch.where."
        )
    if not own:
        tensor.copy_(value)
        return
    target = tensor._array.value
    target.copy_(value)
    copies = [None if term is None else F.clone(term) for term in terms]
    look_at(tensor, made(level, target, copies))
