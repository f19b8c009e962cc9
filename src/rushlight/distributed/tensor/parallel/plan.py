"""Spreads the layers of a model by a plan."""

from __future__ import annotations

import warnings
from fnmatch import fnmatch

from rushlight.distributed.device_mesh import DeviceMesh, current_mesh
from rushlight.distributed.tensor.parallel.styles import ParallelStyle
from rushlight.nn.modules.module import Module

__all__ = ["parallelize_module"]


def parallelize_module(
    module: Module,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> Module:
    """Spreads a module by a style, or the modules in it by a style for each name; returns the module.

    Names are those of `named_modules`, with `*` for any name between two dots. Raises TypeError for another plan,
    ValueError for a mesh of several dimensions; warns of a name that no module has.
    """
    mesh = device_mesh or current_mesh()
    if mesh.ndim != 1:
        raise ValueError(f"Currently only support 1D tensor parallelism, found mesh dims: {mesh.ndim}!")
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            f"Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, {parallelize_plan} found!"
        )
    for name, style in parallelize_plan.items():
        parts = [part for own, part in list(module.named_modules()) if fits(own, name)]
        if not parts:
            words = f"Parallelize plan key '{name}' could not be resolved: no submodule matches it."
            warnings.warn(words, stacklevel=2)
        for part in parts:
            parallelize_module(part, mesh, style, src_data_rank=src_data_rank)
    return module


def fits(own: str, pattern: str) -> bool:
    """Whether a name is of a pattern, between each two dots."""
    names, wanted = own.split("."), pattern.split(".")
    return len(names) == len(wanted) and all(map(fnmatch, names, wanted))
