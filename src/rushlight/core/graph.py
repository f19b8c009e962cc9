"""The recorded graph: nodes, leaves, and the edges between them. Data only; `autograd/backward.py` walks it.

An edge says where a tensor's gradient goes. It is a `Node` (a recorded step with one differentiable result), an
`Output` (one of several results of a node), a `Leaf` (the end of the graph, where gradients are accumulated), or None.
Nodes hold raw arrays and edges to older nodes, never their own results, so there are no reference cycles.
"""

from __future__ import annotations

import re
import weakref
from typing import Any, NamedTuple

from numpy import ndarray

from rushlight.core.clock import tick
from rushlight.core.origin import Made


class Released:
    """Stands in the place of saved values that a backward has freed."""

    def __repr__(self):
        return "released"


RELEASED = Released()


class Node:
    """A recorded step. Subclasses are generated, one per operator, and carry PyTorch's names.

    See https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.Node.
    """

    __module__ = "torch.autograd.graph"

    created = 0
    edges: tuple = ()
    saved: Any = ()  # raw arrays, or numbers; None where the gradient that wants it is not needed
    # Of the saved arrays, with their versions at the time: the two tell a stale value. Once the values are freed, the
    # first is ((code, instruction), time) of the call that freed them; see `core.noting`.
    storages: tuple = ()
    versions: tuple = ()
    params: tuple = ()  # what the derivatives ask for beside arrays
    metas: tuple | None = None  # (shape, dtype) per input where a gradient must be summed or cast to fit
    in_place = False  # whether it wrote its result over its first operand
    hooked = False  # of a leaf: whether hooks wait for its gradient
    special = False  # whether the engine must look for more than a backward function: hooks, several outputs...
    outputs = 1
    computes_in: Any = None  # the wider dtype in which a step on small floats works
    off_cpu = False  # whether it works on arrays elsewhere, so that gradients had better travel as Tensors
    takes_tensors = False  # whether its backward works on Tensors, as a custom Function's does
    packed: Any = None  # saved values that went through saved-tensor hooks
    tensor_hooks: dict | None = None  # output number -> hooks
    retained: dict | None = None  # output number -> weak reference to the tensor whose grad is kept
    pre_hooks: dict | None = None
    post_hooks: dict | None = None
    result_metas: tuple = ()  # (shape, dtype) per output, where gradients of some may be absent
    made: Made | None = None  # how its result came about, where lines are recorded
    _place: tuple | None = None  # (code, instruction) that made it, if it saves anything; see `core.noting`
    _metadata: dict | None = None

    # What the generator fills in: names of the saved values, and where each comes from.
    saves: tuple = ()
    parameters: tuple = ()
    op: Any
    backward: Any
    backward_complex: Any
    converting: Any = None  # the backward function of machine code that takes small floats as they are

    # Attached by `autograd`.
    register_hook: Any
    register_prehook: Any
    __getattr__: Any

    def __init__(self):
        raise TypeError(f"cannot create '{type(self).__name__}' instances: nodes are made by operations")

    def name(self) -> str:
        """PyTorch's name of the node."""
        return QUALIFIED.get(type(self).__name__, type(self).__name__)

    @property
    def next_functions(self) -> tuple:
        """The nodes that the gradients of the inputs go to, with the output number each stands for."""
        return tuple(function_and_number(edge) for edge in self.edges)

    @property
    def metadata(self) -> dict:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    def _sequence_nr(self) -> int:
        return self.created

    def __repr__(self):
        return f"<{type(self).__name__} object at {hex(id(self))}>"


# Nodes that PyTorch names with their C++ namespace.
QUALIFIED = {each: f"torch::autograd::{each}" for each in ("AccumulateGrad", "CopyBackwards", "CopySlices")}


def short_name(node: Node) -> str:
    """The name of a node as PyTorch's messages have it: without the ending."""
    return re.sub(r"Backward[0-9]*$", "", type(node).__name__)


class Output:
    """One of several results of a node, as an edge."""

    __slots__ = ("node", "number")
    special = True

    def __init__(self, node: Node, number: int):
        self.node = node
        self.number = number

    @property
    def created(self) -> int:
        return self.node.created


class GradientEdge(NamedTuple):
    """An edge as programs handle it: a node and the number of its output."""

    node: Node
    output_nr: int


class Leaf(Node):
    """The end of the graph at a tensor that requires grad; what PyTorch calls AccumulateGrad.

    It holds the memory and the gradient, the tensor holds the leaf: no cycle, and the graph keeps what it needs when
    the tensor object is gone.
    """

    special = True
    grad: Any = None
    post_accumulate_hooks: dict | None = None

    def __init__(self, tensor):
        self.created = tick()
        self.hold(tensor)

    def hold(self, tensor) -> None:
        """Takes (again) what is needed of the tensor: after its memory was replaced, for one."""
        self.array = tensor._array
        self.storage = tensor._storage
        self.kind = type(tensor)
        self.off_cpu = type(tensor._array) is not ndarray
        self._variable = weakref.ref(tensor)

    @property
    def variable(self):
        """The tensor; a new object on the same memory if the program has dropped the old one."""
        tensor = self._variable()
        if tensor is None:
            tensor = object.__new__(self.kind)
            tensor._array, tensor._storage, tensor._edge = self.array, self.storage, self
            self._variable = weakref.ref(tensor)
        return tensor


Leaf.__name__ = Leaf.__qualname__ = "AccumulateGrad"


def function_and_number(edge) -> tuple:
    """An edge as PyTorch shows it: (node or None, output number)."""
    if type(edge) is Output:
        return edge.node, edge.number
    return edge, 0
