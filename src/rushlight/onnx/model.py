"""A model as ONNX's message: the runs, the trace, the graph, and what is around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.export.dimensions import arguments_by_name, in_order_of_leaves
from rushlight.export.runs import Runs, recorded_runs, symbols
from rushlight.export.sizes import Varying
from rushlight.graph.trace import Trace
from rushlight.nn.modules.module import Module
from rushlight.onnx.graph import GraphWriter, refusal
from rushlight.onnx.recorded import merged, recorded
from rushlight.onnx.registration import OnnxExporterError
from rushlight.onnx.writer import Refused, Value, Writer, onnx_dtype
from rushlight.utils._pytree import tree_flatten, tree_unflatten
from rushlight.version import __version__

IR_VERSION = 10


class Request(NamedTuple):
    """What is exported: a model, its example, the dimensions that may change, and names of inputs and outputs."""

    model: Any
    args: tuple
    kwargs: dict[str, Any]
    spec: list[dict[int, Any]]
    input_names: list[str]
    output_names: list[str]


class Settings(NamedTuple):
    """How it is written."""

    opset: int
    export_params: bool
    initializers_as_inputs: bool
    custom_opsets: Mapping[str, int]


def module_of(model: Any) -> Module | None:
    return model if isinstance(model, Module) else None


def forward_of(model: Any) -> Any:
    return model.forward if isinstance(model, Module) else model


class Example:
    """What a model is exported with: its flat inputs, which of them are tensors, and how they are passed."""

    def __init__(self, args: tuple, kwargs: dict):
        self.leaves, self.spec = tree_flatten((args, kwargs))
        self.tensors = [at for at, leaf in enumerate(self.leaves) if isinstance(leaf, Tensor)]

    def call(self, model: Any, tensors: Sequence[Any]) -> list:
        """Calls a model with other tensors; returns its flat results."""
        leaves = list(self.leaves)
        for at, tensor in zip(self.tensors, tensors, strict=True):
            leaves[at] = tensor
        args, kwargs = tree_unflatten(leaves, self.spec)
        results = tree_flatten(model(*args, **kwargs))[0]
        return [result for result in results if isinstance(result, Tensor)]

    def pick(self, leaves: list) -> list:
        """Returns the tensors among flat inputs."""
        return [leaves[at] for at in self.tensors]


def model_proto(request: Request, settings: Settings) -> tuple[Any, Example]:
    """Returns the model as ONNX's message, and the example."""
    model, example = request.model, Example(request.args, request.kwargs)

    def record(leaves: list) -> Trace:
        return recorded(module_of(model), lambda *tensors: example.call(model, tensors), example.pick(leaves))

    runs, traces = recorded_runs(example.leaves, symbols(example.leaves, request.spec), record, OnnxExporterError)
    trace = merged(traces)
    writer = Writer(settings.opset)
    graph = GraphWriter(trace, writer, names_of_weights(model))
    wished = list(request.input_names)
    if len(wished) < len(example.tensors):
        wished += default_names(model, request.args, request.kwargs, example)[len(wished) :]
    inputs = graph.add_inputs(wished[: len(trace.inputs)])
    graph.write()
    outputs = results(graph, request.output_names)
    if graph.refusals:
        raise refusal(graph.refusals)
    if not outputs:
        raise OnnxExporterError("torch.onnx.export: the model returns no tensor")
    return assembled(writer, inputs, outputs, symbol_names(runs), type(model).__name__, settings), example


def names_of_weights(model: Any) -> dict[int, str]:
    """Returns the names of parameters and buffers, by the tensors' ids."""
    if not isinstance(model, Module):
        return {}
    named = [*model.named_buffers(remove_duplicate=False), *model.named_parameters(remove_duplicate=False)]
    return {id(tensor): name for name, tensor in reversed(named)}


def default_names(model: Any, args: tuple, kwargs: dict, example: Example) -> list[str]:
    """Returns a name for each input: that of its parameter, with a number if the argument has several tensors."""
    names: list[str] = []
    for name, value in in_order_of_leaves(arguments_by_name(forward_of(model), args, kwargs), kwargs).items():
        count = len([leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, Tensor)])
        names += [name] if isinstance(value, Tensor) else [f"{name}_{number}" for number in range(count)]
    return names + [f"input_{number}" for number in range(len(names), len(example.tensors))]


def results(graph: GraphWriter, wished: list[str]) -> list[Value]:
    """Returns the values of the outputs, each under a name of its own."""
    outputs, writer = [], graph.writer
    for position, number in enumerate(graph.trace.outputs):
        if number is None or number in graph.refused:
            continue
        try:
            value = graph.value(number)
        except Refused as error:
            graph.refusals.append(("a result", "the end of the model", str(error)))
            continue
        name = writer.unique(
            wished[position] if position < len(wished) else f"output_{position}" if position else "output"
        )
        writer.nodes.append(
            import_module("onnx.helper").make_node("Identity", [value.name], [name], name=f"node_{name}")
        )
        outputs.append(Value(writer, name, value.dtype, graph.trace.metas[number].shape))
    return outputs


def symbol_names(runs: Runs) -> dict[tuple, str]:
    """Returns the names of sizes by their values in the runs; those of derived sizes are formulas."""
    names: dict[tuple, str] = {}
    for symbol, sizes in zip(runs.symbols, runs.sizes, strict=True):
        names[sizes] = symbol.name
        for _, times, plus in symbol.occurrences:
            values = tuple([times * size + plus for size in sizes])
            names.setdefault(values, f"{times}*{symbol.name}" + (f" + {plus}" if plus else ""))
    return names


def assembled(
    writer: Writer, inputs: list[Value], outputs: list[Value], symbolic: dict[tuple, str], name: str, settings: Settings
) -> Any:
    """Returns the message of a model from what was written, without nodes that no result depends on."""
    helper, numpy_helper = import_module("onnx.helper"), import_module("onnx.numpy_helper")

    def size(number: Any) -> Any:
        if not isinstance(number, Varying):
            return number
        return symbolic.setdefault(number.values, f"size_{len(symbolic)}")

    def info(value: Value) -> Any:
        sizes = [size(number) for number in value.shape or ()]
        return helper.make_tensor_value_info(value.name, onnx_dtype(value.dtype), sizes)

    needed, nodes = {value.name for value in outputs}, []
    for node in reversed(writer.nodes):
        if not needed.isdisjoint(node.output):
            needed.update(node.input)
            nodes.append(node)
    weights = {name: array for name, array in writer.initializers.items() if name in needed}
    weight_infos = [info(Value(writer, name, array.dtype, array.shape)) for name, array in weights.items()]
    graph = helper.make_graph(
        nodes[::-1],
        name,
        [*map(info, inputs), *(weight_infos if settings.initializers_as_inputs or not settings.export_params else [])],
        [*map(info, outputs)],
        [numpy_helper.from_array(array, name) for name, array in weights.items()] if settings.export_params else [],
    )
    opsets = [
        helper.make_opsetid("", writer.opset),
        *[helper.make_opsetid(domain, settings.custom_opsets.get(domain, 1)) for domain in sorted(writer.domains)],
    ]
    return helper.make_model(
        graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="rushlight", producer_version=__version__
    )
