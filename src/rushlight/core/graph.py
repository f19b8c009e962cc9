"""The recorded graph: nodes, leaves, and the edges between them. Data only; `autograd/loop.py` walks it.

An edge says where a tensor's gradient goes. It is a `Node` (a recorded step with one differentiable result), an
`Output` (one of several results of a node), a `Leaf` (the end of the graph, where gradients are accumulated), or None.
Nodes hold raw arrays and edges to older nodes, never their own results, so there are no reference cycles.
"""

from __future__ import annotations

import re
import weakref
from inspect import Signature
from types import CodeType
from typing import Any, NamedTuple

from numpy import ndarray

from rushlight.core.display import DESCRIBED, node_view
from rushlight.core.origin import Made
from rushlight.core.source_lines import NOTING
from rushlight.core.tables import enter, objects


class Released:
    """Replaces saved values that a backward has freed."""

    def __repr__(self):
        return "released"


RELEASED = Released()


class Same:
    """The `grad_dtype` of a tensor whose gradient has its own dtype."""

    def __repr__(self):
        return "the tensor's own"


SAME = Same()


class NodeKind(type):
    # The class of node classes: programs cannot make nodes by calling them, `core.fast_new` can. Its `__doc__` is that
    # of the classes without a docstring.
    __doc__ = DESCRIBED  # type: ignore[assignment]

    def __new__(metaclass, name, bases, namespace):
        namespace.setdefault("__doc__", DESCRIBED)
        return type.__new__(metaclass, name, bases, namespace)

    __signature__ = Signature()  # the one of `object`, which `inspect` does not look for behind a `__call__`

    def __call__(kind, *arguments):
        raise TypeError(f"cannot create '{kind.__name__}' instances: nodes are made by operations")


class Recorded(metaclass=NodeKind):
    """The slots of every node, all filled in when it is made. Optional attributes have class defaults in `Node`."""

    __slots__ = ("created", "edges", "metas", "params", "saved", "step")

    created: int  # on the clock
    edges: tuple
    saved: Any  # raw arrays or scalars; None where the gradient that uses it is not needed
    params: tuple  # other arguments of the derivatives
    metas: tuple | None  # (shape, dtype) per input where a gradient must be summed or cast to fit
    step: Any  # what a backward pass calls for a node that is special, in the place of its `backward`; else None


class Node(Recorded):
    """A recorded step. Subclasses are generated, one per operator, and carry PyTorch's names.

    See https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.Node.
    """

    __module__ = "torch.autograd.graph"

    storages: tuple = ()  # slots of a `Saving` node
    versions: tuple = ()
    noted: Any = None
    offset: int
    in_place = False  # whether it wrote its result over its first operand
    hooked: bool  # of a leaf: whether it has hooks
    outputs = 1
    computes_in: Any = None  # the wider dtype in which a node of half precision computes
    off_cpu = False  # whether its arrays are on another device: gradients travel as Tensors from there on
    takes_tensors = False  # whether it is a `TensorNode`
    packed: Any = None  # saved values that went through saved-tensor hooks
    tensor_hooks: dict | None = None  # output number -> hooks
    retained: dict | None = None  # output number -> weak reference to the tensor whose grad is kept
    pre_hooks: dict | None = None
    post_hooks: dict | None = None
    result_metas: tuple = ()  # (shape, dtype) per output, where gradients of some may be absent
    made: Made | None = None  # the call that made its result, where lines are recorded
    _metadata: dict | None = None

    # Filled in by the generator: the names of the saved values and parameters.
    saves: tuple = ()
    parameters: tuple = ()
    op: Any
    backward: Any
    backward_complex: Any
    converting: Any = None  # the backward kernel that takes half precision without a cast

    # The steps, attached by `autograd`. Of several reasons the last decides.
    own_step: Any = None  # what nodes of a class begin with
    formula_step: Any  # for `computes_in`
    general_step: Any  # for packed saved values, and nodes off the CPU
    hooked_step: Any  # for hooks, `retained` and all of these

    # Attached by `autograd`.
    register_hook: Any
    register_prehook: Any
    __call__: Any

    def name(self) -> str:
        """PyTorch's name of the node."""
        return QUALIFIED.get(type(self).__name__, type(self).__name__)

    @property
    def shown(self) -> Any:
        """The object that programs see as `grad_fn`: itself, or the `ctx` of a custom function."""
        return self

    @property
    def next_functions(self) -> tuple:
        """The nodes that the gradients of the inputs go to, with the output number each stands for."""
        return tuple((node and node.shown, number) for node, number in map(function_and_number, self.edges))

    @property
    def metadata(self) -> dict:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def _place(self) -> tuple | None:
        """(code, instruction) that made it, if it saves anything; see `core.source_lines`."""
        noted = getattr(self, "noted", None)
        return (noted, self.offset) if type(noted) is CodeType else noted

    def _sequence_nr(self) -> int:
        return self.created

    def __repr__(self):
        return f"<{type(self).__name__} object at {hex(id(self))}>"

    _repr_svg_ = node_view


class Saving(Node):
    """A node of an operation that saves something for its backward."""

    # Of the saved arrays, with their versions at the time: the two tell a stale value. Once the values are freed, the
    # first is ((code, instruction), time) of the call that freed them; see `core.source_lines`. Where lines are noted:
    # the code that made it and the instruction, or both as a tuple in the place of the code.
    __slots__ = ("storages", "versions", *(("noted", "offset") if NOTING else ()))

    storages: tuple
    versions: tuple


class TensorNode(Node):
    """A node whose backward works on Tensors, as a custom function's does: its `run` gets one per output."""

    __module__ = Node.__module__
    takes_tensors = True
    run: Any


def fill(node: Node, edges: tuple = ()) -> None:
    """Fills in the slots of a new node that has saved nothing."""
    node.created, node.edges, node.step = objects.tick(None), edges, node.own_step
    node.saved, node.params, node.metas = (), (), None


enter(objects, {"node": type.__call__})


def make_node(kind: type[Node], edges: tuple) -> Any:
    """Makes a node of a class; the caller may add saved values."""
    node: Node = objects.node(kind)
    fill(node, edges)
    if issubclass(kind, Saving):
        node.storages = node.versions = ()
    return node


class SavedAttribute:
    """`grad_fn._saved_self` and the like: returns the saved value of that name, by a function of autograd.

    One descriptor per name on the class of all nodes; a `__getattr__` would make every attribute of nodes slower.
    """

    find: Any  # attached by autograd

    def __init__(self, name: str):
        self.name = name

    def __get__(self, node, kind=None):
        return self if node is None else SavedAttribute.find(node, self.name)


def show_saved(names: tuple[str, ...]) -> None:
    """Adds attributes for saved values of these names to nodes."""
    for name in names:
        for attribute in (f"_saved_{name}", f"_raw_saved_{name}"):
            if attribute not in vars(Node):
                setattr(Node, attribute, SavedAttribute(attribute))


# Nodes that PyTorch names with their C++ namespace.
QUALIFIED = {name: f"torch::autograd::{name}" for name in ("AccumulateGrad", "CopyBackwards", "CopySlices")}


def short_name(node: Node) -> str:
    """The name of a node in PyTorch's messages: without the suffix."""
    return re.sub(r"Backward[0-9]*$", "", type(node).__name__)


class Output:
    """One of several results of a node, as an edge."""

    __slots__ = ("node", "number")
    step = "that of the node"

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
    ownership_token: Node | None = None  # in PyTorch: keeps a C++ node alive


class Leaf(Node):
    """The end of the graph at a tensor that requires grad; what PyTorch calls AccumulateGrad.

    The leaf refers to the memory and the gradient, the tensor to the leaf: no cycle, and the graph works without the
    tensor object.
    """

    grad: Any
    grad_dtype: Any = SAME  # the dtype that its gradient has to have, None for any
    post_accumulate_hooks: dict | None = None

    def __init__(self, tensor):
        fill(self)
        self.grad, self.hooked = None, False
        self.hold(tensor)

    def hold(self, tensor) -> None:
        """Stores the array of the tensor and its properties, again if its memory was replaced."""
        self.array = array = tensor._array
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.storage = tensor._store or tensor._storage
        self.kind = type(tensor)
        self.off_cpu = type(array) is not ndarray
        self._variable = weakref.ref(tensor)

    @property
    def variable(self):
        """The tensor; a new object on the same memory if the old one was deleted."""
        tensor = self._variable()
        if tensor is None:
            tensor = object.__new__(self.kind)
            tensor._array, tensor._store, tensor._edge = self.array, self.storage, self
            tensor._meta_key = tensor._base = tensor._generation = None
            self._variable = weakref.ref(tensor)
        return tensor


Leaf.__name__ = Leaf.__qualname__ = "AccumulateGrad"
leaf_of: Any = type.__call__.__get__(Leaf)  # a tensor's


def is_plain(edge) -> bool:
    """Whether an edge leads to a node with one output that nothing is special about: no hooks, no leaf..."""
    return edge.step is None


def watch(node: Node) -> None:
    """Makes backward passes look for hooks at a node."""
    node.step, node.hooked = node.hooked_step, True


def node_of(edge) -> Node:
    """Returns the node of an edge."""
    return edge.node if type(edge) is Output else edge


def result_of(edge: Node | Output, array) -> Node:
    """Returns the node of an edge, with shape and dtype of that result added: a pass may start from it."""
    node, number = function_and_number(edge)
    if len(node.result_metas) <= number:
        absent = (None,) * (number - len(node.result_metas))
        node.result_metas = (*node.result_metas, *absent, (array.shape, array.dtype))
    return node


def function_and_number(edge) -> tuple:
    """Returns an edge as (node or None, output number)."""
    if type(edge) is Output:
        return edge.node, edge.number
    return edge, 0
