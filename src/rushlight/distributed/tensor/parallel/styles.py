"""How the weights of a layer are spread, and how its inputs and outputs are laid out then."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.distribute import as_parameter, distribute_module
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.sparse import Embedding

__all__ = ["ColwiseParallel", "ParallelStyle", "RowwiseParallel", "SequenceParallel"]


class ParallelStyle(ABC):
    """Base of the styles: `_apply` spreads a module over a mesh of one dimension."""

    src_data_rank: int | None = 0

    @abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        """Spreads a module, in place, and returns it."""


class Layered(ParallelStyle):
    """A style that spreads the parameters of one layer.

    An ordinary input has the placement `source`, and is brought to `wanted`; the output is brought to `target`, and is
    the part of each process with `use_local_output`.
    """

    def __init__(self, source: Placement, wanted: Placement, target: Placement, use_local_output: bool) -> None:
        self.source, self.wanted, self.target = source, wanted, target
        self.use_local_output = use_local_output

    def placements_in(self, module: Module) -> dict[str, Placement]:
        """Returns the placements of the parameters; the others are replicated."""
        return {}

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        placements = self.placements_in(module)

        def partition(name: str, part: Module, mesh: DeviceMesh) -> None:
            for own, parameter in part._parameters.items():
                if part is module and parameter is not None and own in placements:
                    part.register_parameter(own, as_parameter(parameter, mesh, [placements[own]], self.src_data_rank))

        return distribute_module(module, device_mesh, partition, self.prepare, self.finish)

    def prepare(self, module: Module, inputs: tuple, mesh: DeviceMesh) -> tuple:
        """Brings the first input to its placement."""
        return (brought(inputs[0], mesh, self.source, self.wanted), *inputs[1:])

    def finish(self, module: Module, output: Any, mesh: DeviceMesh) -> Any:
        """Brings the output to its placement."""
        result = output.redistribute(mesh, [self.target])
        return result.to_local() if self.use_local_output else result


def brought(value: Tensor, mesh: DeviceMesh, source: Placement, wanted: Placement) -> DTensor:
    """Returns a tensor with a placement; an ordinary one is the part of each process under `source`."""
    spread = value if isinstance(value, DTensor) else DTensor.from_local(value, mesh, [source])
    return spread.redistribute(mesh, [wanted])


class ColwiseParallel(Layered):
    """Spreads a linear layer by its outputs, or an embedding by its columns.

    Inputs are replicated, outputs sharded along the last dimension, unless `input_layouts` and `output_layouts` say
    otherwise. Raises NotImplementedError for other layers.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        super().__init__(input_layouts or Replicate(), Replicate(), output_layouts or Shard(-1), use_local_output)

    def placements_in(self, module: Module) -> dict[str, Placement]:
        if isinstance(module, Linear):
            return {"weight": Shard(0), "bias": Shard(0)}
        if isinstance(module, Embedding):
            return {"weight": Shard(1)}
        raise NotImplementedError("ColwiseParallel currently only support nn.Linear and nn.Embedding!")


class RowwiseParallel(Layered):
    """Spreads a linear layer by its inputs, or an embedding by its rows.

    Inputs are sharded along the last dimension, outputs replicated, unless `input_layouts` and `output_layouts` say
    otherwise; the indices of an embedding are mostly replicated. Raises NotImplementedError for other layers.
    """

    def __init__(
        self,
        *,
        input_layouts: Placement | None = None,
        output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:
        super().__init__(input_layouts or Shard(-1), Shard(-1), output_layouts or Replicate(), use_local_output)

    def placements_in(self, module: Module) -> dict[str, Placement]:
        if isinstance(module, Linear):
            return {"weight": Shard(1), "bias": Replicate()}
        if isinstance(module, Embedding):
            self.wanted = Replicate()
            return {"weight": Shard(0)}
        raise NotImplementedError("RowwiseParallel currently only support nn.Linear and nn.Embedding!")


class SequenceParallel(Layered):
    """Runs a normalization on a part of the sequence in each process, with replicated parameters."""

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        part = Shard(sequence_dim)
        super().__init__(part, part, part, use_local_output)
