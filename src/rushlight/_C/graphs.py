"""`torch._C.Graph`: the operators that a run of a module calls, with the shapes of their inputs and outputs.

Packages read such graphs to count a model's operations; `torch.jit._get_trace_graph` makes one. They cannot be run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.declarations.declare import OPS, VARIADIC
from rushlight.dispatch.torch_function import TorchFunctionMode

KINDS = {bool: "BoolType", int: "IntType", float: "FloatType", str: "StringType", type(None): "NoneType"}


class Type:
    """The type of a value, with the shape of a tensor."""

    def __init__(self, value: Any):
        self.value = value

    def kind(self) -> str:
        """Returns "TensorType", "ListType", "IntType" and so on."""
        if isinstance(self.value, Tensor):
            return "TensorType"
        if isinstance(self.value, list | tuple):
            return "ListType"
        return KINDS.get(type(self.value), "AnyType")

    def sizes(self) -> list[int] | None:
        """Returns the shape of a tensor; None for other values."""
        return list(self.value.shape) if isinstance(self.value, Tensor) else None

    def dim(self) -> int | None:
        """Returns the number of dimensions of a tensor; None for other values."""
        return self.value.ndim if isinstance(self.value, Tensor) else None

    def scalarType(self) -> str | None:
        """Returns the name of a tensor's dtype, such as "Float"; None for other values."""
        return self.value.type().rpartition(".")[2].removesuffix("Tensor") if isinstance(self.value, Tensor) else None

    def __str__(self) -> str:
        sizes = self.sizes()
        return self.kind() if sizes is None else f"{self.scalarType()}({', '.join(map(str, sizes))})"


class Value:
    """An input or output of an operator."""

    def __init__(self, held: Any, node: Node, name: str):
        self._type, self._node, self._name = Type(held), node, name

    def type(self) -> Type:
        """Returns its type."""
        return self._type

    def node(self) -> Node:
        """Returns the call that computes it."""
        return self._node

    def debugName(self) -> str:
        """Returns its unique name in the graph."""
        return self._name

    def isCompleteTensor(self) -> bool:
        """Whether it is a tensor, whose shape is known."""
        return self._type.kind() == "TensorType"

    def toIValue(self) -> Any:
        """Returns its constant number, text or list; None for tensors and computed values."""
        held = self._type.value
        return held if self._node.kind() == "prim::Constant" else None


class Node:
    """A call of an operator."""

    def __init__(self, kind: str, scope: str):
        self._kind, self._scope = kind, scope
        self._inputs: list[Value] = []
        self._outputs: list[Value] = []

    def kind(self) -> str:
        """Returns the operator's name, such as "aten::linear"."""
        return self._kind

    def scopeName(self) -> str:
        """Returns the names of the surrounding modules, such as "/layers/layers.0"."""
        return self._scope

    def inputs(self) -> list[Value]:
        """Returns its inputs."""
        return self._inputs

    def outputs(self) -> list[Value]:
        """Returns its outputs."""
        return self._outputs

    def inputsSize(self) -> int:
        """Returns the number of inputs."""
        return len(self._inputs)

    def outputsSize(self) -> int:
        """Returns the number of outputs."""
        return len(self._outputs)

    def __str__(self) -> str:
        outputs = ", ".join(f"%{output.debugName()} : {output.type()}" for output in self._outputs)
        inputs = ", ".join(f"%{input_.debugName()}" for input_ in self._inputs)
        return f"{outputs} = {self._kind}({inputs}), scope: {self._scope}"


class Graph:
    """The calls of a run, in order."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._parameter = Node("prim::Param", "")
        self._return = Node("prim::Return", "")

    def nodes(self) -> Iterator[Node]:
        """Returns the calls in order."""
        return iter(self._nodes)

    def inputs(self) -> list[Value]:
        """Returns the tensors that the run got or used."""
        return self._parameter.outputs()

    def outputs(self) -> list[Value]:
        """Returns the tensors that the run returned."""
        return self._return.inputs()

    def __str__(self) -> str:
        outputs = ", ".join(f"%{input_.debugName()} : {input_.type()}" for input_ in self.inputs())
        lines = [f"  {node}" for node in self._nodes]
        returned = ", ".join(f"%{output.debugName()}" for output in self.outputs())
        return "\n".join([f"graph({outputs}):", *lines, f"  return ({returned})"])


class TracingState(TorchFunctionMode):
    """Records every operator call in a graph, with the surrounding modules.

    It records the program's calls, not the operators that these consist of, except for convolutions.
    """

    def __init__(self) -> None:
        self.graph = Graph()
        self.scopes: list[str] = []
        self._known: dict[int, Value] = {}
        self._kept: list[Any] = []  # keeps objects alive, so that their ids stay unique
        self._names = count(1)

    def push_scope(self, name: str) -> None:
        """Enters a module of this name."""
        self.scopes.append(name)

    def pop_scope(self) -> None:
        """Leaves it."""
        self.scopes.pop()

    def current_scope(self) -> str:
        """Returns the names of the running modules, outermost first."""
        return "/".join(self.scopes)

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        name, given = as_aten(func.__name__, args, kwargs or {})
        changed = args and out is args[0] and isinstance(out, Tensor) and not name.endswith("_")
        node = self._noted(f"aten::{name}{'_' if changed else ''}", [self.value(arg) for arg in given])
        results = out if isinstance(out, list | tuple) else (out,)
        node._outputs = [self._new(result, node) for result in results if not isinstance(result, type)]
        return out

    def value(self, held: Any) -> Value:
        """Returns the graph's value for a tensor, number or list."""
        if isinstance(held, Tensor):
            if id(held) not in self._known:
                self.graph._parameter._outputs.append(self._new(held, self.graph._parameter))
            return self._known[id(held)]
        if isinstance(held, list | tuple) and any(isinstance(x, Tensor) for x in held):
            node = self._noted("prim::ListConstruct", [self.value(x) for x in held])
        else:
            node = self._noted("prim::Constant", [])
        node._outputs = [Value(held, node, str(next(self._names)))]
        return node._outputs[0]

    def _new(self, held: Any, node: Node) -> Value:
        value = Value(held, node, str(next(self._names)))
        if isinstance(held, Tensor):
            self._known[id(held)] = value
            self._kept.append(held)
        return value

    def _noted(self, kind: str, inputs: Sequence[Value]) -> Node:
        node = Node(kind, self.current_scope())
        node._inputs = list(inputs)
        self.graph._nodes.append(node)
        return node


# Operators whose arguments differ in `aten`, by our names.
ORDERS = {
    "batch_norm": "input weight bias running_mean running_var training momentum eps".split(),
    "instance_norm": "input weight bias running_mean running_var use_input_stats momentum eps".split(),
}
UPSAMPLING = {"nearest": "nearest", "bilinear": "bilinear", "linear": "linear", "trilinear": "trilinear"}
UPSAMPLING |= {"bicubic": "bicubic", "nearest-exact": "_nearest_exact"}
ALIKE = (False, False, True, True)  # cuDNN flags of a convolution


def as_aten(name: str, args: tuple, kwargs: dict) -> tuple[str, list]:
    """Returns an operator's name and arguments as in PyTorch's traces."""
    name = name.removeprefix("operator_")
    if name == "getitem":
        index = args[1]
        kind = "select" if isinstance(index, int) else "index" if isinstance(index, Tensor | list) else "slice"
        return kind, list(args)
    given = bound(name, args, kwargs)
    if name.startswith("conv"):
        return "_convolution", convolution(name, given)
    if name == "interpolate":
        mode = UPSAMPLING.get(given.get("mode", "nearest"), "nearest")
        return f"upsample_{mode}{args[0].ndim - 2}d", list(given.values())
    order = ORDERS.get(name, [])
    rest = [value for key, value in given.items() if key not in order]
    return name, [*(given.get(key) for key in order), *rest]


def bound(name: str, args: tuple, kwargs: dict) -> dict[str, Any]:
    """Returns the arguments by name; with defaults for declared operators."""
    op = OPS.get(name)
    variadic = [] if op is None else [at for at, argument in enumerate(op.arguments) if argument.role == VARIADIC]
    if variadic:  # several tensors, or a list of them
        first, rest = args[: variadic[0]], args[variadic[0] :]
        args = (*first, rest[0] if len(rest) == 1 and isinstance(rest[0], list | tuple) else list(rest))
    names = [] if op is None else [argument.name for argument in op.arguments]
    filled = {} if op is None else {argument.name: argument.default for argument in op.arguments}
    names += [f"argument{at}" for at in range(len(names), len(args))]
    return {**filled, **dict(zip(names, args, strict=False)), **kwargs}


def convolution(name: str, given: dict[str, Any]) -> list:
    """Returns the arguments of `aten::_convolution` for any convolution."""
    transposed = "transpose" in name
    spatial = int(name[-2])
    lists = [as_list(given.get(key, usual), spatial) for key, usual in (("stride", 1), ("padding", 0), ("dilation", 1))]
    added = as_list(given.get("output_padding", 0), spatial)
    return [
        given["input"], given["weight"], given.get("bias"), *lists, transposed, added, given.get("groups", 1), *ALIKE
    ]  # fmt: skip


def as_list(value: Any, length: int) -> Any:
    return [value] * length if isinstance(value, int) else value if isinstance(value, str) else list(value)


class Current:
    """The run that is being traced; None otherwise."""

    state: TracingState | None = None


@contextmanager
def tracing() -> Iterator[TracingState]:
    """Traces the code of a `with` block."""
    before, Current.state = Current.state, TracingState()
    try:
        with Current.state:
            yield Current.state
    finally:
        Current.state = before
