"""The backward programs of a segment: one for each kind of pass, made when the first pass of that kind comes.

The usual pass, which wants all gradients and brings one for each result, runs a generated function that takes apart
what the node has saved and calls the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.core.formats import CONTIGUOUS
from rushlight.core.modes import MODE
from rushlight.core.policy import SMALL_PROGRAM
from rushlight.core.tables import raw
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import Untraceable
from rushlight.declarations.declare import OPS
from rushlight.graph import compiled_node
from rushlight.graph.compiled_node import inputs_of, node_class
from rushlight.graph.derivative import Halves, Joint, Root, needed, part, root_of
from rushlight.graph.lowering import has_kernels, lower_simple
from rushlight.graph.simplify import simplify
from rushlight.graph.trace import Meta, Ref, Step, Trace

CLONE = OPS["clone"]


class Derivative:
    """The derivative of a segment: what its node saves, and its backward programs.

    `wanted` are the positions of the inputs that the edges of the node lead to, `roots` what it gets gradients of.
    `positions` are the outputs of the forward program that are results and saved values.
    """

    def __init__(self, segment, inputs: Sequence[Tensor]):
        self.function, self.mode, self.options = segment.function, segment.mode, segment.options
        self.required = [each.requires_grad for each in inputs]
        self.results = [made.number for made in segment.made]
        self.roots = [root_of(segment.forms, made) for made in segment.made if made.requires_grad]
        joint = self._joint(inputs, [at for at, each in enumerate(inputs) if each.requires_grad], self.roots)
        pairs = [pair for pair in zip(joint.wanted, joint.gradients, strict=True) if pair[1] is not None]
        if not pairs:
            raise Untraceable("no gradient leads to an input")
        self.draws = any([step.draws for step in joint.trace.steps])
        self.wanted = [position for position, _ in pairs]
        self.recomputes = has_kernels(self.options)
        cut = Halves(joint, [number for _, number in pairs], self.results, recomputes=self.recomputes)
        self.saved, self.extra = cut.saved, cut.extra
        self.middle = signature(joint)
        forward, self.positions = unique(simplify(cut.forward))
        self.forward = lower_simple(forward, self.options)
        self.backward = simplify(cut.backward)
        self.programs: dict[tuple, Callable[[tuple, list], tuple] | None] = {}
        results = [f"result {at}" for at in range(len(self.roots))]
        owners = {joint.trace.base_of(number): f"input {at}" for at, number in enumerate(joint.trace.inputs)}
        made = [each.number for each in segment.made if each.requires_grad]
        owners = {**dict(zip(map(joint.trace.base_of, made), results, strict=True)), **owners}
        names = [owners.get(joint.trace.base_of(number), f"value {number}") for number in cut.saved]
        self.node = node_class(self, names, [f"input {at}" for at in self.wanted], results, self._function())

    def _joint(self, inputs: Sequence[Tensor], wanted: Sequence[int], roots: Sequence[Root]) -> Joint:
        token = MODE.set(self.mode)
        try:
            return Joint(self.function, inputs, wanted, roots)
        finally:
            MODE.reset(token)

    # ---- the usual pass

    def _function(self) -> Callable:
        """Returns the backward function of the node; its program is lowered at the first call."""
        metas = self.backward.metas
        pulls = [metas[number] for number in self.backward.inputs[len(self.saved) :]]
        saved = "".join([f"s{at}, " for at in range(len(self.saved))])
        names: dict[str, Any] = {"raw": raw, "ndarray": np.ndarray, "general": compiled_node.backward}
        gradients, tests = [], []
        for at, meta in enumerate(pulls):
            name = "g" if len(pulls) == 1 else f"g{at}"
            names |= {f"strides{at}": meta.strides, f"dtype{at}": meta.dtype}
            gradients.append(name)
            tests.append(f"type({name}) is ndarray and {name}.dtype is dtype{at} and {name}.strides == strides{at}")
        trace, positions = unique(owning(self.backward))
        results = "".join([f"r{at}, " for at in range(len(trace.outputs))])
        lines = ["def backward(F, node, saved, g, edges):", "    if F is raw and edges is node.edges:"]
        if len(pulls) > 1:
            lines.append(f"        {', '.join(gradients)} = g")
        lines.append(f"        if {' and '.join(tests)}:")
        if saved:
            lines.append(f"            {saved}inputs = saved")
        lines.append(f"            {results}= program({saved}{', '.join(gradients)})")
        lines.append(f"            return ({''.join([f'r{position}, ' for position in positions])})")
        lines.append("    return general(F, node, saved, g, edges)")

        def first(*arrays):
            names["program"] = program = lower_simple(trace, self.options)
            return program(*arrays)

        names["program"] = first
        exec(compile("\n".join(lines), "<segment backward>", "exec"), names)  # noqa: S102
        return names["backward"]

    # ---- other passes

    def program(self, node, saved: tuple, edges: tuple, pulls: list) -> Callable[[tuple, list], tuple] | None:
        """Returns the function from saved values and gradients to the gradients of a pass; None if there is none."""
        key = tuple([edge is None for edge in edges]), tuple([pull is None for pull in pulls])
        if key not in self.programs:
            self.programs[key] = self._lowered(node, saved, edges, pulls)
        return self.programs[key]

    def _lowered(self, node, saved: tuple, edges: tuple, pulls: list) -> Callable[[tuple, list], tuple] | None:
        """Makes the function of a kind of pass."""
        backward, numbers = self.backward, self.saved
        defined = [at for at, pull in enumerate(pulls) if pull is not None]
        if len(defined) < len(pulls):
            cut = self._of_some(inputs_of(node, saved), defined)
            if cut is None:
                return None
            backward, numbers = simplify(cut.backward), cut.saved
        kept = [number if edge is not None else None for number, edge in zip(backward.outputs, edges, strict=True)]
        steps = needed(backward.steps, [number for number in kept if number is not None])
        trace, positions = unique(owning(part(backward, steps, backward.inputs, kept)))
        program = lower_simple(trace, self.options)
        taken = [self.saved.index(number) for number in numbers]
        metas = [backward.metas[number] for number in backward.inputs[len(numbers) :]]

        def run(saved: tuple, pulls: list) -> tuple:
            gradients = [laid_out_as(pulls[at], meta) for at, meta in zip(defined, metas, strict=True)]
            results = program(*[saved[at] for at in taken], *gradients)
            return tuple([None if position is None else results[position] for position in positions])

        return run

    def _of_some(self, inputs: tuple, defined: list[int]) -> Halves | None:
        """Returns the derivative for gradients of some results; None if it needs values that were not saved."""
        # A state of the random stream comes after the inputs.
        examples = [like(each, required) for each, required in zip(inputs, self.required, strict=False)]
        joint = self._joint(examples, self.wanted, [self.roots[at] for at in defined])
        if signature(joint) != self.middle:
            return None
        cut = Halves(joint, joint.gradients, self.results, recomputes=self.recomputes, available=self.saved)
        return cut if set(cut.saved).issubset(self.saved) else None


def like(tensor: Any, required: bool) -> Tensor:
    """Returns a leaf on a copy of a tensor, with its strides."""
    array = tensor._array
    return wrap(laid_out_as(array, Meta(array.shape, array.strides, array.dtype), copied=True)).requires_grad_(required)


def signature(joint: Joint) -> list[tuple]:
    """Returns the steps of the forward half as data, to tell whether another recording has the same numbers."""
    return [(step.op and step.op.name, step.operands(), step.results) for step in joint.trace.steps[: joint.middle]]


def unique(trace: Trace) -> tuple[Trace, list[int | None]]:
    """Returns a trace that returns each output once, and the position of each output of the given one."""
    outputs = list(dict.fromkeys([number for number in trace.outputs if number is not None]))
    positions = [None if number is None else outputs.index(number) for number in trace.outputs]
    return part(trace, trace.steps, trace.inputs, outputs), positions


def owning(trace: Trace) -> Trace:
    """Returns a trace whose small outputs are no views, but copies of what they show: kernels make no views."""
    made = part(trace, list(trace.steps), trace.inputs, trace.outputs)
    made.metas = list(trace.metas)
    copies: dict[int, int] = {}
    for at, number in enumerate(trace.outputs):
        if number is None or number not in trace.views or math.prod(trace.metas[number].shape) > SMALL_PROGRAM:
            continue
        if number not in copies:
            copies[number] = copied = made.add(np.empty(trace.metas[number].shape, trace.metas[number].dtype))
            values = {"input": Ref(number), "memory_format": CONTIGUOUS}
            made.steps.append(Step(CLONE, values, (copied,)))
        made.outputs[at] = copies[number]
    return made


def laid_out_as(array, meta: Meta, *, copied: bool = False):
    """Returns an array in the strides that a program was made for, itself unless it is laid out otherwise."""
    if type(array) is not np.ndarray:
        array = np.asarray(array)
    if array.strides == meta.strides and not copied:
        return array
    extent = sum([(size - 1) * step for size, step in zip(meta.shape, meta.strides, strict=True) if size])
    made = as_strided(np.empty(extent // meta.dtype.itemsize + 1, meta.dtype), meta.shape, meta.strides)
    made[...] = array
    return made
