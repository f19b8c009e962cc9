"""The graph of a model for TensorBoard: its calls as `torch.fx` traces them, with the shapes of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.fx import GraphModule, Interpreter, Node, symbolic_trace
from rushlight.nn.modules.module import Module
from rushlight.utils.tensorboard.packages import messages

SHOWN = 120  # letters of a constant argument
PRODUCER = 22  # the version of graphs that TensorBoard's reader expects


class Shapes(Interpreter):
    """Runs a graph and keeps the shapes of the results, by the names of nodes."""

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.shapes: dict[str, list[tuple[int, ...]]] = {}

    def run_node(self, n: Node) -> Any:
        result = super().run_node(n)
        values = result if isinstance(result, (tuple, list)) else (result,)
        self.shapes[n.name] = [tuple(each.shape) for each in values if isinstance(each, Tensor)]
        return result


def graph_message(model: Module, inputs: Any, verbose: bool = False) -> bytes:
    """Returns the graph of a model as bytes of a GraphDef; `inputs` are its arguments, or its only one.

    Calls of a module are in the box of the module. Raises what `torch.fx.symbolic_trace` raises.
    """
    arguments = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    traced = symbolic_trace(model)
    if verbose:
        print(traced.graph)
    shapes = Shapes(traced)
    training = model.training
    model.eval()
    try:
        with no_grad():
            shapes.run(*arguments)
    finally:
        model.train(training)
    root = type(model).__name__
    names = {node.name: f"{root}/{scope_of(node)}{node.name}" for node in traced.graph.nodes}
    nodes = [node_message(node, names, shapes.shapes.get(node.name, [])) for node in traced.graph.nodes]
    versions = messages("versions").VersionDef(producer=PRODUCER)
    return messages("graph").GraphDef(node=nodes, versions=versions).SerializeToString()


def scope_of(node: Node) -> str:
    """Returns the boxes that a node is in: `blocks/0/linear/` of the module `blocks.0.linear`."""
    if node.op in ("call_module", "get_attr"):
        path = str(node.target).replace(".", "/")
        return f"{path}/" if node.op == "call_module" else f"{path.rpartition('/')[0]}/" * ("/" in path)
    return "input/" if node.op == "placeholder" else "output/" if node.op == "output" else ""


def node_message(node: Node, names: dict[str, str], shapes: Sequence[tuple[int, ...]]) -> Any:
    """Returns a node with the names of those that it reads, its other arguments, and the shapes of its results."""
    attribute = messages("attribute").AttrValue
    constants = [each for each in (*node.args, *node.kwargs.values()) if not isinstance(each, Node)]
    attributes = {"attr": attribute(s=f"{constants}"[:SHOWN].encode())} if constants else {}
    if shapes:
        shape = messages("shape").TensorShapeProto
        kept = [shape(dim=[shape.Dim(size=size) for size in sizes]) for sizes in shapes]
        attributes["_output_shapes"] = attribute(list=attribute.ListValue(shape=kept))
    return messages("node").NodeDef(
        name=names[node.name], op=operation_of(node), input=[names[each.name] for each in node.all_input_nodes],
        attr=attributes,
    )  # fmt: skip


def operation_of(node: Node) -> str:
    """Returns what a node does: the class of a module, the name of a function or a method, `Parameter`, `IO Node`."""
    if node.op in ("placeholder", "output"):
        return "IO Node"
    if node.op == "get_attr":
        return "Parameter"
    if node.op == "call_module":
        module = node.graph.owning_module.get_submodule(str(node.target)) if node.graph.owning_module else None
        return type(module).__name__
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
