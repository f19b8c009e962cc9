"""Backward: one loop over the recorded nodes, newest first.

A node is always newer than what it came from. So the newest of the nodes that a gradient has come to has all of its
gradient, and a heap of them gives an order without looking at the graph beforehand. Raw arrays travel along the edges
unless the graph of the gradients is wanted or a hook asks for a Tensor. Nothing here recurses, so a graph may be
millions of nodes deep.
"""

from __future__ import annotations

from heapq import heappop, heappush

import rushlight._generated.functions as functions
from rushlight.autograd import accumulate
from rushlight.autograd.anomaly import watched
from rushlight.autograd.arriving import accepted, as_array, stepped
from rushlight.autograd.node_hooks import replacements, run_tensor_hooks
from rushlight.autograd.ordinary import ABSENT, walk
from rushlight.autograd.reach import needed, reached, still_to_come, wanted
from rushlight.autograd.saved_values import release, saved_raw, saved_tensors, second_time
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.graph import RELEASED, SAME, Leaf, Output, node_of
from rushlight.core.handle import active
from rushlight.core.lazy_conj_neg import plain
from rushlight.core.modes import MODE, change
from rushlight.core.tables import raw, xp
from rushlight.core.tensor import Tensor, wrap


class Task:
    """One backward pass: what it starts from, what it wants, and how."""

    at_end: tuple = ()  # what to do when the pass is over, however it ends
    anomaly = None
    freed: tuple = ()  # what is left with nodes whose saved values were freed: by which line; see `core.source_lines`
    ordinary = False  # whether nodes have to be watched no more than `walk` does
    among: dict | None = None  # the nodes which that may visit, where there are others
    needed: dict | None = None  # the nodes that must run, where only some must, each with its edges or None for them
    wanted: dict | None = None  # target nodes, with the output numbers asked of each
    captured: dict  # edge key -> gradient, for the targets
    unsettled: tuple = ()  # leaves with hooks to which some gradient has come
    all_reached: frozenset | None = None  # every node that the pass comes to, where somebody has asked
    left: list | None = None  # what an ordinary pass could not send: it began, and this one goes on
    awaited: dict | None = None  # leaf with hooks -> how many gradients have still to come to it; None before the first

    def __init__(self, roots, *, keep: bool, create: bool, targets=None, accumulates: bool = True):
        self.roots = roots  # (edge, gradient as Tensor) pairs
        self.keep = keep
        self.create = create
        self.targets = targets  # edges whose gradients are wanted; None for all leaves
        self.accumulates = accumulates  # whether leaves among the targets get a `grad`
        self.gradients: dict = {}  # node -> what has come to it
        self.waiting: list = []  # the heap of these nodes, newest first
        self.leaves: dict = {}  # leaf -> what has come to it
        self.callbacks: list = []  # what to call when the gradients are accumulated

    def run(self, tasks: list) -> None:
        """Walks the graph; `tasks` are those under way in this thread."""
        mode = MODE.get()
        if mode is True or mode is False:
            token = MODE.set(self.create)
        else:
            self.anomaly = mode.anomaly
            token = change(grad=self.create)
        errors = set_errors(xp.IGNORED)
        tasks.append(self)
        try:
            self._start()
            self._walk()
            self._arrive()
            for callback in self.callbacks:  # which may add others
                callback()
        finally:
            for callback in self.at_end:
                callback()
            tasks.pop()
            reset_errors(errors)
            MODE.reset(token)

    def _start(self) -> None:
        """Puts the gradients of the roots on their way, or goes on with what an ordinary pass had no place for."""
        roots, self.roots = self.roots, ()  # a gradient that nobody else refers to may be taken over
        self.prepare()
        self.ordinary = self.anomaly is None
        if self.left is not None:
            self._send_all(self.left)
            return
        self.starts = tuple(edge for edge, _ in roots)
        if self.targets is not None:
            self.wanted, self.captured = wanted(self.targets), {}
            self.needed = needed(map(node_of, self.starts), self.wanted, run_targets=self.accumulates)
            if self.needed is not None:
                self.among = {node: edges for node, edges in self.needed.items() if node not in self.wanted}
        for edge, gradient in roots:
            self._send(edge, self._as_tensor(gradient) if self.create else self._as_array(gradient))

    def prepare(self, node=None) -> None:
        """In what gradients travel, in a pass from the beginning, or of one node alone."""
        self.tensors = self.create or (node is not None and node.off_cpu)
        self.F = functions if self.tensors else raw

    def _walk(self) -> None:
        """Visits the nodes: the ordinary ones in one loop, as far as it goes, the others one by one."""
        gradients, waiting = self.gradients, self.waiting
        while waiting:
            if self.ordinary:
                how = self.keep, self.freed, self.starts, self.F, self.among
                left = walk(None, None, gradients, waiting, self.leaves, *how)
                if left is None:
                    return
                if left:
                    self._send_all(left)
                    continue
            node = heappop(waiting)[1]
            self._visit(node, gradients.pop(node))

    def _visit(self, node, g) -> None:
        """One node with everything that may be attached to it."""
        if node.off_cpu and not self.tensors:
            g = self._change_to_tensors(g)
        if node.tensor_hooks or node.retained:
            g = self._hooked(node, g)
        if self.wanted is not None and node in self.wanted:
            self._capture(node, g, self.wanted[node])
        if self.needed is not None and node not in self.needed:
            return
        if isinstance(node, Leaf):
            if (g is not None or node.hooked) and (self.targets is None or self.accumulates):
                accumulate.into_leaf(node, g, self.create)
            return
        edges = node.edges if self.needed is None else self.needed[node]
        self._send_all([pair for pair in zip(edges, self._step(node, g, edges), strict=True) if pair[0] is not None])

    def _send_all(self, pairs: list) -> None:
        """Lets the gradients that one node has sent arrive; no reference stays behind, so that hooks may free them."""
        while pairs:
            self._send(*pairs.pop(0))
        self._settle()

    def _send(self, edge, result) -> None:
        """Lets a gradient arrive at an edge, None if it is undefined, which custom functions want to know."""
        node = node_of(edge)
        box = self.leaves if type(node) is Leaf else self.gradients
        if type(node) is Leaf and node.hooked and node.grad_dtype is not SAME:
            result = self._accepted(node, result)
        known = box.get(node, ABSENT)
        if known is ABSENT and box is self.gradients:
            heappush(self.waiting, (-node.created, node))
        if type(edge) is Output or node.outputs > 1:
            known = known if type(known) is list else [None] * node.outputs
            number = edge.number if type(edge) is Output else 0
            known[number] = self._sum(known[number], result)
            box[node] = known if result is not None or any(each is not None for each in known) else None
        else:
            box[node] = self._sum(None if known is ABSENT else known, result)
        if box is self.leaves and node.hooked:
            if node not in self.unsettled:
                self.unsettled = (*self.unsettled, node)
            if self.awaited is not None and node in self.awaited:
                self.awaited[node] -= 1

    def _accepted(self, leaf, result):
        """A gradient in the dtype that the program has asked for."""
        kind = accepted(leaf)
        return result if result is None or kind is None else self.F.cast(result, kind)

    def _sum(self, known, result):
        if known is None or result is None:
            return known if result is None else result
        return functions.add(known, result) if self.tensors else xp.plus(known, result)

    def _change_to_tensors(self, g):
        """Gradients of what is not on the CPU travel as Tensors: from the first such node on, all of them."""
        self.tensors, self.F = True, functions
        for box in (self.gradients, self.leaves):
            for node, known in box.items():
                box[node] = self._all_as_tensors(known)
        return self._all_as_tensors(g)

    def _all_as_tensors(self, g):
        return [self._as_tensor(each) for each in g] if type(g) is list else self._as_tensor(g)

    # ---- leaves

    def _settle(self) -> None:
        """A leaf with hooks accumulates as soon as all has come, so that they may use and free the gradient."""
        if not self.unsettled:
            return
        if self.awaited is None:
            self.awaited = still_to_come(self.unsettled, [node for _, node in self.waiting], self.needed)
        ready = [each for each in self.unsettled if self.awaited.get(each) == 0]
        self.unsettled = tuple(each for each in self.unsettled if each not in ready)
        for leaf in ready:
            self._visit(leaf, self.leaves.pop(leaf))

    def _arrive(self) -> None:
        """Accumulates into the leaves that are left; a step that fails leaves their `grad` as it was."""
        everywhere = self.ordinary and not self.tensors and self.targets is None
        rest = accumulate.into_all(self.leaves) if everywhere else list(self.leaves.items())
        for leaf, g in rest:
            self._visit(leaf, g)

    # ---- targets

    def _capture(self, node, g, numbers) -> None:
        if self.accumulates and isinstance(node, Leaf):
            return
        for number in numbers:
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

    # ---- one node

    def _step(self, node, g, edges) -> tuple:
        if node.pre_hooks:
            g = self._pre_hooked(node, g)
        if g is None and not node.takes_tensors:
            results = (None,) * len(edges)
        elif self.anomaly is None:
            results = self._call(node, g, edges)
        else:
            results = watched(self.anomaly, node, lambda: self._call(node, g, edges))
        if node.post_hooks:
            results = self._post_hooked(node, results, g)
        return results

    def _call(self, node, g, edges) -> tuple:
        if node.saved is RELEASED or node.packed is RELEASED:
            raise second_time(node, self.starts)
        if node.takes_tensors:
            return self._call_function(node, g)
        saved = (saved_tensors if self.tensors else saved_raw)(node, self.starts)
        results = stepped(self.F, node, saved, g, edges) if any(edges) else (None,) * len(edges)
        if not self.keep:
            release(node, self.freed)
        return results if node.metas is None else raw.fitted(self.F, node.metas, results)

    def _call_function(self, node, g) -> tuple:
        results = node.run(list(map(self._as_tensor, self._all(node, g))))
        if not self.keep:
            release(node, self.freed)
        return results if self.tensors else tuple(None if each is None else plain(each._array) for each in results)

    def _as_tensor(self, g):
        return g if g is None or isinstance(g, Tensor) else wrap(as_array(g))

    @staticmethod
    def _as_array(g):
        return plain(g._array) if isinstance(g, Tensor) else g

    def _as_given(self, tensor):
        return tensor if self.tensors or tensor is None else plain(tensor._array)

    # ---- hooks

    @staticmethod
    def _all(node, g) -> list:
        """The gradients of all outputs of a node, None for those that are undefined."""
        if node.outputs == 1:
            return g if type(g) is list else [g]
        return [None] * node.outputs if g is None else list(g)

    def as_waiting(self, tensors):
        """Tensors, one per output, in the form in which gradients wait for a node."""
        return self._whole(list(map(self._as_given, tensors)))

    @staticmethod
    def _whole(values: list):
        """Gradients of all outputs in that form: None if all are undefined."""
        if all(each is None for each in values):
            return None
        return values if len(values) > 1 else values[0]

    def _hooked(self, node, g):
        """Tensor hooks first, in order of registration; what they leave is what `retain_grad` keeps."""
        values = self._all(node, g)
        for number, hooks in (node.tensor_hooks or {}).items():
            values[number] = self._as_given(run_tensor_hooks(hooks, self._as_tensor(values[number])))
        for number, reference in list((node.retained or {}).items()):
            tensor = reference()
            if tensor is not None and values[number] is not None:
                accumulate.into_tensor(tensor, self._as_tensor(values[number]), self.create)
        return self._whole(values)

    def _pre_hooked(self, node, g):
        gradients = tuple(map(self._as_tensor, self._all(node, g)))
        for hook in active(node.pre_hooks):
            changed = hook(gradients)
            if changed is not None:
                gradients = replacements(hook, changed, gradients)
        return self.as_waiting(gradients)

    def _post_hooked(self, node, results, g) -> tuple:
        inputs = tuple(self._as_tensor(each) for each in results)
        outputs = tuple(map(self._as_tensor, self._all(node, g)))
        for hook in active(node.post_hooks):
            changed = hook(inputs, outputs)
            if changed is not None:
                inputs = replacements(hook, changed, inputs)
        return tuple(self._as_given(each) for each in inputs)
