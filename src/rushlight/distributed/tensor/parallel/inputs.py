"""Brings the inputs or outputs of a module to placements, without spreading its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.parallel.styles import ParallelStyle, brought
from rushlight.distributed.tensor.placements import Placement
from rushlight.nn.modules.module import Module

__all__ = ["PrepareModuleInput", "PrepareModuleOutput"]

Layouts = Placement | Sequence[Placement | None] | None


class PrepareModuleInput(ParallelStyle):
    """Takes inputs as parts under `input_layouts`, and brings them to `desired_input_layouts`; None leaves one alone.

    Raises AssertionError unless there are as many of both.
    """

    def __init__(
        self,
        *,
        input_layouts: Layouts = None,
        desired_input_layouts: Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ) -> None:
        self.layouts = pairs(input_layouts, desired_input_layouts, "desired module inputs")
        wanted = desired_input_kwarg_layouts or {}
        self.named = {name: (place, wanted[name]) for name, place in (input_kwarg_layouts or {}).items()}
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        def prepare(module: Module, inputs: tuple, keywords: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
            changed = [self.one(value, device_mesh, pair) for value, pair in zip(inputs, self.layouts, strict=False)]
            named = {name: self.one(keywords[name], device_mesh, self.named[name]) for name in self.named}
            return (*changed, *inputs[len(changed) :]), {**keywords, **named}

        module.register_forward_pre_hook(prepare, with_kwargs=True)
        return module

    def one(self, value: Any, mesh: DeviceMesh, pair: tuple[Placement | None, Placement | None]) -> Any:
        """Brings one value to its placement."""
        source, wanted = pair
        if source is None or wanted is None or not isinstance(value, Tensor):
            return value
        result = brought(value, mesh, source, wanted)
        return result.to_local() if self.use_local_output else result


class PrepareModuleOutput(ParallelStyle):
    """Takes outputs as parts under `output_layouts`, and brings them to `desired_output_layouts`."""

    def __init__(
        self, *, output_layouts: Layouts, desired_output_layouts: Layouts, use_local_output: bool = True
    ) -> None:
        self.layouts = pairs(output_layouts, desired_output_layouts, "desired module outputs")
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        one = PrepareModuleInput(use_local_output=self.use_local_output).one

        def finish(module: Module, inputs: Any, output: Any) -> Any:
            several = isinstance(output, tuple | list)
            values = output if several else (output,)
            changed = tuple(one(value, device_mesh, pair) for value, pair in zip(values, self.layouts, strict=True))
            return changed if several else changed[0]

        module.register_forward_hook(finish)
        return module


def pairs(layouts: Layouts, desired: Layouts, name: str) -> list[tuple[Placement | None, Placement | None]]:
    """Returns pairs of placements. Raises AssertionError unless there are as many of both."""
    one, other = as_tuple(layouts), as_tuple(desired)
    if len(one) != len(other):
        raise AssertionError(f"module inputs and {name} should have same length!")
    return list(zip(one, other, strict=True))


def as_tuple(layouts: Layouts) -> tuple[Placement | None, ...]:
    if layouts is None:
        return ()
    return (layouts,) if isinstance(layouts, Placement) else tuple(layouts)
