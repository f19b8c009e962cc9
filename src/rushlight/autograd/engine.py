"""`Variable._execution_engine`: access to the backward pass that is running."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.autograd.nesting import NESTING


class ImperativeEngine:
    """The engine object; there is one."""

    __module__ = "torch._C"

    def queue_callback(self, callback: Callable[[], object]) -> None:
        """Calls a function when the pass that is running has accumulated its gradients; it may queue another.

        A pass that fails calls none. Raises RuntimeError outside of a pass.
        """
        if not NESTING.tasks:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        NESTING.tasks[-1].callbacks.append(callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether no running pass has targets, which reentrant checkpoints do not support."""
        return all(task.targets is None for task in NESTING.tasks)


ENGINE = ImperativeEngine()
