"""The step of methods that treat every element alike: many small parameters at once, large ones block by block.

A model has hundreds of parameters of some hundred elements, and then the calls are what a step costs, not the
arithmetic. So small parameters are laid end to end in one buffer, with their gradients and their state in others; the
formula runs once on the whole; the results are laid back. Every parameter keeps the memory of its own, and so does its
state: nothing has to be told apart when someone loads, copies or changes them. A large parameter is worked on where it
lies, in blocks that stay in the cache.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

import rushlight._generated.functions as functions
from rushlight.arrays import blas
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.graph import Leaf
from rushlight.core.modes import recording
from rushlight.core.policy import LARGE, MEDIUM, Warmup
from rushlight.core.tables import objects, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.lower import is_ready
from rushlight.optim.arithmetic import Arrays, Tensors
from rushlight.optim.checks import check_capturable, check_fused
from rushlight.optim.optimizer import (
    Optimizer,
    counter,
    evaluated,
    options,
    plain_option,
    use_grad_for_differentiable,
)
from rushlight.optim.workspace import BLOCK, REAL, Members, Workspace, alike, arrays, batches

WARMUP = Warmup(passes=8)  # of all optimizers, so that one that goes on from a checkpoint gives the same digits

# What became an option only later: old files lack it.
LATER = {
    "foreach": None, "fused": None, "maximize": False, "capturable": False, "differentiable": False, "amsgrad": False,
    "nesterov": False, "centered": False, "decoupled_weight_decay": False,
}  # fmt: skip


class ElementwiseOptimizer(Optimizer):
    """An optimizer whose formula looks at one element of the parameter, its gradient and its state at a time.

    A method names what it keeps, makes it in `_begin`, works out its numbers in `_prepare`, and writes the formula as
    `_update(F, o, param, gradient, *kept)`, which returns the new parameter and the new state. `F` is the arithmetic;
    `o` holds the options of the group and the counters, as numbers. (Programs that derive from a method have all other
    names for themselves.)
    """

    _counters: tuple[str, ...] = ("step",)  # numbers kept per parameter, as 0-d tensors
    _kept: tuple[str, ...] = ()  # tensors of the parameter's shape; None for those that the options do not ask for
    _late: tuple[str, ...] = ()  # of these, what begins with the first gradient
    _capturable_with = "params and state_steps"  # what PyTorch wants on the device

    @use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters; `closure`, if given, computes the loss again and returns it."""
        loss = evaluated(closure)
        for index, group in enumerate(self.param_groups):
            params, gradients = with_gradients(group["params"])
            if params:
                self._check_step(group, params)
                self._step_group(index, group, params, gradients)
        return loss

    # ---- what a method gives

    def _begin(self, param: Tensor, group: dict) -> dict[str, Any]:
        """The state of a parameter before its first step."""
        on_device, fused = bool(group.get("capturable")), bool(group.get("fused"))
        kept = {name: functions.zeros_of(param.detach()) for name in self._kept_for(group)}
        return {"step": counter(0.0, param, on_device=on_device, fused=fused), **kept}

    def _kept_for(self, group: dict) -> tuple[str, ...]:
        """Those of `_kept` that the options of a group ask for."""
        return self._kept

    def _prepare(self, o: SimpleNamespace) -> None:
        """Counts the step, and computes from the options what all elements share."""
        o.step = o.step + 1

    def _adds_multiples(self, o: SimpleNamespace) -> bool:
        """Whether the options leave so little to do that `_update_flat` does it, without laying arrays together."""
        return False

    def _update_flat(self, o: SimpleNamespace, params: list, gradients: list, *kept: list) -> None:
        """The formula once more, in place on lists of flat arrays."""
        raise NotImplementedError

    def _settle(self, o: SimpleNamespace) -> None:
        """Sets the counters that change after the step."""

    def _update(self, F, o, param, gradient, *kept) -> tuple:
        """The formula: the new parameter, and what is kept of it."""
        raise NotImplementedError

    def _check_step(self, group: dict, params: list[Tensor]) -> None:
        """Raises what PyTorch raises for options that it looks at when it makes a step."""
        if group.get("capturable"):
            check_capturable(params, self._capturable_with, bool(group["foreach"]))
        if group.get("fused"):
            check_fused(params)
        if group.get("foreach") and group["differentiable"]:
            raise AssertionError("_foreach ops don't support autograd")

    # ---- one step

    def _step_group(self, index: int, group: dict, params: list[Tensor], gradients: list[Tensor]) -> None:
        names = self._kept_for(group)
        states = [self.state[param] for param in params] if self._counters or names else []
        if not all(states):
            for param, state in zip(params, states, strict=True):
                if not state:
                    state.update(self._begin(param, group))
        members = Members(params, gradients, states, arrays(params), arrays(gradients))
        whole = self._workspaces[index, 0]
        errors = set_errors(xp.IGNORED)
        try:
            if whole.uniform(members, self._counters, self._late):
                self._step_members(group, members, names, whole)
            else:
                for number, each in enumerate(alike(members, self._counters, self._late), 1):
                    self._step_members(group, each, names, self._workspaces[index, number])
        finally:
            reset_errors(errors)

    def _step_members(self, group: dict, members: Members, names: tuple[str, ...], workspace: Workspace) -> None:
        params, gradients, states, own, others = members
        recorded = recording()
        if recorded and len(params) > 1 and self._counters:  # each may be differentiated by counters of its own
            for index in range(len(params)):
                one: list[Any] = [row[index : index + 1] for row in members]
                self._step_members(group, Members(*one), names, workspace)
            return
        o = options(group, self.defaults, recorded)
        for name in self._counters:
            setattr(o, name, plain_option(states[0][name], recorded))
        self._prepare(o)
        late = bool(self._late) and any([states[0].get(name) is None for name in names if name in self._late])
        plain = not recorded and not late and on_plain_arrays(params[0], gradients[0])
        if not plain:
            for index, param in enumerate(params):
                self._step_tensor(o, param, gradients[index], states[index] if states else {}, names)
        else:
            kept = [[state[name] for state in states] for name in names]
            rows = [own, others, *map(arrays, kept)]
            self._step_arrays(o, rows, names, workspace)
            objects.count_writes([tensor._storage for row in (params, *kept) for tensor in row])
        self._settle(o)
        for name in self._counters:
            write_number(getattr(o, name), [state[name] for state in states])

    def _step_tensor(self, o, param: Tensor, gradient: Tensor, state: dict[str, Any], names: tuple[str, ...]) -> None:
        """One parameter, by operations on tensors: of any dtype and device, and recorded where that is wanted."""
        real, value = lambda tensor: tensor, param
        if param.is_complex():
            real, value = functions.view_as_real, functions.resolve_conj(param)
            gradient = functions.resolve_conj(gradient)
        kept: dict[str, Any] = {name: None if state.get(name) is None else real(state[name]) for name in names}
        # What a recorded formula saves must outlive the writes below.
        operand = functions.clone if recording() else lambda tensor: tensor
        given = {name: None if tensor is None else operand(tensor) for name, tensor in kept.items()}
        changed, *new = self._update(Tensors, o, operand(real(value)), real(gradient), *map(given.get, self._kept))
        real(value).copy_(changed)
        if value is not param:
            param.copy_(value)
        for name, tensor in zip(self._kept, new, strict=True):
            if kept.get(name) is not None:
                kept[name].copy_(tensor)
            elif name in kept:
                state[name] = functions.view_as_complex(tensor) if param.is_complex() else tensor

    def _step_arrays(self, o, rows: list[list], names: tuple[str, ...], workspace: Workspace) -> None:
        """All parameters, on arrays, row by row: parameters, gradients, and what is kept."""
        step = self._kernel_step(o, rows, names)
        if step is not None:  # which is quicker than to lay small ones together, too
            for row in zip(*rows, strict=True):
                self._step_by(step, o, row, names)
        elif not (self._adds_multiples(o) and self._step_flat(o, rows, workspace)):
            self._step_batches(o, rows, names, workspace)

    def _kernel_step(self, o, rows: list[list], names: tuple[str, ...]) -> Callable | None:
        """The machine code for one parameter, if one of them is worth it."""
        size = max([array.size for array in rows[0]])
        if size < MEDIUM or not is_ready(size):
            return None
        if size < LARGE and not WARMUP.over and not WARMUP.pays_off(size * len(rows[0])):
            return None
        return self._kernels.step(o, self._kept, names, rows[0][0].dtype)

    def _step_by(self, step: Callable, o, row: Sequence, names: tuple[str, ...]) -> None:
        """One parameter by machine code, if the memory that it writes to has no gaps."""
        if not all([array.flags.c_contiguous for array in row]):
            row = (row[0], np.ascontiguousarray(row[1]), *row[2:])
            if not all([array.flags.c_contiguous for array in row]):
                self._step_large(o, row, names)
                return
        step(row)

    def _step_flat(self, o, rows: list[list], workspace: Workspace) -> bool:
        """All parameters by `_update_flat`, where the memory of all has no gaps; says whether it was done."""
        params, kept = workspace.flat_params(rows[0]), [blas.flat_views(row) for row in rows[2:]]
        if params is None or any(row is None for row in kept):
            return False
        flat: list[Any] = [params, blas.flat_values(rows[1]), *kept]
        self._update_flat(o, *flat)
        return True

    def _step_batches(self, o, rows: list[list], names: tuple[str, ...], workspace: Workspace) -> None:
        """All parameters, small ones laid together."""
        for start, stop in batches([array.size for array in rows[0]]):
            batch = [row[start:stop] for row in rows]
            if batch[0][0].size > BLOCK:
                self._step_large(o, [row[0] for row in batch], names)
            else:
                layout = workspace.layout(batch)
                layout.scatter(self._formula(o, layout.gather(batch), names), batch)

    def _step_large(self, o, row: Sequence, names: tuple[str, ...]) -> None:
        """One parameter block by block where it lies; what lies scattered is copied."""
        flat = [np.ascontiguousarray(array).reshape(-1) for array in row]
        for start in range(0, flat[0].size, BLOCK):
            block = [array[start : start + BLOCK] for array in flat]
            for array, changed in zip((block[0], *block[2:]), self._formula(o, block, names), strict=True):
                array.view(changed.dtype)[...] = changed
        for array, changed in zip((row[0], *row[2:]), (flat[0], *flat[2:]), strict=True):
            if not array.flags.c_contiguous:
                array[...] = changed.reshape(array.shape)

    def _formula(self, o, operands: list, names: tuple[str, ...]) -> list:
        """The new parameter and the new state of `names`; of complex numbers, both parts by themselves."""
        real = REAL[operands[0].dtype]
        param, gradient, *kept = (array.view(real) for array in operands)
        given = dict(zip(names, kept, strict=True))
        changed, *new = self._update(Arrays, o, param, gradient, *map(given.get, self._kept))
        return [changed, *(array for name, array in zip(self._kept, new, strict=True) if name in given)]

    @cached_property
    def _kernels(self) -> Any:
        """Machine code, which is loaded when there is a large parameter."""
        stable = set(self.defaults) - {"lr"} | {"beta1", "beta2"}
        return import_module("rushlight.optim.kernels").Kernels(self._update, stable)

    @cached_property
    def _workspaces(self) -> defaultdict[tuple[int, int], Workspace]:
        """By the number of the group, and of the kind of parameters in it; 0 is the whole group."""
        return defaultdict(Workspace)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name in self.defaults:
                if name in LATER:
                    group.setdefault(name, LATER[name])
            for param in group["params"]:
                self._renew_counters(self.state.get(param, {}), param, group)

    def _renew_counters(self, state: dict, param: Tensor, group: dict) -> None:
        """Counters were plain numbers once, in old files."""
        on_device, fused = bool(group.get("capturable")), bool(group.get("fused"))
        for name in self._counters:
            if name in state and not isinstance(state[name], Tensor):
                state[name] = counter(float(state[name]), param, on_device=on_device, fused=fused)


def with_gradients(params: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    """The parameters that have a gradient, and their gradients."""
    edges: list[Any] = [param._edge for param in params]
    if {type(edge) for edge in edges} == {Leaf}:
        gradients = [edge.grad for edge in edges]
        if type(None) not in {type(gradient) for gradient in gradients}:
            return params, gradients
    found = [(param, gradient) for param in params if (gradient := param.grad) is not None]
    return [param for param, _ in found], [gradient for _, gradient in found]


def on_plain_arrays(param: Tensor, gradient: Tensor) -> bool:
    """Whether the formula can run on the arrays themselves: those of the CPU whose arithmetic NumPy does as PyTorch."""
    array, other = param._array, gradient._array
    return (
        type(param) in PLAIN_TYPES
        and type(array) is type(other) is np.ndarray
        and array.dtype in REAL
        and array.dtype == other.dtype
    )


def write_number(value: float | Tensor, tensors: list[Tensor]) -> None:
    """Sets counters; one that is differentiated by keeps its history."""
    if isinstance(value, Tensor):
        tensors[0].copy_(value)
        return
    for tensor in tensors:
        tensor._array[...] = value
    objects.count_writes([tensor._storage for tensor in tensors])
