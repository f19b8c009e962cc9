"""`rushlight.draw`: the graph behind a tensor as a picture."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.graph import Node
from rushlight.core.tensor import Tensor
from rushlight.explain.graph import graph_of, names_in
from rushlight.explain.inside_transforms import in_short, levels_of
from rushlight.explain.picture.formatting import preview, typed
from rushlight.explain.picture.gradients import Passed, pass_back
from rushlight.explain.picture.module_calls import Recording
from rushlight.explain.picture.page import document, page
from rushlight.explain.picture.png import png
from rushlight.explain.picture.scene import Scene, first_open, scene_of
from rushlight.explain.picture.sheet import Box, Sheet, sheet_of
from rushlight.explain.picture.svg import svg
from rushlight.explain.picture.text_forms import dot, mermaid
from rushlight.explain.result import counted
from rushlight.func.notes import root_of
from rushlight.nn.modules.module import Module
from rushlight.utils._pytree import keystr, tree_flatten_with_path, tree_unflatten

VISIBLE = 40  # default number of boxes that are shown unfolded
LIMIT = 20_000  # steps that are read


class Picture:
    """A drawing of a tensor's graph: interactive in a notebook, as a file, or as text.

    `sheet` holds its content as data.
    """

    def __init__(self, sheet: Sheet, visible: int | None):
        self.sheet = sheet
        self.visible = visible

    @cached_property
    def scene(self) -> Scene:
        """The layout: coordinates of boxes and wires."""
        return scene_of(self.sheet, self.opened)

    @cached_property
    def opened(self) -> set[int]:
        """The numbers of the unfolded groups."""
        if self.visible is None:
            return {x.number for x in self.sheet.whole.walk()}
        return first_open(self.sheet, self.visible)

    def svg(self) -> str:
        """Returns the picture as SVG text; light or dark as its surroundings."""
        return svg(self.scene, repr(self))

    def png(self, scale: float = 2.0, theme: str = "light") -> bytes:
        """Returns the picture as PNG bytes; `theme` is "light" or "dark". Needs Pillow (extra `viz`)."""
        return png(self.scene, scale, theme)

    def html(self) -> str:
        """Returns a self-contained HTML page: groups unfold, boxes show details, the picture pans and zooms."""
        return page(self.sheet, self.opened, self.svg())

    def mermaid(self) -> str:
        """Returns the whole graph as a Mermaid flowchart."""
        return mermaid(self.sheet)

    def dot(self) -> str:
        """Returns the whole graph in Graphviz's DOT language."""
        return dot(self.sheet)

    def save(self, path) -> Path:
        """Writes a file in the format of its suffix: .svg, .png, .html, .mmd or .dot.

        Raises ValueError for other suffixes.
        """
        path = Path(path)
        forms: dict[str, Callable[[], bytes]] = {
            ".svg": lambda: self.svg().encode(),
            ".png": self.png,
            ".html": lambda: document(self.html(), repr(self)).encode(),
            ".mmd": lambda: self.mermaid().encode(),
            ".dot": lambda: self.dot().encode(),
        }
        form = forms.get(path.suffix)
        if form is None:
            raise ValueError(f"draw: there is no picture of the form {path.suffix!r}; use one of {', '.join(forms)}")
        path.write_bytes(form())
        return path

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/html": self.html(), "image/svg+xml": self.svg(), "text/plain": repr(self)}

    def __repr__(self):
        steps = sum(box.kind in ("step", "result") for box in self.sheet.boxes)
        leaves = sum(box.kind in ("parameter", "leaf") for box in self.sheet.boxes)
        return f"Picture({counted(steps, 'step')}, {counted(leaves, 'leaf')})"


class Draw:
    """The type of `rushlight.draw`: call it to draw; `rushlight.draw.recording()` records module calls."""

    recording = Recording

    def __call__(
        self,
        x,
        *inputs,
        backward: bool | Tensor = False,
        recording: Recording | None = None,
        names: Mapping[str, Any] | None = None,
        visible: int | None = VISIBLE,
        limit: int = LIMIT,
        **keywords,
    ) -> Picture:
        """Draws the graph behind `x`: a tensor, several in a tuple, list or dict, or a node (`grad_fn`).

        A module is called with `inputs` and `keywords`; its result is drawn with module calls as frames. So is another
        callable, such as `vmap(f)` or `jacrev(f)`: the picture has the operations that it runs on the inputs, which are
        followed as if they required grad.

        A graph of `torch.fx`, a graph module, and a traced module are drawn as their nodes, if no inputs are given.

        `torch.compiler.explain(f)(inputs)` is drawn as the programs of a compiled function, and its breaks.

        `backward` runs a backward pass and shows the gradient at each step and edge; a tensor is used as the initial
        gradient. `.grad`, hooks and the graph stay unchanged. A graph whose values are freed shows no gradients: draw
        it before backward().

        `names` maps names to tensors and modules; the default is the caller's variables. About `visible` boxes are
        shown at first, None shows all; the rest unfolds in a notebook. Only the newest `limit` steps are read.

        Raises TypeError if nothing has a graph, RuntimeError with `backward` as backward() does.

        >>> import rushlight as torch
        >>> w = torch.tensor(3.0, requires_grad=True)
        >>> picture = torch.draw(w.square() + 1, backward=True)
        >>> picture
        Picture(2 steps, 1 leaf)
        >>> [(box.title, *box.lines) for box in picture.sheet.boxes][:2]
        [('w', 'scalar', '= 3', 'grad 6'), ('pow', 'scalar', 'grad 1')]
        """
        frame = sys._getframe(1)
        called = names_in({**frame.f_globals, **frame.f_locals}) if names is None else names
        if type(x).__module__ == "rushlight.capture.explanation":
            return Picture(import_module("rushlight.explain.picture.programs").sheet_of_programs(x), visible)
        graph_of_calls = None if inputs or keywords else fx_graph(x)
        if graph_of_calls is not None:
            return Picture(import_module("rushlight.explain.picture.fx_graphs").sheet_of_fx(graph_of_calls), visible)
        if isinstance(x, Module):
            module, recording = x, Recording()
            called = {**called, **dict(module.named_parameters())}  # the caller's names come first
            with recording:
                x = module(*inputs, **keywords)
        elif inputs and callable(x):
            recording = Recording()
            followed, named_inputs = followed_inputs(x, inputs)
            called = {**called, **named_inputs}
            with recording:
                x = x(*followed, **keywords)
        elif inputs or keywords:
            raise TypeError(f"draw(): inputs are for a module or a function, and {type(x).__name__} is none")
        roots = list(roots_in(x))
        graph = graph_of(roots, called, limit)
        if not graph.steps:
            return Picture(without_history(roots), visible)
        passed = None if backward is False else _passed(roots, backward)
        calls = (lambda step: ()) if recording is None else _calls(recording)
        return Picture(sheet_of(graph, calls, lambda call: call.title, called, passed), visible)


draw = Draw()


def fx_graph(x: Any) -> Any:
    """Returns the `torch.fx` graph of a graph module or of a traced module, or None for other objects."""
    place = sys.modules.get("rushlight.fx.graph")
    if place is None:
        return None
    graph = getattr(x, "graph", x)
    return graph if isinstance(graph, place.Graph) else None


def _calls(recording: Recording):
    return lambda step: recording.calls_around(step.node.created)


def _passed(roots: list, gradient: bool | Tensor) -> Passed:
    tracked = [root for root in roots if isinstance(root, Tensor) and root.requires_grad]
    if not tracked:
        raise TypeError("draw(): with backward, give the tensor itself and not its grad_fn")
    return pass_back(tracked, gradient if isinstance(gradient, Tensor) else None)


def roots_in(x) -> Iterator[Tensor | Node]:
    """Yields the tensors and nodes in a nested result. Raises TypeError if there are none."""
    waiting, reached = [x], False
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, (Tensor, Node)):
            reached = True
            yield item
        elif isinstance(item, Mapping):
            waiting += item.values()
        elif isinstance(item, (tuple, list)):
            waiting += item
    if not reached:
        raise noted(
            TypeError(f"draw(): expected a tensor, module, node or several, not {type(x).__name__}"),
            "A module is drawn as draw(module, input): it is called, and its result has the graph.",
        )


def followed_inputs(function: Callable, inputs: tuple) -> tuple[tuple, dict[str, Tensor]]:
    """Returns the inputs of a function as leaves, unless they have a graph, and their names."""
    followed: list = []
    names: dict[str, Tensor] = {}
    for position, value in enumerate(inputs):
        leaves, spec = tree_flatten_with_path(value)
        values = [followed_tensor(leaf) for _, leaf in leaves]
        root = root_of(function, position).strip("`")
        names |= {f"{root}{keystr(path)}": leaf for (path, _), leaf in zip(leaves, values, strict=True)}
        followed.append(tree_unflatten(values, spec))
    return tuple(followed), names


def followed_tensor(value: Any) -> Any:
    """Returns a tensor as a leaf that requires grad; one that requires grad, and other values, as they are."""
    if not isinstance(value, Tensor) or value.requires_grad or not (value.is_floating_point() or value.is_complex()):
        return value
    return value.detach().requires_grad_()


def without_history(roots: list) -> Sheet:
    """Returns the picture of tensors without a graph."""
    sheet = Sheet()
    for root in roots:
        shown = typed(tuple(root._array.shape), str(root._array.dtype))
        levels = [] if isinstance(root, Node) else [("transform", in_short(array)) for array in levels_of(root)]
        facts = (("gradient", "none: no operation was recorded for it"), *levels, ("value", preview(root._array)))
        sheet.boxes.append(Box("constant", "tensor without history", (shown,), facts))
        sheet.homes[len(sheet.boxes) - 1] = sheet.whole
        sheet.whole.members.append(len(sheet.boxes) - 1)
    return sheet
