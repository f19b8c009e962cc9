"""Events of a profile: calls with their times, nested as they ran; `FunctionEvent`, `FunctionEventAvg`, `Interval`.

Times are in microseconds since the profile began, memory in bytes.
https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.profiler_util.FunctionEvent
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

ENGINE = "autograd::engine::evaluate_function: "  # before the names of nodes, as in PyTorch
UNITS = ((1e6, "s"), (1e3, "ms"), (1, "us"))


class DeviceType(IntEnum):
    """Where an event ran. Profiles here have events of the CPU only."""

    CPU = 0
    CUDA = 1


def time_text(microseconds: float) -> str:
    """Returns a time with its unit.

    >>> time_text(1234.5)
    '1.234ms'
    """
    size, unit = next((pair for pair in UNITS if microseconds >= pair[0]), UNITS[-1])
    return f"{microseconds / size:.3f}{unit}"


class Interval:
    """When something ran: from `start` to `end`, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """Returns the time between start and end."""
        return self.end - self.start


class Times:
    """Times of an event, or of several of one name, as numbers and as text. Nothing runs on another device."""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    device_time_total = self_device_time_total = device_time = cuda_time = cuda_time_total = self_cuda_time_total = 0
    device_memory_usage = self_device_memory_usage = self_cuda_memory_usage = 0
    is_async = is_remote = is_legacy = False
    use_device = None
    device_type = DeviceType.CPU
    node_id, scope, overload_name = -1, 0, ""

    @property
    def cpu_time(self) -> float:
        """The mean time of a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return time_text(self.self_cpu_time_total)

    @property
    def device_time_str(self) -> str:
        return time_text(0)

    device_time_total_str = self_device_time_total_str = device_time_str


class FunctionEvent(Times):
    """One call: of an operator, a node of a backward pass, a marked block.

    `cpu_children` are the calls inside, in order. `stack` has lines of the program, the innermost first; `flops` is
    the number of floating-point operations, 0 where it is not known.
    """

    count = 1

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        *,
        node_id: int = -1,
        category: str = "cpu_op",
        input_shapes: list | None = None,
        concrete_inputs: list | None = None,
        input_dtypes: list | None = None,
        stack: list[str] | None = None,
        cpu_memory_usage: int = 0,
        sequence_nr: int = -1,
        flops: int = 0,
        moved: int = 0,
    ) -> None:
        self.id, self.trace_name, self.thread, self.category = id, name, thread, category
        self.node_id = node_id
        self.name = self.key = "ProfilerStep*" if name.startswith("ProfilerStep#") else name
        self.time_range = Interval(start_us, end_us)
        self.input_shapes, self.concrete_inputs = input_shapes or [], concrete_inputs or []
        self.input_dtypes = input_dtypes or []
        self.stack = stack or []
        self.cpu_memory_usage, self.self_cpu_memory_usage = cpu_memory_usage, cpu_memory_usage
        self.sequence_nr, self.flops, self.moved = sequence_nr, flops, moved
        self.fwd_thread: int | None = None
        self.kernels: list = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.self_cpu_time_total = self.time_range.elapsed_us()

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        return self.time_range.elapsed_us()

    @property
    def is_user_annotation(self) -> bool:
        """Whether the program marked it, or it is a step or a batch."""
        return self.category == "user_annotation"

    @property
    def is_python_function(self) -> bool:
        """Whether it is a call of a module."""
        return self.category == "python_function"

    @property
    def is_backward(self) -> bool:
        """Whether it is a node of a backward pass, or inside one."""
        here: FunctionEvent | None = self
        while here is not None and not here.name.startswith(ENGINE):
            here = here.cpu_parent
        return here is not None

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Adds a call that ran inside; its time and memory are no longer those of this call itself."""
        self.cpu_children.append(child)
        child.cpu_parent = self
        self.self_cpu_time_total -= child.cpu_time_total

    def __repr__(self) -> str:
        children = [child.id for child in self.cpu_children]
        return (
            f"<FunctionEvent id={self.id} name={self.name} device_type={self.device_type.name} "
            f"cpu_time={self.cpu_time_str} start_us={self.time_range.start:.3f} end_us={self.time_range.end:.3f} "
            f"cpu_children={children} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} seq_nr={self.sequence_nr}>"
        )


class FunctionEventAvg(Times):
    """All calls of one name, and of one form or line where they are grouped by it."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = self.flops = self.moved = 0
        self.input_shapes: Any = None
        self.stack: list[str] = []
        self.is_user_annotation = False

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Adds the times, memory and operations of one call, or of other ones."""
        if self.key is None:
            self.key, self.input_shapes, self.stack = other.key, other.input_shapes, other.stack
            self.is_user_annotation = other.is_user_annotation
        self.count += other.count
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.flops += other.flops
        self.moved += other.moved
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )
