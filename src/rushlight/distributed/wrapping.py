"""What a wrapper that shards a model is, for those who look through it."""

from __future__ import annotations

from rushlight.nn.modules.module import Module

__all__ = ["INNER", "ShardingWrapper"]

INNER = "_fsdp_wrapped_module"  # the name of the module in the wrapper


class ShardingWrapper(Module):
    """The base of `FullyShardedDataParallel`: names of parameters in it have `INNER` where the wrapper is."""
