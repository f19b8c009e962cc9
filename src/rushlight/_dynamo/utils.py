"""`torch._dynamo.utils`: counts that tests and logs of programs read, and checks before they call `torch.compile`."""

from __future__ import annotations

from typing import Any

from rushlight.capture.report import COUNTERS

counters = COUNTERS  # by group: frames, stats, graph_break, recompiles


def is_compile_supported(device_type: str) -> bool:
    """Whether `torch.compile` supports a device type: only the CPU."""
    return device_type == "cpu"


def compile_times(repr: str = "str", aggregate: bool = False) -> Any:
    """Returns PyTorch's table of times of its phases, which is empty here: headers and values, or text."""
    return ([], []) if repr == "csv" else "TorchDynamo compilation metrics:\n"
