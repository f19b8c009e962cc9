"""softmax over another dimension than the classes."""

from __future__ import annotations

import ast
import weakref

import numpy as np

from rushlight.core.graph import Node, node_of
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor
from rushlight.explain.source_text import statement_at
from rushlight.explain.watch.backward_pass import Pass
from rushlight.explain.watch.graph_patterns import op_name, saved_arrays
from rushlight.explain.watch.program_lines import Line
from rushlight.explain.watch.source import tree_of
from rushlight.explain.watch.taps import Taps, dressed
from rushlight.explain.watch.trap import Trap

SOFTMAX = ("softmax", "log_softmax")
CHOOSING = ("argmax", "max", "topk")
SAME_PLACES = ("log", "add", "sub", "mul", "clamp", "clamp_min", "neg", "true_divide", "maximum", "to_copy")


class SoftmaxDim(Trap):
    """softmax makes the values along one dimension sum to one. For scores of shape (batch, classes) that is dim=1.

    With dim=0 each class is distributed over the samples of the batch: a prediction depends on the other samples, and
    no row sums to one. The loss falls to some value, and stays there.
    """

    kind = "softmax_dim"
    failing = """
import torch
from torch import nn

model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    probabilities = torch.softmax(model(torch.randn(8, 4)), dim=0)  # <- here
    loss = nn.functional.nll_loss(torch.log(probabilities), torch.randint(3, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace("dim=0)  # <- here", "dim=1)")

    def __init__(self, watching) -> None:
        super().__init__(watching)
        self.results: dict[int, tuple] = {}  # by id: (weak reference to a softmax's result, its dim, its line)

    # ---- before a choice

    def tap(self, taps: Taps) -> None:
        for name in SOFTMAX:
            taps.operator(name, self._around_softmax)
        for name in CHOOSING:
            taps.operator(name, self._around_choice)

    def _around_softmax(self, original):
        def softmax(*arguments, **keywords):
            result = original(*arguments, **keywords)
            dim = dim_in(arguments, keywords)
            if isinstance(result, Tensor) and dim is not None and result._array.ndim > 1:
                key = id(result)
                reference = weakref.ref(result, lambda _: self.results.pop(key, None))
                self.results[key] = reference, dim % result._array.ndim, here()
            return result

        return dressed(softmax, original)

    def _around_choice(self, original):
        def choice(*arguments, **keywords):
            if self.results and arguments and (entry := self.results.get(id(arguments[0]))) is not None:
                self._look(arguments[0], entry, dim_in(arguments, keywords))
            return original(*arguments, **keywords)

        return dressed(choice, original)

    def _look(self, probabilities: Tensor, entry: tuple, dim: int | None) -> None:
        reference, own, place = entry
        if reference() is probabilities and dim is not None:
            shape = tuple(probabilities.shape)
            if is_wrong(shape, own, dim % len(shape)):
                self._tell(place, shape, own, dim % len(shape), "chosen")

    # ---- before a loss

    def before_backward(self, graph: Pass) -> None:
        if not graph.is_read:
            return
        for node in graph.nodes:
            wanted = class_dim(node)
            source = softmax_before(node) if wanted is not None else None
            if wanted is not None and source is not None:
                shape, own = shape_and_dim(source)
                wrong = own != wanted % len(shape) if is_certain(node) else is_wrong(shape, own, wanted % len(shape))
                if wrong:
                    place = self.watching.node_lines.place_of(source) or graph.place
                    self._tell(place, shape, own, wanted % len(shape), "compared with the targets")

    def _tell(self, place: Place, shape: tuple, own: int, wanted: int, what: str) -> None:
        text = (
            f"This softmax is taken over dim {own} of shape {shape}. The classes, which are {what} afterwards, lie "
            f"along dim {wanted}. So the probabilities of a sample do not sum to one, and depend on the other samples."
        )
        line, repaired = line_with_dim(place, own, wanted)
        self.report(line, text, repaired or f"the same with dim={wanted}.")


def is_wrong(shape: tuple, own: int, wanted: int) -> bool:
    """Whether a softmax over one dimension is wrong if another is chosen from, or summed.

    The most likely sample of each class, and the best frame of each sequence, are legitimate. A softmax over the
    samples of a batch is not, nor one over the pixels of an image whose classes are chosen.
    """
    return own != wanted and (own == 0 or (len(shape) == 4 and wanted == 1))


def is_certain(node: Node) -> bool:
    """Whether a step of a loss has its classes along one dimension, by definition or by its targets."""
    return op_name(node) not in ("gather", "index", "sum")


def dim_in(arguments: tuple, keywords: dict) -> int | None:
    """Returns the dimension argument of a call: the second, the third of `topk`, or a keyword."""
    dim = keywords.get("dim", keywords.get("axis"))
    return next((argument for argument in (dim, *arguments[1:2]) if type(argument) is int), None)


def class_dim(node: Node) -> int | None:
    """Returns the class dimension of a step of a loss, if known."""
    name = op_name(node)
    known = dict(zip(type(node).parameters, node.params, strict=False)) if name else {}
    if name == "negative_log_likelihood":
        return 1 if len(known["input_shape"]) > 1 else None
    if name == "gather":
        return known["dim"]
    if name == "index":
        return 1 if picks_one_of_each_row(known["indices"], known["input_shape"]) else None
    if name == "sum" and type(known["dim"]) is int and is_weighted_logarithm(node):
        return known["dim"]
    if name.endswith(("mse_loss", "cross_entropy", "l1_loss")):
        return dim_of_probabilities(dict(saved_arrays(node)).get("target"))
    return None


def picks_one_of_each_row(indices, shape: tuple) -> bool:
    """Whether an index is `[arange(n), target]`."""
    if len(shape) != 2 or len(indices) != 2 or not all(isinstance(index, np.ndarray) for index in indices):
        return False
    return indices[0].ndim == 1 and np.array_equal(indices[0], np.arange(shape[0]))


def is_weighted_logarithm(node: Node) -> bool:
    """Whether a sum is of `weights * log(p)` with constant weights."""
    product = source_of(node)
    if op_name(product) != "mul" or len([edge for edge in product.edges if edge is not None]) != 1:  # type: ignore[union-attr]
        return False
    factor = source_of(product)
    while factor is not None and op_name(factor) in SAME_PLACES and op_name(factor) != "log":
        factor = source_of(factor)
    return op_name(factor) in ("log", "log_softmax")


def dim_of_probabilities(target) -> int | None:
    """Returns the dimension of targets along which they sum to one."""
    if not isinstance(target, np.ndarray) or target.ndim != 2 or target.shape[0] == target.shape[1] or not target.size:
        return None
    sums = [np.allclose(target.sum(axis), 1, atol=1e-4) for axis in (0, 1)]
    return sums.index(True) if sum(sums) == 1 else None


def softmax_before(node: Node) -> Node | None:
    """Returns the softmax before a step, possibly followed by a logarithm or the like."""
    source = source_of(node)
    while source is not None and op_name(source) in SAME_PLACES:
        source = source_of(source)
    return source if op_name(source) in SOFTMAX else None


def source_of(node: Node | None) -> Node | None:
    """Returns the node of the only operand with history."""
    edges = [] if node is None else [edge for edge in node.edges if edge is not None]
    return node_of(edges[0]) if len(edges) == 1 else None


def shape_and_dim(node: Node) -> tuple[tuple, int]:
    shape = dict(saved_arrays(node))["out"].shape
    return shape, dict(zip(type(node).parameters, node.params, strict=False))["dim"] % len(shape)


def line_with_dim(place: Place, own: int, wanted: int) -> tuple[Place | Line, str | None]:
    """Returns the line that sets the dimension, and the same with another; a layer's own line for a layer."""
    statement = statement_at(place.code, place.line)
    if statement is not None and has_softmax(statement):
        return place, with_dim(statement, wanted)
    tree = tree_of(place.file)
    layers = [] if tree is None else [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_layer(node)]
    if tree is not None and len(layers) == 1:
        assignments = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and layers[0] in ast.walk(node)]
        line = Line(place.file, layers[0].lineno)
        return line, with_dim(assignments[-1], wanted) if assignments else None
    return place, None


def is_layer(node: ast.Call) -> bool:
    return ast.unparse(node.func).endswith(("Softmax", "LogSoftmax"))


def has_softmax(node: ast.AST) -> bool:
    return any(isinstance(node, ast.Call) and ast.unparse(node.func).endswith("softmax") for node in ast.walk(node))


def with_dim(statement: ast.stmt, wanted: int) -> str:
    """Returns a statement with another dimension in its softmax."""
    changed = ast.parse(ast.unparse(statement)).body[0]
    for node in ast.walk(changed):
        if isinstance(node, ast.Call) and ast.unparse(node.func).lower().endswith("softmax"):
            node.keywords = [key for key in node.keywords if key.arg not in ("dim", "axis")]
            if node.args and isinstance(node.args[-1], ast.Constant | ast.UnaryOp):
                node.args.pop()
            node.keywords.append(ast.keyword("dim", ast.Constant(wanted)))
    return ast.unparse(ast.fix_missing_locations(changed))
