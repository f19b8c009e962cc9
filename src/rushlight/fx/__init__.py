"""`torch.fx`: a module's calls as a graph that a program can read, change, run and print as Python.

https://docs.pytorch.org/docs/stable/fx.html
"""

from rushlight.fx import graph as graph
from rushlight.fx import graph_module as graph_module
from rushlight.fx import interpreter as interpreter
from rushlight.fx import node as node
from rushlight.fx import proxy as proxy
from rushlight.fx._symbolic_trace import Tracer, symbolic_trace, wrap
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter, Transformer
from rushlight.fx.node import Node, has_side_effect, map_arg
from rushlight.fx.proxy import Proxy

__all__ = [
    "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer", "has_side_effect", "map_arg",
    "symbolic_trace", "wrap",
]  # fmt: skip
