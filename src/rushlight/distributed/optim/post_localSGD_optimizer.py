"""An optimizer whose parameters are averaged over processes after some steps."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.distributed.algorithms.model_averaging.averagers import ModelAverager
from rushlight.optim.optimizer import Optimizer

__all__ = ["PostLocalSGDOptimizer"]


class PostLocalSGDOptimizer(Optimizer):
    """Runs the steps of `optim`, and after each lets `averager` average the parameters if it is time.

    Its `state_dict` has the number of steps that the averager has counted.
    """

    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None:
        self.optim, self.averager = optim, averager
        self.param_groups = optim.param_groups
        self.defaults = optim.defaults
        self._prepare_hooks()

    @property
    def state(self) -> Any:  # type: ignore[override]  # there is one state, that of `optim`
        """The state of the optimizer."""
        return self.optim.state

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the optimizer, and the averager's count under "step"."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads the state of the optimizer and the averager's count; warns if there is no count."""
        self.optim.load_state_dict(state_dict)
        if "step" not in state_dict:
            words = "Loaded state dict does not contain a step counter for an averager. Setting step counter to 0."
            warnings.warn(words, stacklevel=2)
        self.averager.step = state_dict.get("step", 0)

    def step(self, closure: Any = None) -> Any:
        """Runs a step of the optimizer, and averages if it is time."""
        loss = self.optim.step(closure)
        self.averager.average_parameters(params=self.param_groups)
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Removes the gradients."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters to the optimizer."""
        self.optim.add_param_group(param_group)
