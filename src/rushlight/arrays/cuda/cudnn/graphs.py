"""The graphs of one GPU: built at the first call of their kind, and queued on the current stream."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import local
from typing import Any

import numpy as np

from rushlight.arrays.cuda.cudnn.layouts import Layout, layout_of
from rushlight.arrays.cuda.cudnn.plans import Call, Plan, planned
from rushlight.arrays.cuda.cudnn.trials import LIMIT, quickest
from rushlight.core.determinism import DETERMINISM

PLANS = 1_000  # that a thread keeps for one GPU; the one that was not used for the longest time goes first


class OfThread(local):
    """What a thread has: a handle of cuDNN's, and plans, neither of which two threads may share."""

    def __init__(self) -> None:
        self.handle: Any = None  # made on first use, when the device is current
        self.plans: OrderedDict[tuple, Plan | None] = OrderedDict()  # the one that was used last is the last


class Graphs:
    """What cuDNN computes on one GPU.

    `library` is the module `cudnn`, `switches` is `torch.backends.cudnn`; `allows_attention` returns whether attention
    may be cuDNN's.
    """

    def __init__(
        self, library: Any, cupy: Any, switches: Any, allows_attention: Callable[[], bool], most: int = PLANS
    ) -> None:
        self.library, self.cupy, self.switches, self.most = library, cupy, switches, most
        self.allows_attention = allows_attention
        self.here = OfThread()

    def is_deterministic(self) -> bool:
        """Whether the program wants kernels that give the same bits each time."""
        return bool(self.switches.deterministic) or DETERMINISM.wanted

    def run(self, call: Call, operands: Sequence[Any], results: Sequence[Any]) -> bool:
        """Queues a call that fills the results; returns whether cuDNN computes it.

        An operand that is an array of NumPy's is a number, passed by value. A result may be one of the operands.
        """
        if not self.switches.enabled:
            return False
        if self.is_deterministic():
            call = call._replace(avoided=(*call.avoided, "NONDETERMINISTIC"))
        plan = self.plan(call, operands, results)
        if plan is not None:
            self.execute(plan, (*operands, *results))
        return plan is not None

    def plan(self, call: Call, operands: Sequence[Any], results: Sequence[Any]) -> Plan | None:
        """Returns the plan for calls of this kind, made at the first of them; None if cuDNN has no kernel."""
        layouts = tuple(layout_of(each) for each in (*operands, *results))
        key, plans = (call, layouts, self.switches.benchmark), self.here.plans
        if key in plans:
            plans.move_to_end(key)
        else:
            plans[key] = self.chosen(call, layouts, operands, results)
            if len(plans) > self.most:
                plans.popitem(last=False)
        return plans[key]

    def chosen(
        self, call: Call, layouts: tuple[Layout, ...], operands: Sequence[Any], results: Sequence[Any]
    ) -> Plan | None:
        """Returns a plan that cuDNN's heuristics choose, or, if the switches say so, the quickest of some."""
        self.here.handle = self.here.handle or self.library.create_handle()
        most = None
        if self.switches.benchmark:
            most = LIMIT if self.switches.benchmark_limit is None else self.switches.benchmark_limit
        plans = planned(self.library, self.here.handle, call, layouts, most)
        return quickest(self.cupy, plans, self.execute, operands, results) if plans else None

    def execute(self, plan: Plan, arrays: Sequence[Any]) -> None:
        """Queues a plan on the current stream."""
        self.library.set_stream(handle=self.here.handle, stream=self.cupy.cuda.get_current_stream().ptr)
        workspace = self.cupy.empty(max(plan.workspace, 1), np.uint8)
        pointers = {tensor: address(array) for tensor, array in zip(plan.tensors, arrays, strict=True)}
        if plan.number is None:
            plan.graph.execute(pointers, workspace.data.ptr, handle=self.here.handle)
        else:
            plan.graph.execute_plan_at_index(pointers, workspace.data.ptr, plan.number, handle=self.here.handle)


def address(array: Any) -> int:
    """Returns the address of an array of the device, or of a number in the memory of the CPU."""
    return array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr
