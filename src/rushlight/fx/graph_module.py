"""A module whose `forward` is a graph."""

from __future__ import annotations

import copy
import itertools
import linecache
import os
from collections.abc import Iterable
from importlib import import_module
from types import TracebackType
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.code import PythonCode
from rushlight.fx.graph import Graph
from rushlight.fx.pytree_code import _PyTreeCodeGen
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
GENERATED = "<eval_with_key>"  # the name of files with generated code
NUMBER = itertools.count()
OF_CODE = ("_graph", "_code", "_file", "_lineno_map", "_prologue_start")
KEPT_HOOKS = ("_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


class GraphModule(Module):
    """A module that runs a graph. It has the members of `root` that the graph uses.

    Changes of the graph take effect with `recompile()`, or when the graph is assigned again.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        """Each instance has its own class, because its `forward` is generated."""
        base = next(cls for cls in cls.__mro__ if "_written" not in vars(cls))
        return super().__new__(type("GraphModuleImpl", (base,), {"_written": True}))

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module):
            self._take_members(root, graph)
        elif isinstance(root, dict):
            self._take_values(root, graph)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        tracer = graph._tracer_cls
        self._tracer_cls = tracer if tracer is not None and "<locals>" not in tracer.__qualname__ else None
        self._tracer_extras = graph._tracer_extras or {}
        self.meta: dict[str, Any] = {}

    def _take_members(self, root: Module, graph: Graph) -> None:
        self.training = root.training
        if isinstance(root, _CodeOnlyModule):  # a copy: members that the graph does not use stay
            named = (root.named_children(), root.named_buffers(), root.named_parameters())
            for name in [name for pairs in named for name, _ in pairs]:
                _copy_attr(root, self, name)
        for node in members(graph):
            _copy_attr(root, self, str(node.target))

    def _take_values(self, values: dict[str, Any], graph: Graph) -> None:
        for node in members(graph):
            if node.target not in values:
                raise RuntimeError(f"Node {node} referenced target {node.target} but that target was not provided in "
                                   "``root``!")  # fmt: skip
        names = dict.fromkeys(str(node.target) for node in members(graph))
        for name in sorted(names, key=lambda name: name.count(".")):  # `a` first: it would replace `a.b`
            _assign_attr(values[name], self, name)

    @property
    def graph(self) -> Graph:
        return self.__dict__["_graph"]

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of `forward`."""
        if "_code" not in self.__dict__:
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self.__dict__["_code"]

    def recompile(self) -> PythonCode:
        """Generates `forward` from the current graph."""
        codegen = self.graph._codegen
        if isinstance(codegen, _PyTreeCodeGen):
            self.__dict__["_in_spec"] = codegen.pytree_info.in_spec
            self.__dict__["_out_spec"] = codegen.pytree_info.out_spec
        python = self.graph.python_code("self")
        linecache.cache.pop(self.__dict__.get("_file", ""), None)
        self.__dict__["_code"], self.__dict__["_lineno_map"] = python.src, python._lineno_map
        self.__dict__["_prologue_start"] = python._prologue_start
        self.__dict__["_file"] = file = f"{GENERATED}.{next(NUMBER)}{self.graph._origin}"
        linecache.cache[file] = (len(python.src), None, python.src.splitlines(True), file)
        names = dict(python.globals)
        exec(compile(python.src, file, "exec", dont_inherit=True), names)  # without annotations as strings
        type(self).forward = names[codegen._func_name]  # type: ignore[method-assign]
        return python

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs `forward`. An error in generated code gets a note with the line."""
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:  # every error, and it is raised again
            line = generated_line(error.__traceback__)
            if line:
                error.add_note(line)
            raise

    def print_readable(
        self, print_output: bool = True, include_stride: bool = False, include_device: bool = False
    ) -> str:
        """Returns the graph as a Python class, and prints it.

        Results that `ShapeProp` or a compiler noted have dtype and shape, and strides and device if wanted.
        """
        text = self._readable(self._get_name(), include_stride, include_device)
        if print_output:
            print(text)
        return text

    def _readable(self, name: str, include_stride: bool, include_device: bool) -> str:
        codegen = self.graph._codegen
        python = codegen._gen_python_code(
            self.graph.nodes, "self", verbose=True, include_stride=include_stride, include_device=include_device
        )
        own = within(f"class {name}(torch.nn.Module):\n{python.src.lstrip(chr(10))}")
        parts = [
            part._readable(name, include_stride, include_device)
            for name, part in self.named_children()
            if isinstance(part, GraphModule)
        ]
        return own + within("\n".join(["", *parts]))

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Writes a package of Python, `from folder import FxModule`, that makes this module again."""
        import_module("rushlight.fx.folder").write_folder(self, folder, module_name)

    def add_submodule(self, target: str, m: Module) -> bool:
        """Adds a module under a dotted name; returns False if another object is in the path."""
        *path, name = target.split(".")
        within: Any = self
        for part in path:
            if not hasattr(within, part):
                setattr(within, part, Module())
            within = getattr(within, part)
            if not isinstance(within, Module):
                return False
        within.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Removes a module by its dotted name; returns False if there is none."""
        path, _, name = target.rpartition(".")
        try:
            within = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(getattr(within, name, None), Module):
            return False
        delattr(within, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Removes the modules that the graph does not call."""
        used = {str(node.target) for node in self.graph.nodes if node.op in ("call_module", "get_attr")}
        for name in [name for name, _ in self.named_modules() if name]:
            if not any(f"{x}.".startswith(f"{name}.") or f"{name}.".startswith(f"{x}.") for x in used):
                self.delete_submodule(name)

    def _deepcopy_init(self) -> Any:
        return GraphModule.__init__

    def __deepcopy__(self, memo: dict) -> GraphModule:
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        members = _CodeOnlyModule(copy.deepcopy(self.__dict__, memo))
        self._deepcopy_init()(copied, members, members.__dict__["_graph"], type(self).__name__)
        copied.training = self.training
        for name in KEPT_HOOKS:
            copied.__dict__[name] = members.__dict__[name]
        copied.meta = copy.deepcopy(self.meta, memo)
        for name, value in copied.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(copied, name, value)
        return copied

    def __copy__(self) -> GraphModule:
        owner = self.graph.owning_module
        copied = GraphModule(self, self.graph, type(self).__name__)
        self.graph.owning_module = owner
        copied.meta = self.meta
        return copied

    def __reduce__(self) -> tuple:
        members = {name: value for name, value in self.__dict__.items() if name not in OF_CODE}
        return unpickled, (members, self.graph, type(self).__name__)

    def __str__(self) -> str:
        more = "# To see more debug info, please use `graph_module.print_readable()`"
        return f"{super().__str__()}\n{self.code}\n{more}"


class _CodeOnlyModule(Module):
    """A module with given attributes and without `forward`."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def unpickled(members: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    made = GraphModule(_CodeOnlyModule(dict(members)), graph, name)
    made.__dict__.update({key: value for key, value in members.items() if key not in made.__dict__})
    return made


def members(graph: Graph) -> Iterable[Any]:
    """Returns the nodes that use members of the module."""
    return [node for node in graph.nodes if node.op in ("get_attr", "call_module")]


def within(text: str) -> str:
    """Returns text whose lines after the first are indented."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"    {line}" if line.strip() else "" for line in rest)])


def generated_line(traceback: TracebackType | None) -> str:
    """Returns a note with the line of generated code that raised an error, or "" if other code raised it."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    file = traceback.tb_frame.f_code.co_filename if traceback is not None else ""
    if traceback is None or not file.startswith(GENERATED):
        return ""
    line = linecache.getline(file, traceback.tb_lineno).strip()
    return (
        f"Call using an FX-traced Module, line {traceback.tb_lineno} of the traced Module's generated forward "
        f"function:\n    {line}"
    )


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Copies an attribute with a dotted name between modules; tensors become buffers."""
    *path, name = target.split(".")
    for part in path:
        source, there = getattr(from_module, part), getattr(to_module, part, None)
        if source is there:
            return  # the whole module is copied
        if there is None:
            there = Module()
            setattr(to_module, part, there)
        from_module, to_module = source, there
    _put(getattr(from_module, name), to_module, name)


def _get_attr(model: Any, attr_name: str) -> Any:
    """Returns the attribute with a dotted name."""
    for part in attr_name.split("."):
        model = getattr(model, part)
    return model


def _assign_attr(value: Any, to_module: Module, target: str) -> None:
    *path, name = target.split(".")
    for part in path:
        if getattr(to_module, part, None) is None:
            setattr(to_module, part, Module())
        to_module = getattr(to_module, part)
    _put(value, to_module, name)


def _put(value: Any, module: Module, name: str) -> None:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)
