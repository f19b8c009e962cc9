"""Cosine annealing (Loshchilov, Hutter 2017: SGDR)."""

from __future__ import annotations

import math

from rushlight.optim.lr_scheduler.scheduler import LRScheduler
from rushlight.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """Follows half a cosine from the initial rate to `eta_min` in `T_max` epochs, then back up.

    The next rate is computed from the current one, so that other schedules may change it in between.
    https://arxiv.org/abs/1608.03983
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Returns the next rate of each group."""
        self._warn_outside_step()
        epoch, period = self.last_epoch, self.T_max
        rates = self._of_groups("lr")
        if self._is_initial:
            return rates
        if self._step_count == 1 and epoch > 0:
            return [self._at(rate, math.cos(epoch * math.pi / period)) for rate in self.base_lrs]
        if (epoch - 1 - period) % (2 * period) == 0:
            # The last rate was the lowest: the recursion would divide zero by zero
            rise = 1 - math.cos(math.pi / period)
            return [rate + (base - self.eta_min) * rise / 2 for rate, base in zip(rates, self.base_lrs, strict=True)]
        ratio = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [ratio * (rate - self.eta_min) + self.eta_min for rate in rates]

    def _get_closed_form_lr(self) -> list:
        return [self._at(rate, math.cos(math.pi * self.last_epoch / self.T_max)) for rate in self.base_lrs]

    def _at(self, rate, cosine: float):
        return self.eta_min + (rate - self.eta_min) * (1 + cosine) / 2


class CosineAnnealingWarmRestarts(LRScheduler):
    """Follows half a cosine to `eta_min` in `T_0` epochs, then restarts; each period is `T_mult` times as long.

    `step(epoch)` takes fractions of epochs. https://arxiv.org/abs/1608.03983
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Returns the next rate of each group."""
        self._warn_outside_step()
        return [
            self.eta_min + (rate - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
            for rate in self.base_lrs
        ]

    def step(self, epoch: float | None = None) -> None:
        """Sets the rates of the next epoch, or of `epoch`, which may be fractional."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with self._may_get_lr():
            rates = self.get_lr()
        self._set(rates)

    def _go_to(self, epoch) -> None:
        """Finds the period of an epoch, and the position in it."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
