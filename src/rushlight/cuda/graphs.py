"""`torch.cuda.graphs`: work of a GPU that is captured once and replayed.

On a simulated GPU a replay computes the captured operations again, on the same memory: the numbers are those of a GPU,
and so is what may not be done in a capture; the time is not.
https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight import cuda
from rushlight.core.device import BACKENDS, CAPTURING
from rushlight.core.errors import noted
from rushlight.cuda._capture import Capture, Recorded
from rushlight.cuda._graphed import graphed
from rushlight.cuda._stream_capture import StreamCapture
from rushlight.cuda.memory import empty_cache, new_pool
from rushlight.cuda.streams import SIMULATE, Stream, current_stream, stream

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]


def need_gpu_for(name: str) -> None:
    if "cuda" not in BACKENDS.by_kind:
        raise noted(RuntimeError(f"Tried to instantiate dummy base class {name}"), SIMULATE)


def is_current_stream_capturing() -> bool:
    """Whether work on the current stream is being captured.

    PyTorch's CPU build raises here; its GPU builds return False if nothing is captured.
    """
    return any(capture.is_on for capture in CAPTURING)


def graph_pool_handle() -> tuple[int, int]:
    """Returns the name of a new memory pool, for graphs that share it. Raises RuntimeError if there is no GPU."""
    need_gpu_for("_graph_pool_handle")
    return new_pool()


class CUDAGraph:
    """Captured work. Raises RuntimeError if there is no GPU.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     x = torch.ones(2, device="cuda")
    ...     g = torch.cuda.CUDAGraph()
    ...     with torch.cuda.graph(g):
    ...         y = x * 3
    ...     _ = x.copy_(torch.full((2,), 5.0))
    ...     g.replay()
    ...     y
    tensor([15., 15.], device='cuda:0')
    """

    __module__ = "torch.cuda"

    def __init__(self, keep_graph: bool = False) -> None:
        need_gpu_for("CUDAGraph")
        self._capture: Recorded | None = None
        self._pool: tuple[int, int] | None = None
        self._ended = False

    def capture_begin(
        self,
        pool: tuple[int, int] | None = None,
        capture_error_mode: str = "global",
        check_input_liveness: bool = False,
    ) -> None:
        """Starts the capture of this thread's work. Raises RuntimeError for the default stream and a second capture."""
        if capture_error_mode not in ("global", "thread_local", "relaxed"):
            words = "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got "
            raise RuntimeError(words + capture_error_mode)
        if self._capture is not None:
            raise RuntimeError(
                "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance."
            )
        if not current_stream().stream_id:
            raise noted(
                RuntimeError(
                    "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay "
                    "them on the default stream.)"
                ),
                "`with torch.cuda.graph(g):` chooses one.",
            )
        self._pool = pool or new_pool()
        backend: Any = BACKENDS.by_kind["cuda"].at(None)
        by_stream = backend.captures_streams
        capture = StreamCapture(backend, current_stream(), self._pool) if by_stream else Capture()
        capture.begin()
        here().pools.append(self._pool)
        self._capture = capture

    def capture_end(self) -> None:
        """Ends the capture. Raises AcceleratorError if something was not permitted in it."""
        if self._capture is None or self._capture not in CAPTURING:
            raise RuntimeError("Called CUDAGraph::capture_end without a preceding successful capture_begin.")
        here().pools.pop()
        capture = self._capture
        try:
            capture.end()
        except RuntimeError:
            self._capture = None
            raise
        self._ended = True

    def instantiate(self) -> None:
        """Prepares the replay."""
        self._captured("instantiate").prepare()

    def replay(self) -> None:
        """Does the captured work again, on the memory of the capture. Raises RuntimeError before a capture."""
        self._captured("replay").replay()

    def _captured(self, name: str) -> Recorded:
        if self._capture is None or not self._ended:
            raise RuntimeError(f"Called CUDAGraph::{name} without a preceding successful capture.")
        return self._capture

    def reset(self) -> None:
        """Forgets what was captured; its memory is free as soon as no tensor of the program is on it."""
        self._capture, self._ended = None, False

    def pool(self) -> tuple[int, int]:
        """Returns the name of the memory pool, for graphs that are to share it."""
        self._captured("pool")
        return self._pool  # type: ignore[return-value]

    def enable_debug_mode(self) -> None:
        """Does nothing: `debug_dump` needs no preparation here."""

    def debug_dump(self, debug_path: str) -> None:
        """Writes the captured steps to a file, one a line."""
        capture = self._captured("debug_dump")
        with open(debug_path, "w", encoding="utf-8") as file:
            file.writelines(f"{number} {step.__qualname__}\n" for number, step in enumerate(capture.steps))

    def raw_cuda_graph(self) -> NoReturn:
        """Returns the address of CUDA's graph. Raises RuntimeError: a simulated GPU has none."""
        raise RuntimeError("A simulated GPU has no cudaGraph_t: its captured work is a list of Python functions.")

    raw_cuda_graph_exec = get_graph_data = raw_cuda_graph


def here() -> Any:
    """Returns what this thread has chosen: devices, streams and pools."""
    backend: Any = BACKENDS.by_kind["cuda"]
    return backend.devices.here


class graph:
    """Captures the work of a `with` block, on a stream of its own unless one is given."""

    default_capture_stream: Stream | None = None

    def __init__(
        self, cuda_graph: CUDAGraph, pool: Any = None, stream: Any = None, capture_error_mode: str = "global",
        enable_annotations: bool = False, check_input_liveness: bool = False,
    ) -> None:  # fmt: skip
        self.capture_stream = Stream() if stream is None else stream
        self.cuda_graph, self.pool, self.capture_error_mode = cuda_graph, pool, capture_error_mode
        self.stream_ctx: Any = None

    def __enter__(self) -> None:
        cuda.synchronize()
        empty_cache()
        self.stream_ctx = stream(self.capture_stream)
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, *exception: object) -> None:
        try:
            self.cuda_graph.capture_end()
        finally:
            self.stream_ctx.__exit__(*exception)


def make_graphed_callables(
    callables: Any, sample_args: Any, num_warmup_iters: int = 3, allow_unused_input: bool = False, pool: Any = None
) -> Any:
    """Returns functions or modules whose forward and backward work is captured: replacements in a training loop.

    `sample_args` are tensors of the shapes, dtypes and `requires_grad` of the later calls; a tuple of such tuples for a
    tuple of callables. Raises RuntimeError if there is no GPU, or autocast keeps casts.
    """
    need_gpu_for("CUDAGraph")
    several = isinstance(callables, tuple)
    pairs = list(zip(callables, sample_args, strict=True)) if several else [(callables, sample_args)]
    made = graphed(pairs, num_warmup_iters, allow_unused_input, pool or new_pool(), CUDAGraph, graph)
    return tuple(made) if several else made[0]
