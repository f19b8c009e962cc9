"""Optimizers' formulas on a GPU: one launch for all parameters, traced as those of the CPU are (`kernels.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from types import MethodType, SimpleNamespace
from typing import Any

from rushlight.lower.elementwise import ARRAY, FIXED, FLOATS, NUMBER
from rushlight.lower.ir import Untraceable
from rushlight.lower.nvptx.many import GpuUpdates
from rushlight.optim.kernels import MAX_KERNELS, OPTION, Kernels


class GpuKernels(Kernels):
    """The kernels of one optimizer on one GPU, by its options and state; None for a formula that cannot be traced."""

    def __init__(self, update: MethodType, options: Sequence[str], gpu: Any) -> None:
        super().__init__(update, options)
        self.gpu = gpu
        self.updates: dict[tuple, GpuUpdates | None] = {}

    def run(self, o: SimpleNamespace, state_names: Sequence[str], names: Sequence[str], rows: list[list]) -> bool:
        """Steps parameters in place; returns whether a kernel did.

        `rows` are lists of arrays: parameters, gradients and `names`.
        """
        dtype = rows[0][0].dtype
        tensors = list(zip(*rows, strict=True))
        if dtype not in FLOATS or not all(fits(arrays, dtype) for arrays in tensors):
            return False
        update = self._update_of(vars(o), state_names, names, dtype)
        if update is None:
            return False
        update(tensors, {f"{OPTION}{name}": value for name, value in vars(o).items()})
        return True

    def _update_of(self, options: dict[str, Any], state_names: Sequence[str], names: Sequence[str], dtype: Any):
        arguments = self._arguments(options, state_names, ("param", "gradient", *names))
        key = (dtype, *arguments)
        if key not in self.updates:
            if len(self.updates) >= MAX_KERNELS:
                return None
            try:
                self.updates[key] = self._traced(arguments, ("param", *names), dtype)
            except Untraceable:
                self.updates[key] = None
        return self.updates[key]

    def _traced(self, arguments: list, written: Sequence[str], dtype: Any) -> GpuUpdates:
        order = [argument.name for argument in arguments]

        def formula(values: dict[str, Any]) -> list:
            return self._results({name: values[name] for name in order}, written)

        arrays = [argument.name for argument in arguments if argument.kind == ARRAY]
        numbers = [argument for argument in arguments if argument.kind in (NUMBER, FIXED)]
        return GpuUpdates(self.gpu, formula, arrays, numbers, written, dtype)


def fits(arrays: Sequence[Any], dtype: Any) -> bool:
    """Whether the arrays of a parameter are contiguous, of one size and of a dtype."""
    return all(x.dtype == dtype and x.size == arrays[0].size and x.flags.c_contiguous for x in arrays)
