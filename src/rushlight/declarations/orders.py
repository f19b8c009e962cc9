"""Whether a derivative is differentiated again: if not, one kernel may compute it."""

from __future__ import annotations

from numpy import ndarray

from rushlight.core.device import is_on_gpu
from rushlight.core.modes import recording
from rushlight.core.tensor import Tensor
from rushlight.core.traced import RecordedArray


def is_last_order(gradient, *values, least: int = 0) -> bool:
    """Whether only the numbers of a derivative are wanted, computed from a gradient and from values, some of them None.

    Those of the CPU travel as raw arrays then, those of a GPU and of a program as tensors that nothing differentiates.
    A program whose gradients have no more than `least` elements fuses the formulas.
    """
    return is_last_order_on_cpu(gradient, *values, least=least) or (
        not recording() and all(map(is_on_gpu, arrays_of(gradient, *values)))
    )


def is_last_order_on_cpu(gradient, *values, least: int = 0) -> bool:
    """`is_last_order` for kernels that GPUs do not have."""
    if not isinstance(gradient, Tensor):
        return True
    return gradient._array.size > least and not recording() and are_of_program(arrays_of(gradient, *values))


def arrays_of(*tensors) -> list:
    """Returns the arrays of tensors, without those that are None."""
    return [each._array for each in tensors if each is not None]


def are_of_program(arrays: list) -> bool:
    """Whether arrays are those of a program that is being recorded, and of no transform inside, or constants of it."""
    kinds = set(map(type, arrays))
    return RecordedArray in kinds and kinds <= {RecordedArray, ndarray}
