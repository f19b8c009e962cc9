"""`torch.fx.experimental.proxy_tensor`: `make_fx`, a run of a function as a graph of aten's operators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from operator import getitem
from typing import Any

from rushlight._library.calls import overload_of
from rushlight.core.errors import noted
from rushlight.core.origin import here
from rushlight.core.tensor import Tensor
from rushlight.core.traced import Untraceable
from rushlight.fx.experimental.recorder import Entry, ExportLevel, Recorder, name_of
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.pytree_code import _PyTreeCodeGen, _PyTreeInfo
from rushlight.graph.recording import input_of, recording_level
from rushlight.graph.trace import Ref
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

__all__ = ["get_proxy_mode", "make_fx"]


def get_proxy_mode() -> None:
    """Returns the recording mode of PyTorch's compiler: None, because there is none."""
    return None


def make_fx(
    f: Callable[..., Any],
    decomposition_table: Mapping[Any, Callable] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
) -> Callable[..., GraphModule]:
    """Returns a function that runs `f` on its arguments and returns the calls of aten's operators as a GraphModule.

    Operators in `decomposition_table`, {overload: function}, are replaced by what these functions call. Sizes are
    constants of the graph. A composite such as `linear` is one call, as with PyTorch's `pre_dispatch`. Raises
    NotImplementedError for the mode "symbolic", and RuntimeError where `f` decides by the elements of a tensor.

    >>> import rushlight as torch
    >>> print(make_fx(lambda x: torch.sin(x) + 1)(torch.zeros(2)).code.strip())
    def forward(self, x_1):
        sin = torch.ops.aten.sin.default(x_1);  x_1 = None
        add = torch.ops.aten.add.Tensor(sin, 1);  sin = None
        return add
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f'tracing_mode must be one of "real", "fake" or "symbolic", got {tracing_mode}')
    if tracing_mode == "symbolic":
        raise noted(
            NotImplementedError('make_fx(tracing_mode="symbolic"): sizes are numbers in rushlight'),
            "For sizes that may change, use torch.export.export(module, args, dynamic_shapes=...).",
        )

    @wraps(f, updated=())
    def wrapped(*args: Any) -> GraphModule:
        return Run(f, dict(decomposition_table or {})).module(args)

    return wrapped


class FunctionLevel(ExportLevel):
    """A level that also tells its recorder of calls that no mode sees, such as those of a backward pass."""

    randomness = None  # type: ignore[assignment]  # draws are recorded

    def interpret(self, op: Any, values: dict) -> Any:
        recorder = self.recorder
        if recorder is None or recorder.muted:
            return super().interpret(op, values)
        args = tuple(values.values())
        with recorder.quiet():
            target, seen, named = overload_of(op.function, args, {}, False)
        written_args, written_named = recorder.written(seen), recorder.written(named)
        with recorder.quiet():
            result = super().interpret(op, values)
            numbers = [array.number for array in (result if isinstance(result, list) else [result])]
        recorder.known.update(numbers)
        results = tuple(numbers) if isinstance(result, list) else numbers[0]
        recorder.entries.append(Entry(target, written_args, written_named, results, {}, here()))
        return result


class FunctionRecorder(Recorder):
    """Also records draws: their values are those of the run, but no result depends on them."""

    def computed(self, func: Any, args: tuple, kwargs: dict) -> Any:
        if name_of(func) in ("rand_like", "randn_like", "randint_like"):
            args = tuple([self.level.value_of(each) for each in args])
        return super().computed(func, args, kwargs)


class Run:
    """One recorded run, and its graph."""

    def __init__(self, function: Callable[..., Any], decompositions: dict) -> None:
        self.function, self.decompositions = function, decompositions
        self.graph = Graph()
        self.root = Module()
        self.nodes: dict[int, Node] = {}

    def module(self, args: tuple) -> GraphModule:
        leaves, spec = tree_flatten(args)
        names = self._names(args)
        for name, leaf in zip(leaf_names(names, args), leaves, strict=True):
            self._add_input(name, leaf)
        placeholders = list(self.graph.nodes)
        with recording_level(FunctionLevel) as level:
            recorder = FunctionRecorder(level, self.decompositions)
            values = [traced(level, leaf) for leaf in leaves]
            for node, value in zip(placeholders, values, strict=True):
                if isinstance(value, Tensor):
                    self.nodes[level.number_of(value)] = node
            recorder.known.update(self.nodes)
            try:
                with recorder:
                    returned = self.function(*tree_unflatten(values, spec))
            except Untraceable as error:
                raise data_dependent(error) from None
            flat, out_spec = tree_flatten(returned)
            results = [recorder.written(value) for value in flat]
        self._add_constants(recorder)
        for entry in recorder.entries:
            self._add(entry)
        if len(leaves) != len(args):
            self.graph.set_codegen(_PyTreeCodeGen(_PyTreeInfo(names, spec, out_spec)))
            self.graph.output(self._argument(results))
        else:
            self.graph.output(self._argument(tree_unflatten(results, out_spec)))
        return GraphModule(self.root, self.graph, getattr(self.function, "__name__", type(self.function).__name__))

    def _names(self, args: tuple) -> list[str]:
        """Returns names of the arguments: those of the parameters, where the function tells them."""
        try:
            parameters = list(inspect.signature(self.function).parameters.values())
        except (TypeError, ValueError):  # a function in C without a signature
            parameters = []
        names = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
        return names if len(names) == len(args) else [f"arg{number}" for number in range(len(args))]

    def _add_input(self, name: str, value: Any) -> None:
        node = self.graph.placeholder(f"{name}_1")
        node.meta["val"] = value

    def _add_constants(self, recorder: Recorder) -> None:
        """Adds tensors that are no arguments as attributes."""
        made = {number for entry in recorder.entries for number in numbers_in(entry.results)}
        for number, tensor in recorder.constants.items():
            if number not in made and number not in self.nodes:
                self.nodes[number] = self.graph.get_attr(self._member(tensor))

    def _member(self, tensor: Tensor) -> str:
        if isinstance(tensor, Parameter):
            name = f"_param_constant{len(self.root._parameters)}"
            setattr(self.root, name, tensor)
        else:
            name = f"_tensor_constant{len(self.root._buffers)}"
            self.root.register_buffer(name, tensor)
        return name

    def _add(self, entry: Entry) -> None:
        name = str(getattr(entry.target, "_opname", "") or getattr(entry.target, "__name__", "call"))
        args, kwargs = self._argument(entry.args), self._argument(entry.kwargs)
        node = self.graph.create_node("call_function", entry.target, args, kwargs, name)
        place = entry.place
        node.meta["stack_trace"] = f'  File "{place.file}", line {place.line}, in {place.function}\n    {place.text}'
        self._add_results(node, entry.results)

    def _add_results(self, node: Node, results: Any) -> None:
        if isinstance(results, int):
            self.nodes[results] = node
        elif isinstance(results, tuple):
            for index, each in enumerate(results):
                if numbers_in(each):
                    self._add_results(self.graph.call_function(getitem, (node, index)), each)

    def _argument(self, value: Any) -> Any:
        """Returns an argument with a node for each tensor."""
        if isinstance(value, Ref):
            return self.nodes[value.number]
        if isinstance(value, tuple | list):
            return type(value)(map(self._argument, value))
        if isinstance(value, dict):
            return {name: self._argument(each) for name, each in value.items()}
        if isinstance(value, slice):
            return slice(*map(self._argument, (value.start, value.stop, value.step)))
        return value


def traced(level: FunctionLevel, value: Any) -> Any:
    """Returns an argument of the run: a tensor of the level, which requires a gradient if the original does."""
    return input_of(level, value).requires_grad_(value.requires_grad) if isinstance(value, Tensor) else value


def numbers_in(results: Any) -> list[int]:
    """Returns the numbers of the tensors among the results of a call."""
    if isinstance(results, tuple):
        return [number for each in results for number in numbers_in(each)]
    return [results] if isinstance(results, int) else []


def leaf_names(names: list[str], args: tuple) -> Iterator[str]:
    """Yields a name for each leaf of the arguments."""
    for name, value in zip(names, args, strict=True):
        count = len(tree_leaves(value))
        single = count == 1 and not isinstance(value, list | tuple | dict)
        yield from [name] if single else [f"{name}_{number}" for number in range(1, count + 1)]


def data_dependent(error: Untraceable) -> RuntimeError:
    """Returns the error of a function that decides by elements."""
    return noted(
        RuntimeError(f"make_fx: the function reads the elements of a tensor, which a graph does not have: {error}"),
        "Use torch.where(), or torch.cond().",
    )
