"""`torch.distributed._functional_collectives`: collectives that return new tensors, and that gradients go through.

They have waited when they return, so there is nothing to wait for later.
"""

from __future__ import annotations

from rushlight.core.tensor import Tensor
from rushlight.create.filled import empty
from rushlight.distributed.nn import functional
from rushlight.distributed.process_group import ProcessGroup

__all__ = ["all_to_all_single", "all_to_all_single_autograd", "wait_tensor"]


def wait_tensor(tensor: Tensor) -> Tensor:
    """Returns a result of these collectives, which is there already."""
    return tensor


def all_to_all_single(
    self: Tensor,
    output_split_sizes: list[int] | None,
    input_split_sizes: list[int] | None,
    group: ProcessGroup,
    tag: str = "",
) -> Tensor:
    """Returns the rows that every rank has sent to this one; equally many from each without sizes.

    Raises AssertionError unless both sizes are given, or none.
    """
    if (output_split_sizes is None) != (input_split_sizes is None):
        words = "output_split_sizes and input_split_sizes must either be specified together or both set to None"
        raise AssertionError(words)
    rows = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    output = empty((rows, *self.shape[1:]), dtype=self.dtype, device=self.device)
    return functional.all_to_all_single(output, self, output_split_sizes, input_split_sizes, group)


all_to_all_single_autograd = all_to_all_single
