"""Layers in a plain list or dictionary."""

from __future__ import annotations

import ast

from rushlight.core.origin import here
from rushlight.core.tensor import Parameter, Tensor
from rushlight.explain.old_graphs import is_statement
from rushlight.explain.watch.optimizers import Followed
from rushlight.explain.watch.program_lines import Line
from rushlight.explain.watch.source import attribute_line
from rushlight.explain.watch.trap import Trap
from rushlight.explain.watch.untrained import Hidden, hidden_in

CONTAINERS = {"list": "List([...])", "tuple": "List([...])", "dict": "Dict({...})"}


class UnregisteredLayers(Trap):
    """A module registers layers that are attributes, not layers inside a plain list or dictionary.

    Such layers are missing in `parameters()`, so the optimizer never trains them, `state_dict()` does not save them and
    `to()` does not move them. They still take part in every forward.
    """

    kind = "unregistered_layers"
    failing = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 4)]  # <- here
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    repaired = failing.replace(
        "[nn.Linear(4, 4), nn.Linear(4, 4)]  # <- here", "nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])"
    )

    def untrained(self, parameters: list[Tensor], beside: Followed) -> None:
        for module in self.watching.known.live_modules():
            for hidden in hidden_in(module):
                inside = {id(parameter) for parameter in hidden.parameters}
                claimed = [parameter for parameter in parameters if id(parameter) in inside]
                if claimed:
                    parameters[:] = [parameter for parameter in parameters if id(parameter) not in inside]
                    self._tell(hidden, len(claimed))

    def _tell(self, hidden: Hidden, count: int) -> None:
        kind = type(hidden.module)
        text = (
            f"`{hidden.attribute}` of {kind.__name__} is a plain {hidden.container}: the module does not register the "
            f"{count} parameters in it, so they get gradients and are never trained, saved or moved."
        )
        line = attribute_line(kind, hidden.attribute)
        content = content_of(getattr(hidden.module, hidden.attribute))
        shortly = f"self.{hidden.attribute} = nn.{content}{CONTAINERS[hidden.container]}."
        self.report(line or here(), text, registered(line, hidden.container, content) or shortly)


def content_of(container) -> str:
    """Returns "Parameter" if the innermost containers hold parameters, "Module" if they hold layers."""
    items = list(container.values()) if isinstance(container, dict) else list(container)
    inner = next((item for item in items if isinstance(item, (list, tuple, dict))), None)
    if inner is not None:
        return content_of(inner)
    return "Parameter" if any(isinstance(item, Parameter) for item in items) else "Module"


def registered(line: Line | None, container: str, content: str) -> str | None:
    """Returns the line that makes a container, with one that registers its layers or parameters."""
    module = None if line is None else ast.parse(line.text) if is_statement(line.text) else None
    match module.body if module is not None else []:
        case [ast.Assign(targets=[target], value=value)]:
            made = with_modules(value, content)
            if ast.unparse(made) == ast.unparse(value):  # the line has no container literal
                made = call_of(f"{content}{'Dict' if container == 'dict' else 'List'}", value)
            return f"{ast.unparse(target)} = {ast.unparse(made)}"
    return None


def with_modules(value: ast.expr, content: str) -> ast.expr:
    """Returns an expression with containers that register `content` instead of lists and dictionaries."""
    match value:
        case ast.List(elts=inside) | ast.Tuple(elts=inside):
            elements = ast.List([with_modules(each, content) for each in inside], ast.Load())
            return call_of(f"{outer(content, inside)}List", elements)
        case ast.ListComp(elt=inside, generators=generators):
            listed = ast.ListComp(with_modules(inside, content), generators)
            return call_of(f"{outer(content, [inside])}List", listed)
        case ast.Dict(keys=keys, values=inside):
            entries = ast.Dict(keys, [with_modules(each, content) for each in inside])
            return call_of(f"{outer(content, inside)}Dict", entries)
    return value


def outer(content: str, inside: list[ast.expr]) -> str:
    """Returns what a container holds: containers of parameters are modules."""
    is_outer = any(isinstance(each, ast.List | ast.Tuple | ast.ListComp | ast.Dict) for each in inside)
    return "Module" if is_outer else content


def call_of(kind: str, value: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name("nn", ast.Load()), kind, ast.Load()), [value], [])
