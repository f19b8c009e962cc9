"""The graphs of one GPU: built at the first call of their kind, and queued on the current stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.arrays.cuda.cudnn.layouts import layout_of
from rushlight.arrays.cuda.cudnn.plans import Call, Plan, planned


class Graphs:
    """What cuDNN computes on one GPU. `library` is the module `cudnn`; `switches` is `torch.backends.cudnn`."""

    def __init__(self, library: Any, cupy: Any, switches: Any) -> None:
        self.library, self.cupy, self.switches = library, cupy, switches
        self.handle: Any = None  # made on first use, when the device is current
        self.plans: dict[tuple, Plan | None] = {}

    def run(self, call: Call, operands: Sequence[Any], results: Sequence[Any]) -> bool:
        """Queues a call that fills the results; returns whether cuDNN computes it.

        An operand that is an array of NumPy's is a number, passed by value. A result may be one of the operands.
        """
        if not self.switches.enabled:
            return False
        if self.switches.deterministic:
            call = call._replace(avoided=(*call.avoided, "NONDETERMINISTIC"))
        arrays = (*operands, *results)
        layouts = tuple(map(layout_of, arrays))
        key = call, layouts
        if key not in self.plans:
            self.handle = self.handle or self.library.create_handle()
            self.plans[key] = planned(self.library, self.handle, call, layouts)
        plan = self.plans[key]
        if plan is not None:
            self.execute(plan, arrays)
        return plan is not None

    def execute(self, plan: Plan, arrays: Sequence[Any]) -> None:
        """Queues a plan on the current stream."""
        self.library.set_stream(handle=self.handle, stream=self.cupy.cuda.get_current_stream().ptr)
        workspace = self.cupy.empty(max(plan.workspace, 1), np.uint8)
        pointers = {tensor: address(array) for tensor, array in zip(plan.tensors, arrays, strict=True)}
        plan.graph.execute(pointers, workspace.data.ptr, handle=self.handle)


def address(array: Any) -> int:
    """Returns the address of an array of the device, or of a number in the memory of the CPU."""
    return array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr
