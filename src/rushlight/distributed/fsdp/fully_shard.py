"""`fully_shard`: every process keeps a part of each parameter, its gradient and its optimizer state (ZeRO, stage 3)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from rushlight import distributed as dist
from rushlight.autograd.grad_mode import is_grad_enabled
from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.distributed.casting import cast
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.fsdp.group import ParameterGroup
from rushlight.distributed.fsdp.neighbours import divided
from rushlight.distributed.fsdp.parameter import ShardedParameter
from rushlight.distributed.fsdp.policies import MixedPrecisionPolicy, OffloadPolicy
from rushlight.distributed.tensor.operators import local_of
from rushlight.distributed.tensor.placements import Shard, is_even
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module

__all__ = ["FSDPModule", "fully_shard"]


class Running(threading.local):
    """How many forwards of sharded modules are under way in a thread: the first is that of the root."""

    depth = 0


RUNNING = Running()


class State:
    """What `fully_shard` adds to a module: its group, None without parameters, and what its hooks need.

    Modules that are sharded by one call have one group.
    """

    def __init__(self, group: ParameterGroup | None, policy: MixedPrecisionPolicy, reshards: bool | None) -> None:
        self.group, self.policy, self.reshards = group, policy, reshards
        self.open: list[ExitStack] = []

    def before(self, module: Module, inputs: tuple, keywords: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Gathers the parameters before forward, and casts its inputs."""
        is_root = RUNNING.depth == 0
        RUNNING.depth += 1
        stack = ExitStack()
        self.open.append(stack)
        if (group := self.group) is not None:
            group.users += 1
            if group.users == 1:
                group.reshards = not is_grad_enabled() or (not is_root if self.reshards is None else self.reshards)
                group.keeps_share = is_grad_enabled() and group.neighbours is not None
                group.gather()
            if group.reshards and is_grad_enabled():
                stack.enter_context(saved_tensors_hooks(group.packed, group.unpacked))
        if self.policy.cast_forward_inputs and self.policy.param_dtype is not None:
            inputs, keywords = cast(inputs, self.policy.param_dtype), cast(keywords, self.policy.param_dtype)
        return inputs, keywords

    def after(self, module: Module, inputs: Any, output: Any) -> Any:
        """Frees the parameters after forward, also after one that failed, and casts its output."""
        if self.open:  # not if an earlier hook has raised
            RUNNING.depth -= 1
            self.open.pop().close()
            if self.group is not None:
                self.group.users -= 1
                if not self.group.users:
                    self.group.release()
        return output if self.policy.output_dtype is None else cast(output, self.policy.output_dtype)


class FSDPModule:
    """What a module that was sharded is too: its class becomes a subclass of its own and of this one."""

    _fsdp_state: State
    modules: Callable[[], Iterator[Module]]  # of the module's own class

    def _groups(self, recurse: bool) -> Iterator[ParameterGroup]:
        for state in self._states(recurse):
            if state.group is not None:
                yield state.group

    def _states(self, recurse: bool) -> Iterator[State]:
        for module in self.modules() if recurse else [self]:
            if isinstance(module, FSDPModule):
                yield module._fsdp_state

    def unshard(self, async_op: bool = False) -> Any:
        """Gathers the parameters of this module; with `async_op` returns a handle to wait for."""
        for group in self._groups(False):
            group.gather()
            group.stays = True
        return Unsharded() if async_op else None

    def reshard(self) -> None:
        """Frees the whole parameters of this module."""
        for group in self._groups(False):
            group.stays = False
            group.release()
            group.free()
            group.shares = {}

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Whether backward reduces gradients; without, they accumulate whole, until a pass that reduces them."""
        for group in self._groups(recurse):
            group.syncs = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Whether gradients are also added up over the replicas of a mesh with two dimensions.

        Without, they wait for a pass that does, and parameters have none until then.
        """
        for group in self._groups(recurse):
            group.reduces_everywhere = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Whether parameters are freed between forward and backward."""
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}")
        for state in self._states(recurse):
            state.reshards = reshard_after_forward
            if state.group is not None:
                state.group.neighbours = None

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Whether parameters are freed after backward."""
        for group in self._groups(recurse):
            group.reshards_after_backward = reshard_after_backward

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Divides the sums of gradients by this instead of the number of processes."""
        for group in self._groups(False):
            group.divisor = factor

    def __deepcopy__(self, memo: dict) -> Any:
        raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


class Unsharded:
    """A handle of parameters that are there already."""

    def wait(self) -> None:
        """Does nothing."""


def fully_shard(
    module: Any,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable | None = None,
    mp_policy: MixedPrecisionPolicy = MixedPrecisionPolicy(),  # noqa: B008  # frozen
    offload_policy: OffloadPolicy = OffloadPolicy(),  # noqa: B008  # has no fields
    ignored_params: set[Tensor] | None = None,
) -> Any:
    """Spreads the parameters of a module over the processes of a mesh, in place; returns the module.

    Apply it to parts of a model first, then to the model: each call makes one group of parameters, which are gathered
    together before forward and backward. They become `DTensor`s sharded along their first dimension; make the optimizer
    afterwards. With a mesh of two dimensions they are sharded along the second and replicated along the first.
    `reshard_after_forward` says whether they are freed between forward and backward: by default they are, but for the
    outermost module. With a number N, groups of N neighbouring processes keep them, and backward gathers in a group.
    `shard_placement_fn` gets a parameter and returns the `Shard` that it is to have, None for `Shard(0)`.

    Raises ValueError for a list of modules without `forward` and for an N that does not divide the number of processes,
    AssertionError for a `Shard` of a dimension that the parameter lacks, NotImplementedError if it is not the first and
    not a multiple of the number of processes.
    """
    modules = list(module) if isinstance(module, list | tuple) else [module]
    for each in modules:
        check(each)
    mesh = mesh or init_device_mesh("cpu", (dist.get_world_size(),))
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    reshards, group_after_forward = divided(reshard_after_forward, mesh)
    owners = owned(modules, {id(parameter) for parameter in ignored_params or ()})
    parameters = [
        ShardedParameter(
            owners_of, parameter, mesh, dtype_in(mp_policy, parameter), dim_of(shard_placement_fn, parameter, mesh)
        )
        for parameter, owners_of in owners
    ]
    group = ParameterGroup(parameters, mp_policy, group_after_forward) if parameters else None
    for each in modules:
        attach(each, State(group, mp_policy, reshards))
    return module


def dtype_in(policy: MixedPrecisionPolicy, parameter: Tensor) -> Any:
    """Returns the dtype in which a module computes with a parameter."""
    return policy.param_dtype if parameter.is_floating_point() else None


def dim_of(choose: Callable | None, parameter: Tensor, mesh: DeviceMesh) -> int:
    """Returns the dimension along which a parameter is to be sharded."""
    placement = None if choose is None else choose(parameter)
    if placement is None:
        return 0
    if not isinstance(placement, Shard):
        raise ValueError(f"Invalid shard_placement_fn result: {placement}")
    shape, parts = local_of(parameter).shape, mesh.size(mesh.ndim - 1)
    dim = placement.dim + len(shape) if placement.dim < 0 else placement.dim
    if not 0 <= dim < len(shape):
        raise AssertionError(f"Shard dim {dim} is invalid for {len(shape)}D tensor: {parameter.shape}")
    if dim and not is_even(shape[dim], parts):
        raise noted(
            NotImplementedError(f"FSDP does not support uneven sharding on dim {dim}: {shape} (world size: {parts})"),
            "Return None for this parameter: Shard(0) may be uneven.",
        )
    return dim


def check(module: Any) -> None:
    """Raises ValueError for containers without `forward`, and for what is sharded already."""
    if isinstance(module, ModuleList | ModuleDict) and type(module).forward is Module.forward:
        raise ValueError(f"fully_shard does not support containers that do not implement forward: {module}")
    if isinstance(module, FSDPModule):
        raise noted(
            ValueError("fully_shard has already been applied to this module."), "Apply it once, to children first."
        )


def owned(modules: Sequence[Module], ignored: set[int]) -> list[tuple[Tensor, list[tuple[Module, str]]]]:
    """Returns the parameters of modules, each with all its modules and names; not those of sharded children."""
    owners: dict[int, tuple[Tensor, list[tuple[Module, str]]]] = {}
    for module in modules:
        for each in within(module):
            for name, parameter in each._parameters.items():
                if parameter is not None and id(parameter) not in ignored:
                    owners.setdefault(id(parameter), (parameter, []))[1].append((each, name))
    for parameter, owners_of in owners.values():
        if not parameter.ndim:
            raise ValueError(
                "fully_shard doesn't support scalar parameters. Change "
                f"{owners_of[0][1]} to a 1D tensor with numel equal to 1."
            )
    return list(owners.values())


def within(module: Module) -> Iterable[Module]:
    """Yields a module and those in it, but for sharded ones."""
    yield module
    for child in module.children():
        if not isinstance(child, FSDPModule):
            yield from within(child)


def attach(module: Any, state: State) -> None:
    """Makes a module a sharded one."""
    kind = type(module)
    module.__class__ = type(f"FSDP{kind.__name__}", (FSDPModule, kind), {"__module__": kind.__module__})
    module._fsdp_state = state
    module.register_forward_pre_hook(state.before, prepend=True, with_kwargs=True)
    module.register_forward_hook(state.after, always_call=True)
