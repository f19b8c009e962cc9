"""Averaged models: stochastic weight averaging (Izmailov et al. 2018) and exponential moving averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.annotations import Device
from rushlight.core.dtype import int64
from rushlight.core.tensor import Tensor
from rushlight.create.filled import scalar_tensor
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.nn.modules.module import Module
from rushlight.optim.lr_scheduler.scheduler import LRScheduler, for_each_group
from rushlight.optim.optimizer import Optimizer

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """Returns a function that updates lists of averages in place: `decay * average + (1 - decay) * current`.

    Raises ValueError for a decay outside [0, 1].
    """
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if is_inexact(average):
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., Any]:
    """Returns a function that adds one more model to lists of equally weighted averages, in place."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if is_inexact(average):
                average.lerp_(current, float(1 / (num_averaged + 1)))
            elif isinstance(num_averaged, Tensor):
                average.addcdiv_(current - average, num_averaged + 1)
            else:
                average.add_(current - average, alpha=1.0 / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """Returns a function of `decay * average + (1 - decay) * current`. Raises ValueError for a decay outside [0, 1]."""
    check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Any]:
    """Returns a function that computes the equally weighted average with one more model."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def check_decay(decay) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def is_inexact(tensor: Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


class AveragedModel(Module):
    """A copy of a model whose parameters are averages: of equal weight unless an averaging function is given.

    The first `update_parameters` copies. `avg_fn` averages one parameter, `multi_avg_fn` lists of them in place. With
    `use_buffers` buffers are averaged too, otherwise they follow the model. https://arxiv.org/abs/1803.05407
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Device = None,
        avg_fn: Callable[..., Any] | None = None,
        multi_avg_fn: Callable[..., Any] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", scalar_tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the output of the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Adds the parameters of one more model to the averages."""
        # PyTorch stops where the shorter of the two does
        pairs = list(zip(self._averaged(self.module), self._averaged(model), strict=False))
        averages = [average.detach() for average, _ in pairs]
        currents = [current.detach().to(average.device) for average, current in pairs]
        if self.n_averaged == 0:
            for average, current in zip(averages, currents, strict=True):
                average.copy_(current)
        elif self.multi_avg_fn is not None:
            self._update_lists(averages, currents)
        else:
            update = self.avg_fn or get_swa_avg_fn()
            for average, current in zip(averages, currents, strict=True):
                average.copy_(update(average, current, self.n_averaged.to(average.device)))
        if not self.use_buffers:
            for mine, its in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(its.detach().to(mine.device))
        self.n_averaged += 1

    def _averaged(self, model) -> list[Tensor]:
        return list(chain(model.parameters(), model.buffers() if self.use_buffers else ()))

    def _update_lists(self, averages: list[Tensor], currents: list[Tensor]) -> None:
        """Updates the lists of one device and dtype at a time."""
        alike: dict[Any, tuple[list[Tensor], list[Tensor]]] = {}
        for average, current in zip(averages, currents, strict=True):
            mine, its = alike.setdefault((average.device, average.dtype), ([], []))
            mine.append(average)
            its.append(current)
        for (device, _), (mine, its) in alike.items():
            self.multi_avg_fn(mine, its, self.n_averaged.to(device))  # type: ignore[misc]


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Device = None) -> None:
    """Recomputes the running statistics of all batch normalizations, in one pass over the data.

    A batch is a tensor, or a list or tuple that begins with one.
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None  # a plain average over all batches
    for batch in loader:
        batch = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(batch if device is None else batch.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


def linear(part: float) -> float:
    """Linear annealing."""
    return part


def cosine(part: float) -> float:
    """Cosine annealing: slow at both ends."""
    return (1 - math.cos(math.pi * part)) / 2


class SWALR(LRScheduler):
    """Anneals from the current rate of each group to `swa_lr` in `anneal_epochs`, then constant."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _set_anneal_func(self, anneal_strategy: str) -> None:
        self._anneal_strategy = anneal_strategy
        self.anneal_func = cosine if anneal_strategy == "cos" else linear

    def get_lr(self) -> list:
        """Returns the next rate of each group."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (
            self.anneal_func(max(0, min(1, count / max(1, self.anneal_epochs)))) for count in (step - 1, step)
        )
        return [
            group["swa_lr"] * now + initial_rate(group["lr"], group["swa_lr"], before) * (1 - now)
            for group in self.optimizer.param_groups
        ]

    def state_dict(self) -> dict[str, Any]:
        """Returns all attributes except the optimizer and the function."""
        return self._without("optimizer", "anneal_func")

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that `state_dict` returned."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)


def initial_rate(rate, final_rate, part: float):
    """Returns the rate at which the annealing began, computed from the current one."""
    return final_rate if part == 1 else (rate - part * final_rate) / (1 - part)
