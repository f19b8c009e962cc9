"""The parameters of one `fully_shard` call: gathered with one call before they are needed, reduced with one after.

forward    gather -> compute -> free, unless they are to stay for backward, whole or in shares of neighbours
backward   gather again when a node needs one -> gradients come -> reduce-scatter -> free
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight import distributed as dist
from rushlight._generated import functions as F
from rushlight.autograd.engine import ENGINE
from rushlight.autograd.grad_mode import no_grad
from rushlight.autograd.nesting import NESTING
from rushlight.core.tensor import Tensor, wrap
from rushlight.create.filled import empty
from rushlight.distributed.fsdp.neighbours import share_of
from rushlight.distributed.fsdp.parameter import ShardedParameter, joined
from rushlight.distributed.fsdp.policies import MixedPrecisionPolicy
from rushlight.distributed.tensor.operators import local_of

__all__ = ["ParameterGroup"]


class ParameterGroup:
    """The parameters of a module and of those of its children that have no group of their own.

    - `reshards`: whether the parameters are freed between forward and backward.
    - `syncs`: whether backward reduces the gradients; without, whole gradients accumulate.
    - `users`: how many forwards that need the whole parameters are under way.
    - `came`: the gradients of this backward pass, by the number of their parameter.
    - `waiting`: whole gradients that have accumulated and are not reduced.
    - `sums`: parts of gradients that are not added up over the replicas yet.
    - `neighbours`: the processes that keep the whole parameters together between forward and backward, None if none do.
    - `shares`: what this process keeps for them, by dtype; `keeps_share` says whether this forward leaves it.
    """

    def __init__(self, parameters: list[ShardedParameter], policy: MixedPrecisionPolicy, neighbours: Any) -> None:
        self.parameters, self.policy = parameters, policy
        self.reshards: bool | None = None
        self.reshards_after_backward = True
        self.syncs = self.reduces_everywhere = True
        self.users = 0
        self.came: set[int] = set()
        self.waiting: dict[int, Tensor] = {}
        self.sums: dict[int, Tensor] = {}
        self.neighbours, self.keeps_share = neighbours, False
        self.shares: dict[Any, Tensor] = {}
        self.divisor: float | None = None
        self.queued = False
        self.stays = False  # whether the program has gathered the parameters itself
        mesh = parameters[0].mesh
        self.shard_group = mesh.get_group(mesh.ndim - 1)
        self.replica_group = mesh.get_group(0) if mesh.ndim == 2 else None
        self.trainable = {number for number, each in enumerate(parameters) if each.whole.requires_grad}
        for number, parameter in enumerate(parameters):
            parameter.listen(self._hook_of(number))

    def _hook_of(self, number: int) -> Any:
        def arrived(whole: Tensor) -> None:
            self._arrived(number)

        return arrived

    # ---- the whole parameters

    def gather(self) -> None:
        """Makes the whole parameters of now, and lets the modules compute with them."""
        if not NESTING.tasks:
            self._forget_failed_pass()
            self.shares = {}  # those of an earlier forward
        if not self.stays:
            self.free()
        self.fetch()
        for parameter in self.parameters:
            parameter.put(parameter.whole)

    def fetch(self) -> None:
        """Makes the whole parameters."""
        if all(parameter.is_there for parameter in self.parameters):
            return
        with no_grad():
            for dtype, alike in self._kinds().items():
                if dtype in self.shares:
                    self._fetch_shares(alike, self.shares[dtype])
                else:
                    self._fetch(alike)

    def _kinds(self) -> dict[Any, list[ShardedParameter]]:
        kinds: dict[Any, list[ShardedParameter]] = {}
        for parameter in self.parameters:
            kinds.setdefault(parameter.dtype, []).append(parameter)
        return kinds

    def _fetch(self, alike: list[ShardedParameter]) -> None:
        rows, at = gathered(joined([parameter.part() for parameter in alike], alike[0].whole), self.shard_group), 0
        for parameter in alike:
            parameter.fill(rows[:, at : at + parameter.length])
            at += parameter.length

    def _fetch_shares(self, alike: list[ShardedParameter], share: Tensor) -> None:
        flat, at = gathered(share, self.neighbours).view(-1), 0
        for parameter in alike:
            parameter.take(flat[at : at + parameter.shape.numel()])
            at += parameter.shape.numel()

    def _keep_shares(self) -> None:
        """Keeps this process's share of the whole parameters, for the group of its neighbours."""
        count, position = self.neighbours.size(), self.neighbours.rank()
        with no_grad():
            for dtype, alike in self._kinds().items():
                wholes = [local_of(parameter.whole).detach().reshape(-1) for parameter in alike]
                self.shares[dtype] = share_of(wholes, count, position)

    def release(self) -> None:
        """Lets the modules see the parts; frees the whole parameters, unless backward needs them."""
        for parameter in self.parameters:
            parameter.put(parameter.kept)
        if self.reshards:
            if self.keeps_share and not self.shares and all(parameter.is_there for parameter in self.parameters):
                self._keep_shares()
            self.free()

    def free(self) -> None:
        """Frees the whole parameters."""
        for parameter in self.parameters:
            parameter.free()

    # ---- values that nodes save

    def packed(self, tensor: Tensor) -> Any:
        """Returns where a saved tensor is in a whole parameter, whose memory the node then does not keep; or itself."""
        array = tensor._array
        if type(array) is not np.ndarray:
            return tensor
        begin = array.__array_interface__["data"][0]
        for number, parameter in enumerate(self.parameters):
            whole = parameter.whole._array
            start = whole.__array_interface__["data"][0]
            if parameter.is_there and start <= begin < start + whole.nbytes:
                return Place(number, begin - start, array.shape, array.strides)
        return tensor

    def unpacked(self, saved: Any) -> Tensor:
        """Returns a saved tensor; gathers the parameters if it is in one that was freed."""
        if not isinstance(saved, Place):
            return saved
        self.fetch()
        self._free_at_end()  # also if none of the parameters gets a gradient
        flat = self.parameters[saved.number].whole._array.reshape(-1)
        return wrap(as_strided(flat[saved.offset // flat.itemsize :], saved.shape, saved.strides))

    # ---- gradients

    def _arrived(self, number: int) -> None:
        self.came.add(number)
        self._free_at_end()
        if self.came == self.trainable:
            self._reduce()

    def _free_at_end(self) -> None:
        """Has the end of the backward pass that is running reduce what is left, and free the parameters."""
        if NESTING.tasks and not self.queued:
            self.queued = True
            ENGINE.queue_callback(self._end_of_backward)

    def _forget_failed_pass(self) -> None:
        """Drops the gradients of a backward pass that raised: its end was not reached."""
        self.queued = False
        for number in self.came:
            self.parameters[number].whole.grad = None
        self.came = set()

    def _end_of_backward(self) -> None:
        """Reduces what came, if some parameters got no gradient in this pass."""
        self.queued = False
        if self.came:
            self._reduce()
        self._reshard_after_backward()

    def _reshard_after_backward(self) -> None:
        if self.reshards_after_backward:
            self.free()
            self.shares = {}

    def _reduce(self) -> None:
        """Adds up the gradients over processes, and adds this process's part to those of the kept parameters."""
        came, self.came = sorted(self.came), set()
        with no_grad():
            for number in came:
                gradient = self.parameters[number].taken_gradient()
                before = self.waiting.get(number)
                self.waiting[number] = gradient if before is None else before + gradient
            if self.syncs:
                ready, self.waiting = self.waiting, {}
                self._scatter(ready)
        self._reshard_after_backward()

    def _scatter(self, gradients: dict[int, Tensor]) -> None:
        kinds: dict[Any, list[int]] = {}
        for number in sorted(gradients):
            dtype = self.policy.reduce_dtype or gradients[number].dtype
            kinds.setdefault(dtype, []).append(number)
        for dtype, numbers in kinds.items():
            rows = [self.parameters[number].padded_gradient(gradients[number], dtype) for number in numbers]
            own = self._sum_of_shards(F.cat(rows, 1).reshape(-1))  # the part of each process, one after the other
            lengths = [self.parameters[number].length for number in numbers]
            parts = dict(zip(numbers, own.split(lengths), strict=True))
            for number in self.sums.keys() & parts.keys():
                parts[number].add_(self.sums.pop(number))
            if self.replica_group is not None and not self.reduces_everywhere:
                self.sums.update(parts)
                continue
            self._average(own)
            for number, part in parts.items():
                self.parameters[number].accumulate(part)

    def _sum_of_shards(self, sent: Tensor) -> Tensor:
        """Returns this process's part of the sum over the processes that share the parameters."""
        own = empty(sent.numel() // self.shard_group.size(), dtype=sent.dtype, device=sent.device)
        dist.reduce_scatter_single(own, sent, group=self.shard_group)
        return own

    def _average(self, own: Tensor) -> None:
        """Adds up a part over the replicas, and divides it by the number of processes, in place."""
        count = self.shard_group.size()
        if self.replica_group is not None:
            count *= self.replica_group.size()
            dist.all_reduce(own, group=self.replica_group)
        own.div_(self.divisor or count)


class Place:
    """Where a saved tensor is in the memory of a whole parameter."""

    def __init__(self, number: int, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.number, self.offset, self.shape, self.strides = number, offset, shape, strides


def gathered(own: Tensor, group: Any) -> Tensor:
    """Returns the flat tensors of all processes of a group, (processes, elements of each)."""
    every = empty(group.size() * own.numel(), dtype=own.dtype, device=own.device)
    dist.all_gather_single(every, own, group=group)
    return every.view(group.size(), -1)
