"""`rushlight.draw`: the graph behind a tensor as a picture."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rushlight.core.errors import noted
from rushlight.core.graph import Node
from rushlight.core.tensor import Tensor
from rushlight.explain.graph import graph_of, names_in
from rushlight.explain.picture.module_calls import Recording
from rushlight.explain.picture.page import document, page
from rushlight.explain.picture.passing import Passed, pass_back
from rushlight.explain.picture.png import png
from rushlight.explain.picture.scene import Scene, first_open, scene_of
from rushlight.explain.picture.sheet import Box, Sheet, sheet_of
from rushlight.explain.picture.svg import svg
from rushlight.explain.picture.text_forms import dot, mermaid
from rushlight.explain.picture.words import preview, typed
from rushlight.explain.result import counted
from rushlight.nn.modules.module import Module

VISIBLE = 40  # boxes that are shown at once, unless more are asked for
LIMIT = 20_000  # steps that are read


class Picture:
    """The graph of a tensor, drawn: in a notebook to look at and to open, as a file, or as text.

    `sheet` is what is drawn, as data.
    """

    def __init__(self, sheet: Sheet, visible: int | None):
        self.sheet = sheet
        self.visible = visible

    @cached_property
    def scene(self) -> Scene:
        """Where everything stands."""
        return scene_of(self.sheet, self.opened)

    @cached_property
    def opened(self) -> set[int]:
        """The numbers of the groups that are open."""
        if self.visible is None:
            return {x.number for x in self.sheet.whole.walk()}
        return first_open(self.sheet, self.visible)

    def svg(self) -> str:
        """The picture as the text of an SVG file, light or dark as its surroundings are."""
        return svg(self.scene, repr(self))

    def png(self, scale: float = 2.0, theme: str = "light") -> bytes:
        """The picture as the content of a PNG file; `theme` is "light" or "dark". Needs Pillow: the extra `viz`."""
        return png(self.scene, scale, theme)

    def html(self) -> str:
        """A page that needs nothing else: groups open and close, boxes tell what they hold, the picture moves."""
        return page(self.sheet, self.opened, self.svg())

    def mermaid(self) -> str:
        """The whole graph as a Mermaid flowchart."""
        return mermaid(self.sheet)

    def dot(self) -> str:
        """The whole graph in the language of Graphviz."""
        return dot(self.sheet)

    def save(self, path) -> Path:
        """Writes a file in the form that its ending says: .svg, .png, .html, .mmd or .dot.

        Raises ValueError for another ending.
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
    """What `rushlight.draw` is: called to draw; `rushlight.draw.recording()` notes what can be shown only if noted."""

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
        """The graph behind `x` as a picture: a tensor, several in a tuple, list or dict, or a node (`grad_fn`).

        A module is called with `inputs` and `keywords`, and what it returns is drawn with the calls of its modules as
        frames. For anything else use `draw.recording()`.

        With `backward` a backward pass shows the gradients that come to each step and go along each edge; a tensor is
        the gradient to start from. It leaves `.grad`, hooks and the graph as they are. A graph that a backward of the
        program has freed has no gradients to show any more: draw it before.

        `names` says what tensors and modules are called, by default as the caller's variables. About `visible` boxes
        are shown at first, all with None; what is folded opens in a notebook. Only the newest `limit` steps are read.

        Raises TypeError for what has no graph, RuntimeError with `backward` as backward() does.

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
        if isinstance(x, Module):
            module, recording = x, Recording()
            called = {**called, **dict(module.named_parameters())}  # the caller's names come first
            with recording:
                x = module(*inputs, **keywords)
        elif inputs or keywords:
            raise TypeError(f"draw(): inputs are for a module, and {type(x).__name__} is none")
        roots = list(roots_in(x))
        graph = graph_of(roots, called, limit)
        if not graph.steps:
            return Picture(without_history(roots), visible)
        passed = None if backward is False else _passed(roots, backward)
        calls = (lambda step: ()) if recording is None else _calls(recording)
        return Picture(sheet_of(graph, calls, lambda call: call.title, called, passed), visible)


draw = Draw()


def _calls(recording: Recording):
    return lambda step: recording.calls_around(step.node.created)


def _passed(roots: list, gradient: bool | Tensor) -> Passed:
    tracked = [root for root in roots if isinstance(root, Tensor) and root.requires_grad]
    if not tracked:
        raise TypeError("draw(): with backward, give the tensor itself and not its grad_fn")
    return pass_back(tracked, gradient if isinstance(gradient, Tensor) else None)


def roots_in(x) -> Iterator[Tensor | Node]:
    """The tensors and nodes in a result of any structure. Raises TypeError if there is none."""
    waiting, found = [x], False
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, (Tensor, Node)):
            found = True
            yield each
        elif isinstance(each, Mapping):
            waiting += each.values()
        elif isinstance(each, (tuple, list)):
            waiting += each
    if not found:
        raise noted(
            TypeError(f"draw(): expected a tensor, module, node or several, not {type(x).__name__}"),
            "A module is drawn as draw(module, input): it is called, and its result has the graph.",
        )


def without_history(roots: list) -> Sheet:
    """The picture of tensors that nothing was recorded for."""
    sheet = Sheet()
    for root in roots:
        shown = typed(tuple(root._array.shape), str(root._array.dtype))
        facts = (("gradient", "none: no operation was recorded for it"), ("value", preview(root._array)))
        sheet.boxes.append(Box("constant", "tensor without history", (shown,), facts))
        sheet.homes[len(sheet.boxes) - 1] = sheet.whole
        sheet.whole.members.append(len(sheet.boxes) - 1)
    return sheet
