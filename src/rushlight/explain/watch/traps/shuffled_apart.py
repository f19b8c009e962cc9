"""Inputs and targets shuffled by two permutations."""

from __future__ import annotations

import ast
import re
import weakref
from collections.abc import Iterator
from typing import NamedTuple, TypeGuard

import numpy as np

from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Node, node_of
from rushlight.core.history import edge_of
from rushlight.core.origin import Place
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import statement_at, statements_in
from rushlight.explain.watch.aliases import array_of
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import saved_arrays
from rushlight.explain.watch.program_lines import Line
from rushlight.explain.watch.row_orders import Order, Orders
from rushlight.explain.watch.source import variables
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap

SEEDING = ("seed", "default_rng", "RandomState", "Random(", "set_state", "setstate")
OF_MODULES = ("random", "np.random", "numpy.random")  # whose shuffles of arrays are observed at run time
TARGETS = re.compile(r"(?i)(ys?|targets?|labels?|t)(_|\d|$)|.*_(y|targets?|labels?)$")
NEAR = 3  # maximum distance in lines of related statements
ONE_ORDER = "order = torch.randperm(len(inputs)); inputs, targets = inputs[order], targets[order]"
ONE_LOADER = "one loader of pairs: DataLoader(TensorDataset(inputs, targets), shuffle=True)"
DIFFERENCES = ("__sub__", "__rsub__", "sub")


class ShuffledApart(Trap):
    """Two calls of randperm() or shuffle() give two orders, so each input has the target of another sample.

    The loss falls to that of a guess, and the model has nothing to learn. Both need the same permutation.
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
        self.plain: weakref.WeakKeyDictionary[Node, object] = weakref.WeakKeyDictionary()  # of unordered targets
        self.fixed: dict[int, tuple[weakref.ref, Order]] = {}  # such targets, with the order of their inputs
        self.differences: weakref.WeakKeyDictionary[Node, Order] = weakref.WeakKeyDictionary()  # of ordered targets

    def tap(self, taps: Taps) -> None:
        self.orders.tap(taps)
        for name in DIFFERENCES:
            taps.operator(name, self._around_difference)

    def _around_difference(self, subtract):
        def difference(*arguments, **keywords):
            result = subtract(*arguments, **keywords)
            if self.orders.memories and isinstance(result, Tensor) and result.requires_grad:
                plain = [
                    argument for argument in arguments if isinstance(argument, Tensor) and not argument.requires_grad
                ]
                order = self.orders.of(plain[0]) if len(plain) == 1 else None
                if order is not None:
                    self.differences[node_of(edge_of(result))] = order
                elif len(plain) == 1 and (array := array_of(plain[0])) is not None:
                    self.plain[node_of(edge_of(result))] = array
            return result

        return dressed(difference, subtract)

    def before_backward(self, graph: Pass) -> None:
        if graph.number == 1:
            self._read(graph.place)
        if not self.orders.memories or not graph.is_read:
            return
        for node in graph.nodes:
            target, fixed = self._target_of(node), self._fixed_target_of(node)
            if target is not None or fixed is not None:
                before = newest_first([node_of(edge) for edge in node.edges if edge is not None])
                inputs = [order for x in before for order in self._orders_in(x)]
                if target is not None and inputs and all(differ(input_, target) for input_ in inputs):
                    self._tell(inputs[0], target)
                elif target is None and fixed is not None and len(inputs) == 1:
                    self._look_at_fixed(inputs[0], fixed)

    def _fixed_target_of(self, node: Node):
        """Returns the target array of a step of a loss, if it has no known order."""
        return self.plain.get(node, dict(saved_arrays(node)).get("target"))

    def _look_at_fixed(self, inputs: Order, target) -> None:
        """Reports targets that stay fixed while the inputs are shuffled again."""
        if target.shape[:1] != (inputs.rows,) or (target == target.reshape(-1)[0]).all():
            return
        memory = owner(target)
        reference, before = self.fixed.get(id(memory), (lambda: None, inputs))
        self.fixed[id(memory)] = weakref.ref(memory), inputs
        if reference() is memory and differ(before, inputs):
            text = (
                "The inputs come in another order in every step, and the targets stay in theirs: each input has the "
                "target of another sample."
            )
            index = index_in(inputs.place)
            advice = f"the targets in the same order: targets[{ast.unparse(index)}]" if index else "one order for both."
            self.report(inputs.place, text, advice)

    def _read(self, place: Place) -> None:
        """Reads shuffles by generators, and of lists, from the source: of variables named like inputs and targets."""
        pair = shuffled_in_text(place)
        if pair is not None:
            first, second = pair
            text = (
                f"`{first.name}` and `{second.name}` are shuffled by two calls, into two orders: each input has the "
                "target of another sample."
            )
            a, b = first.name, second.name
            advice = (
                f"pairs = list(zip({a}, {b})); random.shuffle(pairs); {a}, {b} = zip(*pairs)"
                if second.is_list
                else f"order = np.random.permutation(len({a})); {a}, {b} = {a}[order], {b}[order]"
            )
            self.report(Line(place.file, second.line), text, advice)

    def _target_of(self, node: Node) -> Order | None:
        """Returns the order of the targets of a step of a loss."""
        if node in self.differences:
            return self.differences[node]
        return next((order for name, array in saved_arrays(node) if name == "target" and
                     (order := self.orders.of(array)) is not None), None)  # fmt: skip

    def _orders_in(self, node: Node) -> list[Order]:
        orders = (self.orders.of(array) for _, array in saved_arrays(node))
        return [x for x in orders if x is not None]

    def _tell(self, inputs: Order, target: Order) -> None:
        place = target.place if target.place.line >= inputs.place.line else inputs.place
        other = inputs.place if place is target.place else target.place
        if other.line == place.line:
            text = (
                "This line has shuffled the inputs and the targets of a loss into two orders. Each input has the "
                "target of another sample."
            )
            self.report(place, text, f"{ONE_ORDER}   (one order for both)")
            return
        text = (
            f"The inputs and the targets of a loss are in two orders: one is from line {other.line} "
            f"(`{other.text}`), one from this line. Each input has the target of another sample."
        )
        self.report(place, text, in_one_order(other, place, target.how))


class InText(NamedTuple):
    """A statement that shuffles a variable."""

    name: str
    line: int
    is_list: bool


def lists() -> dict[str, list]:
    """Returns the lists that the program has now, by the names of the variables."""
    return {name: value for name, value, _ in variables() if type(value) is list and len(value) > 1}


def belong_together(inputs: list, targets: list) -> bool:
    """Whether lists have equally many items, and the inputs are samples, not coordinates or names."""
    return len(inputs) == len(targets) and isinstance(inputs[0], (Tensor, np.ndarray))


def shuffled_in_text(place: Place) -> tuple[InText, InText] | None:
    """Returns two nearby statements that shuffle inputs and targets by separate calls."""
    shuffles: list[InText] = []
    named: dict[str, list] | None = None
    for statement in sorted(statements_in(place.code), key=lambda statement: statement.lineno):
        if hasattr(statement, "body"):
            continue
        if any(word in ast.unparse(statement) for word in SEEDING):
            shuffles = []
        for name, holder in shuffled_by(statement):
            shuffle = InText(name, statement.lineno, holder in OF_MODULES)
            if shuffle.is_list:
                named = lists() if named is None else named
                if name not in named:
                    continue
            other = next((x for x in shuffles if shuffle.line - x.line <= NEAR and x.name != name), None)
            if other is not None and other.is_list != shuffle.is_list:
                continue
            if other is not None and bool(TARGETS.match(name)) != bool(TARGETS.match(other.name)):
                inputs, targets = sorted((name, other.name), key=lambda each: bool(TARGETS.match(each)))
                if not (named and shuffle.is_list) or belong_together(named[inputs], named[targets]):
                    return other, shuffle
            shuffles.append(shuffle)
    return None


def shuffled_by(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """Returns what a statement shuffles, and by what: `X = X[rng.permutation(n)]`, `rng.shuffle(X)`."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Subscript(value=ast.Name(id=source), slice=ast.Call(func=function))
        ) if name == source and ast.unparse(function).endswith(".permutation"):
            yield name, ""
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function, args=[ast.Name(id=source)])) if (
            name == source and ast.unparse(function).endswith(".permutation")
        ):
            yield name, ""
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr="shuffle"), args=[ast.Name(id=name)])):
            yield name, ast.unparse(holder)


def differ(first: Order, second: Order) -> bool:
    """Whether two orders of the same rows differ, each made in equally many steps."""
    return first.rows == second.rows and len(first.by) == len(second.by) and first.by != second.by


def in_one_order(first: Place, second: Place, how: str) -> str:
    """Returns the repair: one permutation for two lines."""
    if how == "loader":
        return loader_of_pairs(first, second) or ONE_LOADER
    if how == "shuffle":
        names = [ast.unparse(call.args[0]) for x in (first, second) for call in shuffles_in(x)]
        if len(names) == 2:
            a, b = names
            return f"order = np.random.permutation(len({a})); {a}, {b} = {a}[order], {b}[order]"
        return "one permutation for both."
    indices = [index_in(x) for x in (first, second)]
    if isinstance(indices[0], ast.Name):
        return with_index(second, indices[1], indices[0].id)
    if indices[0] is None or indices[1] is None:
        return "one permutation for both: order = torch.randperm(len(inputs))"
    lines = [with_index(value, index, "order") for value, index in zip((first, second), indices, strict=True)]
    return "; ".join([f"order = {ast.unparse(indices[0])}", *lines])


def loader_of_pairs(first: Place, second: Place) -> str | None:
    """Returns one loader for two, if both are made of named tensors."""
    lines = [statement_at(x.code, x.line) for x in (first, second)]
    calls = [[node for node in ast.walk(line or ast.Pass()) if is_loader(node)] for line in lines]
    if [len(call) for call in calls] != [1, 1]:
        return None
    tensors = {name for name, value, _ in variables() if isinstance(value, Tensor)}
    (call,), (other,) = calls
    sources = [ast.unparse(x.args[0]) if x.args else "" for x in (call, other)]
    if not tensors.issuperset(sources):
        return None
    changed = ast.parse(ast.unparse(call), mode="eval").body
    assert isinstance(changed, ast.Call)
    changed.args[0] = ast.parse(f"TensorDataset({', '.join(sources)})", mode="eval").body
    return f"loader = {ast.unparse(changed)}   (one loader of pairs in the place of two)"


def is_loader(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("DataLoader")


def shuffles_in(place: Place) -> list[ast.Call]:
    statement = statement_at(place.code, place.line)
    calls = [node for node in ast.walk(statement or ast.Pass()) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).endswith("shuffle") and call.args]


def index_in(place: Place) -> ast.expr | None:
    """Returns the index that a line shuffles by: `p` of `y = y[p]`."""
    statement = statement_at(place.code, place.line)
    subscripts = [node for node in ast.walk(statement or ast.Pass()) if isinstance(node, ast.Subscript)]
    return subscripts[0].slice if subscripts else None


def with_index(place: Place, old: ast.expr | None, new: str) -> str:
    """Returns the statement of a line with another index."""
    statement = statement_at(place.code, place.line)
    if statement is None or old is None:
        return place.text
    changed = ast.parse(ast.unparse(statement)).body[0]
    for node in ast.walk(changed):
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == ast.unparse(old):
            node.slice = ast.Name(new, ast.Load())
    return ast.unparse(changed)
