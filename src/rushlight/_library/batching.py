"""Operators of a program under `vmap`: the rule that `register_vmap` has registered, or a loop over samples.

A composite operator needs neither: its body runs on the batched tensors.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import rushlight._generated.functions as F
from rushlight._library.binding import for_kernel, tensors_in
from rushlight._library.registry import Operator
from rushlight.autograd.function import WITHOUT_SETUP
from rushlight.core.modes import recording
from rushlight.core.tensor import Tensor
from rushlight.core.traced import below, has_batch, top_level
from rushlight.transforms.batching import SLOW, WARNED, all_lowered, has_any_batch, sample
from rushlight.transforms.functions import VmapInfo, put_on
from rushlight.transforms.levels import BatchLevel, is_of


def level_of(op: Operator, values: Sequence[Any]) -> BatchLevel | None:
    """Returns the `vmap` that computes a call: the highest level among its tensors; None for composite operators."""
    level = top_level(tensors_in(values))
    if not isinstance(level, BatchLevel) or op.kernel("CompositeImplicitAutograd") is not None:
        return None
    return level


def on_samples(op: Operator, values: Sequence[Any], level: BatchLevel) -> Any:
    """Computes all samples of a call below a level. Raises RuntimeError if a gradient inside the level is wanted."""
    if recording() and any([tensor.requires_grad for tensor in tensors_in(values) if is_of(level, tensor)]):
        raise RuntimeError(WITHOUT_SETUP)  # as PyTorch, which records operators of a program by such a function
    batched = has_any_batch(level, list(values))
    with below(level):
        if not batched or op.vmap_rule is not None:
            arguments, named = for_kernel(op.schema, all_lowered(level, list(values)))
            if not batched:
                return op.shown(*arguments, **named)
            dims = tuple([dim_of(level, value) for value in values[: len(arguments)]])
            results, out_dims = op.vmap_rule(VmapInfo(level.size, level.randomness), dims, *arguments, **named)
        else:
            results, out_dims = each_sample(op, values, level), 0
    return put_on(level, results, out_dims, {})


def dim_of(level: BatchLevel, value: Any) -> Any:
    """Returns where the batch is in an argument, or in each of a list: 0, or None without one."""
    if type(value) in (list, tuple):
        return [dim_of(level, each) for each in value]
    return 0 if has_batch(level, value) else None


def each_sample(op: Operator, values: Sequence[Any], level: BatchLevel) -> Any:
    """Returns the stacked results of one call for each sample."""
    if op.name not in WARNED:
        WARNED.add(op.name)
        warnings.warn(SLOW.format(op.name), UserWarning, stacklevel=2)
    calls = [for_kernel(op.schema, sample(level, list(values), i)) for i in range(level.size)]
    results = [op.shown(*arguments, **named) for arguments, named in calls]
    if not results:
        raise RuntimeError(f"vmap: {op.name} has no rule for batches, and there is no sample to compute")
    if isinstance(results[0], Tensor):
        return F.stack(results)
    return None if results[0] is None else tuple([F.stack(list(each)) for each in zip(*results, strict=True)])
