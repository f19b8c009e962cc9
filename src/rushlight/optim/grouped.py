"""The step of elementwise methods: small parameters concatenated, large ones block by block.

A model has hundreds of small parameters, whose steps cost more in calls than in arithmetic. So small parameters are
concatenated into one buffer, their gradients and state into others; the formula runs once on each batch, and the
results are copied back. Every parameter and its state keep their own memory, so loading, copying and changing them
needs no special case. A large parameter is processed in place, in blocks that stay in the cache.
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
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.device import BACKENDS
from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.graph import Leaf
from rushlight.core.modes import recording
from rushlight.core.policy import LARGE, MEDIUM, Warmup
from rushlight.core.tables import objects, xp
from rushlight.core.tensor import PLAIN_TYPES, Tensor
from rushlight.core.traced import RecordedArray
from rushlight.create.filled import zeros_like
from rushlight.lower import is_ready
from rushlight.optim.arithmetic import Arrays, Tensors
from rushlight.optim.checks import check_capturable, check_fused
from rushlight.optim.optimizer import (
    Optimizer,
    call_closure,
    counter,
    options,
    plain_option,
    use_grad_for_differentiable,
)
from rushlight.optim.recorded import step_recorded
from rushlight.optim.sparse_steps import is_sparse
from rushlight.optim.workspace import BLOCK, REAL, Members, Workspace, arrays, batches, by_traits

WARMUP = Warmup(passes=8)  # shared, so that an optimizer resumed from a checkpoint gives the same digits

# Options that were added later: old files lack them.
LATER = {
    "foreach": None, "fused": None, "maximize": False, "capturable": False, "differentiable": False, "amsgrad": False,
    "nesterov": False, "centered": False, "decoupled_weight_decay": False,
}  # fmt: skip


PLAIN = {Tensor}


class ElementwiseOptimizer(Optimizer):
    """An optimizer whose formula uses one element of the parameter, its gradient and its state at a time.

    A method names its state tensors, creates them in `_initial_state`, computes the scalars of a step in `_prepare`,
    and writes the formula as `_update(F, o, param, gradient, *state_tensors)`, which returns the new parameter and
    the new state. `F` is the arithmetic; `o` holds the options of the group and the counters, as Python numbers. All
    hooks are private, so that users' subclasses can use any public name.
    """

    _counters: tuple[str, ...] = ("step",)  # scalars per parameter, as 0-d tensors
    _state_names: tuple[str, ...] = ()  # state tensors of the parameter's shape; None if the options do not need them
    _lazy_state: tuple[str, ...] = ()  # those of `_state_names` that start with the first gradient
    _capturable_with = "params and state_steps"  # what PyTorch requires on the device
    _instead = ""  # what to use for sparse gradients, in the error that refuses them
    _called = ""  # the method's name in that error, if it is not that of the class
    _steps_rows = False  # whether `_update_rows` is there

    @use_grad_for_differentiable
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters; `closure`, if given, computes the loss again and returns it."""
        loss = call_closure(closure)
        for index, group in enumerate(self.param_groups):
            params, gradients, sparse = with_gradients(group["params"])
            if sparse:
                params, gradients = self._step_sparse(group, params, gradients)
            if params:
                self._check_step(group, params)
                self._step_group(index, group, params, gradients)
        return loss

    # ---- hooks of a method

    def _initial_state(self, param: Tensor, group: dict) -> dict[str, Any]:
        """Returns the state of a parameter before its first step."""
        on_device, fused = bool(group.get("capturable")), bool(group.get("fused"))
        state_tensors = {name: zeros_for(param) for name in self._state_names_for(group)}
        return {"step": counter(0.0, param, on_device=on_device, fused=fused), **state_tensors}

    def _state_names_for(self, group: dict) -> tuple[str, ...]:
        """Returns the names in `_state_names` that the options of a group need."""
        return self._state_names

    def _prepare(self, o: SimpleNamespace) -> None:
        """Counts the step, and computes the scalars that all elements share."""
        o.step = o.step + 1

    def _adds_multiples(self, o: SimpleNamespace) -> bool:
        """Whether `_update_flat` can make the step, without concatenating arrays."""
        return False

    def _update_flat(self, o: SimpleNamespace, params: list, gradients: list, *state_tensors: list) -> None:
        """Applies the formula in place to lists of flat arrays."""
        raise NotImplementedError

    def _update_counters(self, o: SimpleNamespace) -> None:
        """Sets the counters that change after the step."""

    def _update(self, F, o, param, gradient, *state_tensors) -> tuple:
        """Applies the formula; returns the new parameter and the new state."""
        raise NotImplementedError

    def _update_rows(self, o: SimpleNamespace, param: Tensor, gradient: Tensor, state: dict[str, Any]) -> None:
        """Steps one parameter that has a sparse gradient. Raises RuntimeError if the method has no such step."""
        names = [kind.__name__ for kind in type(self).__mro__ if kind.__module__.startswith(__package__)]
        raise RuntimeError(f"{self._called or names[0]} does not support sparse gradients{self._instead}")

    def _check_step(self, group: dict, params: list[Tensor]) -> None:
        """Raises PyTorch's errors for options that are checked at each step."""
        if group.get("capturable"):
            check_capturable(params, self._capturable_with, bool(group["foreach"]))
        if group.get("fused"):
            check_fused(params)
        if group.get("foreach") and group["differentiable"]:
            raise AssertionError("_foreach ops don't support autograd")

    # ---- sparse gradients

    def _step_sparse(self, group: dict, params: list[Tensor], gradients: list[Tensor]) -> tuple[list, list]:
        """Steps the parameters that have sparse gradients; returns the others, and their gradients."""
        pairs = list(zip(params, gradients, strict=True))
        sparse = [pair for pair in pairs if is_sparse(pair[1])]
        if not self._steps_rows:
            self._update_rows(SimpleNamespace(), *sparse[0], {})
        self._check_sparse_step(group)
        for param, gradient in sparse:
            state = self.state[param] if self._counters or self._state_names_for(group) else {}
            if not state:
                state.update(self._initial_state(param, group))
            o = options(group, self.defaults)
            for name in self._counters:
                setattr(o, name, plain_option(state[name], False))
            self._prepare(o)
            with no_grad():
                self._update_rows(o, param, gradient, state)
            self._update_counters(o)
            for name in self._counters:
                write_counters(getattr(o, name), [state[name]])
        dense = [pair for pair in pairs if not is_sparse(pair[1])]
        return [param for param, _ in dense], [gradient for _, gradient in dense]

    def _check_sparse_step(self, group: dict) -> None:
        """Raises RuntimeError for options that do not go with sparse gradients."""

    # ---- one step

    def _step_group(self, index: int, group: dict, params: list[Tensor], gradients: list[Tensor]) -> None:
        if type(params[0]._array) is RecordedArray:
            step_recorded(self, index, group, params, gradients)
            return
        names = self._state_names_for(group)
        states = [self.state[param] for param in params] if self._counters or names else []
        if not all(states):
            for param, state in zip(params, states, strict=True):
                if not state:
                    state.update(self._initial_state(param, group))
        members = Members(params, gradients, states, arrays(params), arrays(gradients))
        whole = self._workspaces[index, 0]
        errors = set_errors(xp.IGNORED)
        try:
            if whole.uniform(members, self._counters, self._lazy_state):
                self._step_members(group, members, names, whole)
            else:
                for number, subset in enumerate(by_traits(members, self._counters, self._lazy_state), 1):
                    self._step_members(group, subset, names, self._workspaces[index, number])
        finally:
            reset_errors(errors)

    def _step_members(self, group: dict, members: Members, names: tuple[str, ...], workspace: Workspace) -> None:
        params, gradients, states, param_arrays, gradient_arrays = members
        recorded = recording()
        if recorded and len(params) > 1 and self._counters:  # gradients flow to the counters of each
            for index in range(len(params)):
                one: list[Any] = [row[index : index + 1] for row in members]
                self._step_members(group, Members(*one), names, workspace)
            return
        o = options(group, self.defaults, recorded)
        lazy = self._lazy_state
        state_tensors: list[list[Any]] = [
            [state.get(name) for state in states] if name in lazy else [state[name] for state in states]
            for name in names
        ]
        for name in self._counters:
            setattr(o, name, plain_option(states[0][name], recorded))
        self._prepare(o)
        late = bool(lazy) and any([states[0].get(name) is None for name in names if name in lazy])
        plain = not recorded and not late and on_plain_arrays(params[0], gradients[0])
        if plain or (not recorded and not late and self._step_on_gpu(o, members, state_tensors, names)):
            if plain:
                rows = [param_arrays, gradient_arrays, *map(arrays, state_tensors)]
                self._step_arrays(o, rows, names, workspace)
            objects.count_writes([tensor._storage for row in (params, *state_tensors) for tensor in row])
        else:
            for index, param in enumerate(params):
                gradient = param.grad if has_parts(param) else gradients[index]
                self._step_tensor(o, param, gradient, states[index] if states else {}, names)
        self._update_counters(o)
        for name in self._counters:
            write_counters(getattr(o, name), [state[name] for state in states])

    def _step_tensor(
        self, o, param: Tensor, gradient: Tensor, state: dict[str, Any], names: tuple[str, ...], F: Any = Tensors
    ) -> None:
        """Steps one parameter with tensor operations: any dtype and device, recorded if differentiable."""
        real, value = lambda tensor: tensor, param
        if param.is_complex():
            real, value = functions.view_as_real, functions.resolve_conj(param)
            gradient = functions.resolve_conj(gradient)
        state_tensors: dict[str, Any] = {name: None if state.get(name) is None else real(state[name]) for name in names}
        # What a recorded formula saves must outlive the writes below.
        operand = functions.clone if recording() else lambda tensor: tensor
        operands = {name: None if tensor is None else operand(tensor) for name, tensor in state_tensors.items()}
        changed, *new = self._update(F, o, operand(real(value)), real(gradient), *map(operands.get, self._state_names))
        real(value).copy_(changed)
        if value is not param:
            param.copy_(value)
        for name, tensor in zip(self._state_names, new, strict=True):
            if state_tensors.get(name) is not None:
                state_tensors[name].copy_(tensor)
            elif name in state_tensors:
                state[name] = functions.view_as_complex(tensor) if param.is_complex() else tensor

    def _step_on_gpu(self, o, members: Members, state_tensors: list[list], names: tuple[str, ...]) -> bool:
        """Steps all parameters in one launch, if they are on a GPU with kernels; returns whether it did."""
        backend: Any = BACKENDS.of(members.own[0])
        rows = [members.own, members.others, *map(arrays, state_tensors)]
        if backend.formulas is None or any(type(x) is not backend.array_type for row in rows for x in row):
            return False
        if backend not in self._gpu_kernels:
            make = import_module("rushlight.optim.gpu_kernels").GpuKernels
            self._gpu_kernels[backend] = make(self._update, self._stable, backend.formulas.gpu)
        return self._gpu_kernels[backend].run(o, self._state_names, names, rows)

    def _step_arrays(
        self, o, rows: list[list], names: tuple[str, ...], workspace: Workspace, in_program: bool = False
    ) -> None:
        """Steps all parameters on arrays; `rows` are parameters, gradients and state.

        In a compiled program, small parameters are stepped by machine code too.
        """
        step = self._kernel_step(o, rows, names, in_program)
        if step is not None:  # faster than concatenating, also for small parameters
            step.every(rows, lambda row: self._step_compiled(step, o, row, names))
        elif not (self._adds_multiples(o) and self._step_flat(o, rows, workspace)):
            self._step_batches(o, rows, names, workspace)

    def _kernel_step(self, o, rows: list[list], names: tuple[str, ...], in_program: bool) -> Any:
        """Returns the compiled step, or None if all are too small to compile."""
        size = max([array.size for array in rows[0]])
        if in_program and is_ready():
            return self._kernels.step(o, self._state_names, names, rows[0][0].dtype)
        if size < MEDIUM or not is_ready(size):
            return None
        if size < LARGE and not WARMUP.over and not WARMUP.pays_off(size * len(rows[0])):
            return None
        return self._kernels.step(o, self._state_names, names, rows[0][0].dtype)

    def _step_compiled(self, step: Any, o, row: Sequence, names: tuple[str, ...]) -> None:
        """Steps one parameter with the kernel if its arrays are contiguous, else block by block."""
        if not all([array.flags.c_contiguous for array in row]):
            row = (row[0], np.ascontiguousarray(row[1]), *row[2:])
            if not all([array.flags.c_contiguous for array in row]):
                self._step_large(o, row, names)
                return
        step.one(row)

    def _step_flat(self, o, rows: list[list], workspace: Workspace) -> bool:
        """Steps all parameters by `_update_flat` if their memory has no gaps; returns whether it did."""
        params, state_tensors = workspace.flat_params(rows[0]), [blas.flat_views(row) for row in rows[2:]]
        if params is None or any(row is None for row in state_tensors):
            return False
        flat: list[Any] = [params, blas.flat_values(rows[1]), *state_tensors]
        self._update_flat(o, *flat)
        return True

    def _step_batches(self, o, rows: list[list], names: tuple[str, ...], workspace: Workspace) -> None:
        """Steps all parameters, small ones concatenated."""
        for start, stop in batches([array.size for array in rows[0]]):
            batch = [row[start:stop] for row in rows]
            if batch[0][0].size > BLOCK:
                self._step_large(o, [row[0] for row in batch], names)
            else:
                layout = workspace.layout(batch)
                layout.scatter(self._formula(o, layout.gather(batch), names), batch)

    def _step_large(self, o, row: Sequence, names: tuple[str, ...]) -> None:
        """Steps one parameter block by block in place; non-contiguous arrays are copied."""
        flat = [np.ascontiguousarray(array).reshape(-1) for array in row]
        for start in range(0, flat[0].size, BLOCK):
            block = [array[start : start + BLOCK] for array in flat]
            for array, changed in zip((block[0], *block[2:]), self._formula(o, block, names), strict=True):
                array.view(changed.dtype)[...] = changed
        for array, changed in zip((row[0], *row[2:]), (flat[0], *flat[2:]), strict=True):
            if not array.flags.c_contiguous:
                array[...] = changed.reshape(array.shape)

    def _formula(self, o, operands: list, names: tuple[str, ...]) -> list:
        """Returns the new parameter and the new state of `names`; complex arrays are viewed as real."""
        real = REAL[operands[0].dtype]
        param, gradient, *state_tensors = (array.view(real) for array in operands)
        state = dict(zip(names, state_tensors, strict=True))
        changed, *new = self._update(Arrays, o, param, gradient, *map(state.get, self._state_names))
        return [changed, *(array for name, array in zip(self._state_names, new, strict=True) if name in state)]

    @cached_property
    def _kernels(self) -> Any:
        """Kernels of this formula, imported for the first large parameter."""
        return import_module("rushlight.optim.kernels").Kernels(self._update, self._stable)

    @property
    def _stable(self) -> set[str]:
        """The names of options that rarely change: they are constants of kernels."""
        return set(self.defaults) - {"lr"} | {"beta1", "beta2"}

    @cached_property
    def _gpu_kernels(self) -> dict[Any, Any]:
        """Kernels of this formula by GPU."""
        return {}

    @cached_property
    def _workspaces(self) -> defaultdict[tuple[int, int], Workspace]:
        """Workspaces by the index of the group and of the subset of its parameters; 0 is the whole group."""
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
        """Converts counters that old files store as Python numbers."""
        on_device, fused = bool(group.get("capturable")), bool(group.get("fused"))
        for name in self._counters:
            if name in state and not isinstance(state[name], Tensor):
                state[name] = counter(float(state[name]), param, on_device=on_device, fused=fused)


def with_gradients(params: list[Tensor]) -> tuple[list[Tensor], list[Tensor], bool]:
    """Returns the parameters that have a gradient, their gradients, and whether any of these is sparse."""
    edges: list[Any] = [param._edge for param in params]
    if {type(edge) for edge in edges} == {Leaf}:
        gradients = [edge.grad for edge in edges]
        if {type(gradient) for gradient in gradients} == PLAIN:
            return params, gradients, False
    pairs = [(param, gradient) for param in params if (gradient := param.grad) is not None]
    gradients = [gradient for _, gradient in pairs]
    return [param for param, _ in pairs], gradients, any(map(is_sparse, gradients))


def zeros_for(param: Tensor) -> Tensor:
    """Returns zeros of the shape and the layout of a parameter; a subclass makes its own."""
    make = functions.zeros_of if type(param) in PLAIN_TYPES else zeros_like
    return make(param.detach())


def has_parts(param: Tensor) -> bool:
    """Whether a parameter is of a subclass whose array is a part of it, which can be updated alone."""
    return getattr(type(param), "_steps_by_part", False)


def on_plain_arrays(param: Tensor, gradient: Tensor) -> bool:
    """Whether the formula can run on the raw arrays: CPU arrays whose NumPy arithmetic equals PyTorch's."""
    array, other = param._array, gradient._array
    return (
        (type(param) in PLAIN_TYPES or has_parts(param))
        and type(array) is type(other) is np.ndarray
        and array.dtype in REAL
        and array.dtype == other.dtype
    )


def write_counters(value: float | Tensor, tensors: list[Tensor]) -> None:
    """Sets counters; a counter that takes part in differentiation keeps its history."""
    if isinstance(value, Tensor):
        tensors[0].copy_(value)
        return
    for tensor in tensors:
        tensor._array[...] = value
    objects.count_writes([tensor._storage for tensor in tensors])
