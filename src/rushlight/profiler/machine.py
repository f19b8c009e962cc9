"""What this machine can do at most, against which the report holds the calls of a program."""

from __future__ import annotations

from typing import NamedTuple


class Machine(NamedTuple):
    """Rates per second: `bytes` of memory read or written, `flops` in a float32 matrix product."""

    bytes: float
    flops: float

    def least(self, moved: int, flops: int) -> tuple[float, str]:
        """Returns the least microseconds that a call can take, and what is the limit: `memory` or `processor`."""
        memory, processor = 1e6 * moved / self.bytes, 1e6 * flops / self.flops
        return (processor, "processor") if processor > memory else (memory, "memory")

    def __str__(self) -> str:
        return f"memory {self.bytes / 1e9:.1f} GB/s, float32 products {self.flops / 1e9:.0f} GFLOP/s"
