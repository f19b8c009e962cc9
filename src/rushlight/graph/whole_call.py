"""Writes the function that a call of a recorded training step runs.

First it looks at the tensors, their gradients and the optimizers, and raises `Stale` if the recording is not for them.
Then it runs the program. Then it makes tensors, sets gradients, and counts writes and steps. Inputs are `i0`, tensors
of the program `T0` with arrays `a0`, leaves `E0` with gradients `g0` of arrays `b0` (before: `G0`, `B0`), numbers
`x0`, outputs `o0`, new tensors `m0`.
"""

from __future__ import annotations

from operator import is_
from sys import getrefcount
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.autograd.accumulate import UNSHARED, copied_for, is_whole
from rushlight.core.graph import Leaf
from rushlight.core.modes import MODE
from rushlight.core.storage import new_storage
from rushlight.core.tables import objects
from rushlight.core.tensor import may_have_meta_key
from rushlight.graph.trace import Meta, Trace
from rushlight.graph.training import Made


class Stale(Exception):
    """Raised by a call that the recording is not for, before anything has changed."""


class Caller:
    """Writes the function of a `WholeStep`, whose program computes a trace."""

    def __init__(self, step: Any, trace: Trace):
        self.step, self.whole, self.trace = step, step.whole, trace
        self.effects = self.whole.effects
        self.first = len(self.effects.inputs)  # of the inputs of the whole trace that are tensors of the program
        self.names: dict[str, Any] = {
            "Stale": Stale, "is_": is_, "getrefcount": getrefcount, "is_whole": is_whole, "copied_for": copied_for,
            "tensor": objects.tensor, "count_writes": objects.count_writes, "new_storage": new_storage,
            "look": step.look, "gradient": step.gradient, "program": step.first_program, "numbers": self.whole.numbers,
        }  # fmt: skip
        self.lines: list[str] = []
        self.olds = {place: at for at, place in enumerate(self.effects.gradients) if place is not None}
        self.inputs = [f"i{at}" for at in range(self.first)]
        self.arrays = self._arrays()
        self.read = {number for each in self.whole.trace.steps for number in each.operands()}
        self.made = {}
        for each in (*self.effects.grads, *self.effects.results):
            if type(each) is Made:
                self.made[each.position] = each

    def written(self) -> tuple[str, dict[str, Any]]:
        """Returns the text, and the objects that it names."""
        self._look_at_inputs()
        self._look_at_optimizers()
        self._look_at_tensors()
        self._read_numbers()
        self._run()
        self._make_tensors()
        self._apply()
        head = f"def call({', '.join(self.inputs)}):"
        return "\n".join([head, *[f"    {line}" for line in self.lines]]) + "\n", self.names

    def _arrays(self) -> dict[int, str]:
        """Returns the names of the arrays of the inputs of the whole trace."""
        whole, names = self.whole, {}
        for at, number in enumerate(whole.trace.inputs):
            own = at - self.first
            if own < 0:
                names[number] = f"i{at}._array"
            elif own < len(self.effects.tensors):
                names[number] = f"b{own}" if own in self.olds else f"a{own}"
            else:
                names[number] = f"x{own - len(self.effects.tensors)}"
        return names

    def _stale(self, condition: str, reason: str) -> None:
        """Writes the line that ends the call if a condition holds."""
        self.lines += [f"if {condition}:", f"    raise Stale({reason!r})"]

    # ---- what is there now

    def _look_at_inputs(self) -> None:
        """Writes the checks of the mode, and that no input shares memory with what is written to."""
        self.names.update({"get_mode": MODE.get, "mode": self.whole.mode})
        self._stale("get_mode() is not mode", "a mode is active")
        storages = [self.effects.tensors[at]._storage for at, count in enumerate(self.effects.writes) if count]
        self.names["written"] = {id(storage) for storage in storages}
        self.names["storages"] = storages  # kept, so that no other object gets these ids
        if self.inputs and storages:
            shared = " or ".join([f"id({name}._store) in written" for name in self.inputs])
            self._stale(shared, "an input shares memory with what is written to")
        changed = [name for name, count in zip(self.inputs, self.effects.inputs, strict=True) if count]
        if changed:
            every = [f"T{at}" for at in range(len(self.effects.tensors)) if at not in self.olds]
            others = ", ".join([f"{name}._storage" for name in (*self.inputs, *every)])
            self.lines.append(f"s = [{others}]")
            self._stale("len(set(map(id, s))) < len(s)", "an input that is written to shares memory")

    def _look_at_tensors(self) -> None:
        """Writes what reads arrays and gradients."""
        for at, tensor in enumerate(self.effects.tensors):
            if at in self.olds:
                continue
            self.names[f"T{at}"], self.names[f"L{at}"], self.names[f"E{at}"] = tensor, tensor._array, tensor._edge
            self.lines += [f"a{at} = T{at}._array", f"if a{at} is not L{at}:", f"    look({at}, a{at})"]
            if type(tensor._edge) is not Leaf:
                self._stale(f"T{at}._edge is not None", "a tensor requires a gradient that required none")
                continue
            self._stale(f"T{at}._edge is not E{at} or E{at}.hooked", "a leaf is another one, or has hooks")
            self.lines.append(f"g{at} = E{at}.grad")
            place = self.effects.gradients[at]
            if place is None:
                self._stale(f"g{at} is not None", "a leaf has a gradient that had none")
                continue
            self._stale(f"g{at} is None", "a leaf has no gradient that had one")
            if self._is_needed(place):
                self.names[f"G{place}"] = self.names[f"B{place}"] = None
                same = f"g{at} is G{place} and b{place} is B{place} and g{at}._edge is g{at}._base is None"
                self.lines += [f"b{place} = g{at}._array", f"if not ({same}):", f"    gradient({place}, g{at})"]

    def _is_needed(self, place: int) -> bool:
        """Whether a gradient from before is read, written, left as it is, or returned."""
        effects, number = self.effects, self.whole.trace.inputs[self.first + place]
        kept = [each for each in (*effects.grads, *effects.results) if type(each) is int]
        return number in self.read or place in kept

    def _look_at_optimizers(self) -> None:
        """Writes the checks that optimizers hold the same objects, and have no hooks."""
        positions = {id(tensor): at for at, tensor in enumerate(self.effects.tensors)}
        for number, optimizer in enumerate({id(each.optimizer): each.optimizer for each in self.whole.steps}.values()):
            groups = optimizer.param_groups
            params = [list(group["params"]) for group in groups]
            self.names.update({f"O{number}": optimizer, f"S{number}": optimizer.state, f"P{number}": params})
            self.names[f"V{number}"] = list(optimizer.state.values())
            own = f"O{number}"
            self._stale(f"{own}._optimizer_step_pre_hooks or {own}._optimizer_step_post_hooks", "a step has hooks")
            self._stale(f"len({own}.param_groups) != {len(groups)}", "an optimizer has other groups")
            for at, each in enumerate(params):
                self.lines.append(f"p = {own}.param_groups[{at}]['params']")
                same = f"len(p) == {len(each)} and all(map(is_, p, P{number}[{at}]))"
                self._stale(f"not ({same})", "an optimizer has other parameters")
            count = len(optimizer.state)
            same = f"{own}.state is S{number} and len(S{number}) == {count}"
            same += f" and all(map(is_, S{number}.values(), V{number}))" if count else ""
            self._stale(f"not ({same})", "an optimizer has another state")
            self._look_at_states(number, positions)

    def _look_at_states(self, number: int, positions: dict[int, int]) -> None:
        """Writes the checks that the state of each parameter has the same tensors."""
        for at, state in enumerate(self.names[f"V{number}"]):
            self.names[f"D{number}_{at}"] = state
            checks: list[str] = []
            for name, tensor in state.items():
                key = f"T{positions[id(tensor)]}" if id(tensor) in positions else f"C{number}_{at}_{len(checks)}"
                self.names[key] = tensor
                checks.append(f"D{number}_{at}.get({name!r}) is not {key}")
            if checks:
                self._stale(" or ".join(checks), "an optimizer has another state")

    def _read_numbers(self) -> None:
        """Writes what reads the numbers that the optimizers step with."""
        steps = self.whole.steps
        for at, step in enumerate(steps):
            self.names[f"read{at}"], self.names[f"write{at}"] = step.read, step.write
            self.lines += [f"r{at} = read{at}()", f"if type(r{at}) is str:", f"    raise Stale(r{at})"]
        count = len(self.whole.trace.inputs) - self.first - len(self.effects.tensors)
        if any([step.counts for step in steps]) or count:
            self.lines.append(f"n = numbers({', '.join([f'*r{at}' for at in range(len(steps))])})")
            self._stale("n is None", "numbers of an optimizer meet another condition")
            entered = "".join([f"x{at}, " for at in range(count)])
            self.lines.append(f"({entered}), n = n" if count else "n = n[1]")

    # ---- what is done

    def _run(self) -> None:
        """Writes the run of the program, and of the updates after it."""
        trace = self.trace
        outputs = "".join([f"o{at}, " for at in range(len(trace.outputs))])
        arguments = ", ".join([self.arrays[number] for number in trace.inputs])
        if trace.steps or trace.outputs:
            self.lines.append(f"{outputs}{'= ' if outputs else ''}program({arguments})")
        for at, update in enumerate(self.step.updates):
            self.names[f"U{at}"] = update.op.function
            operands = [self.arrays.get(n) or f"o{trace.outputs.index(n)}" for n in update.operands()]
            self.lines.append(f"U{at}(({''.join([f'{name}, ' for name in operands])}))")

    def _make_tensors(self) -> None:
        """Writes what makes tensors on the outputs; the gradient of a leaf is copied if others may have its memory."""
        leaves = {each.position: at for at, each in enumerate(self.effects.grads) if type(each) is Made}
        for position, made in self.made.items():
            number: Any = self.trace.outputs[position]
            meta = self.trace.metas[number]
            name, array = f"m{position}", f"o{position}"
            if position in leaves:
                leaf = f"E{leaves[position]}"
                shared = f"getrefcount({array}) > {UNSHARED} or {array}.strides != {leaf}.strides"
                shared += f" or ({array}.base is not None and not is_whole({array}))"
                self.lines += [f"if {shared}:", f"    {array} = copied_for({leaf}.array, {array})"]
                meta = Meta(meta.shape, self.effects.tensors[leaves[position]]._array.strides, meta.dtype)
            self.names[f"K{position}"] = key_of(meta)
            self.names[f"H{position}"] = made.edge
            self.lines += [
                f"{name} = tensor(None)",
                f"{name}._array = {array}",
                f"{name}._meta_key = K{position}",
                f"{name}._base = {name}._generation = {name}._store = None",
                f"{name}._edge = {'None' if made.edge is None else f'H{position}'}",
            ]
            if made.version:
                self.lines += [f"{name}._store = s = new_storage(None)", f"s.version = {made.version}"]

    def _apply(self) -> None:
        """Writes the effects and the results."""
        effects = self.effects
        written = [self._tensor(at) for at, count in enumerate(effects.writes) for _ in range(count)]
        written += [name for name, count in zip(self.inputs, effects.inputs, strict=True) for _ in range(count)]
        if written:
            self.lines.append(f"count_writes([{', '.join([f'{name}._store or {name}._storage' for name in written])}])")
        for at, each in enumerate(effects.grads):
            if type(effects.tensors[at]._edge) is Leaf and at not in self.olds and each != effects.gradients[at]:
                self.lines.append(f"E{at}.grad = {self._result(each)}")
        start = 0
        for at, step in enumerate(self.whole.steps):
            self.lines.append(f"write{at}(n[{start}:{start + step.counts}])" if step.counts else f"write{at}(())")
            start += step.counts
        self.lines.append(f"return [{', '.join([self._result(each) for each in effects.results])}]")

    def _tensor(self, place: int) -> str:
        """Returns the name of a tensor of the program, or of a gradient from before."""
        return f"g{self.olds[place]}" if place in self.olds else f"T{place}"

    def _result(self, each: Made | int | None) -> str:
        """Returns the name of a result."""
        if each is None:
            return "None"
        return f"m{each.position}" if isinstance(each, Made) else self._tensor(each)


def key_of(meta: Meta) -> tuple | None:
    """Returns the `_meta_key` of a tensor."""
    array = as_strided(np.empty(1, meta.dtype), meta.shape, meta.strides)
    return (meta.shape, meta.dtype) if may_have_meta_key(array) else None
