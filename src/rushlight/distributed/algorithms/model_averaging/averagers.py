"""Averages models every few steps: local SGD (Lin, Stich, Patel and Jaggi, 2018)."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any

from rushlight import distributed as dist
from rushlight.distributed.algorithms.model_averaging import utils

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(ABC):
    """Base of averagers: `step` counts the calls of `average_parameters`."""

    def __init__(self, process_group: Any = None) -> None:
        self.process_group = dist.group.WORLD if process_group is None else process_group
        self.step = 0

    @abstractmethod
    def average_parameters(self, params: Any) -> None:
        """Averages parameters, or those of parameter groups, if it is time."""


class PeriodicModelAverager(ModelAverager):
    """Averages every `period` steps, beginning with step `warmup_steps`.

    Raises ValueError if the period is not positive or `warmup_steps` is negative.
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        check_steps(warmup_steps)
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warnings.warn(EVERY_STEP.format("When period"), stacklevel=2)
        self.period, self.warmup_steps = period, warmup_steps

    def average_parameters(self, params: Any) -> None:
        """Averages parameters, or those of parameter groups, that have gradients, if it is time."""
        if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1


EVERY_STEP = (
    "{} is 1, no need to use model averaging because the communication cost of all-reducing parameters will be no less "
    "than the cost of all-reducing gradients by DistributedDataParallel in the backward pass. Therefore, only "
    "DistributedDataParallel should be used for this case."
)


def check_steps(warmup_steps: int) -> None:
    """Raises ValueError if there are fewer than no steps."""
    if warmup_steps < 0:
        raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
