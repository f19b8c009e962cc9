"""`torch.utils.benchmark`: measures how long statements take, several times, and prints tables.

https://docs.pytorch.org/docs/stable/benchmark_utils.html
"""

from .compare import Colorize, Compare
from .measurement import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)  # fmt: skip
from .timer import Language, Timer, timer

__all__ = [
    "Colorize", "Compare", "Language", "Measurement", "TaskSpec", "Timer", "ordered_unique", "select_unit",
    "set_torch_threads", "timer", "trim_sigfig", "unit_to_english",
]  # fmt: skip
