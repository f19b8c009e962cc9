"""One parameter of a sharded module: the part that this process keeps, and the whole while it is needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.size import Size
from rushlight.core.tensor import Parameter, Tensor, look_at
from rushlight.create.filled import empty, zeros
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.distributed.tensor.operators import local_of
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard, _StridedShard, share
from rushlight.distributed.tensor.spec import Spec
from rushlight.nn.modules.module import Module

__all__ = ["ShardedParameter"]


class ShardedParameter:
    """A parameter that is sharded along one of its dimensions, and where it is in the modules.

    A parameter that tensor parallelism has spread is sharded further: "whole" is the part of this process then.

    `kept` is the part as a `DTensor`, which optimizers see. `whole` is a parameter that modules compute with: it is the
    same object in every step, and has memory only from the gathering on until its gradient has been reduced.
    """

    def __init__(
        self, owners: list[tuple[Module, str]], parameter: Tensor, mesh: DeviceMesh, dtype: Any, dim: int
    ) -> None:
        self.owners = owners
        inner = parameter._spec if isinstance(parameter, DTensor) else None
        local = parameter if inner is None else local_of(parameter)
        self.shape = local.shape
        self.mesh, self.mesh_dim = mesh, mesh.ndim - 1
        self.count, self.position = mesh.size(self.mesh_dim), mesh.get_local_rank(self.mesh_dim)
        self.dim = dim
        rows = -(-self.shape[dim] // self.count)
        self.part_shape = Size((*self.shape[:dim], rows, *self.shape[dim + 1 :]))  # of each part, with its padding
        self.length = self.part_shape.numel()
        layout: list[Placement] = [Replicate()] * self.mesh_dim + [Shard(dim)]
        begin, length = share(self.shape[dim], self.count, self.position)
        with no_grad():
            part = local.detach().narrow(dim, begin, length).clone(memory_format=CONTIGUOUS)
            spec = Spec(mesh, tuple(layout), self.shape) if inner is None else within(inner, mesh, dim, layout)
            self.kept: Any = Parameter(DTensor(part, spec), parameter.requires_grad)
        self.dtype = dtype or parameter.dtype
        nothing = zeros((1,) * len(self.shape), dtype=self.dtype).expand(self.shape)
        self.whole: Any = Parameter(nothing if inner is None else DTensor(nothing, inner), parameter.requires_grad)
        self.is_there = False
        self.put(self.kept)

    def listen(self, hook: Callable[[Tensor], None]) -> None:
        """Calls a hook when the whole parameter has its gradient."""
        if self.whole.requires_grad:
            self.whole.register_post_accumulate_grad_hook(hook)

    def put(self, parameter: Any) -> None:
        """Makes the modules see this parameter, the part or the whole."""
        for module, name in self.owners:
            module._parameters[name] = parameter

    # ---- the whole

    def part(self) -> Tensor:
        """Returns the part of this process as it is sent: flat, padded, in the dtype of the whole."""
        own = local_of(self.kept).detach().to(self.dtype).reshape(-1)
        if own.numel() == self.length:
            return own
        padded = zeros(self.length, dtype=self.dtype, device=own.device)
        padded[: own.numel()] = own
        return padded

    def fill(self, parts: Tensor) -> None:
        """Takes over the parts of all processes, (processes, elements of a part), as the whole."""
        joined_parts = parts.reshape(self.count, *self.part_shape).movedim(0, self.dim)
        self.take(joined_parts.reshape(-1)[: self.shape.numel()])  # only along dim 0 is there padding

    def take(self, values: Tensor) -> None:
        """Takes over flat values as the whole."""
        self._hold(np.ascontiguousarray(values.view(self.shape)._array))
        self.is_there = True

    def free(self) -> None:
        """Gives the memory of the whole back; its shape stays."""
        if self.is_there:
            self._hold(np.broadcast_to(np.zeros((1,) * len(self.shape), self.whole._array.dtype), self.shape))
            self.is_there = False

    def _hold(self, array: Any) -> None:
        look_at(self.whole, array)
        if self.whole._edge is not None:
            self.whole._edge.hold(self.whole)

    # ---- gradients

    def taken_gradient(self) -> Tensor:
        """Returns the gradient of the whole, which then has none."""
        gradient, self.whole.grad = self.whole.grad, None
        return local_of(gradient)

    def padded_gradient(self, gradient: Tensor, dtype: Any) -> Tensor:
        """Returns a whole gradient as parts, (processes, elements of a part)."""
        flat = gradient.detach().to(dtype).reshape(-1)
        if self.dim:  # the parts are equal, and lie next to each other
            before, after = self.part_shape[: self.dim], self.part_shape[self.dim :]
            return flat.view(*before, self.count, *after).movedim(self.dim, 0).reshape(self.count, self.length)
        result = zeros((self.count, self.length), dtype=dtype)
        result.reshape(-1)[: flat.numel()] = flat
        return result

    def accumulate(self, part: Tensor) -> None:
        """Adds this process's part of the reduced gradient to that of the kept parameter."""
        own = local_of(self.kept)
        gradient = part[: own.numel()].view(own.shape).to(own.dtype)
        if self.kept.grad is None:
            self.kept.grad = DTensor(gradient.clone(), self.kept._spec)
        else:
            local_of(self.kept.grad).add_(gradient)


def within(inner: Spec, mesh: DeviceMesh, dim: int, layout: list[Placement]) -> Spec:
    """Returns what a parameter is that tensor parallelism has spread already: a tensor on both meshes together.

    Raises ValueError unless they are parts of one mesh, that of `fully_shard` first.
    """
    names = (*(mesh.mesh_dim_names or ()), *(inner.mesh.mesh_dim_names or ()))
    root = mesh._get_root_mesh()
    if root is not inner.mesh._get_root_mesh() or len(names) != mesh.ndim + inner.mesh.ndim:
        raise ValueError(
            "FSDP requires the DP and model parallel TP/EP mesh to have the same parent mesh but got:\n"
            f"DP's mesh: {mesh}\nTP/EP's mesh: {inner.mesh}"
        )
    count = math.prod(inner.mesh.size(at) for at, place in enumerate(inner.placements) if place.is_shard(dim))
    outer = [_StridedShard(dim, split_factor=count) if each.is_shard() and count > 1 else each for each in layout]
    return Spec(root[names], (*outer, *inner.placements), inner.shape)


def joined(parts: list[Tensor], like: Tensor) -> Tensor:
    """Returns flat tensors as one, empty if there are none."""
    result = empty(sum(part.numel() for part in parts), dtype=like.dtype, device=like.device)
    at = 0
    for part in parts:
        result[at : at + part.numel()] = part
        at += part.numel()
    return result
