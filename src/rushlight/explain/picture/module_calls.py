"""Records which module call made which steps, by two hooks that all modules share.

Steps are numbered by one clock, so a module call is an interval of it. Nothing is recorded per step, and nothing at all
outside the context.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from contextlib import ExitStack

from rushlight.core.clock import tick
from rushlight.explain.recording import lines
from rushlight.nn.modules.hooks import register_module_forward_hook, register_module_forward_pre_hook
from rushlight.nn.modules.module import Module


class ModuleCall:
    """A module call: its interval on the clock, and the call around it."""

    __slots__ = ("around", "began", "ended", "kind", "name", "names")

    def __init__(self, module: Module, around: ModuleCall | None):
        self.around = around
        self.kind = type(module).__name__
        if around is None:
            self.names = {id(module): name for name, module in module.named_modules()}
        else:
            self.names = around.names
        self.name = self.names.get(id(module), "")
        self.ended: float = float("inf")
        self.began = tick(None)

    @property
    def title(self) -> str:
        """`layers.0: Linear`, the name in the surrounding module; only the class for the outermost module."""
        outer = f"{self.around.name}." if self.around is not None and self.around.name else ""
        return f"{self.name.removeprefix(outer)}: {self.kind}" if self.name else self.kind


class Recording:
    """Records module calls, and the lines and shapes of operations, for `rushlight.draw`.

    >>> import rushlight as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    >>> with torch.draw.recording() as record:
    ...     loss = net(torch.ones(1, 2)).sum()
    >>> [call.title for call in record.calls]
    ['Sequential', '0: Linear', '1: Tanh']
    >>> "0: Linear" in torch.draw(loss, recording=record).svg()
    True
    """

    def __init__(self) -> None:
        self.calls: list[ModuleCall] = []
        self._open: list[ModuleCall] = []
        self._leave = ExitStack()

    def __enter__(self) -> Recording:
        self._thread = threading.get_ident()
        self._leave.enter_context(lines())
        self._leave.enter_context(register_module_forward_pre_hook(self._begin))
        self._leave.enter_context(register_module_forward_hook(self._end, always_call=True))
        return self

    def __exit__(self, *exception) -> None:
        self._leave.close()

    def _begin(self, module: Module, args) -> None:
        if threading.get_ident() == self._thread:
            call = ModuleCall(module, self._open[-1] if self._open else None)
            self._open.append(call)
            self.calls.append(call)

    def _end(self, module: Module, args, result) -> None:
        if threading.get_ident() == self._thread and self._open:
            self._open.pop().ended = tick(None)

    def calls_around(self, created: int) -> tuple[ModuleCall, ...]:
        """Returns the calls in which the step with this number was made, outermost first."""
        position = bisect_right(self.calls, created, key=lambda call: call.began)
        call = self.calls[position - 1] if position else None
        calls = []
        while call is not None:
            if call.ended > created:
                calls.append(call)
            call = call.around
        return tuple(reversed(calls))
