"""The recorded graph: nodes, leaves, and the edges between them. Data only; `autograd/loop.py` traverses it.

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
    # The metaclass of nodes: programs cannot make nodes by calling a class, `core.fast_new` can. Its `__doc__` is that
    # of classes without a docstring.
    __doc__ = DESCRIBED  # type: ignore[assignment]

    def __new__(metaclass, name, bases, namespace):
        namespace.setdefault("__doc__", DESCRIBED)
        return type.__new__(metaclass, name, bases, namespace)

    __signature__ = Signature()  # that of `object`; with a `__call__`, `inspect` would not find it

    def __call__(kind, *arguments):
        raise TypeError(f"cannot create '{kind.__name__}' instances: nodes are made by operations")


class Recorded(metaclass=NodeKind):
    """The slots of every node, all set when it is made. Optional attributes have class defaults in `Node`."""

    __slots__ = ("created", "edges", "metas", "params", "saved", "step")

    created: int  # tick of the clock
    edges: tuple
    saved: Any  # raw arrays or scalars; None where the gradient that uses it is not needed
    params: tuple  # other arguments of the derivatives
    metas: tuple | None  # (shape, dtype) per input where a gradient must be summed or cast to fit
    step: Any  # called by backward instead of `backward`, if the node is special; else None


class Node(Recorded):
    """A recorded step. Subclasses are generated, one per operator, and have PyTorch's names.

    See https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.Node.
    """

    __module__ = "torch.autograd.graph"

    storages: tuple = ()  # slots of a `Saving` node
    versions: tuple = ()
    noted: Any = None
    offset: int
    requires_grad = True
    in_place = False  # whether it wrote its result to its first operand
    hooked: bool  # of a leaf: whether it has hooks
    outputs = 1
    computes_in: Any = None  # the wider dtype in which a half precision node computes
    off_cpu = False  # whether its arrays are on another device: gradients are then Tensors
    takes_tensors = False  # whether it is a `TensorNode`
    packed: Any = None  # saved values that went through saved-tensor hooks
    tensor_hooks: dict | None = None  # output number -> hooks
    retained: dict | None = None  # output number -> weak reference to the tensor whose grad is kept
    pre_hooks: dict | None = None
    post_hooks: dict | None = None
    result_metas: tuple = ()  # (shape, dtype) per output, if gradients of some may be missing
    made: Made | None = None  # the call that made its result, if lines are recorded
    _metadata: dict | None = None

    # Set by the generator: the names of the saved values and parameters.
    saves: tuple = ()
    parameters: tuple = ()
    op: Any
    backward: Any
    backward_complex: Any
    converting: Any = None  # the backward kernel that accepts half precision without a cast

    # The steps, attached by `autograd`. If several apply, the last one is used.
    own_step: Any = None  # the initial step of nodes of a class
    formula_step: Any  # for `computes_in`
    general_step: Any  # for packed saved values, and nodes off the CPU
    traced_step: Any  # for nodes of calls inside transforms
    hooked_step: Any  # for hooks, `retained`, and all reasons above

    # Attached by `autograd`.
    register_hook: Any
    register_prehook: Any
    __call__: Any

    def name(self) -> str:
        """Returns PyTorch's name of the node."""
        return QUALIFIED.get(type(self).__name__, type(self).__name__)

    @property
    def shown(self) -> Any:
        """The object that programs see as `grad_fn`: the node, or the `ctx` of a custom function."""
        return self

    @property
    def next_functions(self) -> tuple:
        """The nodes that receive the gradients of the inputs, each with its output number."""
        return tuple((node and node.shown, number) for node, number in map(function_and_number, self.edges))

    @property
    def metadata(self) -> dict:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def _place(self) -> tuple | None:
        """(code, instruction) that made the node, if it saves anything; see `core.source_lines`."""
        noted = getattr(self, "noted", None)
        return (noted, self.offset) if type(noted) is CodeType else noted

    def _sequence_nr(self) -> int:
        return self.created

    def __repr__(self):
        return f"<{type(self).__name__} object at {hex(id(self))}>"

    _repr_svg_ = node_view


class Saving(Node):
    """A node of an operation that saves values for its backward."""

    # The storages of the saved arrays, and their versions at the time, to detect stale values. After the values are
    # freed, `storages` is ((code, instruction), time) of the call that freed them; see `core.source_lines`. If lines
    # are recorded: the code that made the node and the instruction, or both as a tuple in `noted`.
    __slots__ = ("storages", "versions", *(("noted", "offset") if NOTING else ()))

    storages: tuple
    versions: tuple


class TensorNode(Node):
    """A node whose backward computes on Tensors, as a custom function's does: its `run` gets one per output."""

    __module__ = Node.__module__
    takes_tensors = True
    run: Any


def fill(node: Node, edges: tuple = ()) -> None:
    """Sets the slots of a new node that has saved nothing."""
    node.created, node.edges, node.step = objects.tick(None), edges, node.own_step
    node.saved, node.params, node.metas = (), (), None


enter(objects, {"node": type.__call__})


def make_node(cls: type[Node], edges: tuple) -> Any:
    """Makes a node of a class; the caller may add saved values."""
    node: Node = objects.node(cls)
    fill(node, edges)
    if issubclass(cls, Saving):
        node.storages = node.versions = ()
    return node


class SavedAttribute:
    """`grad_fn._saved_self` and similar: returns the saved value with that name.

    One descriptor per name on the class of all nodes; a `__getattr__` would slow down every attribute of nodes.
    """

    find: Any  # attached by autograd

    def __init__(self, name: str):
        self.name = name

    def __get__(self, node, kind=None):
        return self if node is None else SavedAttribute.find(node, self.name)


def show_saved(names: tuple[str, ...]) -> None:
    """Adds attributes for saved values with these names to nodes."""
    for name in names:
        for attribute in (f"_saved_{name}", f"_raw_saved_{name}"):
            if attribute not in vars(Node):
                setattr(Node, attribute, SavedAttribute(attribute))


# Nodes whose PyTorch names include the C++ namespace.
QUALIFIED = {x: f"torch::autograd::{x}" for x in ("AccumulateGrad", "CopyBackwards", "CopySlices", "NotImplemented")}


def short_name(node: Node) -> str:
    """Returns the name of a node in PyTorch's messages: without the suffix."""
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
    """An edge in the public API: a node and the number of its output."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None  # in PyTorch: keeps a C++ node alive


class Leaf(Node):
    """The end of the graph at a tensor that requires grad; PyTorch's AccumulateGrad.

    The leaf refers to the memory and the gradient, and the tensor to the leaf: there is no cycle, and the graph works
    without the tensor object.
    """

    grad: Any
    grad_dtype: Any  # the required dtype of its gradient, None for any
    post_accumulate_hooks: dict | None = None

    def __init__(self, tensor):
        fill(self)
        self.grad, self.grad_dtype, self.hooked = None, SAME, False
        self.hold(tensor)

    def hold(self, tensor) -> None:
        """Stores the array of the tensor and its properties; called again if its memory was replaced."""
        self.array = array = tensor._array
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.storage = tensor._store or tensor._storage
        self.kind = type(tensor)
        self.off_cpu = type(array) is not ndarray
        self._variable = weakref.ref(tensor)

    def again(self, tensor) -> Leaf:
        """Returns the leaf, for its tensor that requires grad once more, and maybe has other memory."""
        self.hold(tensor)
        del tensor._own_leaf
        return self

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
leaf_of: Any = type.__call__.__get__(Leaf)  # makes the leaf of a tensor


def is_plain(edge) -> bool:
    """Whether an edge leads to a node with one output that needs no special step: no hooks, no leaf."""
    return edge.step is None


def watch(node: Node) -> None:
    """Makes backward run the hooks of a node."""
    node.step, node.hooked = node.hooked_step, True


def node_of(edge) -> Node:
    """Returns the node of an edge."""
    return edge.node if type(edge) is Output else edge


def result_of(edge: Node | Output, array) -> Node:
    """Returns the node of an edge, after adding shape and dtype of that result: backward may start from it."""
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
