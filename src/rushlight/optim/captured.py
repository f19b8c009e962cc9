"""Steps of optimizers in captured graphs of GPU work (`torch.cuda.graph`), which replays repeat as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from rushlight.core.device import CAPTURING
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor


def captured_step(optimizer: Any, step: Callable[[], Any], has_closure: bool) -> Any:
    """Runs a step, and records it in the capture under way.

    Replays take the gradients and options as they are now, and go on counting steps. Raises RuntimeError for an
    optimizer that has the option `capturable`, and not set, and for a closure where the GPU's own capture does not
    call it.
    """
    if has_closure and not CAPTURING[-1].takes_closures:
        raise noted(
            RuntimeError("a step with a closure cannot be captured on this GPU"),
            "Each replay makes the step in Python: call forward and backward in the capture, and step() without one.",
        )
    groups = optimizer.param_groups
    if not all(group.get("capturable", True) for group in groups):
        name = type(optimizer).__name__
        raise noted(
            RuntimeError(
                f"Attempting CUDA graph capture of step() for an instance of {name} but param_groups' capturable is "
                "False."
            ),
            f"Write {name}(..., capturable=True).",
        )
    return CAPTURING[-1].whole(step, as_now(groups))


def as_now(groups: list[dict[str, Any]]) -> Callable[[], AbstractContextManager[None]]:
    """Returns what makes a context in which the gradients and the numbers among the options are those of now."""
    options = [{name: value for name, value in group.items() if isinstance(value, (int, float))} for group in groups]
    gradients = [(parameter, parameter.grad) for group in groups for parameter in group["params"]]
    return partial(restored, groups, options, gradients)


@contextmanager
def restored(
    groups: list[dict[str, Any]], options: list[dict[str, Any]], gradients: list[tuple[Tensor, Tensor | None]]
) -> Iterator[None]:
    """In the block, the options and gradients are these."""
    former = [{name: group[name] for name in chosen} for group, chosen in zip(groups, options, strict=True)]
    held = [parameter.grad for parameter, _ in gradients]
    for group, chosen in zip(groups, options, strict=True):
        group.update(chosen)
    for parameter, gradient in gradients:
        parameter.grad = gradient
    try:
        yield
    finally:
        for group, chosen in zip(groups, former, strict=True):
            group.update(chosen)
        for (parameter, _), gradient in zip(gradients, held, strict=True):
            parameter.grad = gradient
