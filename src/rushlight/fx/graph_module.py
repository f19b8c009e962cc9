"""A module whose `forward` is a graph."""

from __future__ import annotations

import copy
import itertools
import linecache
from textwrap import indent
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.code import PythonCode
from rushlight.fx.graph import Graph
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
NUMBER = itertools.count()


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
        targets = dict.fromkeys(node.target for node in graph.nodes if node.op in ("get_attr", "call_module"))
        if isinstance(root, Module):
            self.training = root.training
            for target in targets:
                _copy_attr(root, self, str(target))
        else:
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                    )
            for target in sorted(targets, key=lambda target: str(target).count(".")):
                _assign_attr(root[str(target)], self, str(target))
        self.graph = graph
        self._tracer_cls = graph._tracer_cls
        self.meta: dict[str, Any] = {}

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
        return self.__dict__["_code"]

    def recompile(self) -> PythonCode:
        """Generates `forward` from the current graph."""
        python = self.graph.python_code("self")
        self.__dict__["_code"] = python.src
        file = f"<eval_with_key>.{next(NUMBER)}"
        linecache.cache[file] = (len(python.src), None, python.src.splitlines(True), file)
        names = dict(python.globals)
        exec(compile(python.src, file, "exec"), names)
        type(self).forward = names["forward"]  # type: ignore[method-assign]
        return python

    def print_readable(self, print_output: bool = True) -> str:
        """Returns the graph as a Python class, and prints it."""
        text = f"class {type(self).__name__}(torch.nn.Module):\n{indent(self.code.strip(), '    ')}\n"
        if print_output:
            print(text)
        return text

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
        copied.meta = copy.copy(self.meta)
        return copied

    def __copy__(self) -> GraphModule:
        copied = GraphModule(self, copy.deepcopy(self.graph), type(self).__name__)
        copied.meta = self.meta
        return copied

    def __reduce__(self) -> tuple:
        members = {name: value for name, value in self.__dict__.items() if name not in ("_graph", "_code")}
        return unpickled, (members, self.graph, type(self).__name__)

    def __str__(self) -> str:
        return (
            f"{super().__str__()}\n\n{self.code}\n# To see more debug info, please use `graph_module.print_readable()`"
        )


class _CodeOnlyModule(Module):
    """A module with given attributes and without `forward`."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def unpickled(members: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    made = GraphModule(_CodeOnlyModule(dict(members)), graph, name)
    made.__dict__.update({key: value for key, value in members.items() if key not in made.__dict__})
    return made


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
