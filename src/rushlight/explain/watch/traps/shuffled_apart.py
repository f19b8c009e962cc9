"""Inputs and targets that were shuffled by two permutations."""

from __future__ import annotations

import ast
import weakref

from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Node, node_of
from rushlight.core.history import edge_of
from rushlight.core.origin import Place
from rushlight.core.tensor import Tensor
from rushlight.explain.reading import statement_at
from rushlight.explain.watch.orders import Order, Orders
from rushlight.explain.watch.passes import Pass
from rushlight.explain.watch.patterns import saved_arrays
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap

DIFFERENCES = ("__sub__", "__rsub__", "sub")


class ShuffledApart(Trap):
    """Two calls of randperm() or shuffle() give two orders. Each input then has the target of another sample.

    The loss falls to that of a guess, and the model has nothing to learn. One permutation has to serve both.
    """

    kind = "shuffled_apart"
    failing = """
import torch

x = torch.randn(64, 2)
y = x.sum(1, keepdim=True)
x = x[torch.randperm(64)]
y = y[torch.randperm(64)]  # <- here
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("x = x[torch.randperm(64)]", "order = torch.randperm(64)\nx = x[order]").replace(
        "y[torch.randperm(64)]  # <- here", "y[order]"
    )

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.orders = Orders()
        self.differences: weakref.WeakKeyDictionary[Node, Order] = weakref.WeakKeyDictionary()  # from ordered targets

    def tap(self, taps: Taps) -> None:
        self.orders.tap(taps)
        for name in DIFFERENCES:
            taps.operator(name, self._around_difference)

    def _around_difference(self, subtract):
        def difference(*arguments, **keywords):
            found = subtract(*arguments, **keywords)
            if self.orders.memories and isinstance(found, Tensor) and found.requires_grad:
                plain = [each for each in arguments if isinstance(each, Tensor) and not each.requires_grad]
                order = self.orders.of(plain[0]) if len(plain) == 1 else None
                if order is not None:
                    self.differences[node_of(edge_of(found))] = order
            return found

        return dressed(difference, subtract)

    def before_backward(self, graph: Pass) -> None:
        if not self.orders.memories or not graph.is_read:
            return
        for node in graph.nodes:
            target = self._target_of(node)
            if target is not None:
                before = newest_first([node_of(each) for each in node.edges if each is not None])
                inputs = [order for each in before for order in self._orders_in(each)]
                if inputs and all(differ(each, target) for each in inputs):
                    self._tell(inputs[0], target)

    def _target_of(self, node: Node) -> Order | None:
        """The order of the targets that a step of a loss compares with."""
        if node in self.differences:
            return self.differences[node]
        return next((order for name, array in saved_arrays(node) if name == "target" and
                     (order := self.orders.of(array)) is not None), None)  # fmt: skip

    def _orders_in(self, node: Node) -> list[Order]:
        found = (self.orders.of(array) for _, array in saved_arrays(node))
        return [each for each in found if each is not None]

    def _tell(self, inputs: Order, target: Order) -> None:
        place = target.place if target.place.line >= inputs.place.line else inputs.place
        other = inputs.place if place is target.place else target.place
        text = (
            f"The inputs and the targets of this loss come in two orders: one from line {other.line} "
            f"(`{other.text}`), one from this line. Each input has the target of another sample."
        )
        self.report(place, text, in_one_order(other, place, target.how))


def differ(first: Order, second: Order) -> bool:
    """Whether two orders of the same rows differ, each made in as many steps."""
    return first.rows == second.rows and len(first.by) == len(second.by) and first.by != second.by


def in_one_order(first: Place, second: Place, how: str) -> str:
    """What to write so that one permutation serves two lines."""
    if how == "loader":
        return "one loader of pairs: DataLoader(TensorDataset(inputs, targets), shuffle=True)"
    if how == "shuffle":
        names = [ast.unparse(call.args[0]) for each in (first, second) for call in shuffles_in(each)]
        if len(names) == 2:
            a, b = names
            return f"order = np.random.permutation(len({a})); {a}, {b} = {a}[order], {b}[order]"
        return "one permutation for both."
    indices = [index_in(each) for each in (first, second)]
    if isinstance(indices[0], ast.Name):
        return with_index(second, indices[1], indices[0].id)
    if indices[0] is None or indices[1] is None:
        return "one permutation for both: order = torch.randperm(len(inputs))"
    lines = [with_index(each, index, "order") for each, index in zip((first, second), indices, strict=True)]
    return "; ".join([f"order = {ast.unparse(indices[0])}", *lines])


def shuffles_in(place: Place) -> list[ast.Call]:
    statement = statement_at(place.code, place.line)
    calls = [each for each in ast.walk(statement or ast.Pass()) if isinstance(each, ast.Call)]
    return [each for each in calls if ast.unparse(each.func).endswith("shuffle") and each.args]


def index_in(place: Place) -> ast.expr | None:
    """The index by which a line shuffles: `p` of `y = y[p]`."""
    statement = statement_at(place.code, place.line)
    found = [each for each in ast.walk(statement or ast.Pass()) if isinstance(each, ast.Subscript)]
    return found[0].slice if found else None


def with_index(place: Place, old: ast.expr | None, new: str) -> str:
    """The statement of a line with another index."""
    statement = statement_at(place.code, place.line)
    if statement is None or old is None:
        return place.text
    changed = ast.parse(ast.unparse(statement)).body[0]
    for each in ast.walk(changed):
        if isinstance(each, ast.Subscript) and ast.unparse(each.slice) == ast.unparse(old):
            each.slice = ast.Name(new, ast.Load())
    return ast.unparse(changed)
