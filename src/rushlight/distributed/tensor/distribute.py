"""Distributes tensors and the parameters of modules over a mesh."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rushlight import distributed as dist
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.size import Size
from rushlight.core.tensor import Parameter, Tensor
from rushlight.create import filled
from rushlight.distributed.device_mesh import DeviceMesh, current_mesh
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.distributed.tensor.placements import Placement, Replicate
from rushlight.distributed.tensor.spec import Spec, has_partial, normalized
from rushlight.nn.modules.module import Module

__all__ = ["distribute_module", "distribute_tensor", "empty", "full", "ones", "zeros"]


def distribute_tensor(
    tensor: Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """Distributes a tensor that all processes have; the values are those of the first process.

    With `src_data_rank=None` each process takes its own values, without communication. Raises RuntimeError for a tensor
    that is the result of an operation: `DTensor.from_local` lets gradients through.
    """
    mesh = device_mesh or current_mesh()
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    wanted = normalized(mesh, placements, tensor.ndim)
    if isinstance(tensor, DTensor):
        return check_same(tensor, mesh, wanted)
    if has_partial(wanted):
        raise RuntimeError("`distribute_tensor` cannot make a Partial: each process would add the whole tensor.")
    spec = Spec(mesh, wanted, tensor.shape)
    with no_grad():
        whole = tensor.detach()
        if src_data_rank is not None:
            whole = whole.clone()
            for mesh_dim in range(mesh.ndim):
                group = mesh.get_group(mesh_dim)
                dist.broadcast(whole, dist.get_global_rank(group, src_data_rank), group=group)
        return DTensor(own_part(whole, spec), spec, requires_grad=tensor.requires_grad)


def check_same(tensor: DTensor, mesh: DeviceMesh, wanted: tuple[Placement, ...]) -> DTensor:
    if tensor.device_mesh != mesh:
        raise ValueError(
            f"Cannot distribute a DTensor with device mesh {tensor.device_mesh} to a different mesh {mesh}."
        )
    if tensor.placements != wanted:
        raise ValueError(
            f"Cannot distribute a DTensor with placements {tensor.placements} to a different placements {wanted}. do "
            "you want to call `redistribute` instead?"
        )
    return tensor


def own_part(whole: Tensor, spec: Spec) -> Tensor:
    """Returns a copy of the part of this process."""
    begin, shape = spec.begin_and_shape()
    for dim, (offset, length) in enumerate(zip(begin, shape, strict=True)):
        whole = whole.narrow(dim, offset, length)
    return whole.contiguous() if whole.shape != spec.shape else whole.clone()


def distribute_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable[[str, Module, DeviceMesh], None] | None = None,
    input_fn: Callable | None = None,
    output_fn: Callable | None = None,
) -> Module:
    """Distributes the parameters and buffers of a module, in place; returns the module.

    `partition_fn(name, module, mesh)` distributes those that it wants to; the others are replicated. `input_fn(module,
    inputs, mesh)` prepares the inputs of forward, `output_fn(module, outputs, mesh)` its outputs.
    """
    mesh = device_mesh or current_mesh()
    for name, child in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, child, mesh)
        replicate(child, mesh)
    if input_fn is not None:
        module.register_forward_pre_hook(prepare(input_fn, mesh))
    if output_fn is not None:
        module.register_forward_hook(finish(output_fn, mesh))
    return module


def replicate(module: Module, mesh: DeviceMesh) -> None:
    """Makes the own parameters and buffers of a module replicated, where they are not distributed."""
    for name, parameter in module._parameters.items():
        if parameter is not None and not isinstance(parameter, DTensor):
            module.register_parameter(name, as_parameter(parameter, mesh, [Replicate()] * mesh.ndim))
    for name, buffer in module._buffers.items():
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh, [Replicate()] * mesh.ndim)


def as_parameter(parameter: Tensor, mesh: DeviceMesh, wanted: Sequence[Placement], source: int | None = 0) -> Any:
    """Returns a distributed parameter with the values of an ordinary one, of the process `source` or its own."""
    spread = distribute_tensor(parameter.detach(), mesh, wanted, src_data_rank=source)
    return Parameter(spread, parameter.requires_grad)


def prepare(function: Callable, mesh: DeviceMesh) -> Callable:
    if len(inspect.signature(function).parameters) == 2:
        return lambda module, inputs: function(inputs, mesh)
    return lambda module, inputs: function(module, inputs, mesh)


def finish(function: Callable, mesh: DeviceMesh) -> Callable:
    if len(inspect.signature(function).parameters) == 2:
        return lambda module, inputs, outputs: function(outputs, mesh)
    return lambda module, inputs, outputs: function(module, outputs, mesh)


def made(
    make: Callable,
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    requires_grad: bool = False,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Makes a distributed tensor of which each process makes its part."""
    mesh = device_mesh or current_mesh()
    sizes = Size(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    spec = Spec(mesh, normalized(mesh, placements, len(sizes)), sizes)
    return DTensor(make(spec.begin_and_shape()[1], dtype=dtype), spec, requires_grad=requires_grad)


def zeros(*size: Any, **settings: Any) -> DTensor:
    """Makes a distributed tensor of zeros: `zeros(4, 2, device_mesh=mesh, placements=[Shard(0)])`."""
    return made(filled.zeros, *size, **settings)


def ones(*size: Any, **settings: Any) -> DTensor:
    """Makes a distributed tensor of ones."""
    return made(filled.ones, *size, **settings)


def empty(*size: Any, **settings: Any) -> DTensor:
    """Makes a distributed tensor without values."""
    return made(filled.empty, *size, **settings)


def full(size: Any, fill_value: Any, **settings: Any) -> DTensor:
    """Makes a distributed tensor of one value."""
    return made(partial(filled_with, fill_value), size, **settings)


def filled_with(value: Any, sizes: Sequence[int], dtype: Any) -> Tensor:
    return filled.full(sizes, value, dtype=dtype)
