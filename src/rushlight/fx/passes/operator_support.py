"""`torch.fx.passes.operator_support`: which nodes of a graph a backend can run."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.core.dtype import dtype
from rushlight.fx.node import Node
from rushlight.fx.passes.shape_prop import TensorMetadata
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target
from rushlight.nn.modules.module import Module

__all__ = ["OpSupports", "OperatorSupport", "OperatorSupportBase", "any_chain", "chain", "create_op_support"]

TargetTypeName = str
# dtypes of arguments by position and by name; None: any
SupportedArgumentDTypes = tuple[Sequence[Sequence[dtype] | None], dict[str, Sequence[dtype]]] | None
SupportDict = Mapping[TargetTypeName, SupportedArgumentDTypes]
IsNodeSupported = Callable[[Mapping[str, Module], Node], bool]


class OperatorSupportBase(abc.ABC):
    """Decides whether a backend can run a node."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        """Whether the backend runs this node of a module with these submodules."""
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Supports the targets in a table, with the dtypes that it lists for their arguments.

    >>> import rushlight as torch
    >>> support = OperatorSupport({"torch.exp": None, "torch.add": (([torch.float32],), {})})
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.exp(x).sin())
    >>> [support.is_node_supported({}, node) for node in traced.graph.nodes]
    [True, True, False, True]
    """

    def __init__(self, support_dict: SupportDict | None = None) -> None:
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        wanted = self._support_dict[target]
        if wanted is None:
            return True
        by_position = [(node.args[at], dtypes) for at, dtypes in enumerate(wanted[0]) if at < len(node.args)]
        by_name = [(node.kwargs[name], dtypes) for name, dtypes in wanted[1].items() if name in node.kwargs]
        pairs: list[tuple[Any, Any]] = [*by_position, *by_name]
        return all(dtypes is None or not isinstance(x, Node) or _get_arg_dtype(x) in dtypes for x, dtypes in pairs)


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """Returns a function that decides as an object."""
    members = {"is_node_supported": lambda self, submodules, node: is_node_supported(submodules, node)}
    return type("FunctionalOperatorSupport", (OperatorSupportBase,), members)()


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Returns what supports a node if all do."""
    return create_op_support(lambda modules, node: all(each.is_node_supported(modules, node) for each in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Returns what supports a node if one does."""
    return create_op_support(lambda modules, node: any(each.is_node_supported(modules, node) for each in op_support))


class OpSupports:
    """Single rules, for `chain` and `any_chain`."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: dtype) -> OperatorSupportBase:
        """Returns what declines nodes with an argument of a dtype, which `ShapeProp` has noted."""
        return create_op_support(lambda modules, node: all(_get_arg_dtype(x) != dtype for x in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Returns what declines nodes by name."""
        return create_op_support(lambda modules, node: node.name not in disallow_set)


def _get_arg_dtype(arg: Node) -> Any:
    """Returns the dtype of a result; for what is no tensor, its type."""
    known = arg.meta.get("tensor_meta")
    return known.dtype if isinstance(known, TensorMetadata) else arg.meta["type"]
