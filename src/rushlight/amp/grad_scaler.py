"""Loss scaling, so that small gradients do not vanish in float16.

The scale grows while gradients are finite and shrinks otherwise; a step with infinite gradients is skipped.
Micikevicius et al., "Mixed Precision Training", 2018, https://arxiv.org/abs/1710.03740, section 3.2.
"""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

import numpy as np

from rushlight.amp.unscaling import _amp_foreach_non_finite_check_and_unscale_, _amp_update_scale_
from rushlight.autograd import no_grad
from rushlight.core.device import BACKENDS, device
from rushlight.core.dtype import float16, float32, int32
from rushlight.core.tensor import Tensor
from rushlight.create.filled import full

PASSES_ITSELF = (
    "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near future "
    "GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let the optimizer "
    "use them directly."
)


class OptState(Enum):
    """The stage of an optimizer in this iteration."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    """Returns the scaler's state of one optimizer at the start of an iteration.

    `found_inf_per_device` has a tensor for each device of the gradients: not zero if one was infinite or NaN.
    """
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Multiplies losses by a scale, divides gradients by it before a step, and adapts the scale.

    >>> import rushlight as torch
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    >>> scaler.scale(model(torch.ones(1, 2)).sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> scaler.get_scale()
    1024.0
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and "cuda" not in BACKENDS.by_kind:
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._init_growth_tracker = init_scale, 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        # Created by the first call of `scale`, which gets the device.
        self._scale: Tensor | None = None
        self._growth_tracker: Any = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_refresh_per_optimizer_state)

    def _lazy_init_scale_growth_tracker(self, dev: device) -> None:
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = full((), self._init_scale, dtype=float32, device=dev)
        self._growth_tracker = full((), self._init_growth_tracker, dtype=int32, device=dev)

    def scale(self, outputs: Any) -> Any:
        """Multiplies the outputs, a tensor or a container of tensors, by the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            return outputs * self._scale.to(outputs.device)  # type: ignore[union-attr]
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled  # type: ignore[call-arg]
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer by the scale, in place: to inspect or clip them before `step`.

        Raises RuntimeError if they were already divided since the last `update`.
        """
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        factor = full((), float(np.float32(1.0 / float(scale.item()))), dtype=float32, device=scale.device)
        zero = full((), 0.0, dtype=float32, device=scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, factor, zero, False)
        state["stage"] = OptState.UNSCALED

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool
    ) -> dict[device, Tensor]:
        """Multiplies gradients by `inv_scale`; returns by device whether one was infinite or NaN."""
        flags: dict[device, Tensor] = {}
        with no_grad():
            for gradient in _gradients(optimizer, allow_fp16):
                if gradient.device not in flags:
                    flags[gradient.device] = found_inf.to(gradient.device, copy=True)
                flag, factor = flags[gradient.device], inv_scale.to(gradient.device)
                _amp_foreach_non_finite_check_and_unscale_([gradient], flag, factor)
        return flags

    def _check_inf_per_device(self, optimizer: Any) -> dict[device, Tensor]:
        """Notes whether gradients are finite, without a change of them."""
        scale, _ = self._check_scale_growth_tracker("_check_inf_per_device")
        one, zero = (full((), number, dtype=float32, device=scale.device) for number in (1.0, 0.0))
        flags = self._unscale_grads_(optimizer, one, zero, True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = flags
        return flags

    def _found_inf_per_device(self, optimizer: Any) -> dict[device, Tensor]:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Steps with unscaled gradients; skips the step if a gradient is infinite or NaN.

        Returns the result of `optimizer.step(*args, **kwargs)`; None if the step was skipped.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_of_scaling(optimizer, state, args, kwargs)
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _maybe_opt_step(self, optimizer: Any, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Steps if all gradients were finite."""
        if any(flag.item() for flag in optimizer_state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def _step_of_scaling(self, optimizer, state, args, kwargs):
        """Steps an optimizer that divides by the scale itself: it reads its `grad_scale` and `found_inf`.

        In an older form `step` has a parameter `grad_scaler`.
        """
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(PASSES_ITSELF, FutureWarning, stacklevel=3)
            result = optimizer.step(*args, grad_scaler=self, **kwargs)
        else:
            result = self._step_with_scale(optimizer, state, args, kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _step_with_scale(self, optimizer, state, args, kwargs):
        own = getattr(optimizer, "grad_scale", None)
        if state["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
            own = self._scale if own is None else self._scale * own
        optimizer.grad_scale = own
        flags = [flag.to(self._scale.device) for flag in state["found_inf_per_device"].values()]
        optimizer.found_inf = sum(flags[1:], flags[0]) if flags else full((), 0.0, dtype=float32)
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Ends an iteration: the scale shrinks if a step was skipped, grows after enough successful steps.

        With `new_scale`, a float or a tensor of one element, sets the scale.
        """
        if not self._enabled:
            return
        scale, growth_tracker = self._check_scale_growth_tracker("update")
        if new_scale is None:
            self._adapt(scale, growth_tracker)
        elif isinstance(new_scale, float):
            scale.fill_(new_scale)
        else:
            if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                    "requires_grad=False."
                )
            scale.copy_(new_scale)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _adapt(self, scale: Tensor, growth_tracker: Tensor) -> None:
        states = self._per_optimizer_states.values()
        flags = [flag.to(scale.device) for state in states for flag in state["found_inf_per_device"].values()]
        if not flags:
            raise AssertionError("No inf checks were recorded prior to update.")
        found_inf = sum(flags[1:], flags[0])
        factors = self._growth_factor, self._backoff_factor
        _amp_update_scale_(scale, growth_tracker, found_inf, *factors, self._growth_interval)

    def _check_scale_growth_tracker(self, funcname: str) -> tuple[Tensor, Tensor]:
        """Returns the scale and the growth tracker, which the first call of `scale` created."""
        for name, value in (("_scale", self._scale), ("_growth_tracker", self._growth_tracker)):
            if value is None:
                raise AssertionError(
                    f"Attempted {funcname} but {name} is None.  This may indicate your script did not use "
                    "scaler.scale(loss or outputs) earlier in the iteration."
                )
        return self._scale, self._growth_tracker  # type: ignore[return-value]

    def _get_scale_async(self) -> Tensor | None:
        return self._scale

    def get_scale(self) -> float:
        """Returns the scale; 1 if the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def get_growth_factor(self) -> float:
        """Returns the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Returns the factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Returns the number of consecutive steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of consecutive steps after which the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether the scaler is enabled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Returns scale, factors, interval and consecutive steps so far; empty if the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that `state_dict` returned."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker())
            state.update(_scale=None, _growth_tracker=None)
        return state


def _gradients(optimizer: Any, allow_fp16: bool) -> Iterator[Tensor]:
    """Yields the gradients of an optimizer's parameters, of sparse ones the values.

    Raises ValueError for float16, which could not be unscaled without loss, unless `allow_fp16`.
    """
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if not isinstance(parameter, Tensor):
                raise AssertionError(f"expected param to be torch.Tensor, got {type(parameter).__name__}")
            if parameter.grad is None:
                continue
            if parameter.grad.dtype is float16 and not allow_fp16:
                raise ValueError("Attempting to unscale FP16 gradients.")
            if not parameter.grad.is_sparse:
                yield parameter.grad
                continue
            if parameter.grad.dtype is float16:  # the sum of two entries may be infinite
                parameter.grad = parameter.grad.coalesce()
            yield parameter.grad._values()
