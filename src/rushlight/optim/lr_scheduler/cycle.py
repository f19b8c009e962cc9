"""Schedules that go up and down, with the momentum in the opposite direction (Smith 2017; Smith, Topin 2018)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rushlight.optim.lr_scheduler.scheduler import (
    LRScheduler,
    check_optimizer,
    for_each_group,
    set_option,
    state_of_function,
)
from rushlight.optim.optimizer import Optimizer


class MomentumCycle(LRScheduler):
    """Base of the schedules in this file: the momentum of each group, or the first of its betas."""

    def _begin_momentum(self, base_momentum, max_momentum, last_epoch: int) -> tuple[list, list]:
        """Checks that there is a momentum, sets it to its maximum, and returns both bounds for every group."""
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        lowest = for_each_group("base_momentum", optimizer, base_momentum)
        highest = for_each_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for group, low, high in zip(optimizer.param_groups, lowest, highest, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low
        return lowest, highest

    def _set_momentum(self, group: dict, momentum) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(MomentumCycle):
    """Goes from `base_lr` up to `max_lr` and back, every `step_size_up + step_size_down` steps.

    `mode` or `scale_fn` determines how the height changes from one cycle, or step, to the next.
    https://arxiv.org/abs/1506.01186
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: float = 2000,
        step_size_down: float | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", rate)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        step_size_up = float(step_size_up)
        self.total_size = step_size_up + (step_size_up if step_size_down is None else float(step_size_down))
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is None and self.mode in SCALES:
            make, self.scale_mode = SCALES[self.mode]
            self._scale_fn_ref = make(self.gamma)

    def scale_fn(self, x: float) -> float:
        """Returns the height of a cycle, or of a step, relative to the first."""
        return (self._scale_fn_ref if self._scale_fn_custom is None else self._scale_fn_custom)(x)

    def get_lr(self) -> list:
        """Returns the next rate of each group; sets the momentum."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        position = cycle if self.scale_mode == "cycle" else self.last_epoch
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            momentums = [high - (high - low) * part * self.scale_fn(position) for low, high in bounds]
            for group, momentum in zip(self.optimizer.param_groups, momentums, strict=True):
                self._set_momentum(group, momentum)
        bounds = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * part * self.scale_fn(position) for low, high in bounds]

    def state_dict(self) -> dict[str, Any]:
        """Returns all attributes except the optimizer; of `scale_fn`, the attributes of a callable object."""
        function = self._scale_fn_custom
        return {
            **self._without("optimizer", "_scale_fn_ref"),
            "_scale_fn_custom": None if function is None else state_of_function(function),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that `state_dict` returned; `scale_fn` stays."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])
        self._init_scale_fn()


def same_height(x):
    """All cycles have the same height."""
    return 1.0


def half_as_high(x):
    """Every cycle has half the height of the last."""
    return 1 / (2.0 ** (x - 1))


def exponential(gamma, x):
    """Every step has `gamma` times the height of the last."""
    return gamma**x


# mode: how to make the function from gamma, and its argument
SCALES: dict[str, tuple[Callable, str]] = {
    "triangular": (lambda gamma: same_height, "cycle"),
    "triangular2": (lambda gamma: half_as_high, "cycle"),
    "exp_range": (lambda gamma: partial(exponential, gamma), "iterations"),
}


class OneCycleLR(MomentumCycle):
    """Goes from `max_lr / div_factor` up to `max_lr` and down to far below, once over all training steps.

    With `three_phase` it goes down to the initial rate first, then to the lowest. https://arxiv.org/abs/1708.07120
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = number_of_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        max_lrs = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, max_lrs, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Returns the next rate of each group; sets the momentum. Raises ValueError after the last step."""
        self._warn_outside_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phase, part = self._place()
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal_func(*ends, part))
        return rates

    def _place(self) -> tuple[dict, float]:
        """Returns the phase of the current step, and the fraction of it that has passed."""
        start = 0.0
        for phase in self._schedule_phases:
            if self.last_epoch <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        return phase, (self.last_epoch - start) / (phase["end_step"] - start)

    def _anneal_func(self, start, end, part: float):
        # A state that an old release saved has the function itself, not its name.
        anneal = self.__dict__.get("anneal_func") or getattr(self, f"_annealing_{self._anneal_func_type}")
        return anneal(start, end, part)

    @staticmethod
    def _annealing_cos(start: Any, end: Any, pct: float) -> Any:
        """Goes from `start` to `end` along half a cosine."""
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start: Any, end: Any, pct: float) -> Any:
        """Goes from `start` to `end` along a line."""
        return (end - start) * pct + start


def number_of_steps(total_steps, epochs, steps_per_epoch) -> int:
    """Returns the number of training steps. Raises ValueError unless one of the two ways to specify it is used."""
    if total_steps is not None:
        return positive("total_steps", total_steps)
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return positive("epochs", epochs) * positive("steps_per_epoch", steps_per_epoch)


def positive(name: str, value) -> int:
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def phases(total: int, part_up: float, three: bool) -> list[dict[str, Any]]:
    """Returns the last step of each phase, and the options between which it anneals."""

    def phase(end_step, rates: str, momentums: str) -> dict[str, Any]:
        (start_lr, end_lr), (start, end) = rates.split(), momentums.split()
        return {
            "end_step": end_step, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start, "end_momentum": end,
        }  # fmt: skip

    up = phase(float(part_up * total) - 1, "initial_lr max_lr", "max_momentum base_momentum")
    if not three:
        return [up, phase(total - 1, "max_lr min_lr", "base_momentum max_momentum")]
    down = phase(float(2 * part_up * total) - 2, "max_lr initial_lr", "base_momentum max_momentum")
    return [up, down, phase(total - 1, "initial_lr min_lr", "max_momentum max_momentum")]
