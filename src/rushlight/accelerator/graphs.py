"""`torch.accelerator.graphs`: work of a GPU that is captured once and replayed, as `torch.cuda.graphs` does it."""

from __future__ import annotations

from typing import Any, Self

from rushlight.accelerator._utils import check_there_is_one
from rushlight.cuda.graphs import CUDAGraph

__all__ = ["Graph"]


class Graph(CUDAGraph):
    """Captured work of a `with` block, on the current stream. Raises RuntimeError if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     x = torch.zeros(2, device="cuda")
    ...     graph = torch.accelerator.Graph()
    ...     with torch.Stream(), graph:
    ...         _ = x.add_(1)
    ...     graph.replay()
    ...     x
    tensor([2., 2.], device='cuda:0')
    """

    __module__ = "torch.accelerator"

    def __init__(
        self, keep_graph: bool = False, *, pool: tuple[int, int] | None = None, capture_error_mode: str = "default"
    ) -> None:
        check_there_is_one()
        super().__init__(keep_graph)
        self.graph_pool, self.capture_error_mode = pool, capture_error_mode

    def capture_begin(self, *args: Any) -> None:
        """Starts the capture of this thread's work."""
        mode = "global" if self.capture_error_mode == "default" else self.capture_error_mode
        super().capture_begin(self.graph_pool, mode)

    def __enter__(self) -> Self:
        self.capture_begin()
        return self

    def __exit__(self, *exception: object) -> None:
        self.capture_end()
