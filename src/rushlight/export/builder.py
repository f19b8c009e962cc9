"""Builds the graph of an exported program from recorded runs at several sizes."""

from __future__ import annotations

import operator
import re
from typing import Any

from rushlight._ops import ops
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty
from rushlight.export.dimensions import UserError
from rushlight.export.exported_program import ExportedProgram
from rushlight.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)  # fmt: skip
from rushlight.export.merging import Mismatch, merged_value
from rushlight.export.runs import Place, Runs
from rushlight.export.sizes import Varying, power_of, solved
from rushlight.fx.experimental.recorder import Entry
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.graph.trace import Ref
from rushlight.nn.modules.module import Module
from rushlight.utils._pytree import TreeSpec, tree_unflatten

TAKEN = ("device", "torch", "inf", "nan")  # names that generated code uses


class Record:
    """A recorded run: its entries, the numbers of inputs, and the flat results with a reference for each tensor."""

    def __init__(self, entries: list[Entry], weights: dict[str, int], inputs: list, results: list, out_spec: TreeSpec):
        self.entries, self.weights, self.inputs = entries, weights, inputs
        self.results, self.out_spec = results, out_spec
        self.constants: dict[int, Tensor] = {}


class Builder:
    """Builds the graph of records that are runs of one module at several sizes."""

    def __init__(
        self, mod: Module, records: list[Record], names: list[str], runs: Runs, leaves: list, in_spec: TreeSpec
    ):
        self.mod, self.records, self.names, self.runs = mod, records, names, runs
        self.leaves, self.in_spec = leaves, in_spec
        self.graph = Graph()
        self.nodes: dict[int, Node] = {}
        self.sizes: dict[tuple, tuple[Node, int]] = {}  # values in the runs -> the dimension that has them
        self.size_nodes: dict[tuple, Node] = {}
        self.signature = ExportGraphSignature()
        self.constants: dict[str, Tensor] = {}

    def program(self) -> ExportedProgram:
        """Returns the program."""
        self.add_weights()
        self.add_constants()
        self.add_inputs()
        for entries in self.aligned():
            self.add_entry(entries)
        self.add_outputs()
        module = GraphModule({}, self.graph)
        state = dict(self.mod.state_dict(keep_vars=True))
        persistent = set(state)
        loose = {name: buffer for name, buffer in self.mod.named_buffers() if name not in persistent}
        return ExportedProgram(
            module, self.signature, state, {**loose, **self.constants}, (self.in_spec, self.records[0].out_spec),
            self.ranges(), self.checks(), tree_unflatten(self.leaves, self.in_spec),
        )  # fmt: skip

    # ---- inputs

    def placeholder(self, name: str, number: int | None, value: Any) -> Node:
        name = re.sub(r"\W", "_", name)
        node = self.graph.placeholder(f"{name}_" if name in TAKEN else name)
        node.meta["val"] = meta_of(value) if isinstance(value, Tensor) else value
        if number is not None:
            self.nodes[number] = node
        return node

    def add_weights(self) -> None:
        persistent = set(self.mod.state_dict(keep_vars=True))
        parameters = dict(self.mod.named_parameters())
        buffers = dict(self.mod.named_buffers())
        ordered = [*[name for name in self.records[0].weights if name in parameters]]
        ordered += [name for name in self.records[0].weights if name not in parameters]
        for name in ordered:
            is_parameter = name in parameters
            node = self.placeholder(f"{'p' if is_parameter else 'b'}_{name}", self.records[0].weights[name],
                                    (parameters if is_parameter else buffers)[name])  # fmt: skip
            kind = InputKind.PARAMETER if is_parameter else InputKind.BUFFER
            kept = None if is_parameter else name in persistent
            self.signature.input_specs.append(InputSpec(kind, TensorArgument(node.name), name, kept))

    def add_constants(self) -> None:
        """Adds the tensors that are neither parameters nor inputs: attributes of modules, or others."""
        attributes = {
            id(value): f"{prefix}.{name}" if prefix else name
            for prefix, each in self.mod.named_modules()
            for name, value in vars(each).items()
            if isinstance(value, Tensor)
        }
        for number, tensor in self.records[0].constants.items():
            others = [record.constants.get(number) for record in self.records]
            if any([other is not tensor and not equal(other, tensor) for other in others]):
                raise noted(
                    UserError(
                        "torch.export.export: the program makes a tensor whose elements depend on sizes, from Python"
                    ),
                    "Make it with torch.arange, torch.full and other operators.",
                )
            name = attributes.get(id(tensor)) or f"lifted_tensor_{len(self.constants)}"
            node = self.placeholder(f"c_{name}", number, tensor)
            self.constants[name] = tensor
            self.signature.input_specs.append(InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(node.name), name))

    def add_inputs(self) -> None:
        for position, (name, leaf) in enumerate(zip(self.names, self.leaves, strict=True)):
            number = self.records[0].inputs[position] if isinstance(leaf, Tensor) else None
            node = self.placeholder(name, number, leaf)
            is_tensor = isinstance(leaf, Tensor)
            argument = TensorArgument(node.name) if is_tensor else ConstantArgument(node.name, leaf)
            self.signature.input_specs.append(InputSpec(InputKind.USER_INPUT, argument, None))
            if is_tensor:
                for symbol, sizes in zip(self.runs.symbols, self.runs.sizes, strict=True):
                    for place, times, plus in symbol.occurrences:
                        if place.input == position:
                            values = tuple([times * size + plus for size in sizes])
                            self.sizes.setdefault(values, (node, place.dimension))

    # ---- calls

    def aligned(self) -> list[tuple[Entry, ...]]:
        """Returns the entries of all runs side by side. Raises UserError where they made other calls."""
        rows = list(zip(*[record.entries for record in self.records], strict=False))
        lengths = {len(record.entries) for record in self.records}
        first = next((row for row in rows if len({(id(x.target), str(x.results)) for x in row}) > 1), None)
        if first is not None or len(lengths) > 1:
            longest = max(self.records, key=lambda record: len(record.entries)).entries
            raise self.other_calls((first or longest[len(rows) : len(rows) + 1])[0])
        return rows

    def other_calls(self, entry: Entry) -> UserError:
        names = ", ".join([symbol.name for symbol in self.runs.symbols])
        return noted(
            UserError(
                f"Constraints violated ({names})! The module makes other calls for other sizes, at {entry.place}"
            ),
            "A branch on a size that may change, or a loop over it: make that dimension static.",
        )

    def add_entry(self, entries: tuple[Entry, ...]) -> None:
        first = entries[0]
        try:
            args, kwargs = merged_value([x.args for x in entries]), {
                name: merged_value([x.kwargs[name] for x in entries]) for name in first.kwargs
            }  # fmt: skip
        except (Mismatch, KeyError):
            raise self.other_calls(first) from None
        args, kwargs = self.with_nodes(args, first), self.with_nodes(kwargs, first)
        name = str(getattr(first.target, "_opname", "") or getattr(first.target, "__name__", "call"))
        node = self.graph.create_node("call_function", first.target, args, kwargs, name.strip("_") or None)
        node.meta["stack_trace"] = (
            f'  File "{first.place.file}", line {first.place.line}, in {first.place.function}\n    {first.place.text}'
        )
        self.add_results(node, first.results, entries)

    def add_results(self, node: Node, results: Any, entries: tuple[Entry, ...]) -> None:
        if isinstance(results, tuple):
            node.meta["val"] = tuple([self.meta(each, entries) for each in results])
            for position, each in enumerate(results):
                if each is not None:
                    part = self.graph.call_function(operator.getitem, (node, position))
                    self.add_results(part, each, entries)
        elif results is not None:
            self.nodes[results] = node
            node.meta["val"] = self.meta(results, entries)
            shapes = [entry.metas[results].shape for entry in entries]
            for dimension, sizes in enumerate(zip(*shapes, strict=True)):
                if len(set(sizes)) > 1:
                    self.sizes.setdefault(sizes, (node, dimension))

    def meta(self, number: Any, entries: tuple[Entry, ...]) -> Any:
        if not isinstance(number, int):
            return None
        meta = entries[0].metas[number]
        return empty(meta.shape, dtype=meta.dtype, device="meta")

    def with_nodes(self, value: Any, entry: Entry) -> Any:
        """Returns an argument with nodes for tensors and for sizes that may change."""
        if isinstance(value, Ref):
            return self.nodes[value.number]
        if isinstance(value, Varying):
            return self.size_node(value, entry)
        if isinstance(value, list | tuple):
            return type(value)([self.with_nodes(each, entry) for each in value])
        if isinstance(value, slice):
            return slice(*[self.with_nodes(each, entry) for each in (value.start, value.stop, value.step)])
        if isinstance(value, dict):
            return {name: self.with_nodes(each, entry) for name, each in value.items()}
        return value

    def size_node(self, number: Varying, entry: Entry | None) -> Node:
        """Returns the node of a number that depends on sizes: a size, or an expression of some."""
        if number.values not in self.size_nodes:
            power = power_of(number.values)
            formula = solved(power[0], self.sizes) if power is not None else None
            if formula is None or power is None:
                raise UserError(
                    f"torch.export.export: a number, {number.values[0]} in the example, depends on sizes, and no "
                    f"formula gives it, at {entry.place if entry else 'the end of the module'}"
                )
            result = self.dimension(*formula.factors[0])
            for factor in formula.factors[1:]:
                result = self.graph.call_function(operator.mul, (result, self.dimension(*factor)))
            for function, other, neutral in (
                (operator.mul, formula.times, 1), (operator.add, formula.plus, 0), (operator.floordiv, formula.over, 1),
            ):  # fmt: skip
                if other != neutral:
                    result = self.graph.call_function(function, (result, other))
            if type(number.values[0]) is float:
                result = self.graph.call_function(operator.pow, (result, float(power[1])))
            result.meta["val"] = number.values[0]
            self.size_nodes[number.values] = result
        return self.size_nodes[number.values]

    def dimension(self, node: Node, dimension: int) -> Node:
        """Returns the node of a size of a tensor."""
        key = (node, dimension)
        if key not in self.size_nodes:
            name = "sym_size_int"
            made = self.graph.create_node("call_function", ops.aten.sym_size.int, (node, dimension), {}, name)
            self.size_nodes[key] = made
        return self.size_nodes[key]

    # ---- outputs

    def add_outputs(self) -> None:
        results = []
        for values in zip(*[record.results for record in self.records], strict=True):
            value = merged_value(list(values))
            if isinstance(value, Ref):
                node = self.nodes[value.number]
                results.append(node)
                argument: Any = TensorArgument(node.name)
            elif isinstance(value, Varying):
                results.append(self.size_node(value, None))
                argument = SymIntArgument(results[-1].name)
            else:
                results.append(value)
                argument = ConstantArgument("", value)
            self.signature.output_specs.append(OutputSpec(OutputKind.USER_OUTPUT, argument))
        self.graph.output(tuple(results))
        self.drop_unused()

    def drop_unused(self) -> None:
        """Erases calls that nothing uses, and that write to nothing."""
        for node in reversed(self.graph.nodes):
            unused = node.op == "call_function" and not node.users
            schema = getattr(node.target, "_schema", None)
            if unused and (node.target is operator.getitem or (schema is not None and not schema.is_mutable)):
                self.graph.erase_node(node)

    # ---- sizes

    def ranges(self) -> dict[str, tuple[int, int | None]]:
        """Returns the bounds of the sizes that may change."""
        return {symbol.name: (symbol.low, symbol.high) for symbol in self.runs.symbols}

    def checks(self) -> list[Any]:
        """Returns what each flat input must be: for a tensor its dtype and sizes.

        A size that may change is (symbol, times, plus).
        """
        expected: list[Any] = []
        changing = {
            place: (symbol.name, times, plus)
            for symbol in self.runs.symbols
            for place, times, plus in symbol.occurrences
        }
        for position, leaf in enumerate(self.leaves):
            if isinstance(leaf, Tensor):
                sizes = [changing.get(Place(position, at), size) for at, size in enumerate(leaf.shape)]
                expected.append((self.names[position], leaf.dtype, sizes))
            else:
                expected.append((self.names[position], None, leaf))
        return expected


def meta_of(tensor: Tensor) -> Tensor:
    return empty(tensor.shape, dtype=tensor.dtype, device="meta")


def equal(one: Any, other: Tensor) -> bool:
    """Whether two constants have the same elements."""
    return isinstance(one, Tensor) and one.shape == other.shape and one.eq(other).all().item() is True
