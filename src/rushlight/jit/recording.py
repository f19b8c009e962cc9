"""Records one run of a function as a graph: each call of the library on tensors becomes a node."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from typing import Any

from rushlight.core.dtype import from_numpy_dtype
from rushlight.core.modes import NEVER
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.dispatch.torch_function import DisableTorchFunction, TorchFunctionMode
from rushlight.fx.graph import Graph
from rushlight.fx.naming import root
from rushlight.fx.node import Node
from rushlight.fx.spelling import spelled
from rushlight.fx.wrapping import functional_calls
from rushlight.nn.modules.module import Module

CONSTANT = (
    "Converting a tensor to {} might cause the trace to be incorrect. We can't record the data flow of Python values, "
    "so this value will be treated as a constant in the future. This means that the trace might not generalize to "
    "other inputs!"
)
BAKED_IN = (
    "torch.tensor results are registered as constants in the trace. You can safely ignore this warning if you use this "
    "function to create tensors out of constant variables that would be the same every time you call this function. "
    "In any other case, this might cause the trace to be incorrect."
)
LENGTH = (
    "Using len to get tensor shape might cause the trace to be incorrect. Recommended usage would be tensor.shape[0]. "
    "Passing a tensor of different shape might lead to errors or silently give incorrect results."
)
ITERATION = (
    "Iterating over a tensor might cause the trace to be incorrect. Passing a tensor of different shape won't change "
    "the number of iterations executed (and might lead to errors or silently give incorrect results)."
)
CONVERSIONS = {
    "__bool__": "a Python boolean", "__int__": "a Python integer", "__index__": "a Python index",
    "__float__": "a Python float", "item": "a Python number", "tolist": "a Python list", "numpy": "a NumPy array",
    "__array__": "a NumPy array",
}  # fmt: skip


class TracerWarning(Warning):
    """A traced function does something that its graph cannot express."""

    __module__ = "torch.jit"

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Ignores these warnings in PyTorch's modules except `torch.jit`, and those of a fuser."""
        warnings.filterwarnings("ignore", category=TracerWarning, module="torch.(?!jit)")
        warnings.filterwarnings("ignore", "torch::jit::fuser::cuda")


class Length(int):
    """A size of a tensor, or a number computed from sizes, that a graph computes again for other inputs."""

    node: Node

    def with_node(self, node: Node) -> Length:
        self.node = node
        return self


def computed(name: str) -> Callable:
    function = getattr(operator, name)

    def method(self: Length, other: Any) -> Any:
        result = getattr(int, f"__{name.rstrip('_')}__")(self, other)
        return noted(result, function, self, other)

    return method


def computed_from_the_right(name: str) -> Callable:
    function = getattr(operator, name)

    def method(self: Length, other: Any) -> Any:
        result = getattr(int, f"__r{name}__")(self, other)
        return noted(result, function, other, self)

    return method


def noted(result: Any, function: Callable, *values: Any) -> Any:
    """Returns a number as the result of a node; what is no integer stays a number of Python."""
    if type(result) is not int:
        return result
    graph = next(value.node.graph for value in values if isinstance(value, Length))
    arguments = tuple(value.node if isinstance(value, Length) else value for value in values)
    return Length(result).with_node(graph.call_function(function, arguments))


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Length, f"__{_name}__", computed(_name))
    setattr(Length, f"__r{_name}__", computed_from_the_right(_name))
Length.__neg__ = lambda self: noted(-int(self), operator.neg, self)  # type: ignore[method-assign]


class Recorded(Tensor):
    """A tensor whose sizes are numbers that a graph can compute."""

    __torch_function__ = NEVER
    node: Node

    recorder: Recorder

    @property
    def shape(self) -> Size:  # type: ignore[override]
        return tuple.__new__(Size, [self._length(dim, size) for dim, size in enumerate(super().shape)])

    @property
    def data(self) -> Tensor:  # type: ignore[override]
        return self.detach()

    def _length(self, dim: int, size: int) -> int:
        if self.recorder.inside:
            return size
        return Length(size).with_node(self._called("size", dim))

    def size(self, dim: int | None = None) -> Any:  # type: ignore[override]
        return self.shape if dim is None else self._length(dim, super().size(dim))

    def numel(self) -> int:
        count = super().numel()
        return count if self.recorder.inside else Length(count).with_node(self._called("numel"))

    def _called(self, name: str, *args: Any) -> Node:
        return self.node.graph.call_method(name, (self.node, *args))

    def __len__(self) -> int:
        if not self.recorder.inside:
            warnings.warn(LENGTH, TracerWarning, stacklevel=2)
        return int(super().shape[0]) if self.ndim else super().__len__()

    def __iter__(self) -> Iterator[Tensor]:
        if not self.recorder.inside:
            warnings.warn(ITERATION, TracerWarning, stacklevel=2)
        return super().__iter__()


def converting(name: str, into: str) -> Callable:
    original = getattr(Tensor, name)

    def method(self: Recorded, *args: Any, **kwargs: Any) -> Any:
        if not self.recorder.inside:
            warnings.warn(CONSTANT.format(into), TracerWarning, stacklevel=2)
        return self.recorder.run(original, (self, *args), kwargs)

    return method


for _name, _into in CONVERSIONS.items():
    setattr(Recorded, _name, converting(_name, _into))


class Recorder(TorchFunctionMode):
    """Within `with`, calls of the library are added to a graph. Members of `root` are read from it."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.root, self.graph = module, Graph()
        self.members = {id(value): name for name, value in (*module.named_parameters(), *module.named_buffers())}
        self.nodes: dict[str, Node] = {}
        self.inside = False  # a call of the library
        self.constants: dict[int, tuple[str, Tensor]] = {}

    def input(self, node: Node, value: Tensor) -> Recorded:
        """Returns a tensor as the value of a node."""
        recorded = value if isinstance(value, Recorded) else value.as_subclass(Recorded)
        recorded.node, recorded.recorder = node, self
        return recorded

    def run(self, func: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Returns the result of a call; sizes that it looks at are numbers."""
        before, self.inside = self.inside, True
        try:
            return func(*args, **kwargs)
        finally:
            self.inside = before

    def __torch_function__(self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        result = self.run(func, args, kwargs)
        if self.inside or getattr(func, "__module__", "") == "torch.nn.init":
            return result
        name = func.__name__
        if name in ("tensor", "as_tensor", "from_numpy"):
            warnings.warn(BAKED_IN, TracerWarning, stacklevel=2)
            return result
        if name == "setitem":
            self.graph.call_function(operator.setitem, self.argument(args))
            return result
        if name != "iterate" and not any(isinstance(value, Tensor) for value in leaves(result)):
            return result
        return self._results(result, self._node(func, name, args, kwargs), written_to(args, kwargs))

    def whole(self, function: Callable) -> Callable:
        """Returns a wrapper for a function of `torch.nn.functional`: its call is one node."""

        @wraps(function, updated=())
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if self.inside or not any(isinstance(value, Recorded) for value in leaves([args, kwargs])):
                return function(*args, **kwargs)
            with DisableTorchFunction():
                result = self.run(function, args, kwargs)
            args, kwargs = spelled(function, args, kwargs)
            node = self.graph.call_function(function, self.argument(args), self.argument(kwargs))
            return self._results(result, node, written_to(args, kwargs))

        wrapped._fx_original = function  # type: ignore[attr-defined]
        return wrapped

    def _node(self, func: Callable, name: str, args: tuple, kwargs: dict[str, Any]) -> Node:
        values, named = self.argument(args), self.argument(kwargs)
        if name == "to_copy":
            return self.graph.call_method("to", (values[0], from_numpy_dtype(args[1])))
        if name == "iterate":
            return self.graph.call_method("unbind", values)
        if name == "getitem":
            return self.graph.call_function(operator.getitem, values)
        if getattr(Tensor, name, None) is func:
            return self.graph.call_method(name, values, named)
        # `x == 0` is an operator of its own here
        public = getattr(root(), name.removeprefix("operator_"), func) if name.startswith("operator_") else func
        return self.graph.call_function(public, values, named)

    def _results(self, result: Any, node: Node, written: list[Tensor]) -> Any:
        """Returns a result whose tensors are values of nodes. A tensor that was written to has its node already."""
        if isinstance(result, Tensor):
            return result if any(result is each for each in written) else self.input(node, result)
        if isinstance(result, tuple | list):
            parts = [self._part(part, node, index, written) for index, part in enumerate(result)]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
        # An iterator over a tensor
        return iter([self._part(part, node, index, written) for index, part in enumerate(result)])

    def _part(self, part: Any, node: Node, index: int, written: list[Tensor]) -> Any:
        if not isinstance(part, Tensor):
            return part
        return self._results(part, self.graph.call_function(operator.getitem, (node, index)), written)

    def argument(self, value: Any) -> Any:
        """Returns a value as an argument of a node: nodes of tensors and sizes, attributes for other tensors."""
        if isinstance(value, Recorded | Length):
            return value.node
        if isinstance(value, Tensor):
            return self._attribute(value)
        if isinstance(value, Size):
            return tuple(self.argument(each) for each in value)
        if isinstance(value, tuple | list):
            parts = [self.argument(each) for each in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, dict):
            return {key: self.argument(each) for key, each in value.items()}
        if isinstance(value, slice):
            return slice(*(self.argument(each) for each in (value.start, value.stop, value.step)))
        return value

    def _attribute(self, tensor: Tensor) -> Node:
        name = self.members.get(id(tensor)) or self._constant(tensor)
        if name not in self.nodes:
            with self.graph.inserting_before(first_call(self.graph)):
                self.nodes[name] = self.graph.get_attr(name)
        return self.nodes[name]

    def _constant(self, tensor: Tensor) -> str:
        if id(tensor) not in self.constants:
            taken = {name for name, _ in self.constants.values()}
            names = (f"_tensor_constant{number}" for number in count())
            free = next(name for name in names if name not in taken and not hasattr(self.root, name))
            self.constants[id(tensor)] = free, tensor
        return self.constants[id(tensor)][0]


def first_call(graph: Graph) -> Node | None:
    """Returns the first node that is no argument; at the end of a graph the node after all."""
    return next((node for node in graph.nodes if node.op not in ("placeholder", "get_attr")), graph._root)


def written_to(args: tuple, kwargs: dict[str, Any]) -> list[Tensor]:
    """Returns the tensors that a call may have written to."""
    return [value for value in leaves([args, kwargs]) if isinstance(value, Tensor)]


def leaves(value: Any) -> Iterator[Any]:
    """Yields the items of nested lists, tuples and dicts."""
    if isinstance(value, tuple | list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    else:
        yield value


class Tracing:
    """Whether a run is being recorded."""

    running = 0


@contextmanager
def recording(module: Module) -> Iterator[Recorder]:
    """Within the block, calls of the library are added to the recorder's graph."""
    recorder = Recorder(module)
    Tracing.running += 1
    try:
        with recorder, functional_calls(recorder.whole):
            yield recorder
    finally:
        Tracing.running -= 1
