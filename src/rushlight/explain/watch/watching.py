"""The watch at work: it taps the library, turns what it sees into events, and hands these to the traps."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial, wraps
from threading import RLock, local

from rushlight.autograd import gradients
from rushlight.autograd.arriving import node_of
from rushlight.autograd.backward import Task
from rushlight.core.origin import Place, here
from rushlight.core.tensor import Tensor, edge_of
from rushlight.explain.watch.finding import Finding
from rushlight.explain.watch.followed import Known
from rushlight.explain.watch.passes import Pass, Start
from rushlight.explain.watch.place import Line
from rushlight.explain.watch.taps import Taps
from rushlight.explain.watch.trail import Trail
from rushlight.explain.watch.trap import EVENTS, Trap
from rushlight.explain.watch.untrained import Untrained
from rushlight.nn.modules.module import Module
from rushlight.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)


class OfThread(local):
    """What is going on in each thread."""

    inside = False  # whether a module is being called
    passing = False  # whether a backward pass is running
    outputs: tuple = ()  # what the task that is about to be made begins with


class Watching:
    """Everything that a watch holds from its beginning to its end."""

    def __init__(self, traps: tuple[type[Trap], ...], found: Callable[[Finding], None]):
        self.found = found
        self.reported: set[tuple] = set()
        self.taps = Taps()
        self.trail = Trail()
        self.known = Known()
        self.untrained = Untrained(self.known)
        self.starts: dict[tuple[int, int], Start] = {}
        self.steps = 0
        self.here = OfThread()
        self.lock = RLock()  # traps see one event at a time
        self.traps = [kind(self) for kind in traps]
        self.listeners = {event: self._listeners(event) for event in EVENTS}

    def _listeners(self, event: str) -> list[Callable]:
        return [getattr(each, event) for each in self.traps if getattr(type(each), event) is not getattr(Trap, event)]

    def tell(self, event: str, *arguments) -> None:
        with self.lock:
            for listener in self.listeners[event]:
                listener(*arguments)

    def report(self, kind: str, place: Place | Line | None, text: str, advice: str) -> None:
        """Makes a finding of what a trap has noticed, once per line."""
        where = here() if place is None else place
        key = (kind, where.file, where.line)
        if key not in self.reported:
            self.reported.add(key)
            self.found(Finding(kind, where.file, where.line, text, advice))

    # ---- beginning and end

    def begin(self) -> None:
        """Taps the library."""
        taps = self.taps
        self.trail.lay(taps)
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
        """Takes everything out again, then lets the traps say what only the end shows, unless the program failed."""
        for each in self.hooks:
            each.remove()
        self.taps.remove()
        if not failed:
            self.tell("closed")

    # ---- what is seen

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
            self.tell("called", module, output)
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
            self.here.outputs = tuple(each for each in gradients.as_sequence(tensors) if isinstance(each, Tensor))
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
            graph = Pass((node_of(edge),), (tensor,), self._start(), keep=bool(keep), create=create_graph)
            self._pass(graph, partial(backward, tensor, gradient, retain_graph, create_graph, inputs))

        return watched

    def _around_task(self, run):
        """Passes that do not begin at `Tensor.backward`."""

        def run_task(task, tasks) -> None:
            outputs, self.here.outputs = self.here.outputs, ()
            if self.here.passing or not task.roots:
                run(task, tasks)
                return
            roots = tuple(node_of(edge) for edge, _ in task.roots)
            graph = Pass(
                roots, outputs, self._start(), keep=task.keep, create=task.create, accumulates=task.accumulates
            )
            self._pass(graph, partial(run, task, tasks))

        return run_task

    def _pass(self, graph: Pass, run: Callable[[], None]) -> None:
        """Runs a backward pass of the program; other passes within it are not."""
        self.tell("before_backward", graph)
        if graph.is_read:
            with self.lock:
                self.untrained.look(graph, self.steps)
        self.here.passing = True
        try:
            run()
        finally:
            self.here.passing = False
        self.tell("after_backward", graph)

    def _start(self) -> Start:
        """The line that the program is at, as one that starts passes; places themselves take long to be hashed."""
        place = here()
        key = id(place.code), place.offset
        start = self.starts.get(key)
        if start is None:
            start = self.starts[key] = Start(place)
        return start

    def _before_step(self, optimizer, arguments, keywords) -> None:
        self.steps += 1
        followed = self.known.stepped = self.known.optimizer(optimizer)
        followed.stepping(optimizer)
        self.tell("before_step", optimizer)

    def _after_step(self, optimizer, arguments, keywords) -> None:
        self.tell("after_step", optimizer)
        if self.untrained.candidates and (untrained := self.untrained.judge(self.steps)):
            self.tell("untrained", untrained)


def warn(finding: Finding) -> None:
    """Shows a finding as a warning at the line that it names."""
    warnings.warn_explicit(finding, Finding, finding.file, finding.line)
