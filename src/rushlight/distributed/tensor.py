"""`torch.distributed.tensor`: classes of sharded tensors, for programs that compare types.

`isinstance(x, DTensor)` is False for every tensor. Placements can be created; sharded tensors cannot.

`isinstance(x, DTensor)` is False of every tensor. How a tensor would be spread can be said; none can be spread.
https://docs.pytorch.org/docs/stable/distributed.tensor.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from rushlight.core.tensor import Tensor
from rushlight.distributed.device_mesh import DeviceMesh as DeviceMesh
from rushlight.distributed.device_mesh import init_device_mesh as init_device_mesh
from rushlight.distributed.groups import refuse

__all__ = ["DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor"]


class Placement:
    """How a tensor is distributed along one dimension of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each process has a part, along `dim` if given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each process has the whole tensor."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether each process has a term, reduced by `reduce_op` if given."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part along `dim`."""

    dim: int

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has the whole tensor."""

    def __str__(self) -> str:
        return "R"


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a term of it."""

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"


class DTensor(Tensor):
    """A distributed tensor. Raises NotImplementedError."""

    def __new__(cls, *args, **kwargs) -> NoReturn:  # type: ignore[misc]
        refuse("torch.distributed.tensor.DTensor")

    @staticmethod
    def from_local(*args, **kwargs) -> NoReturn:
        """Builds a tensor from the part of each process. Raises NotImplementedError."""
        refuse("torch.distributed.tensor.DTensor.from_local")


def distribute_tensor(*args, **kwargs) -> NoReturn:
    """Distributes a tensor. Raises NotImplementedError."""
    refuse("torch.distributed.tensor.distribute_tensor")


def distribute_module(*args, **kwargs) -> NoReturn:
    """Distributes the parameters of a module. Raises NotImplementedError."""
    refuse("torch.distributed.tensor.distribute_module")
