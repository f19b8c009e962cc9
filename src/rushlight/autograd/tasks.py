"""One backward pass: where it starts, what is needed, and how its gradients travel.

Raw arrays travel along the edges unless the graph of the gradients is wanted or a node is off the CPU. Hooks and custom
functions get Tensors.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import rushlight._generated.functions as functions
from rushlight.autograd import accumulate
from rushlight.autograd.gradient_forms import accepted, as_raw, as_tensor, must_be_a_tensor
from rushlight.autograd.loop import run_nodes
from rushlight.autograd.reach import needed, reached, still_to_come, wanted
from rushlight.autograd.steps import arrive, formula_step
from rushlight.core.fast_new import maker_of
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.graph import SAME, Leaf, Output, node_of
from rushlight.core.modes import MODE, change
from rushlight.core.tables import raw, xp
from rushlight.core.tensor import Tensor
from rushlight.core.traced import ENTERED, TRACED

FIRST = -(1 << 62)  # where leaves that have all their gradient go in the heap: before all nodes


def choose_step(task: Task, node):
    """The step of a node in a pass with targets other than leaves, in anomaly mode, or on Tensors."""
    if task.anomaly is not None or (task.wanted is not None and node in task.wanted):
        return node.hooked_step
    if task.needed is not None and node not in task.needed:
        return node.hooked_step
    return formula_step if task.tensors and node.step is None else node.step


class Task:
    """One backward pass; nodes get it with their gradient.

    What every pass has is in slots. The rest has class defaults: most passes set none of it, and have no dictionary.

    - `add`: the sum of two gradients.
    - `callbacks`: functions to call when the gradients are accumulated.
    - `choose`: the function that returns the step of a node, None if that is always its own.
    - `freed`: left with nodes whose saved values were freed: the line that did it; see `core.source_lines`.
    - `gradients`, `leaves`: node or leaf -> the sum of the gradients that came to it.
    - `keep`: whether nodes keep what they have saved.
    - `needed`: the nodes that must run, if only some must, each with its edges or None for them.
    - `starts`: the edges of the roots.
    - `targets`: edges whose gradients are wanted; None for all leaves.
    - `tasks`: the passes under way in this thread.
    - `tensors`: whether gradients travel as Tensors, and not as raw arrays.
    - `token`: what ends `enter`, after that was called.
    - `waiting`: the heap of the nodes in `gradients`, newest first.
    """

    __slots__ = (
        "__dict__", "__weakref__", "add", "callbacks", "choose", "freed", "gradients", "keep", "leaves",
        "needed", "starts", "targets", "tasks", "tensors", "token", "waiting",
    )  # fmt: skip

    roots: Any = ()  # (edge, gradient) pairs
    create = False  # whether the gradients get a graph
    accumulates = True  # whether leaves among the targets get a `grad`
    collects = False  # whether the gradients of leaves are left in `leaves`
    F: Any = raw  # the functions that backward functions call
    anomaly: Any = None
    at_end: tuple = ()  # functions to call when the pass is over, however it ends
    wanted: dict | None = None  # target nodes, with the output numbers requested of each
    captured: dict  # (node, output number) -> gradient, for the targets
    awaited: dict | None = None  # leaf with hooks -> number of gradients still to come; None before the first came
    number: int | None = None  # its number, once it was requested
    queued = 0  # how many leaves with hooks have been put in the heap
    all_reached: frozenset | None = None  # every node that gradients reach, once it was requested

    def __init__(self, roots, *, keep: bool, create: bool, targets=None, accumulates: bool = True):
        self.roots, self.keep, self.create, self.targets, self.accumulates = roots, keep, create, targets, accumulates
        none: Any = None  # of the types that these have later
        self.choose = self.needed = self.token = none
        self.freed = self.callbacks = none or ()
        self.gradients: dict = {}
        self.waiting: list = []
        self.leaves: dict = {}

    def run(self, tasks: list) -> None:
        """Runs the pass; `tasks` are those under way in this thread."""
        self.tasks = tasks
        errors = set_errors(xp.IGNORED)
        try:
            self._start()
            if self.waiting:
                node = heappop(self.waiting)[1]
                run_nodes(self, node, self.gradients.pop(node))
            if self.collects:
                return
            plain = self.choose is None and self.targets is None
            rest = accumulate.into_all(self.leaves) if plain else list(self.leaves.items())
            if rest or self.callbacks:
                self._finish(rest)
        finally:
            if self.token is not None:
                self._leave()
            reset_errors(errors)

    def enter(self) -> None:
        """Sets grad mode and makes this the innermost task: for steps that run code of the program or Tensor functions.

        A pass on raw arrays needs neither, until it comes to such a step.
        """
        if self.token is not None:
            return
        mode = MODE.get()
        if mode is True or mode is False:
            self.token = MODE.set(self.create)
        else:
            self.anomaly = mode.anomaly
            self.token = change(grad=self.create)
        self.tasks.append(self)
        self.callbacks = []

    def _leave(self) -> None:
        try:
            for callback in self.at_end:
                callback()
        finally:
            self.tasks.pop()
            MODE.reset(self.token)

    def _start(self) -> None:
        """Sends the gradients of the roots."""
        mode = MODE.get()
        traced = ENTERED and any([is_traced(g) for _, g in self.roots])
        if traced or self.create or not (mode is True or mode is False):
            self.enter()
        self.prepare()
        special = not self.tensors and any([must_be_a_tensor(g) for _, g in self.roots])
        if traced or special:  # the graph may be one of arrays, of a level below that of its gradient
            self.travel_as_tensors()
        if self.targets is not None:
            self._need()
        if self.tensors or self.anomaly is not None:
            self.choose = choose_step
        roots, self.roots = self.roots, ()  # a gradient that has no other reference may be taken over
        self.starts = tuple([edge for edge, _ in roots])
        for edge, g in roots:
            self.send(edge, as_tensor(g) if self.tensors else as_raw(g))

    def prepare(self, node=None) -> None:
        """Sets how gradients travel, in a whole pass or a call of one node."""
        self.tensors = self.create or (node is not None and node.off_cpu)
        self.F = functions if self.tensors else raw
        self.add: Any = accumulate.sum_of if self.tensors else xp.plus

    def _need(self) -> None:
        self.wanted, self.captured = wanted(self.targets), {}
        starts = [node_of(edge) for edge, _ in self.roots]
        self.needed = needed(starts, self.wanted, run_targets=self.accumulates)
        if self.needed is not None and not all([node in self.needed for node in starts]):
            self.choose = choose_step
        elif not all([type(node) is Leaf for node in self.wanted]):
            self.choose = choose_step

    # ---- what the loop leaves to it

    def send(self, edge, result, following=None) -> None:
        """Adds a gradient to what came to a node, or to one output of it, or to a leaf.

        It is None if it is undefined. If so, the edge may be the one that the loop keeps out of the heap, `following`.
        """
        gradients = self.gradients
        if type(edge) is Output:
            node = edge.node
            if (known := gradients.get(node)) is None:
                if node not in gradients:
                    heappush(self.waiting, (-node.created, node))
                known = gradients[node] = None if result is None else [None] * node.outputs
            if known is not None and result is not None:
                before = known[edge.number]
                known[edge.number] = result if before is None else self.add(before, result)
        elif type(edge) is Leaf:
            self._send_to_leaf(edge, result)
        elif edge not in gradients and edge is not following:
            gradients[edge] = result
            heappush(self.waiting, (-edge.created, edge))
        elif result is not None:
            known = gradients[edge]
            gradients[edge] = result if known is None else self.add(known, result)

    def _send_to_leaf(self, leaf, result) -> None:
        """Puts a leaf with hooks in the heap when its gradient is complete, or when that has still to be found out."""
        if result is not None and leaf.grad_dtype is not SAME and (dtype := accepted(leaf)) is not None:
            result = self.F.cast(result, dtype)
        box = self.gradients if leaf in self.gradients else self.leaves
        known = box.get(leaf)
        if known is None or result is None:
            box[leaf] = known if result is None else result
        else:
            box[leaf] = self.add(known, result)
        if not leaf.hooked:
            return
        if self.awaited is not None and leaf in self.awaited:
            self.awaited[leaf] -= 1
        if box is self.leaves and (self.awaited is None or self.awaited.get(leaf) == 0):
            self.gradients[leaf] = self.leaves.pop(leaf)
            heappush(self.waiting, (FIRST + self.queued, leaf))
            self.queued += 1

    def is_awaited(self, leaf) -> bool:
        """Whether more gradients will come to a leaf with hooks."""
        if self.awaited is None:
            waiting = [node for _, node in self.waiting]
            self.awaited = still_to_come([leaf, *[x for x in waiting if type(x) is Leaf]], waiting, self.needed)
        return self.awaited.get(leaf) != 0

    def on_device(self, node, g):
        """The gradient of a node: from the first node off the CPU on, all gradients travel as Tensors."""
        if self.tensors or not node.off_cpu:
            return g
        self.travel_as_tensors()
        return _all_as_tensors(g)

    def travel_as_tensors(self) -> None:
        """Makes all gradients Tensors from here on, those that wait too."""
        self.enter()
        self.tensors, self.F, self.add = True, functions, accumulate.sum_of
        self.choose = self.choose or choose_step
        for box in (self.gradients, self.leaves):
            for waiting, known in box.items():
                box[waiting] = _all_as_tensors(known)

    def _finish(self, leaves: list) -> None:
        """Accumulates into leaves; a step that fails leaves their `grad` as it was."""
        for leaf, g in leaves:
            arrive(self, leaf, g)
        for callback in self.callbacks:  # which may add others
            callback()

    # ---- targets

    def capture(self, node, g) -> None:
        """Keeps the gradient of a target."""
        if self.wanted is not None:
            for number in self.wanted.get(node, ()):
                self.captured[node, number] = g[number] if type(g) is list else g

    def reaches(self, node) -> bool:
        """Whether a gradient will arrive at a node in this pass."""
        if self.all_reached is None:
            self.all_reached = frozenset(reached(map(node_of, self.starts)))
        if node not in self.all_reached:
            return False
        if self.wanted is not None and node in self.wanted:
            if isinstance(node, Leaf) and not self.accumulates:
                raise RuntimeError(
                    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). "
                    "This is currently not supported."
                )
            return True
        return self.needed is None or node in self.needed

    def as_waiting(self, tensor):
        """A Tensor in the form in which gradients travel."""
        return tensor if self.tensors else as_raw(tensor)


new_task: Any = maker_of(Task)


def run_from_scalar(node, one, keep: bool, freed: tuple, tasks: list) -> None:
    """Runs a pass on raw arrays from one node to all leaves, as `Task(...).run(tasks)` would.

    This is most passes, and those on small tensors are short: it sets only what they read, and needs no heap to start.
    """
    task = new_task(None)
    leaves: dict = {}
    task.starts = (node,)
    task.gradients = {}
    task.leaves = leaves
    task.waiting = []
    task.keep, task.freed, task.tasks = keep, freed, tasks
    task.choose = task.needed = task.targets = task.token = None
    task.callbacks = ()
    task.tensors = False
    task.add = xp.plus
    errors = set_errors(xp.IGNORED)
    try:
        run_nodes(task, node, one)
        rest = accumulate.into_all(leaves) if task.choose is None else list(leaves.items())
        if rest or task.callbacks:
            task._finish(rest)
    finally:
        if task.token is not None:
            task._leave()
        reset_errors(errors)


def is_traced(g) -> bool:
    """Whether a gradient, raw or a Tensor, belongs to a level of a transform."""
    return type(g._array if isinstance(g, Tensor) else g) in TRACED


def _all_as_tensors(g):
    return [as_tensor(x) for x in g] if type(g) is list else as_tensor(g)
