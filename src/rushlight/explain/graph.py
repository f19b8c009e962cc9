"""A graph as plain data: steps, their links, saved values, and the operands that get no gradient.

Graphs are read from a tensor or node without changing it, and without recursion: a graph may be a million steps deep.
Pictures, explanations and the watch start from here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd.function_context import node_behind
from rushlight.autograd.reach import newest_first
from rushlight.core.graph import RELEASED, Leaf, Node, function_and_number, node_of
from rushlight.core.history import edge_of
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.origin import Made, Place
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import TENSORS
from rushlight.explain.records import made_of, op_name
from rushlight.nn.modules.module import Module


class Value(NamedTuple):
    """A value that a step saves for backward."""

    name: str  # of the operand or result, as in the derivative's formula
    shape: tuple | None  # None if a hook packed it
    dtype: str | None
    bytes: int
    array: Any  # the raw array; None if a hook packed it
    memory: int  # equal for values in the same memory


class Link(NamedTuple):
    """One operand of a step: where its gradient goes, or why it gets none."""

    operand: str  # its name in the declaration, `input` or `weight`
    step: int | None  # index in `Graph.steps` of the step that made it; None if it gets no gradient
    output: int = 0  # index of the result of that step
    cut: Cut | None = None  # if `step` is None: why there is no gradient


class Cut(NamedTuple):
    """An operand that gets no gradient, and why."""

    reason: str  # "detach", "no_grad", "not differentiable"; "constant", "number"; "unknown", "left out"
    made: Made | None = None  # where the gradient was lost or the constant was made, if lines were recorded
    shape: tuple | None = None
    dtype: str | None = None


@dataclass(slots=True, eq=False)
class Step:
    """A node of the graph: a recorded operation, or a leaf, where gradients are accumulated."""

    index: int
    node: Node
    name: str  # PyTorch's name, `MulBackward0` or `AccumulateGrad`
    op: str  # `mul`; empty for a leaf
    is_leaf: bool
    outputs: int = 1
    shape: tuple | None = None  # of the first result; None if unknown
    dtype: str | None = None
    links: tuple[Link, ...] = ()
    saved: tuple[Value, ...] = ()
    freed: bool = False  # whether a backward has freed its saved values
    freed_at: Place | None = None
    place: Place | None = None  # the line that ran it, if lines were recorded
    variable: str | None = None  # the caller's name for the tensor: `w`, `net.0.weight`
    hooks: int = 0
    module: Any = None  # for callers that group steps by module

    @property
    def bytes(self) -> int:
        """The size of the saved values, each memory counted once."""
        return sum({value.memory: value.bytes for value in self.saved}.values())


@dataclass(slots=True, eq=False)
class Graph:
    """All nodes that a tensor's gradient passes, newest first, in the order of backward."""

    steps: list[Step]
    roots: tuple[int, ...]
    truncated: int = 0  # number of older steps that were left out
    index: dict[Node, int] = field(default_factory=dict, repr=False)

    @property
    def leaves(self) -> list[Step]:
        return [step for step in self.steps if step.is_leaf]

    @property
    def operations(self) -> list[Step]:
        return [step for step in self.steps if not step.is_leaf]

    @property
    def cuts(self) -> list[tuple[Step, Link]]:
        """The tensor operands that get no gradient, newest first."""
        reasons = ("detach", "no_grad", "not differentiable")
        return [(step, link) for step in self.steps for link in step.links if link.cut and link.cut.reason in reasons]

    @property
    def bytes(self) -> int:
        """The memory that only the graph keeps alive: saved values without the leaves, each memory counted once."""
        of_leaves = {memory_of(leaf.node.array) for leaf in self.leaves}  # type: ignore[attr-defined]
        kept = {value.memory: value.bytes for step in self.steps for value in step.saved}
        return sum(size for memory, size in kept.items() if memory not in of_leaves)

    def edges(self) -> Iterator[tuple[int, int, Link]]:
        """Yields (step, step that made its operand, link) for each edge."""
        for step in self.steps:
            for link in step.links:
                if link.step is not None:
                    yield step.index, link.step, link

    def users(self) -> dict[int, list[int]]:
        """Maps each step to the steps that use its result."""
        result: dict[int, list[int]] = {step.index: [] for step in self.steps}
        for user, made, _ in self.edges():
            result[made].append(user)
        return result


def graph_of(x, names: Mapping[str, Any] | None = None, limit: int | None = None) -> Graph:
    """Returns the graph behind a tensor, a node, an edge, or several of them.

    `names` maps the caller's names to tensors and modules; see `names_in`. `limit` reads only the newest steps. A
    tensor without history gives a graph without steps.
    """
    roots = [x] if isinstance(x, (Tensor, Node)) or hasattr(x, "output_nr") else list(x)
    starts = [start for root in roots if (start := _start(root)) is not None]
    nodes = newest_first(starts)
    kept = nodes if limit is None else nodes[:limit]
    index = {node: number for number, node in enumerate(kept)}
    called = called_leaves(names or {})
    steps = [_step(node, number, index, called) for number, node in enumerate(kept)]
    graph = Graph(steps, tuple(index[start] for start in starts if start in index), len(nodes) - len(kept), index)
    for root in roots:
        if isinstance(root, Tensor) and (start := _start(root)) in index:
            steps[index[start]].shape = tuple(root._array.shape)
            steps[index[start]].dtype = dtype_name(root._array)
    _infer_shapes(graph)
    return graph


def _start(x) -> Node | None:
    if isinstance(x, Tensor):
        edge = edge_of(x)
        return None if edge is None else node_of(edge)
    return node_behind(x if isinstance(x, Node) else x.node)


def _step(node: Node, number: int, index: dict, called: dict) -> Step:
    made: Made | None = made_of(node)
    step = Step(number, node, node.name(), op_name(node), isinstance(node, Leaf), node.outputs)
    step.place = made.place if made is not None else None
    step.hooks = (
        len(node.pre_hooks or ()) + len(node.post_hooks or ()) + sum(map(len, (node.tensor_hooks or {}).values()))
    )
    if isinstance(node, Leaf):
        step.shape, step.dtype = tuple(node.array.shape), dtype_name(node.array)
        step.variable, tensor = called.get(node), node._variable()
        if tensor is not None and tensor._made is not None:
            step.place = tensor._made.place
        return step
    step.freed, by = is_freed(node), freed_by(node)
    step.freed_at = by.place if by is not None else None
    step.saved = tuple(saved_values(node))
    step.links = tuple(_links(node, index))
    if made is not None and made.shape is not None:
        step.shape, step.dtype = tuple(made.shape), str(made.dtype)
    elif node.result_metas and node.result_metas[0] is not None:
        step.shape, step.dtype = tuple(node.result_metas[0][0]), str(node.result_metas[0][1])
    return step


# ---- saved values


def is_freed(node: Node) -> bool:
    """Whether a backward has freed a node's saved values."""
    return node.saved is RELEASED or node.packed is RELEASED


class Freed(NamedTuple):
    """The backward call that freed a node's saved values: its line and time."""

    place: Place
    time: int


def freed_by(node: Node) -> Freed | None:
    """Returns the backward call that freed a node, if lines are noted."""
    if not is_freed(node) or not node.storages:
        return None
    place, time = node.storages
    return Freed(Place(*place[:2]), time)


def saved_values(node: Node) -> Iterator[Value]:
    """Yields the values that a node saves for backward; none once they are freed."""
    if is_freed(node):
        return
    if node.takes_tensors:
        for number, kept in enumerate(node.saved or ()):
            if kept is not None:
                yield _value(f"saved_tensors[{number}]", None if kept.tensor is None else kept.tensor._array)
        return
    boxes = node.packed or (None,) * len(node.saved or ())
    for name, array, box in zip(type(node).saves, node.saved or (), boxes, strict=False):
        if box is not None:
            yield _value(name, None)
        elif getattr(array, "shape", None) is not None:
            yield _value(name, array)


def _value(name: str, array) -> Value:
    if array is None:
        return Value(name, None, None, 0, None, 0)
    return Value(name, tuple(array.shape), dtype_name(array), int(array.nbytes), array, memory_of(array))


def memory_of(array) -> int:
    """Returns an id that is equal for arrays in the same memory."""
    array = beneath(array)
    return id(owner(array)) if isinstance(array, np.ndarray) else id(array)


def dtype_name(array) -> str:
    """Returns `float32` for a raw array of any backend."""
    return str(array.dtype).removeprefix("torch.")


# ---- links


def operands_of(node: Node) -> list[str]:
    """Returns the names of a node's operands, one per edge."""
    op = getattr(type(node), "op", None)
    if op is None:
        return [f"input {number}" for number in range(len(node.edges))]
    names: list[str] = []
    differentiable = [argument for argument in op.arguments if argument.name in op.derivatives]
    for argument_ in differentiable:
        if argument_.role == TENSORS:
            names += [f"{argument_.name}[{number}]" for number in range(len(node.edges) - len(differentiable) + 1)]
        else:
            names.append(argument_.name)
    return names if len(names) == len(node.edges) else [f"input {number}" for number in range(len(node.edges))]


def _links(node: Node, index: dict) -> Iterator[Link]:
    for name, edge in zip(operands_of(node), node.edges, strict=True):
        if edge is not None:
            source, output = function_and_number(edge)
            yield Link(name, index.get(source), output, None if source in index else Cut("left out"))
        else:
            yield Link(name, None, 0, _cut(node, name))


def _cut(node: Node, name: str) -> Cut:
    """Returns why an operand gets no gradient, from the node's record, else from its saved values."""
    kept = next((value for value in saved_values(node) if value.name == name), None)
    shape, dtype = (kept.shape, kept.dtype) if kept is not None else (None, None)
    if node.made is None:
        return Cut("unknown", None, shape, dtype)
    made = next((made for operand, made, _ in node.made.sources if operand == name), None)
    if made is None:
        return Cut("number", None, shape, dtype)
    where = nearest_cut(made)
    reason = "constant" if where is None else where.cut or "constant"
    if made.shape is not None:
        shape, dtype = tuple(made.shape), str(made.dtype)
    return Cut(reason, where or made, shape, dtype)


def nearest_cut(made: Made) -> Made | None:
    """Returns the newest record behind an untracked tensor where a gradient was lost; else None."""
    waiting, seen = deque([made]), {id(made)}
    while waiting:
        record = waiting.popleft()
        if record.cut is not None:
            return record
        for _, source, _ in record.sources:
            if id(source) not in seen:
                seen.add(id(source))
                waiting.append(source)
    return None


# ---- shapes


def _infer_shapes(graph: Graph) -> None:
    """Fills in missing shapes: from saved operands and results, then by broadcasting along elementwise steps."""
    for step in graph.steps:
        known = {value.name: (value.shape, value.dtype) for value in step.saved if value.shape is not None}
        known |= _shapes_in_parameters(step.node)
        if step.shape is None and "out" in known:
            step.shape, step.dtype = known["out"]
        for link in step.links:
            source = None if link.step is None or link.output else graph.steps[link.step]
            if source is not None and source.shape is None and link.operand in known:
                source.shape, source.dtype = known[link.operand]
    for step in reversed(graph.steps):
        op: Any = getattr(type(step.node), "op", None)
        if step.shape is None and op is not None and op.kind == "elementwise":
            _broadcast(step, graph)


def _shapes_in_parameters(node: Node) -> dict[str, tuple]:
    """Returns operand shapes that a node saves because its derivative needs them."""
    shapes = {}
    for name, value in zip(type(node).parameters, node.params, strict=False):
        if name.endswith("_shape") and isinstance(value, tuple):
            shapes[name.removesuffix("_shape")] = (value, None)
    return shapes


def _broadcast(step: Step, graph: Graph) -> None:
    operands = [graph.steps[link.step] for link in step.links if link.step is not None]
    shapes = [operand.shape for operand in operands if operand.shape is not None]
    if len(shapes) < len(operands):
        return
    shapes += [link.cut.shape for link in step.links if link.cut is not None and link.cut.shape is not None]
    step.shape = tuple(np.broadcast_shapes(*shapes))
    step.dtype = next((operand.dtype for operand in operands if operand.dtype is not None), None)


# ---- names


def names_in(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the tensors, arrays and modules among some variables by name, as `graph_of` takes them."""
    return {
        name: value
        for name, value in variables.items()
        if not name.startswith("_") and issubclass(type(value), (Tensor, np.ndarray, Module))
    }


def named_tensors(names: Mapping[str, Any]) -> Iterable[tuple[str, Tensor]]:
    """Yields (name, tensor) for tensors, and for parameters of modules under dotted names."""
    for name, value in names.items():
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, Module):
            for inner, parameter in value.named_parameters():
                yield f"{name}.{inner}", parameter


def called_leaves(names: Mapping[str, Any]) -> dict[Node, str]:
    """Maps the leaves of a graph to the caller's names."""
    result: dict[Node, str] = {}
    for name, tensor in named_tensors(names):
        if isinstance(tensor._edge, Leaf):
            result.setdefault(tensor._edge, name)
    return result
