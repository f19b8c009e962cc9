"""`torch.fx`: a module's calls as a graph that a program can read, change, run and print as Python.

https://docs.pytorch.org/docs/stable/fx.html
"""

from rushlight.fx import annotate as annotate
from rushlight.fx import graph as graph
from rushlight.fx import graph_module as graph_module
from rushlight.fx import immutable_collections as immutable_collections
from rushlight.fx import interpreter as interpreter
from rushlight.fx import node as node
from rushlight.fx import operator_schemas as operator_schemas
from rushlight.fx import passes as passes
from rushlight.fx import proxy as proxy
from rushlight.fx import subgraph_rewriter as subgraph_rewriter
from rushlight.fx import tensor_type as tensor_type
from rushlight.fx import traceback as traceback
from rushlight.fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from rushlight.fx.graph import CodeGen, Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter, Transformer
from rushlight.fx.node import Node, has_side_effect, map_arg
from rushlight.fx.proxy import Proxy
from rushlight.fx.subgraph_rewriter import replace_pattern

__all__ = [
    "PH", "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "ProxyableClassMeta", "Tracer",
    "Transformer", "has_side_effect", "map_arg", "replace_pattern", "symbolic_trace", "wrap",
]  # fmt: skip
