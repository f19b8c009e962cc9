"""A running watch: it wraps library functions, turns calls into events, and passes these to the traps."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from threading import RLock, local
from types import FrameType

from rushlight.autograd import gradients
from rushlight.autograd.tasks import Task
from rushlight.core.graph import node_of
from rushlight.core.history import edge_of
from rushlight.core.origin import PACKAGE, Place, here
from rushlight.core.tensor import Tensor
from rushlight.core.traced import STACK
from rushlight.explain.watch.backward_pass import Pass, Start
from rushlight.explain.watch.finding import Finding
from rushlight.explain.watch.loss_growth import Losses
from rushlight.explain.watch.node_lines import NodeLines
from rushlight.explain.watch.optimizers import Known
from rushlight.explain.watch.program_lines import Line
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trap import EVENTS, Trap
from rushlight.explain.watch.untrained import Untrained
from rushlight.nn.modules.module import Module
from rushlight.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
EXPLANATIONS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


class OfThread(local):
    """State of each thread."""

    inside = False  # whether a module is being called
    passing = False  # whether a backward pass is running
    outputs: tuple = ()  # the roots of the next task


class Watching:
    """The state of a watch from beginning to end."""

    def __init__(self, traps: tuple[type[Trap], ...], found: Callable[[Finding], None]):
        self.found = found
        self.reported: set[tuple] = set()
        self.taps = Taps()
        self.node_lines = NodeLines()
        self.known = Known()
        self.untrained = Untrained(self.known)
        self.losses = Losses()
        self.starts: dict[tuple[int, int], Start] = {}
        self.steps = 0
        self.here = OfThread()
        self.lock = RLock()  # traps handle one event at a time
        self.traps = [kind(self) for kind in traps]
        self.listeners = {event: self._listeners(event) for event in EVENTS}

    def _listeners(self, event: str) -> list[Callable]:
        return [getattr(trap, event) for trap in self.traps if getattr(type(trap), event) is not getattr(Trap, event)]

    def tell(self, event: str, *arguments) -> None:
        with self.lock:
            for listener in self.listeners[event]:
                listener(*arguments)

    def report(self, kind: str, place: Place | Line | None, text: str, advice: str) -> None:
        """Reports a finding of a trap, once per line."""
        where = here() if place is None else place
        key = (kind, where.file, where.line)
        if key not in self.reported:
            self.reported.add(key)
            self.found(Finding(kind, where.file, where.line, text, advice))

    # ---- begin and end

    def begin(self) -> None:
        """Wraps the library's functions."""
        taps = self.taps
        self.node_lines.start(taps)
        taps.attribute(Module, "__call__", self._around_call)
        taps.attribute(Module, "zero_grad", self._around_clearing)
        taps.attribute(Optimizer, "zero_grad", self._around_clearing)
        taps.attribute(Optimizer, "__init__", self._around_making)
        taps.attribute(Tensor, "backward", self._around_backward)
        taps.attribute(gradients, "roots_of", self._around_roots)
        taps.attribute(Task, "run", self._around_task)
        self.hooks = (
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        )
        self.tell("tap", taps)

    def end(self, failed: bool) -> None:
        """Unwraps everything, then sends the final event to the traps unless the program failed."""
        for hook in self.hooks:
            hook.remove()
        self.taps.remove()
        if not failed:
            self.tell("closed")

    # ---- events

    def _around_call(self, call):
        def __call__(module, *arguments, **keywords):
            state = self.here
            if state.inside:
                return call(module, *arguments, **keywords)
            state.inside = True
            try:
                output = call(module, *arguments, **keywords)
            finally:
                state.inside = False
            self.known.module(module)
            self.tell("called", module, output, arguments)
            return output

        return __call__

    def _around_clearing(self, clear):
        def zero_grad(owner, set_to_none: bool = True) -> None:
            clear(owner, set_to_none)
            self.tell("cleared", owner)

        return zero_grad

    def _around_making(self, make):
        def __init__(optimizer, *arguments, **keywords) -> None:
            make(optimizer, *arguments, **keywords)
            self.known.optimizer(optimizer)

        return __init__

    def _around_roots(self, find):
        def roots_of(tensors, grad_tensors):
            roots = find(tensors, grad_tensors)
            self.here.outputs = tuple(x for x in gradients.as_sequence(tensors) if isinstance(x, Tensor))
            return roots

        return roots_of

    def _around_backward(self, backward):
        @wraps(backward)
        def watched(tensor, gradient=None, retain_graph=None, create_graph=False, inputs=None):
            edge = edge_of(tensor)
            if edge is None or self.here.passing:
                backward(tensor, gradient, retain_graph, create_graph, inputs)
                return
            keep = create_graph if retain_graph is None else retain_graph
            graph = Pass(
                (node_of(edge),), (tensor,), self._start(), keep=bool(keep), create=create_graph, gradient=gradient
            )
            with Passing(self, graph):
                backward(tensor, gradient, retain_graph, create_graph, inputs)

        return watched

    def _around_task(self, run):
        """Handles passes that do not start at `Tensor.backward`."""

        def run_task(task, tasks) -> None:
            outputs, self.here.outputs = self.here.outputs, ()
            # Inside vmap or jvp a tensor stands for many, or has no numbers: the traps are about programs that train.
            if self.here.passing or not task.roots or STACK.get() or is_for_an_explanation():
                run(task, tasks)
                return
            roots = tuple(node_of(edge) for edge, _ in task.roots)
            graph = Pass(
                roots, outputs, self._start(), keep=task.keep, create=task.create, accumulates=task.accumulates
            )
            with Passing(self, graph):
                run(task, tasks)

        return run_task

    def _start(self) -> Start:
        """Returns the current line as a start of passes; hashing lines is slow."""
        place = here()
        key = id(place.code), place.offset
        start = self.starts.get(key)
        if start is None:
            start = self.starts[key] = Start(place)
        return start

    def _before_step(self, optimizer, arguments, keywords) -> None:
        self.steps += 1
        self.known.optimizer(optimizer).stepping(optimizer)
        self.tell("before_step", optimizer)

    def _after_step(self, optimizer, arguments, keywords) -> None:
        self.tell("after_step", optimizer)
        followed = self.known.optimizer(optimizer)
        if self.untrained.candidates and (untrained := self.untrained.judge(followed)):
            self.tell("untrained", untrained, followed)


def is_for_an_explanation() -> bool:
    """Whether `draw`, `explain_nan` or the like runs a pass of its own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (file := frame.f_code.co_filename).startswith(PACKAGE):
        if file.startswith(EXPLANATIONS) and not file.startswith(OURS):
            return True
        frame = frame.f_back
    return False


class Passing:
    """A backward pass of the program; nested passes are not reported.

    No frame of ours may be between the program and `backward`, since others inspect the caller.
    """

    __slots__ = ("watching", "graph")

    def __init__(self, watching: Watching, graph: Pass):
        self.watching, self.graph = watching, graph

    def __enter__(self) -> None:
        watching, graph = self.watching, self.graph
        watching.losses.note(graph)
        watching.tell("before_backward", graph)
        if graph.is_read:
            with watching.lock:
                watching.untrained.look(graph)
        watching.here.passing = True

    def __exit__(self, kind, *exception) -> None:
        self.watching.here.passing = False
        if kind is None:
            self.watching.tell("after_backward", self.graph)


def warn(finding: Finding) -> None:
    """Shows a finding as a warning at its line."""
    warnings.warn_explicit(finding, Finding, finding.file, finding.line)
