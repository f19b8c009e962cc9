"""What a small program is made of: nests over elements, reductions, products; and their formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rushlight.graph.small_memory import Unsupported, View
from rushlight.lower.emit import reached
from rushlight.lower.ir import BIT, FLOATS, I64, Trace, Value, cast
from rushlight.lower.ir import Untraceable as NoFormula

SHORT = 8  # steps; longer formulas are functions


class Formula:
    """A scalar function of operands: an expression over `operands`, which `symbol` names if it is long."""

    __slots__ = ("operands", "result", "symbol")

    def __init__(self, operands: Sequence[Value], result: Value, number: int):
        self.operands, self.result = operands, result
        steps = reached([result])
        is_long = len(steps) - len(operands) > SHORT or any([value.op in ("rarely", "call") for value in steps])
        self.symbol = f"f{number}" if is_long else ""

    def of(self, trace: Trace, values: Sequence[Value]) -> Value:
        """Returns the formula of other expressions, in their trace."""
        if self.symbol:
            return trace.value("function", self.result.type, *values, literal=self.symbol)
        known = dict(zip(self.operands, values, strict=True))
        for value in in_order_of_need(self.result):
            if value not in known:
                args = [known[each] for each in value.args]
                known[value] = trace.value(value.op, value.type, *args, literal=value.literal)
        return known[self.result]


def in_order_of_need(result: Value) -> list[Value]:
    """Returns an expression and all that it depends on, operands first."""
    return sorted(reached([result]), key=lambda value: value.number)


class Formulas:
    """The formulas of a program: each is traced once."""

    def __init__(self):
        self.known: dict[tuple, Formula | None] = {}

    def formula(self, key: tuple, types: Sequence[str], type: str, make: Callable[[list[Value]], Value]) -> Formula:
        """Returns the formula `make` of operands of some types, with a result of `type`; `key` says which it is."""
        key = (*key, *types, type)
        if key not in self.known:
            self.known[key] = self._made(types, type, make)
        formula = self.known[key]
        if formula is None:
            raise Unsupported(f"no formula for {key[0]}")
        return formula

    def _made(self, types: Sequence[str], type: str, make: Callable[[list[Value]], Value]) -> Formula | None:
        trace = Trace()
        operands = [trace.operand(number, each) for number, each in enumerate(types)]
        try:
            result = make(operands)
            result = trace.constant(result, type) if not isinstance(result, Value) else cast(result, type)
        except NoFormula:
            return None
        if result.type not in (*FLOATS, BIT, I64):
            return None
        return Formula(operands, result, len(self.known))


class Pointwise(NamedTuple):
    """Each element of `target` is the formula of the elements of `sources`, views of its shape."""

    formula: Formula
    sources: tuple[View, ...]
    target: View

    def reads(self) -> tuple[View, ...]:
        return self.sources

    def work(self) -> int:
        """Returns how many elements are computed."""
        return self.target.elements


class Reduction(NamedTuple):
    """Each element of `target` is the sum or the largest of those of `source` along its last dimensions.

    `kept` is the number of dimensions before them, which are those of `target`.
    """

    how: str
    source: View
    kept: int
    target: View

    def reads(self) -> tuple[View, ...]:
        return (self.source,)

    def work(self) -> int:
        """Returns how many elements are added up, or compared."""
        return self.source.elements


class Product(NamedTuple):
    """`target` (M, N) is the product of `left` (M, K) and `right` (K, N)."""

    left: View
    right: View
    target: View

    def reads(self) -> tuple[View, ...]:
        return self.left, self.right

    def work(self) -> int:
        """Returns how many multiplications there are."""
        return self.target.elements * self.left.shape[1]


Nest = Pointwise | Reduction | Product
