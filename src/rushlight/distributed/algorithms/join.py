"""`torch.distributed.algorithms.join`: processes with unequal numbers of inputs.

A process without further inputs repeats the communication of the others until all are through.
https://docs.pytorch.org/docs/stable/distributed.algorithms.join.html
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from rushlight import distributed as dist
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.filled import ones, zeros

__all__ = ["Join", "JoinHook", "Joinable"]

LARGE_SKEW = 1000


class JoinHook:
    """What a process without inputs does for one `Joinable`; both methods do nothing by default."""

    def main_hook(self) -> None:
        """Repeats the communication of one step of the other processes; called once for each."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called once when all processes are through; `is_last_joiner` on those that were among the last."""


class JoinConfig(NamedTuple):
    """What the context manager tells its joinables."""

    enable: bool = False
    throw_on_early_termination: bool = False
    is_first_joinable: bool = False


class Joinable(ABC):
    """Base of classes that communicate in every step, and say how others take part without inputs."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = JoinConfig()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Returns what a process without inputs does; `kwargs` are those of `Join`."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device of the tensors that the context manager sends."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The group of the processes."""


class Join:
    """Context manager for a training loop in which processes have unequal numbers of inputs.

    At its end a process takes part in the communication of the others until all are through. With
    `throw_on_early_termination` every process raises RuntimeError as soon as one has no more inputs. Raises ValueError
    without joinables, or if their process groups differ.
    """

    def __init__(
        self,
        joinables: list[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable, self._throws = enable, throw_on_early_termination
        for joinable in joinables:
            joinable._join_config = JoinConfig(enable, throw_on_early_termination, joinable is joinables[0])
        self._group = joinables[0].join_process_group
        if any(joinable.join_process_group != self._group for joinable in joinables):
            raise ValueError("Using join context manager with multiple process groups")
        self._device = joinables[0].join_device

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if not self._enable or kind:
            return
        steps = 0
        while self._has_others():
            if self._throws:
                self._tell_to_stop()
            for hook in self._hooks:
                hook.main_hook()
            steps += 1
            if steps == LARGE_SKEW + 1:
                self._warn()
        for hook in self._hooks:
            hook.post_hook(steps == 0)

    def _has_others(self) -> bool:
        """Whether a process still has inputs: each of those adds one, this one zero."""
        count = zeros(1, device=self._device)
        dist.all_reduce(count, group=self._group)
        return count.item() > 0

    def _tell_to_stop(self) -> None:
        dist.all_reduce(ones(1, device=self._device), group=self._group)
        raise noted(
            RuntimeError(f"Rank {dist.get_rank(self._group)} exhausted all inputs."),
            "Other ranks have more. Without throw_on_early_termination=True they go on.",
        )

    def _warn(self) -> None:
        words = (
            f"Detected uneven input skew of greater than {LARGE_SKEW}. This means that rank "
            f"{dist.get_rank(self._group)} has at least {LARGE_SKEW} fewer inputs than other currently-active ranks. "
            "This level of skew could lead to performance degradation during training."
        )
        warnings.warn(words, stacklevel=3)

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Any:
        """Tells the others that this process has inputs; a joinable calls it before it communicates in a step.

        Returns the work, or None if another joinable does this or there is no context. Raises RuntimeError if the
        context is to throw and a process is through.
        """
        announced = announce(joinable)
        return announced and announced[0]


def announce(joinable: Joinable) -> tuple[Any, Tensor] | None:
    """As `notify_join_context`; also returns the tensor that will be the number of processes with inputs."""
    if not hasattr(joinable, "_join_config"):
        raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
    config = joinable._join_config
    if not config.is_first_joinable or not config.enable:
        return None
    device, group = joinable.join_device, joinable.join_process_group
    present = ones(1, device=device)
    work = dist.all_reduce(present, group=group, async_op=True)
    if config.throw_on_early_termination:
        stopped = zeros(1, device=device)
        dist.all_reduce(stopped, group=group)
        if stopped.item():
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
    return work, present
