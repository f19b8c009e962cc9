"""class LRScheduler: counts epochs, gets the rates from the schedule, and sets them in the optimizer."""

from __future__ import annotations

import functools
import types
import warnings
import weakref
from contextlib import contextmanager
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.optim.optimizer import Optimizer

HOW_TO = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    "to call `optimizer.step()` before `lr_scheduler.step()`. " + HOW_TO
)
TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. " + HOW_TO
)
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler:
    """Base of the schedules: `get_lr` returns the rate of each group at `last_epoch`.

    The constructor sets the first rates. A `last_epoch` other than -1 resumes from a checkpoint: the groups must then
    have their "initial_lr". Raises TypeError without an optimizer.
    """

    __module__ = __package__
    _get_lr_called_within_step = False
    _is_initial = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__module__.startswith(f"{__package__}."):
            cls.__module__ = __package__  # where programs find it

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", copied(group["lr"]))
        for number, group in enumerate(optimizer.param_groups):
            if "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a "
                    "fresh training run (not recommended)"
                )
        self.base_lrs = self._of_groups("initial_lr")
        self.last_epoch = last_epoch
        record_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def _of_groups(self, name: str) -> list:
        """Returns an option of every group; tensors are copied."""
        return [copied(group[name]) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Returns all attributes except the optimizer."""
        return self._without("optimizer")

    def _without(self, *names: str) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in names}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that `state_dict` returned. Load the optimizer's state too: it holds the groups' rates."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list:
        """Returns the rates that this schedule last set, one per group."""
        return self._last_lr

    def get_lr(self) -> list:
        """Returns the next rate of each group."""
        raise NotImplementedError

    def step(self, epoch: float | None = None) -> None:
        """Sets the rates of the next epoch, or of `epoch`, which is deprecated."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: float | None = None) -> None:
        with self._may_get_lr():
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch  # type: ignore[assignment]
                rates = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self._set(rates)

    @contextmanager
    def _may_get_lr(self):
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _set(self, rates: list) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = self._of_groups("lr")

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )


class _LRScheduler(LRScheduler):
    """The old name of the base class."""


def check_optimizer(optimizer) -> None:
    """Raises TypeError unless `optimizer` is an Optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def record_steps(optimizer: Optimizer) -> None:
    """Lets the optimizer record that it made a step, to warn of steps in the wrong order."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    function, reference = optimizer.step.__func__, weakref.ref(optimizer)  # type: ignore[attr-defined]

    @functools.wraps(function)
    def step(*arguments, **keywords):
        instance: Any = reference()
        instance._opt_called = True
        return types.MethodType(function, instance)(*arguments, **keywords)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    step._optimizer = reference  # type: ignore[attr-defined]
    optimizer.step = step  # type: ignore[method-assign]


def copied(value):
    """Returns a copy of a tensor; a number as it is."""
    return value.clone() if isinstance(value, Tensor) else value


def set_option(group: dict, name: str, value) -> None:
    """Sets an option of a group; a tensor is filled in place, since others may hold it."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value.squeeze() if isinstance(value, Tensor) else value)
    else:
        group[name] = value


def for_each_group(name: str, optimizer: Optimizer, value) -> list:
    """Returns one value per group. Raises ValueError for a list of another length."""
    groups = optimizer.param_groups
    if isinstance(value, (list, tuple)):
        if len(value) != len(groups):
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                f"param_groups has {len(groups)}."
            )
        return [copied(item) for item in value]
    return [copied(value) for _ in groups]


def state_of_function(function) -> dict[str, Any] | None:
    """Returns the attributes of a callable object, and None for a plain function."""
    return None if isinstance(function, types.FunctionType) else function.__dict__.copy()
