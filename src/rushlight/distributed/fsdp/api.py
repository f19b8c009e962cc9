"""The settings of `FullyShardedDataParallel`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig", "FullStateDictConfig", "LocalOptimStateDictConfig",
    "LocalStateDictConfig", "MixedPrecision", "OptimStateDictConfig", "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictSettings", "StateDictType",
]  # fmt: skip


class ShardingStrategy(Enum):
    """What is spread over the processes.

    `FULL_SHARD` spreads parameters also between forward and backward, `SHARD_GRAD_OP` keeps them whole in between,
    `NO_SHARD` keeps whole copies. The hybrid ones spread over one dimension of a mesh and copy along the other.
    """

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the next parameters are gathered in backward: here always when they are needed."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


@dataclass
class MixedPrecision:
    """The dtypes of parameters in forward and backward, of the reduction of gradients, and of buffers.

    The inputs of the outermost wrapper are cast to `param_dtype`, and those of the others with `cast_forward_inputs`.
    Gradients have the dtype of the parts that are kept: `keep_low_precision_grads` changes nothing.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True


@dataclass
class CPUOffload:
    """Keeps the parameters in the CPU's memory, where they are already without a GPU."""

    offload_params: bool = False


class StateDictType(Enum):
    """Which values a state has: whole tensors, the parts of this process, or `DTensor`s."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass
class StateDictConfig:
    """How the state of a model is given."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """With `rank0_only` the other processes get an empty state."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """The parts of this process."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """`DTensor`s."""


@dataclass
class OptimStateDictConfig:
    """How the state of an optimizer is given."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """With `rank0_only` the other processes get an empty state."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """The parts of this process."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """`DTensor`s."""


CONFIGS = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.LOCAL_STATE_DICT: (LocalStateDictConfig, LocalOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}


@dataclass
class StateDictSettings:
    """What `state_dict` and `optim_state_dict` of a model give."""

    state_dict_type: StateDictType = StateDictType.FULL_STATE_DICT
    state_dict_config: StateDictConfig = field(default_factory=FullStateDictConfig)
    optim_state_dict_config: OptimStateDictConfig = field(default_factory=FullOptimStateDictConfig)


def settings(kind: StateDictType, model_config: Any = None, optim_config: Any = None) -> StateDictSettings:
    """Returns settings, by default those of the type. Raises RuntimeError for a config of another type."""
    wanted = CONFIGS[kind]
    result = StateDictSettings(kind, model_config or wanted[0](), optim_config or wanted[1]())
    for config, expected in ((result.state_dict_config, wanted[0]), (result.optim_state_dict_config, wanted[1])):
        if not isinstance(config, expected):
            raise RuntimeError(f"Expected state_dict_config of type {expected} but got {type(config)}")
    return result
