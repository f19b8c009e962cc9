"""`FullyShardedDataParallel`: the older wrapper, which does what `fully_shard` does, module by module.

https://docs.pytorch.org/docs/stable/fsdp.html
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from rushlight import distributed as dist
from rushlight.core.tensor import Tensor
from rushlight.distributed.casting import cast
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)
from rushlight.distributed.coalesced import broadcast_coalesced
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.fsdp.api import (
    MixedPrecision,
    ShardingStrategy,
    StateDictSettings,
    StateDictType,
    settings,
)
from rushlight.distributed.fsdp.fully_shard import RUNNING, FSDPModule, fully_shard
from rushlight.distributed.fsdp.group import ParameterGroup
from rushlight.distributed.fsdp.policies import MixedPrecisionPolicy
from rushlight.distributed.fsdp.whole import whole_parameters
from rushlight.distributed.fsdp.wrap import wrap_children
from rushlight.distributed.tensor.distribute import distribute_tensor
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.distributed.wrapping import INNER, ShardingWrapper
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.clip_grad import clip_grad_norm_

__all__ = ["FullyShardedDataParallel"]

HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)
KEEPS = (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2, ShardingStrategy.NO_SHARD)


class FullyShardedDataParallel(ShardingWrapper):
    """Spreads the parameters of a module over processes, and gathers them for forward and backward.

    `auto_wrap_policy` wraps modules in it by themselves first. The parameters are `DTensor`s, with their own shapes,
    whatever `use_orig_params` says; make the optimizer afterwards. `cpu_offload`, `backward_prefetch`, `device_id`,
    `forward_prefetch` and `limit_all_gathers` say where parameters lie and when they are sent on a GPU, and change
    nothing on the CPU. With `sync_module_states` every process begins with the values of the first one. Raises
    ValueError for a parameter without dimensions, and for a hybrid strategy whose group has no two dimensions.
    """

    __module__ = "torch.distributed.fsdp.fully_sharded_data_parallel"

    def __init__(
        self,
        module: Module,
        process_group: Any = None,
        sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: Any = None,
        auto_wrap_policy: Callable | None = None,
        backward_prefetch: Any = None,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[Module] | None = None,
        param_init_fn: Callable[[Module], None] | None = None,
        device_id: Any = None,
        sync_module_states: bool = False,
        forward_prefetch: bool = False,
        limit_all_gathers: bool = True,
        use_orig_params: bool = False,
        ignored_states: Iterable[Any] | None = None,
        device_mesh: DeviceMesh | None = None,
    ) -> None:
        super().__init__()
        if ignored_modules is not None and ignored_states is not None:
            raise ValueError("Cannot pass both ignored_modules and ignored_states at the same time.")
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        mesh = device_mesh or mesh_for(strategy, process_group)
        if strategy is ShardingStrategy.NO_SHARD and mesh.ndim == 1:
            mesh = copies(mesh)
        ignored = list(ignored_modules or ignored_states or ())
        left_alone = ids_within(ignored)
        if param_init_fn is not None:
            initialize(module, param_init_fn)
        if sync_module_states:
            take_values_of_first(module, process_group)
        options: dict[str, Any] = {
            "sharding_strategy": strategy, "device_mesh": mesh, "mixed_precision": mixed_precision,
            "ignored_states": ignored, "use_orig_params": use_orig_params,
        }  # fmt: skip
        if auto_wrap_policy is not None:
            wrap_children(module, auto_wrap_policy, partial(wrapped, options), left_alone)
        precision = mixed_precision or MixedPrecision()
        cast_buffers(module, precision.buffer_dtype, left_alone)
        policy = MixedPrecisionPolicy(
            precision.param_dtype, precision.reduce_dtype, cast_forward_inputs=precision.cast_forward_inputs
        )
        ignored_params: set[Tensor] = {p for p in module.parameters() if id(p) in left_alone}
        keeps = False if strategy in KEEPS else None
        fully_shard(module, mesh=mesh, reshard_after_forward=keeps, mp_policy=policy, ignored_params=ignored_params)
        self._fsdp_wrapped_module = module
        self.sharding_strategy, self.mixed_precision = strategy, precision
        self._settings = StateDictSettings()
        self._is_summoned = False
        self.register_state_dict_post_hook(with_plain_names)
        self.register_load_state_dict_pre_hook(with_own_names)

    @property
    def module(self) -> Module:
        """The module in the wrapper."""
        return self._modules[INNER]  # type: ignore[return-value]

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == INNER:
                raise
            return getattr(self._modules[INNER], name)

    def __getitem__(self, key: int) -> Any:
        return self._modules[INNER][key]  # type: ignore[index]

    def forward(self, *inputs: Any, **keywords: Any) -> Any:
        """Calls the module with its whole parameters."""
        precision = self.mixed_precision
        if RUNNING.depth == 0 and precision.cast_root_forward_inputs and precision.param_dtype is not None:
            inputs, keywords = cast(inputs, precision.param_dtype), cast(keywords, precision.param_dtype)
        return self._modules[INNER](*inputs, **keywords)  # type: ignore[misc]

    def named_parameters(self, *arguments: Any, **keywords: Any) -> Iterator[tuple[str, Any]]:
        """Yields names and parameters; in `summon_full_params` the names are those of the plain model."""
        for name, parameter in super().named_parameters(*arguments, **keywords):
            yield name.replace(f"{INNER}.", "") if self._is_summoned else name, parameter

    def named_buffers(self, *arguments: Any, **keywords: Any) -> Iterator[tuple[str, Any]]:
        """Yields names and buffers; in `summon_full_params` the names are those of the plain model."""
        for name, buffer in super().named_buffers(*arguments, **keywords):
            yield name.replace(f"{INNER}.", "") if self._is_summoned else name, buffer

    def apply(self, fn: Callable[[Module], None]) -> Any:
        """Calls a function with every module, which has whole parameters then."""
        with self.summon_full_params(self):
            return super().apply(fn)

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[FullyShardedDataParallel]:
        """Returns the wrappers in a module; with `root_only` those that are in no other."""
        wrappers = [each for each in module.modules() if isinstance(each, FullyShardedDataParallel)]
        inner = {id(part) for each in wrappers for part in each.modules() if part is not each}
        return [each for each in wrappers if not root_only or id(each) not in inner]

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:
        """Lets modules have their whole parameters in a `with` block; with `writeback` what it writes is kept.

        Raises NotImplementedError for `writeback` with `rank0_only`.
        """
        if writeback and rank0_only:
            raise NotImplementedError("writeback=True and rank0_only=True is not supported")
        wrappers = FullyShardedDataParallel.fsdp_modules(module)
        chosen = wrappers if recurse else [each for each in wrappers if each is module]
        with whole_parameters(groups(chosen), writeback, rank0_only, with_grads):
            for each in chosen:
                each._is_summoned = True
            try:
                yield
            finally:
                for each in chosen:
                    each._is_summoned = False

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Adds up gradients in each process, whole, until a backward pass outside of the `with` block."""
        own = list(groups(self.fsdp_modules(self)))
        before = [group.syncs for group in own]
        for group in own:
            group.syncs = False
        try:
            yield
        finally:
            for group, syncs in zip(own, before, strict=True):
                group.syncs = syncs

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Scales the gradients so that the norm of all, over the processes, is at most `max_norm`; returns the norm."""
        total: Any = clip_grad_norm_(self.parameters(), max_norm, norm_type)
        return total.full_tensor() if isinstance(total, DTensor) else total

    # ---- states

    @staticmethod
    def set_state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> StateDictSettings:
        """Sets what `state_dict` gives, for all wrappers in a module; returns the settings of before."""
        wrappers = FullyShardedDataParallel.fsdp_modules(module)
        before = FullyShardedDataParallel.get_state_dict_type(module)
        new = settings(state_dict_type, state_dict_config, optim_state_dict_config)
        for each in wrappers:
            each._settings = new
        return before

    @staticmethod
    def get_state_dict_type(module: Module) -> StateDictSettings:
        """Returns the settings of the wrappers in a module."""
        return next((each._settings for each in FullyShardedDataParallel.fsdp_modules(module)), StateDictSettings())

    @staticmethod
    @contextmanager
    def state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: Any = None,
        optim_state_dict_config: Any = None,
    ) -> Iterator[None]:
        """Sets what `state_dict` gives, in a `with` block."""
        wrappers = FullyShardedDataParallel.fsdp_modules(module)
        before = [each._settings for each in wrappers]
        FullyShardedDataParallel.set_state_dict_type(
            module, state_dict_type, state_dict_config, optim_state_dict_config
        )
        try:
            yield
        finally:
            for each, old in zip(wrappers, before, strict=True):
                each._settings = old

    @staticmethod
    def optim_state_dict(model: Module, optim: Any, optim_state_dict: Any = None, group: Any = None) -> dict[str, Any]:
        """Returns the state of an optimizer under the names of the plain model, as `state_dict_type` says.

        Raises NotImplementedError for a state or a group of the program's own.
        """
        if optim_state_dict is not None or group is not None:
            raise NotImplementedError("optim_state_dict takes the state of the optimizer itself, in the model's group.")
        chosen = FullyShardedDataParallel.get_state_dict_type(model)
        whole = chosen.state_dict_type is StateDictType.FULL_STATE_DICT
        only_first = getattr(chosen.optim_state_dict_config, "rank0_only", False)
        options = StateDictOptions(full_state_dict=whole, cpu_offload=whole and only_first)
        return get_optimizer_state_dict(model, optim, options=options)

    @staticmethod
    def optim_state_dict_to_load(
        model: Module, optim: Any, optim_state_dict: dict[str, Any], is_named_optimizer: bool = False,
        load_directly: bool = False, group: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Returns what `optim.load_state_dict` takes, from what `optim_state_dict` gave; it is loaded already.

        Raises NotImplementedError for a group of the program's own, and for a state of a `NamedOptimizer`.
        """
        if group is not None or is_named_optimizer:
            raise NotImplementedError(
                "optim_state_dict_to_load takes what optim_state_dict gave, in the model's group."
            )
        set_optimizer_state_dict(model, optim, optim_state_dict)
        return optim.state_dict()


def wrapped(options: dict[str, Any], module: Module, **own: Any) -> FullyShardedDataParallel:
    """Returns a module in the model, wrapped as the model is, or with options of its own."""
    return FullyShardedDataParallel(module, **{**options, **own})


def ids_within(ignored: Iterable[Any]) -> set[int]:
    """Returns the ids of modules and parameters, and of what is in the modules."""
    within = {id(each) for each in ignored}
    for each in ignored:
        if isinstance(each, Module):
            within.update(id(part) for part in (*each.modules(), *each.parameters()))
    return within


def initialize(module: Module, function: Callable[[Module], None]) -> None:
    """Calls a function with the modules that have parameters on the meta device."""
    for each in module.modules():
        if any(p is not None and p.is_meta for p in each._parameters.values()):
            function(each)


def take_values_of_first(module: Module, group: Any) -> None:
    """Gives parameters and buffers the values that they have in the first process of a group."""
    values = [each for each in (*module.parameters(), *module.buffers()) if not isinstance(each, DTensor)]
    broadcast_coalesced(group if isinstance(group, dist.ProcessGroup) else dist.group.WORLD, values, 0)


def cast_buffers(module: Module, dtype: Any, left_alone: set[int]) -> None:
    """Gives the floating point buffers of a module a dtype, None for their own."""
    for buffer in module.buffers():
        if dtype is not None and buffer.is_floating_point() and id(buffer) not in left_alone:
            buffer.data = buffer.data.to(dtype)


def groups(wrappers: Iterable[FullyShardedDataParallel]) -> Iterator[ParameterGroup]:
    """Yields the groups of parameters of some wrappers."""
    for each in wrappers:
        inner = each.module
        if isinstance(inner, FSDPModule):
            yield from inner._groups(False)


def mesh_for(strategy: ShardingStrategy, group: Any) -> DeviceMesh:
    """Returns the processes that share parameters; for hybrid strategies, those of one machine along the second dim."""
    if strategy not in HYBRID:
        return (
            init_device_mesh("cpu", (dist.get_world_size(),)) if group is None else DeviceMesh.from_group(group, "cpu")
        )
    if group is not None:
        raise ValueError("A hybrid sharding strategy takes device_mesh, a DeviceMesh of two dimensions.")
    count = dist.get_world_size()
    local = math.gcd(count, int(os.environ.get("LOCAL_WORLD_SIZE", count)))
    return init_device_mesh("cpu", (count // local, local))


def copies(mesh: DeviceMesh) -> DeviceMesh:
    """Returns a mesh of two dimensions in which each process of another has everything."""
    return DeviceMesh("cpu", mesh.mesh.reshape(-1, 1))


def with_plain_names(module: Any, state: dict[str, Any], prefix: str, metadata: Any) -> None:
    """Gives the values of a wrapper in a state their plain names, and the form that its settings say."""
    chosen = module._settings
    inner = f"{prefix}{INNER}."
    for name in [each for each in state if each.startswith(prefix)]:
        value = shown(state.pop(name), chosen)
        if not isinstance(value, Absent):
            state[prefix + name.removeprefix(inner) if name.startswith(inner) else name] = value
    marks = getattr(state, "_metadata", None)
    if marks is not None:
        for name in [each for each in marks if f"{each}.".startswith(inner)]:
            marks[(prefix + f"{name}.".removeprefix(inner))[:-1]] = marks.pop(name)


class Absent:
    """A value that this process does not give."""


def shown(value: Any, chosen: StateDictSettings) -> Any:
    """Returns a value of a state in the form of some settings."""
    kind = chosen.state_dict_type
    if isinstance(value, DTensor) and kind is not StateDictType.SHARDED_STATE_DICT:
        value = value.full_tensor() if kind is StateDictType.FULL_STATE_DICT else value.to_local()
    if getattr(chosen.state_dict_config, "rank0_only", False) and dist.get_rank() != 0:
        return Absent()
    return value


def with_own_names(module: Any, state: dict[str, Any], prefix: str, *others: Any) -> None:
    """Gives the values that are loaded the names in the wrapper, and the form of its parameters."""
    inner = f"{prefix}{INNER}."
    for name in [each for each in state if each.startswith(prefix) and not each.startswith(inner)]:
        state[inner + name.removeprefix(prefix)] = state.pop(name)
    is_local = module._settings.state_dict_type is StateDictType.LOCAL_STATE_DICT
    for name, parameter in module.module.named_parameters():
        value = state.get(inner + name)
        if isinstance(parameter, DTensor) and isinstance(value, Tensor) and not isinstance(value, DTensor):
            mesh, placements = parameter.device_mesh, parameter.placements
            state[inner + name] = (
                DTensor(value.detach(), parameter._spec)
                if is_local
                else distribute_tensor(value.detach(), mesh, placements, src_data_rank=None)
            )
