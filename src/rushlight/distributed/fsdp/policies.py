"""In which dtypes a sharded module computes and reduces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["CPUOffloadPolicy", "MixedPrecisionPolicy", "OffloadPolicy"]


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of parameters in forward and backward, of the reduction of gradients, and of outputs.

    None leaves a dtype as it is; gradients are then reduced in that of the parameters. The optimizer always works on
    the parameters' own dtype. With `cast_forward_inputs` floating-point inputs are cast to `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Keeps the parameters where they are."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Keeps the parameters in the CPU's memory, where they are already without a GPU."""

    pin_memory: bool = True
