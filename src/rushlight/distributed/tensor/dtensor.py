"""`DTensor`: one tensor on several processes. Each has a part, and the operators combine parts.

A `DTensor` is a tensor on the local part, with the local part's place in the graph: autograd runs on parts, optimizers
update them. What is whole is its `shape`. Operators come to `__torch_function__`, which `operators.py` answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import distributed as dist
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.errors import noted
from rushlight.core.history import edge_of
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor, alias
from rushlight.distributed.device_mesh import DeviceMesh, current_mesh
from rushlight.distributed.tensor.movement import entered
from rushlight.distributed.tensor.operators import local_of, run
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.relay import relaid
from rushlight.distributed.tensor.spec import Spec, normalized

__all__ = ["DTensor", "redistributed"]


class DTensor(Tensor):
    """A tensor that is distributed over a mesh of processes.

    `distribute_tensor` and `DTensor.from_local` make one. `shape` is that of the whole, `to_local()` the part of this
    process, `full_tensor()` the whole. Operators work on whole tensors: all processes call them together. Raises
    RuntimeError for an operator on distributed and ordinary tensors together.
    """

    __module__ = "torch.distributed.tensor"
    _spec: Spec
    _steps_by_part = True  # optimizers may update the local part alone

    def __new__(cls, local: Tensor, spec: Spec, *, requires_grad: bool | None = None) -> DTensor:
        """Makes one from a part and what the whole is."""
        result: Any = alias(local, cls)
        result._edge, result._spec = edge_of(local), spec
        if requires_grad and result._edge is None:
            result._become_leaf()
        return result

    # ---- the whole

    @property
    def device_mesh(self) -> DeviceMesh:
        """The processes."""
        return self._spec.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The placement along each dimension of the mesh."""
        return self._spec.placements

    @property
    def shape(self) -> Size:
        """The shape of the whole."""
        return self._spec.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._spec.shape)

    def dim(self) -> int:
        """Returns the number of dimensions."""
        return len(self._spec.shape)

    def size(self, dim: int | None = None) -> Any:
        """Returns the shape of the whole, or one size."""
        return self._spec.shape if dim is None else self._spec.shape[dim]

    def numel(self) -> int:
        """Returns the number of elements of the whole."""
        return self._spec.shape.numel()

    def stride(self, dim: int | None = None) -> Any:
        """Returns the strides that the whole would have, in order."""
        sizes = self._spec.shape
        strides = tuple(Size(sizes[at + 1 :]).numel() for at in range(len(sizes)))
        return strides if dim is None else strides[dim]

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    # ---- parts

    @staticmethod
    def from_local(
        local_tensor: Tensor,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        run_check: bool = False,
        shape: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
        grad_placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        """Makes a distributed tensor from the part of each process; its gradient flows to the part.

        Without a `shape` all parts are taken to be equally large. With `run_check` parts that are to be replicated are
        sent from the first process.
        """
        mesh = device_mesh or current_mesh()
        wanted = normalized(mesh, placements, local_tensor.ndim)
        sizes = list(local_tensor.shape)
        for mesh_dim, placement in enumerate(wanted):
            if isinstance(placement, Shard):
                sizes[placement.dim] *= mesh.size(mesh_dim)
        spec = Spec(mesh, wanted, Size(sizes if shape is None else shape))
        if run_check:
            local_tensor = agreed(local_tensor, spec)
        return DTensor(local_tensor, spec)

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """Returns the part of this process, with its history.

        `grad_placements` are those of the gradient that comes back, by default the tensor's own. Terms of a sum, as of
        a replicated tensor from which each process computes something of its own, are added up.
        """
        local = local_of(self)
        if grad_placements is not None:
            for mesh_dim, placement in enumerate(grad_placements):
                if isinstance(placement, Partial) and isinstance(self.placements[mesh_dim], Replicate):
                    local = entered(local, self._spec.mesh.get_group(mesh_dim))
        return local.view_as(local) if local.requires_grad else local

    @property
    def _local_tensor(self) -> Tensor:
        return local_of(self)

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> Tensor:
        """Returns the whole in every process."""
        whole = redistributed(self, (Replicate(),) * self._spec.mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    def redistribute(
        self,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
        *,
        async_op: bool = False,
        forward_dtype: Any = None,
        backward_dtype: Any = None,
    ) -> DTensor:
        """Returns the same tensor with other placements. Raises RuntimeError for another mesh or a new `Partial`."""
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        if device_mesh is not None and device_mesh != self._spec.mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        wanted = normalized(self._spec.mesh, placements, self.ndim)
        for before, after in zip(self.placements, wanted, strict=True):
            if isinstance(after, Partial) and before != after:
                raise RuntimeError(
                    f"Can not redistribute from {before} to {after}, redistributing to Partial is for internal use "
                    "only!"
                )
        return redistributed(self, wanted)

    # ---- autograd

    @property
    def grad(self) -> Any:  # type: ignore[override]  # mypy sees a plain attribute in Tensor
        """The gradient, with the placements of the tensor; terms of a sum have the gradient of the sum."""
        gradient = Tensor.grad.fget(self)
        if gradient is None or isinstance(gradient, DTensor):
            return gradient
        return DTensor(gradient, self._spec.where(of_gradients(self.placements)))

    @grad.setter
    def grad(self, gradient: Any) -> None:
        if isinstance(gradient, DTensor):
            gradient = alias(local_of(redistributed(gradient, of_gradients(self.placements))))
        Tensor.grad.fset(self, gradient)

    def backward(self, gradient: Any = None, *arguments: Any, **keywords: Any) -> None:
        """Computes gradients, of the whole; all processes call it together."""
        if isinstance(gradient, DTensor):
            gradient = local_of(redistributed(gradient, of_gradients(self.placements)))
        whole = self
        if any(place.is_partial() and not place.is_partial("sum") for place in self.placements):
            whole = redistributed(self, of_gradients(self.placements))
        local_of(whole).backward(gradient, *arguments, **keywords)

    # ---- values

    def item(self) -> Any:
        """Returns the number of a tensor with one element."""
        return self.full_tensor().item()

    def tolist(self) -> Any:
        """Returns the whole as lists."""
        return self.full_tensor().tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """Raises RuntimeError: the part or the whole has to be asked for."""
        raise noted(
            RuntimeError("DTensor cannot be converted to a NumPy array."),
            "Write x.full_tensor().numpy(), or to_local().",
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]  # PyTorch's keyword
        return (
            f"DTensor(local_tensor={local_of(self).detach()!r}, device_mesh={self._spec.mesh}, "
            f"placements={self.placements})"
        )

    def __deepcopy__(self, memo: dict) -> DTensor:
        if id(self) not in memo:
            with no_grad():
                copied = DTensor(local_of(self).detach().clone(), self._spec, requires_grad=self.requires_grad)
            copied.__dict__.update({name: value for name, value in vars(self).items() if name == "_is_param"})
            memo[id(self)] = copied
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise noted(
            RuntimeError("DTensor cannot be pickled: its mesh is made of process groups."),
            "Save with torch.distributed.checkpoint, or save x.full_tensor().",
        )

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, arguments: tuple = (), keywords: Any = None) -> Any:
        return run(DTensor, function, arguments, keywords or {})


def of_gradients(placements: Sequence[Placement]) -> tuple[Placement, ...]:
    """Returns the placements of the gradient of a tensor."""
    return tuple(placement if isinstance(placement, Shard) else Replicate() for placement in placements)


def agreed(local: Tensor, spec: Spec) -> Tensor:
    """Returns the values of the first process along each dimension in which they are replicated."""
    with no_grad():
        result = local.detach().clone()
        for mesh_dim, placement in enumerate(spec.placements):
            if isinstance(placement, Replicate):
                group = spec.mesh.get_group(mesh_dim)
                dist.broadcast(result, dist.get_global_rank(group, 0), group=group)
        local.detach().copy_(result)
    return local


def redistributed(tensor: DTensor, target: Sequence[Placement]) -> DTensor:
    """Returns a tensor with other placements, with their derivatives."""
    if tuple(target) == tensor.placements:
        return tensor
    return DTensor(relaid(local_of(tensor), tensor._spec, target), tensor._spec.where(target))
