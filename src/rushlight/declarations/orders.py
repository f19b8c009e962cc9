"""Whether a derivative is differentiated again: if not, one kernel may compute it."""

from __future__ import annotations

from rushlight.core.device import is_on_gpu
from rushlight.core.modes import recording
from rushlight.core.tensor import Tensor


def is_last_order(gradient, *values) -> bool:
    """Whether only the numbers of a derivative are wanted, computed from a gradient and from values, some of them None.

    Those of the CPU travel as raw arrays then, those of a GPU as tensors that nothing records.
    """
    if not isinstance(gradient, Tensor):
        return True
    tensors = [gradient, *[each for each in values if each is not None]]
    return not recording() and all(is_on_gpu(each._array) for each in tensors)
