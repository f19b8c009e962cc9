"""Backward: one loop over the recorded nodes, newest first.

Raw arrays travel along the edges unless the graph of the gradients is wanted or a hook asks for a Tensor. Nothing here
recurses, so a graph may be millions of nodes deep.
"""

from __future__ import annotations

from operator import attrgetter

import rushlight._generated.functions as functions
import rushlight._generated.raw as raw
from rushlight.autograd import accumulate
from rushlight.autograd.anomaly import watched
from rushlight.autograd.arriving import add, as_array, fitted, node_of, widened
from rushlight.autograd.nesting import NESTING
from rushlight.autograd.node_hooks import replacements, run_tensor_hooks
from rushlight.autograd.saved_values import refuse_stale, release, saved_raw, saved_tensors, second_time
from rushlight.core.graph import RELEASED, Leaf, Output
from rushlight.core.handle import active
from rushlight.core.modes import MODE, change
from rushlight.core.storage import LAST_WRITE
from rushlight.core.tensor import Tensor, edge_of, wrap
from rushlight.dispatch.errors_of_numpy import IGNORED, reset_errors, set_errors

created = attrgetter("created")
off_cpu = attrgetter("off_cpu")
ABSENT = object()  # no gradient has come to a node


class Task:
    """One backward pass: what it starts from, what it wants, and how."""

    at_end: tuple = ()  # what to do when the pass is over, however it ends
    expected: dict | None = None  # per multi-grad hook, which of its tensors this pass reaches
    anomaly = None

    def __init__(self, roots, *, keep: bool, create: bool, targets=None, accumulates: bool = True):
        self.roots = roots  # (edge, gradient as Tensor) pairs
        self.keep = keep
        self.create = create
        self.targets = targets  # edges whose gradients are wanted; None for all leaves
        self.accumulates = accumulates
        self.captured: dict = {}  # edge key -> gradient, for the targets
        self.awaited: dict = {}  # leaf with hooks -> how many gradients have still to come to it

    def run(self) -> None:
        """Walks the graph."""
        mode = MODE.get()
        if mode is True or mode is False:
            token = MODE.set(self.create)
        else:
            self.anomaly = mode.anomaly
            token = change(grad=self.create)
        errors = set_errors(IGNORED)
        NESTING.tasks.append(self)
        try:
            self._walk()
        finally:
            for callback in self.at_end:
                callback()
            NESTING.tasks.pop()
            reset_errors(errors)
            MODE.reset(token)

    def _walk(self) -> None:
        """Visits the nodes in order. An ordinary node on raw arrays is dealt with right here; the rest is `_visit`."""
        order = self.order = self._order()
        self.tensors = self.create or any(map(off_cpu, order))
        self.F = functions if self.tensors else raw
        needed = None if self.targets is None else self._needed(order)
        wanted = {} if self.targets is None else self._wanted()
        ordinary = not self.tensors and needed is None and self.anomaly is None
        keep = self.keep
        gradients: dict = {}
        for edge, gradient in self.roots:
            add(gradients, edge, self._as_tensor(gradient) if self.tensors else self._as_array(gradient), self.tensors)
        self.roots = edge = gradient = None  # a gradient that nobody else refers to may be taken over
        take, arrived, awaited = gradients.pop, gradients.get, self.awaited
        for node in order:
            if ordinary and type(node) is Leaf and not node.hooked:
                if arrived(node) is not None:
                    accumulate.into_leaf(node, take(node), False)
                continue
            g = take(node, ABSENT)
            if g is ABSENT:
                continue
            if not ordinary or node.special or g is None:
                self._visit(node, g, gradients, needed, wanted)
                continue
            saved = node.saved
            if saved:
                if saved is RELEASED:
                    raise second_time()
                if node.created < LAST_WRITE.tick:
                    refuse_stale(node)
                results = node.backward(raw, node, saved, g)
                if not keep:
                    node.saved, node.storages = RELEASED, ()
            else:
                results = node.backward(raw, node, saved, g)
            if node.metas is not None:
                results = fitted(raw, node.metas, results)
            g = saved = None
            leaves: tuple | None = None
            for edge, result in zip(node.edges, results):  # noqa: B905  # `strict=` costs 0.1 us a node
                if edge is not None:
                    known = arrived(edge)
                    if known is None and result is not None and type(edge) is not Output:
                        gradients[edge] = result
                    elif result is not None and type(edge) is not Output:
                        gradients[edge] = known + result
                    else:
                        self._send(edge, result, gradients)
                    if awaited and edge in awaited:
                        awaited[edge] -= 1
                        if not awaited[edge]:
                            leaves = (edge,) if leaves is None else (*leaves, edge)
            results = result = known = None
            if leaves is not None:
                # A leaf with hooks accumulates as soon as all has come, so that they may use and free the gradient
                for edge in leaves:
                    self._visit(edge, take(edge), gradients, needed, wanted)

    def _visit(self, node, g, gradients: dict, needed, wanted) -> None:
        """One node with everything that may be attached to it."""
        if node.tensor_hooks or node.retained:
            g = self._hooked(node, g)
        if node in wanted:
            self._capture(node, g, wanted[node])
        if needed is not None and node not in needed:
            return
        if isinstance(node, Leaf):
            if g is not None:
                accumulate.into_leaf(node, g, self.create)
            return
        leaves = []
        for edge, result in zip(node.edges, self._step(node, g), strict=True):
            if edge is not None:
                self._send(edge, result, gradients)
                if edge in self.awaited:
                    self.awaited[edge] -= 1
                    if not self.awaited[edge]:
                        leaves.append(edge)
        result = None
        for leaf in leaves:
            self._visit(leaf, gradients.pop(leaf), gradients, needed, wanted)

    def _send(self, edge, result, gradients: dict) -> None:
        if result is None:
            gradients.setdefault(node_of(edge), None)  # undefined, which custom functions want to know
        else:
            add(gradients, edge, result, self.tensors)

    # ---- which nodes, in which order

    def _order(self) -> list:
        """Every node that the roots lead to, newest first: a node is always newer than what it came from."""
        stack = [node_of(edge) for edge, _ in self.roots]
        seen = set(stack)
        following, push, found, awaited = stack.pop, stack.append, seen.add, self.awaited
        while stack:
            for edge in following().edges:
                if edge is not None:
                    if type(edge) is Output:
                        edge = edge.node
                    elif edge.hooked and type(edge) is Leaf:
                        awaited[edge] = awaited.get(edge, 0) + 1
                    if edge not in seen:
                        found(edge)
                        push(edge)
        return sorted(seen, key=created, reverse=True)

    def _needed(self, order) -> set:
        """The nodes that must run for the targets' gradients to arrive."""
        targets = {node_of(each) for each in self.targets}
        leads = set(targets)
        needed = set()
        for node in reversed(order):
            if any(edge is not None and node_of(edge) in leads for edge in node.edges):
                leads.add(node)
                needed.add(node)
        if self.accumulates:
            needed.update(each for each in targets if isinstance(each, Leaf))
        return needed

    def _wanted(self) -> dict:
        """Target nodes, with the output numbers asked of each."""
        wanted: dict = {}
        for edge in self.targets:
            wanted.setdefault(node_of(edge), set()).add(edge.number if type(edge) is Output else 0)
        return wanted

    def _capture(self, node, g, numbers) -> None:
        if self.accumulates and isinstance(node, Leaf):
            return
        for number in numbers:
            self.captured[node, number] = g[number] if type(g) is list else g

    def reaches(self, tensor: Tensor) -> bool:
        """Whether a gradient will arrive at a tensor in this pass."""
        return node_of(edge_of(tensor)) in set(self.order)

    # ---- one node

    def _step(self, node, g) -> tuple:
        if g is None:
            if not node.takes_tensors:
                return (None,) * len(node.edges)
            g = [None] * node.outputs
        if node.pre_hooks:
            g = self._pre_hooked(node, g)
        if self.anomaly is None:
            results = self._call(node, g)
        else:
            results = watched(self.anomaly, node, lambda: self._call(node, g))
        if node.post_hooks:
            results = self._post_hooked(node, results, g)
        return results

    def _call(self, node, g) -> tuple:
        if node.saved is RELEASED or node.packed is RELEASED:
            raise second_time()
        if node.takes_tensors:
            return self._call_function(node, g)
        saved = saved_tensors(node) if self.tensors else saved_raw(node)
        F = self.F
        if node.computes_in is not None:
            saved, g = widened(F, node.computes_in, saved, g)
        if node.outputs > 1:
            g = tuple(g)
        results = node.backward(F, node, saved, g)
        if not self.keep:
            release(node)
        return results if node.metas is None else fitted(F, node.metas, results)

    def _call_function(self, node, g) -> tuple:
        many = type(g) is list
        given = [self._as_tensor(each) for each in (g if many else [g])]
        results = node.run(given)
        if not self.keep:
            release(node)
        return results if self.tensors else tuple(None if each is None else each._array for each in results)

    def _as_tensor(self, g):
        return g if g is None or isinstance(g, Tensor) else wrap(as_array(g))

    @staticmethod
    def _as_array(g):
        return g._array if isinstance(g, Tensor) else g

    def _as_given(self, tensor):
        return tensor if self.tensors or tensor is None else tensor._array

    # ---- hooks

    def _hooked(self, node, g):
        """Tensor hooks first, in order of registration; what they leave is what `retain_grad` keeps."""
        values = list(g) if type(g) is list else [g]
        for number, hooks in (node.tensor_hooks or {}).items():
            if values[number] is not None:
                values[number] = self._as_given(run_tensor_hooks(hooks, self._as_tensor(values[number])))
        for number, reference in list((node.retained or {}).items()):
            tensor = reference()
            if tensor is not None and values[number] is not None:
                accumulate.into_tensor(tensor, self._as_tensor(values[number]), self.create)
        return values if type(g) is list else values[0]

    def _pre_hooked(self, node, g):
        gradients = tuple(self._as_tensor(each) for each in (g if type(g) is list else [g]))
        for hook in active(node.pre_hooks):
            changed = hook(gradients)
            if changed is not None:
                gradients = replacements(hook, changed, len(gradients))
        values = [self._as_given(each) for each in gradients]
        return values if type(g) is list else values[0]

    def _post_hooked(self, node, results, g) -> tuple:
        inputs = tuple(self._as_tensor(each) for each in results)
        outputs = tuple(self._as_tensor(each) for each in (g if type(g) in (list, tuple) else [g]))
        for hook in active(node.post_hooks):
            changed = hook(inputs, outputs)
            if changed is not None:
                inputs = replacements(hook, changed, len(inputs))
        return tuple(self._as_given(each) for each in inputs)
