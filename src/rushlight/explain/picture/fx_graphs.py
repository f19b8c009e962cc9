"""A graph of `torch.fx` as a picture: a box for each node, a frame for each call of a module."""

from __future__ import annotations

from typing import Any

from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.formatting import typed
from rushlight.explain.picture.sheet import Box, Placing, Sheet, Wire

WIDEST = 48  # characters of a fact


class Writer:
    """Turns a graph into a sheet."""

    def __init__(self, graph: Any):
        self.sheet, self.calls = Sheet(), set[int]()
        self.numbers: dict[Any, int] = {}
        self.open: list[tuple[str, Group]] = [("", self.sheet.whole)]  # frames around the current node
        output = graph.output_node()
        for node in graph.nodes:
            if node is not output:
                self._enter(node, node in output.all_input_nodes)
        for position, group in enumerate(self.sheet.whole.walk()):
            group.number = position
        Placing(self.sheet, self.calls).place_all()

    def _enter(self, node: Any, returned: bool) -> None:
        number = self.numbers[node] = len(self.sheet.boxes)
        self.sheet.boxes.append(box_of(node, returned))
        if node.op not in ("placeholder", "get_attr"):
            group = self._frame(node)
            self.sheet.homes[number] = group
            group.members.append(number)
            self.calls.add(number)
        for used in node.all_input_nodes:
            self.sheet.wires.append(Wire(self.numbers[used], number))

    def _frame(self, node: Any) -> Group:
        """Returns the innermost frame of a node; closes and opens frames where the calls of modules change."""
        stack = [(key, place) for key, (place, _) in node.meta.get("nn_module_stack", {}).items()]
        if node.op == "call_module":
            stack = stack[:-1]  # the node itself
        same = 0
        while same < min(len(stack), len(self.open) - 1) and self.open[same + 1][0] == stack[same][0]:
            same += 1
        del self.open[same + 1 :]
        for key, place in stack[same:]:
            group = Group("module", place)
            self.open[-1][1].members.append(group)
            self.open.append((key, group))
        return self.open[-1][1]


def sheet_of_fx(graph: Any) -> Sheet:
    """Returns the sheet of a graph."""
    return Writer(graph).sheet


def box_of(node: Any, returned: bool) -> Box:
    """Returns the box of a node: what it calls, and dtype and shape if `ShapeProp` has noted them."""
    value = node.meta.get("val", node.meta.get("tensor_meta"))
    known = hasattr(value, "shape") and hasattr(value, "dtype")
    lines = (typed(tuple(value.shape), value.dtype.name),) if known else ()
    target = node._pretty_print_target(node.target)
    facts = (("node", node.name), ("kind", node.op), ("target", shortened(target)), *arguments_of(node))
    if node.op in ("placeholder", "get_attr"):
        return Box("constant" if node.op == "placeholder" else "parameter", target, lines, facts)
    title = target if node.op == "call_module" else target.rpartition(".")[2]
    return Box("result" if returned else "step", title, lines, facts)


def arguments_of(node: Any) -> tuple[tuple[str, str], ...]:
    arguments = ", ".join([*map(str, node.args), *(f"{name}={value}" for name, value in node.kwargs.items())])
    return (("arguments", shortened(arguments)),) if arguments else ()


def shortened(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."
