"""reshape or view instead of a transpose."""

from __future__ import annotations

import ast
import weakref
from typing import NamedTuple

from rushlight.core.graph import node_of
from rushlight.core.history import edge_of
from rushlight.core.origin import Place, here
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import statement_at
from rushlight.explain.watch.aliases import array_of
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import saved_arrays
from rushlight.explain.watch.program_lines import called_by_program
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap

RESHAPING = ("reshape", "view")
REMEMBERED = 64


class Reshaped(NamedTuple):
    """A tensor whose sizes were swapped while its elements kept their order."""

    place: Place
    before: tuple
    after: tuple
    memory: weakref.ref  # of the result
    node: weakref.ref | None  # node of the reshape, if recorded


class ReshapePermutes(Trap):
    """reshape() and view() keep the elements in order and divide them into other rows; permute() swaps dimensions.

    (batch, time, features) reshaped to (batch, features, time) has the right shape, and every row of it is a mixture.
    """

    kind = "reshape_permutes"
    failing = """
import torch

model = torch.nn.Conv1d(3, 4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(8, 10, 3)
for step in range(3):
    loss = model(x.reshape(8, 3, 10)).pow(2).mean()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("x.reshape(8, 3, 10)", "x.permute(0, 2, 1)").replace("  # <- here", "")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.seen: list[Reshaped] = []
        self.places: set[Place] = set()  # lines that are remembered

    def tap(self, taps: Taps) -> None:
        for name in RESHAPING:
            taps.operator(name, self._around)

    def _around(self, reshape):
        def reshaping(*arguments, **keywords):
            result = reshape(*arguments, **keywords)
            if isinstance(result, Tensor) and arguments and isinstance(arguments[0], Tensor):
                before, after = arguments[0]._array.shape, result._array.shape
                if before != after and len(before) == len(after) and is_exchange(before, after):
                    self._note(before, after, result)
            return result

        return dressed(reshaping, reshape)

    def _note(self, before: tuple, after: tuple, result: Tensor) -> None:
        array = array_of(result)
        if array is None or not called_by_program():
            return
        place = here()
        node = weakref.ref(node_of(edge_of(result))) if result.requires_grad else None
        if place not in self.places and len(self.seen) < REMEMBERED:
            self.places.add(place)
            self.seen.append(Reshaped(place, before, after, weakref.ref(owner(array)), node))

    def before_backward(self, graph: Pass) -> None:
        """Reports only tensors that a loss depends on."""
        if not self.seen or not graph.is_read:
            return
        nodes = set(graph.nodes)
        memories = {id(owner(array)) for node in nodes for _, array in saved_arrays(node)}
        for entry in self.seen:
            memory, node = entry.memory(), entry.node() if entry.node is not None else None
            if (node is not None and node in nodes) or (entry.node is None and id(memory) in memories):
                self._tell(entry)
        self.seen, self.places = [], set()

    def _tell(self, entry: Reshaped) -> None:
        order = order_of(entry.before, entry.after)
        text = (
            f"{call_in(entry.place) or 'reshape()'} does not swap dimensions. It keeps the numbers in their order and "
            f"only cuts them into other rows, here of shape {entry.before} into {entry.after}: each row of the result "
            "mixes numbers of several rows."
        )
        self.report(entry.place, text, permuted(entry.place, order) or f"permute{order}.")


def is_exchange(before: tuple, after: tuple) -> bool:
    """Whether two shapes have the same sizes in another order, ignoring sizes of 1."""
    first, second = [x for x in before if x != 1], [x for x in after if x != 1]
    return first != second and sorted(first) == sorted(second)


def order_of(before: tuple, after: tuple) -> tuple:
    """Returns the permutation from one shape to another; equal sizes keep their order."""
    free = list(range(len(before)))
    return tuple(free.pop(next(place for place, dim in enumerate(free) if before[dim] == size)) for size in after)


def call_in(place: Place) -> str | None:
    call = reshape_in(statement_at(place.code, place.line))
    return None if call is None else f"{call.func.attr}()"  # type: ignore[attr-defined]


def reshape_in(statement: ast.AST | None) -> ast.Call | None:
    for node in ast.walk(statement or ast.Pass()):
        match node:
            case ast.Call(func=ast.Attribute(attr="reshape" | "view")):
                return node
    return None


def permuted(place: Place, order: tuple) -> str | None:
    """Returns the statement of a line with permute instead of its reshape."""
    statement = statement_at(place.code, place.line)
    changed = None if statement is None else ast.parse(ast.unparse(statement)).body[0]
    call = reshape_in(changed)
    if changed is None or call is None:
        return None
    of_torch = isinstance(call.func.value, ast.Name) and call.func.value.id == "torch"  # type: ignore[attr-defined]
    first = call.args[:1] if of_torch else []
    numbers: list[ast.expr] = [ast.Constant(x) for x in order]
    call.func.attr = "permute"  # type: ignore[attr-defined]
    call.args, call.keywords = [*first, *([ast.Tuple(numbers, ast.Load())] if of_torch else numbers)], []
    return ast.unparse(ast.fix_missing_locations(changed))
