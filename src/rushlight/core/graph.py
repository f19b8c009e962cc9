"""The recorded graph: nodes, leaves, and the edges between them. Data only; `autograd/backward.py` walks it.

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
    """Stands in the place of saved values that a backward has freed."""

    def __repr__(self):
        return "released"


RELEASED = Released()


class Same:
    """Stands for the dtype of a tensor, where its gradient's is asked for."""

    def __repr__(self):
        return "the tensor's own"


SAME = Same()

# All that is special about a node: it has several outputs, or one, and computes in a wider dtype.
SEVERAL, WIDER = 2, 3


class NodeKind(type):
    # The class of node classes: programs cannot make nodes by calling them, `core.fast_new` can. What would be its
    # docstring is what describes the classes that have none.
    __doc__ = DESCRIBED  # type: ignore[assignment]

    def __new__(metaclass, name, bases, namespace):
        namespace.setdefault("__doc__", DESCRIBED)
        return type.__new__(metaclass, name, bases, namespace)

    __signature__ = Signature()  # the one of `object`, which `inspect` does not look for behind a `__call__`

    def __call__(kind, *arguments):
        raise TypeError(f"cannot create '{kind.__name__}' instances: nodes are made by operations")


class Recorded(metaclass=NodeKind):
    """What every node has, in slots: whoever makes one fills in all of them.

    The rest of what a node may have are class defaults of `Node`.
    """

    __slots__ = ("created", "edges", "metas", "params", "saved", "special")

    created: int  # on the clock
    edges: tuple
    saved: Any  # raw arrays, or numbers; None where the gradient that wants it is not needed
    params: tuple  # what the derivatives ask for beside arrays
    metas: tuple | None  # (shape, dtype) per input where a gradient must be summed or cast to fit
    special: int  # whether the engine must look for more than a backward function: hooks... True, SEVERAL or WIDER


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
    hooked: bool  # of a leaf: whether hooks wait for its gradient
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
    __call__: Any

    def name(self) -> str:
        """PyTorch's name of the node."""
        return QUALIFIED.get(type(self).__name__, type(self).__name__)

    @property
    def shown(self) -> Any:
        """What programs see of it, as `grad_fn` and elsewhere: of the node of a custom function, its `ctx`."""
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


def fill(node: Node, edges: tuple = (), *, special: int = False) -> None:
    """Fills in what every node has, for one that is made now and has saved nothing."""
    node.created, node.edges, node.special = objects.tick(None), edges, special
    node.saved, node.params, node.metas = (), (), None


enter(objects, {"node": type.__call__})


def make_node(kind: type[Node], edges: tuple, *, special: int = False) -> Any:
    """A fresh node of a class; what it saves may be added."""
    node: Node = objects.node(kind)
    fill(node, edges, special=special)
    if issubclass(kind, Saving):
        node.storages = node.versions = ()
    return node


class SavedAttribute:
    """`grad_fn._saved_self` and its like: where autograd says what it is, if the node saved something of that name.

    One descriptor per name on the class of all nodes; a `__getattr__` would make every attribute of nodes slower.
    """

    find: Any  # attached by autograd

    def __init__(self, name: str):
        self.name = name

    def __get__(self, node, kind=None):
        return self if node is None else SavedAttribute.find(node, self.name)


def show_saved(names: tuple[str, ...]) -> None:
    """Gives nodes the attributes of what they save under these names."""
    for name in names:
        for attribute in (f"_saved_{name}", f"_raw_saved_{name}"):
            if attribute not in vars(Node):
                setattr(Node, attribute, SavedAttribute(attribute))


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
    ownership_token: Node | None = None  # PyTorch's: what keeps a node alive that is of C++ alone


class Leaf(Node):
    """The end of the graph at a tensor that requires grad; what PyTorch calls AccumulateGrad.

    It holds the memory and the gradient, the tensor holds the leaf: no cycle, and the graph keeps what it needs when
    the tensor object is gone.
    """

    grad: Any
    grad_dtype: Any = SAME  # the dtype that its gradient has to have, None for any
    post_accumulate_hooks: dict | None = None

    def __init__(self, tensor):
        fill(self, special=True)
        self.grad, self.hooked = None, False
        self.hold(tensor)

    def hold(self, tensor) -> None:
        """Takes (again) what is needed of the tensor: after its memory was replaced, for one."""
        self.array = array = tensor._array
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.storage = tensor._store or tensor._storage
        self.kind = type(tensor)
        self.off_cpu = type(array) is not ndarray
        self._variable = weakref.ref(tensor)

    @property
    def variable(self):
        """The tensor; a new object on the same memory if the program has dropped the old one."""
        tensor = self._variable()
        if tensor is None:
            tensor = object.__new__(self.kind)
            tensor._array, tensor._store, tensor._edge = self.array, self.storage, self
            tensor._alike = tensor._base = tensor._generation = None
            self._variable = weakref.ref(tensor)
        return tensor


Leaf.__name__ = Leaf.__qualname__ = "AccumulateGrad"
leaf_of: Any = type.__call__.__get__(Leaf)  # a tensor's


def node_of(edge) -> Node:
    """The node that an edge leads to."""
    return edge.node if type(edge) is Output else edge


def result_of(edge: Node | Output, array) -> Node:
    """The node that an edge leads to, which now knows the shape and dtype of that result: a pass may start from it."""
    node, number = function_and_number(edge)
    if len(node.result_metas) <= number:
        absent = (None,) * (number - len(node.result_metas))
        node.result_metas = (*node.result_metas, *absent, (array.shape, array.dtype))
    return node


def function_and_number(edge) -> tuple:
    """An edge in two parts: (node or None, output number)."""
    if type(edge) is Output:
        return edge.node, edge.number
    return edge, 0
