"""`torch.export.ExportedProgram`: a graph of aten's operators with its weights, signature and ranges of sizes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.export.dimensions import Dim
from rushlight.export.graph_signature import ExportGraphSignature, InputKind
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.utils._pytree import TreeSpec, tree_flatten, tree_unflatten


class ExportedProgram:
    """A module that was exported: `graph_module` takes all weights and arguments as inputs, and returns flat results.

    `module()` returns a module that is called as the original was.
    """

    def __init__(
        self, graph_module: GraphModule, graph_signature: ExportGraphSignature, state_dict: dict[str, Tensor],
        constants: dict[str, Tensor], specs: tuple[TreeSpec, TreeSpec], ranges: dict[str, tuple[int, int | None]],
        checks: list[Any], example_inputs: tuple[tuple, dict] | None,
    ):  # fmt: skip
        self.graph_module, self.graph_signature = graph_module, graph_signature
        self.state_dict, self.constants = state_dict, constants
        self.example_inputs = example_inputs
        self.range_constraints = ranges
        self._specs, self._checks = specs, checks

    @property
    def graph(self) -> Graph:
        return self.graph_module.graph

    @property
    def call_spec(self) -> Any:
        """The structures of the arguments and of the result."""
        return CallSpec(*self._specs)

    @property
    def dialect(self) -> str:
        return "ATEN"

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yields the parameters by name."""
        for name in self.graph_signature.parameters:
            yield name, self.state_dict[name]  # type: ignore[misc]

    def parameters(self) -> Iterator[Parameter]:
        """Yields the parameters."""
        for _, parameter in self.named_parameters():
            yield parameter

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """Yields the buffers by name."""
        for name in self.graph_signature.buffers:
            yield name, self.state_dict[name] if name in self.state_dict else self.constants[name]

    def buffers(self) -> Iterator[Tensor]:
        """Yields the buffers."""
        for _, buffer in self.named_buffers():
            yield buffer

    def module(self, check_guards: bool = True) -> GraphModule:
        """Returns a module that is called as the original was, with copies of nothing: it has the program's weights.

        With `check_guards` it raises AssertionError for arguments of other dtypes or sizes than the program is for.
        """
        return Unlifted(self, check_guards)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises RuntimeError: `module()` is what is called."""
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def run_decompositions(
        self, decomp_table: Mapping[Any, Callable] | None = None, decompose_custom_triton_ops: bool = False
    ) -> ExportedProgram:
        """Returns a program in which the functions of a table, {overload: function}, replace its operators.

        Without a table it is `torch.export.default_decompositions()`. Writes stay nodes of the graph.
        """
        return import_module("rushlight.export.decompositions").decomposed(self, decomp_table)

    def dynamic_dims(self) -> list[dict[int, Dim]]:
        """Returns the dimensions of each flat input that may have other sizes."""
        dims = {name: Dim(name, min=low or None, max=high) for name, (low, high) in self.range_constraints.items()}
        result: list[dict[int, Dim]] = []
        for _, dtype, sizes in self._checks:
            numbered = enumerate(sizes) if dtype is not None else ()
            result.append({at: dims[size[0]] * size[1] + size[2] for at, size in numbered if isinstance(size, tuple)})
        return result

    def __str__(self) -> str:
        code = self.graph_module.print_readable(print_output=False).replace("\n", "\n    ")
        return (
            f"ExportedProgram:\n    {code.rstrip()}\n    \nGraph signature: {self.graph_signature}\n"
            f"Range constraints: {ranges_in_words(self.range_constraints)}\n"
        )

    __repr__ = __str__

    def __deepcopy__(self, memo: dict) -> ExportedProgram:
        made = copy.copy(self)
        made.state_dict = copy.deepcopy(self.state_dict, memo)
        made.graph_module = copy.deepcopy(self.graph_module, memo)
        return made


class CallSpec:
    """The structures of the arguments and of the result of a program."""

    def __init__(self, in_spec: TreeSpec, out_spec: TreeSpec):
        self.in_spec, self.out_spec = in_spec, out_spec


def ranges_in_words(ranges: dict[str, tuple[int, int | None]]) -> str:
    inner = ", ".join(
        [f"{name}: VR[{low}, {'int_oo' if high is None else high}]" for name, (low, high) in ranges.items()]
    )
    return f"{{{inner}}}"


class Unlifted(GraphModule):
    """A program as a module: weights are its attributes, and it is called as the exported module was."""

    def __init__(self, program: ExportedProgram, check_guards: bool = True):
        graph, kept = Graph(), {}
        targets = {
            spec.arg.name: str(spec.target)
            for spec in program.graph_signature.input_specs
            if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
        }
        for node in program.graph.nodes:
            if node.op == "placeholder" and node.name in targets:
                kept[node] = graph.get_attr(targets[node.name])
                kept[node].meta = dict(node.meta)
            else:
                kept[node] = graph.node_copy(node, lambda each: kept[each])
        super().__init__(holder(program), graph)
        for name in program.graph_signature.non_persistent_buffers:
            prefix, _, last = name.rpartition(".")
            self.get_submodule(prefix)._non_persistent_buffers_set.add(last)
        self.training = False  # the graph has the mode that the module was exported in
        self.__dict__["_program"] = program._specs, program._checks, program.range_constraints, check_guards

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        (in_spec, out_spec), checks, ranges, check_guards = self.__dict__["_program"]
        leaves, spec = tree_flatten((args, in_order(kwargs, in_spec)))
        if spec != in_spec:
            raise noted(
                ValueError(
                    "Trying to flatten user inputs with exported input tree spec: \n"
                    f"{in_spec}\nbut actually got inputs with tree spec of: \n{spec}"
                ),
                "Call it with the arguments, by position and by name, that the module was exported with.",
            )
        if check_guards:
            check(leaves, checks, ranges)
        return tree_unflatten(list(super().__call__(*leaves)), out_spec)

    def _deepcopy_init(self) -> Any:
        return GraphModule.__init__

    def __deepcopy__(self, memo: dict) -> GraphModule:
        made = super().__deepcopy__(memo)
        made.__dict__["_program"] = self.__dict__["_program"]
        return made


def in_order(kwargs: dict[str, Any], in_spec: TreeSpec) -> dict[str, Any]:
    """Returns keywords in the order in which the program was exported with them."""
    names = in_spec.children()[1].context
    return {name: kwargs[name] for name in names} if set(names) == set(kwargs) else kwargs


def holder(program: ExportedProgram) -> Module:
    """Returns a module whose attributes are the weights and constants of a program."""
    root = Module()
    parameters = set(program.graph_signature.parameters)
    for name, tensor in {**program.state_dict, **program.constants}.items():
        *path, last = name.split(".")
        within: Any = root
        for part in path:
            if part not in within._modules:
                within.add_module(part, Module())
            within = within._modules[part]
        if name in parameters:
            within.register_parameter(last, tensor)
        else:
            within.register_buffer(last, tensor)
    return root


def check(leaves: list, checks: list[Any], ranges: dict[str, tuple[int, int | None]]) -> None:
    """Raises AssertionError for an argument that the program is not for."""
    known: dict[str, int] = {}
    for leaf, (name, dtype, sizes) in zip(leaves, checks, strict=True):
        if dtype is None:
            if leaf != sizes:
                raise AssertionError(f"Guard failed: {name} == {sizes!r}")
            continue
        if not isinstance(leaf, Tensor) or leaf.dtype != dtype:
            raise AssertionError(f"Guard failed: {name}.dtype == {dtype}")
        if leaf.ndim != len(sizes):
            raise AssertionError(f"Guard failed: {name}.ndim == {len(sizes)}")
        for at, (size, wanted) in enumerate(zip(leaf.shape, sizes, strict=True)):
            if isinstance(wanted, int):
                if size != wanted:
                    raise AssertionError(f"Guard failed: {name}.size()[{at}] == {wanted}")
                continue
            check_symbol(f"{name}.size()[{at}]", size, wanted, ranges, known)


def check_symbol(place: str, size: int, wanted: tuple, ranges: dict, known: dict[str, int]) -> None:
    symbol, times, plus = wanted
    low, high = ranges[symbol]
    value, rest = divmod(size - plus, times)
    if rest:
        raise AssertionError(f"Guard failed: {place} == {times}*{symbol} + {plus}")
    if high is not None and value > high:
        raise AssertionError(f"Guard failed: {place} <= {times * high + plus}")
    if value < low:
        raise AssertionError(f"Guard failed: {place} >= {times * low + plus}")
    if known.setdefault(symbol, value) != value:
        raise AssertionError(f"Guard failed: {place} == {times * known[symbol] + plus}")


ExportedProgram.__module__ = "torch.export.exported_program"
