"""Modules and functions that are graphs: they run, print and are saved without their Python."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.create.queries import typename
from rushlight.fx.graph import Graph
from rushlight.jit.container import read, write
from rushlight.jit.program import Program
from rushlight.jit.rows import NAME, check, graph_of, rows_of
from rushlight.jit.symbolic import symbolic
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter, is_lazy

__all__ = ["RecursiveScriptModule", "ScriptFunction", "ScriptModule", "TopLevelTracedModule", "TracedModule"]


class ScriptModule(Module):
    """Base class of modules that TorchScript compiles; here they run as written.

    `graph`, `code` and `save` work for modules whose control flow does not depend on their inputs.
    """

    _is_script = True  # read by `torch.func.functional_call`, which refuses such modules

    @property
    def original_name(self) -> str:
        return type(self).__name__

    def _graph_of(self, method: str) -> Graph:
        return symbolic(self, method)[0]

    def _method_names(self) -> list[str]:
        return ["forward"]

    @property
    def graph(self) -> Graph:
        """The graph of `forward`."""
        return self._graph_of("forward")

    @property
    def inlined_graph(self) -> Graph:
        """The graph of `forward`, which has no calls of modules."""
        return self._graph_of("forward")

    @property
    def code(self) -> str:
        """The graph of `forward` as Python."""
        return code_of(self.graph)

    def save(self, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
        """Writes the module to a file, as `torch.jit.save`."""
        write(f, contents_of_module(graphed(self)), _extra_files)


def refuse_lazy_members(module: Module, wrapper: str | None = None) -> None:
    """Raises RuntimeError if a parameter or buffer has no shape yet.

    The error names the type of its module. A trace names `wrapper` instead, and looks at inner modules first.
    """
    modules = list(module.modules())
    for each in reversed(modules) if wrapper else modules:
        for kind, members in (("parameters", each._parameters), ("buffers", each._buffers)):
            for name in [name for name, member in members.items() if is_lazy(member)]:
                owner = wrapper or typename(type(each))
                raise RuntimeError(f"'{owner}' has uninitialized {kind} {name}. Did you forget to run a forward pass?")


class RecursiveScriptModule(ScriptModule):
    """A module that runs graphs: what `torch.jit.load` returns. Members have the names of the original."""

    def __init__(self, graphs: dict[str, Graph], original_name: str) -> None:
        super().__init__()
        self.__dict__["_graphs"] = graphs
        self.__dict__["_programs"] = {name: Program(graph, name) for name, graph in graphs.items()}
        self.__dict__["_original_name"] = original_name

    @property
    def original_name(self) -> str:
        return self.__dict__.get("_original_name", type(self).__name__)

    def _graph_of(self, method: str) -> Graph:
        graphs = self.__dict__.get("_graphs")
        return super()._graph_of(method) if graphs is None else graphs[method]

    def _method_names(self) -> list[str]:
        return list(self.__dict__.get("_graphs", ("forward",)))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if "forward" not in self._programs:
            raise NotImplementedError(f'Module [{self._get_name()}] is missing the required "forward" function')
        return self._programs["forward"](self, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        program = self.__dict__.get("_programs", {}).get(name)
        if program is None:
            return super().__getattr__(name)
        return lambda *args, **kwargs: program(self, args, kwargs)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if "_graphs" in self.__dict__:
            return unpickled, (in_bytes(self),)
        kind = getattr(type(self), "_scripted", None)
        return super().__reduce_ex__(protocol) if kind is None else (scripted, (kind,), dict(self.__dict__))

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"


@cache
def scripted_class(kind: Any) -> type:
    """Returns the class of a module that runs as written and is a script module."""
    return type(kind.__name__, (kind, RecursiveScriptModule), {"__module__": kind.__module__, "_scripted": kind})


def scripted(kind: Any) -> Any:
    """Returns a scripted module without members, which unpickling sets."""
    return object.__new__(scripted_class(kind))


class TracedModule(RecursiveScriptModule):
    """A module recorded by `torch.jit.trace`."""

    def _get_name(self) -> str:
        return self.original_name


class TopLevelTracedModule(TracedModule):
    """The result of `torch.jit.trace` for a module."""


class Part(ScriptModule):
    """A module within a traced one: it has the members of the original, and no `forward` of its own."""

    def __init__(self, original_name: str) -> None:
        super().__init__()
        self.__dict__["_original_name"] = original_name

    @property
    def original_name(self) -> str:
        return self.__dict__["_original_name"]

    def _get_name(self) -> str:
        return self.original_name

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"


class ScriptFunction:
    """A function that runs a graph: the result of `torch.jit.trace` for a function."""

    def __init__(self, graph: Graph, name: str, constants: Module) -> None:
        self.graph, self.name, self.constants = graph, name, constants
        self.__name__ = name
        self._program = Program(graph, name)

    @property
    def qualified_name(self) -> str:
        return f"__torch__.{self.name}"

    @property
    def inlined_graph(self) -> Graph:
        return self.graph

    @property
    def code(self) -> str:
        """The graph as Python."""
        return code_of(self.graph)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._program(self.constants, args, kwargs)

    def __repr__(self) -> str:
        return f"<torch.jit.ScriptFunction {self.name}>"

    def __reduce__(self) -> Any:
        return unpickled, (in_bytes(self),)

    def save(self, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
        """Writes the function to a file, as `torch.jit.save`."""
        write(f, contents_of_function(self), _extra_files)


def code_of(graph: Graph) -> str:
    return graph.python_code("self").src.strip() + "\n"


def in_bytes(obj: ScriptModule | ScriptFunction) -> bytes:
    file = io.BytesIO()
    obj.save(file)
    return file.getvalue()


def unpickled(data: bytes) -> RecursiveScriptModule | ScriptFunction:
    """Returns the module or function in the bytes of a file."""
    return made(read(io.BytesIO(data), None))


def contents_of_module(module: ScriptModule) -> dict[str, Any]:
    """Returns what a file has of a module: graphs as plain data, and tensors."""
    return {
        "kind": "module",
        "name": module.original_name,
        "training": module.training,
        "graphs": {name: rows_of(module._graph_of(name)) for name in module._method_names()},
        "parts": {path: original_name(part) for path, part in module.named_modules(remove_duplicate=False) if path},
        **tensors_of(module),
    }


def contents_of_function(function: ScriptFunction) -> dict[str, Any]:
    return {
        "kind": "function",
        "name": function.name,
        "training": False,
        "graphs": {"forward": rows_of(function.graph)},
        "parts": {},
        **tensors_of(function.constants),
    }


def mirror(module: Module, copy: Module, known: dict[int, Module]) -> None:
    """Gives a module parameters, buffers and modules of the same names; tensors are shared."""
    for name, parameter in module._parameters.items():
        copy.register_parameter(name, parameter)
    for name, buffer in module._buffers.items():
        copy.register_buffer(name, buffer, persistent=name not in module._non_persistent_buffers_set)
    for name, child in module._modules.items():
        if child is None:
            continue
        if id(child) not in known:
            known[id(child)] = Part(original_name(child))
            known[id(child)].training = child.training
            mirror(child, known[id(child)], known)
        copy.add_module(name, known[id(child)])


def graphed(module: Module) -> RecursiveScriptModule:
    """Returns a module as one that runs a graph. Raises RuntimeError if its control flow depends on its inputs."""
    if isinstance(module, RecursiveScriptModule) and "_graphs" in vars(module):
        return module
    graph, constants = symbolic(module)
    result = RecursiveScriptModule({"forward": graph}, original_name(module))
    mirror(module, result, {})
    put_buffers(result, constants, persistent=False)
    result.training = module.training
    return result


def original_name(module: Module) -> str:
    return module.original_name if isinstance(module, ScriptModule) else type(module).__name__


def tensors_of(module: Module) -> dict[str, dict[str, Tensor]]:
    """Returns parameters, buffers, buffers that are no part of a state dict, and other tensors that graphs use."""
    kept = set(module.state_dict())
    buffers = dict(module.named_buffers(remove_duplicate=False))
    return {
        "parameters": dict(module.named_parameters(remove_duplicate=False)),
        "buffers": {name: value for name, value in buffers.items() if name in kept},
        "constants": {name: value for name, value in buffers.items() if name not in kept},
    }


def made(contents: dict[str, Any]) -> RecursiveScriptModule | ScriptFunction:
    """Returns the module or function of a file, whose contents have been checked."""
    members = {name for kind in ("parameters", "buffers", "constants") for name in contents[kind]}
    for name in (*members, *contents["parts"], *contents["graphs"]):
        check(all(map(NAME.fullmatch, name.split("."))), f"{name!r} is no name of a member")
    graphs = {name: graph_of(rows, members) for name, rows in contents["graphs"].items()}
    if contents["kind"] == "function":
        root = Part("constants")
        put_tensors(root, contents)
        return ScriptFunction(graphs["forward"], contents["name"], root)
    module = RecursiveScriptModule(graphs, contents["name"])
    for path, name in contents["parts"].items():
        part_at(module, path, name)
    put_tensors(module, contents)
    return module.train(contents["training"])


def part_at(module: Module, path: str, name: str = "Module") -> Module:
    """Returns the module with a dotted name; adds what is missing."""
    for part in path.split(".") if path else ():
        if part not in module._modules:
            module.add_module(part, Part(name))
        module = module._modules[part]  # type: ignore[assignment]
    return module


def put_tensors(module: Module, contents: dict[str, Any]) -> None:
    parameters: dict[int, Parameter] = {}
    for path, value in contents["parameters"].items():
        place, _, name = path.rpartition(".")
        parameter = parameters.setdefault(id(value), as_parameter(value))
        part_at(module, place).register_parameter(name, parameter)
    put_buffers(module, contents["buffers"], persistent=True)
    put_buffers(module, contents["constants"], persistent=False)


def put_buffers(module: Module, buffers: dict[str, Tensor], *, persistent: bool) -> None:
    for path, value in buffers.items():
        place, _, name = path.rpartition(".")
        part_at(module, place).register_buffer(name, value, persistent=persistent)


def as_parameter(value: Tensor) -> Parameter:
    return value if isinstance(value, Parameter) else Parameter(value.detach(), value.requires_grad)
