"""`torch.cuda.graphs`: captured and replayed GPU work. Not supported here.

https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs
"""

from typing import Any, NoReturn

from rushlight.core.errors import noted

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]

CALL = "Call the function itself: capturing saves the time of launching kernels, of which there are none here."


def refuse(name: str) -> NoReturn:
    raise noted(RuntimeError(f"Tried to instantiate dummy base class {name}"), CALL)


def is_current_stream_capturing() -> bool:
    """Whether work on the current stream is being captured: always False.

    PyTorch's CPU build raises here; its GPU builds return False if nothing is captured.
    """
    return False


def graph_pool_handle() -> NoReturn:
    """Returns the memory pool that graphs share. Raises RuntimeError: capture is not supported."""
    refuse("_graph_pool_handle")


class CUDAGraph:
    """Captured work. Raises RuntimeError when created: capture is not supported."""

    def __init__(self, keep_graph: bool = False) -> None:
        refuse("CUDAGraph")


class graph:
    """Captures the work of a `with` block. Raises RuntimeError when created: capture is not supported."""

    def __init__(self, cuda_graph: Any, pool: Any = None, stream: Any = None, capture_error_mode: str = "global"):
        raise noted(RuntimeError("torch.cuda.Stream requires CUDA support"), CALL)


def make_graphed_callables(
    callables: Any, sample_args: Any, num_warmup_iters: int = 3, allow_unused_input: bool = False, pool: Any = None
) -> NoReturn:
    """Captures functions. Raises RuntimeError: capture is not supported."""
    refuse("CUDAGraph")
