"""`loss_parallel`: the cross entropy of logits whose classes are spread over processes, without gathering them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight import distributed as dist
from rushlight._generated import functions as F
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.tensor import Tensor
from rushlight.distributed.tensor.dtensor import DTensor, redistributed
from rushlight.distributed.tensor.movement import moved
from rushlight.distributed.tensor.operators import INSTEAD, local_of
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.spec import Spec

__all__ = ["loss_parallel"]


@contextmanager
def loss_parallel() -> Iterator[None]:
    """Within it, `cross_entropy` takes logits that are sharded by classes, and targets that are ordinary tensors.

    Each process computes with its classes; maxima, sums and the logits of the targets are what is sent. The loss is a
    replicated `DTensor`. Soft targets and `label_smoothing` gather the logits.
    """
    token = INSTEAD.set({**INSTEAD.get(), "cross_entropy": cross_entropy, "nll_loss": nll_loss})
    try:
        yield
    finally:
        INSTEAD.reset(token)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> DTensor:
    """Computes the cross entropy of a `DTensor` as one. Raises IndexError for a target that is no class."""
    target, weight = whole_of(target), whole_of(weight)
    dim = int(input.ndim > 1)
    split = [mesh_dim for mesh_dim, place in enumerate(input.placements) if place.is_shard(dim)]
    if len(split) != 1 or target.is_floating_point() or label_smoothing:
        loss = F.cross_entropy(whole_of(input), target, weight, ignore_index, reduction, label_smoothing)
    else:
        wanted: list[Placement] = [Replicate()] * input.device_mesh.ndim
        wanted[split[0]] = Shard(dim)
        counts = target != ignore_index
        check_targets(target, counts, input.shape[dim])
        known = F.where(counts, target, 0)
        losses = of_targets(redistributed(input, wanted), split[0], dim, known)
        scale = counts.to(losses.dtype) if weight is None else counts * weight[known]
        loss = losses * scale
        if reduction != "none":
            loss = loss.sum() / scale.sum() if reduction == "mean" else loss.sum()
    return replicated(loss, input)


def check_targets(target: Tensor, counts: Tensor, classes: int) -> None:
    """Raises IndexError for a target that is no class."""
    outside = target[counts & ((target < 0) | (target >= classes))]
    if outside.numel():
        raise IndexError(f"Target {outside[0].item()} is out of bounds.")


def of_targets(input: DTensor, mesh_dim: int, dim: int, target: Tensor) -> Tensor:
    """Returns the negative log-probability of each target, the same in every process."""
    group = input.device_mesh.get_group(mesh_dim)
    begin, length = (each[dim] for each in input._spec.begin_and_shape())
    local = local_of(input)
    if not length:  # a class that counts nothing, so that there is a maximum
        local = F.cat([local, local.new_full((*input.shape[:dim], 1, *input.shape[dim + 1 :]), -math.inf)], dim)
    with no_grad():
        largest = local.amax(dim, True)
        dist.all_reduce(largest, dist.ReduceOp.MAX, group=group)
    shifted = local - largest
    inside = (target >= begin) & (target < begin + length)
    own = shifted.gather(dim, F.where(inside, target - begin, 0).unsqueeze(dim)).squeeze(dim)
    terms = F.stack([shifted.exp().sum(dim), F.where(inside, own, 0.0)])
    total, chosen = moved(terms, Partial("sum"), Replicate(), group, 0)
    return total.log() - chosen


def nll_loss(input: Any, target: Any, weight: Any = None, *arguments: Any, **keywords: Any) -> DTensor:
    """Computes the loss of log-probabilities, which are gathered, as a `DTensor`."""
    return replicated(F.nll_loss(whole_of(input), whole_of(target), whole_of(weight), *arguments, **keywords), input)


def whole_of(value: Any) -> Any:
    """Returns the whole of a distributed tensor, and others as they are."""
    return value.full_tensor() if isinstance(value, DTensor) else value


def replicated(loss: Tensor, like: DTensor) -> DTensor:
    """Returns what every process has computed as one tensor."""
    mesh = like.device_mesh
    return DTensor(loss, Spec(mesh, (Replicate(),) * mesh.ndim, loss.shape))
