"""Modules taken apart, as the former package functorch did: a function of parameters, and the parameters."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor
from rushlight.func.modules import functional_call
from rushlight.nn.modules.module import Module

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functional_init",
    "functional_init_with_buffers", "make_functional", "make_functional_with_buffers",
]  # fmt: skip


class FunctionalModule(Module):
    """A module as a function of its parameters: `f(parameters, *args)`."""

    def __init__(
        self, stateless_model: Module, param_names: tuple[str, ...], buffer_names: tuple[str, ...] = ()
    ) -> None:
        super().__init__()
        self.stateless_model, self.param_names, self.buffer_names = stateless_model, param_names, buffer_names

    def forward(self, params: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the module with other parameters, in the order of `param_names`."""
        return functional_call(self.stateless_model, dict(zip(self.param_names, params, strict=True)), args, kwargs)


class FunctionalModuleWithBuffers(FunctionalModule):
    """A module as a function of its parameters and buffers: `f(parameters, buffers, *args)`."""

    def forward(self, params: Any, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls the module with other parameters and buffers, in the order of their names."""
        state = dict(zip(self.param_names + self.buffer_names, (*params, *buffers), strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


def make_functional(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Tensor, ...]]:
    """A copy of a module as a function of its parameters, and the parameters. Raises RuntimeError if it has buffers."""
    if next(model.buffers(), None) is not None:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    names, parameters = _parameters(model, disable_autograd_tracking)
    return FunctionalModule(copy.deepcopy(model), names), parameters


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """A copy of a module as a function of its parameters and buffers, and both of these."""
    names, parameters = _parameters(model, disable_autograd_tracking)
    buffers = dict(model.named_buffers())
    function = FunctionalModuleWithBuffers(copy.deepcopy(model), names, tuple(buffers))
    return function, parameters, tuple([buffer.clone() for buffer in buffers.values()])


def _parameters(model: Module, disable_autograd_tracking: bool) -> tuple[tuple[str, ...], tuple[Tensor, ...]]:
    copied = dict(copy.deepcopy(model).named_parameters())
    if disable_autograd_tracking:
        for parameter in copied.values():
            parameter.requires_grad_(False)
    return tuple(copied), tuple(copied.values())


def combine_state_for_ensemble(
    models: Any,
) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Several modules of one class as one function, their parameters and their buffers, both stacked.

    Raises RuntimeError if the modules differ in class or in mode.
    """
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    functions, parameters, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    return functions[0], _stacked(parameters), _stacked(buffers)


def _stacked(states: tuple) -> tuple[Tensor, ...]:
    return tuple([F.stack(list(tensors)).detach() for tensors in zip(*states, strict=True)])


def functional_init(
    model_class: Callable[..., Module], ensemble_shape: tuple[int, ...] = (), device: Any = "cpu"
) -> Callable[..., tuple]:
    """Returns a function that makes a module, or `ensemble_shape[0]` of them, and takes them apart.

    It returns the parameters, stacked for several modules, a function of them and a tuple of inputs, and their names.
    Raises ValueError if `ensemble_shape` has more than one element.
    """

    def made(*args: Any, **kwargs: Any) -> tuple:
        function, parameters = _initialized(make_functional, model_class, ensemble_shape, device, args, kwargs)
        return parameters, lambda weights, data: function(weights, *data), function.param_names

    return made


def functional_init_with_buffers(
    model_class: Callable[..., Module], ensemble_shape: tuple[int, ...] = (), device: Any = "cpu"
) -> Callable[..., tuple]:
    """The same for modules with buffers: parameters, buffers, the function, and the names of both."""

    def made(*args: Any, **kwargs: Any) -> tuple:
        function, parameters, buffers = _initialized(
            make_functional_with_buffers, model_class, ensemble_shape, device, args, kwargs
        )
        names = (function.param_names, function.buffer_names)
        return parameters, buffers, lambda weights, buffers, data: function(weights, buffers, *data), *names

    return made


def _initialized(take_apart: Callable, model_class: Callable, shape: tuple, device: Any, args: tuple, kwargs: dict):
    if len(shape) >= 2:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    if not shape:
        return take_apart(model_class(*args, **kwargs).to(device))
    if shape[0] <= 0:
        raise ValueError(f"num_models {shape[0]} should be > 0")
    models = [model_class(*args, **kwargs).to(device) for _ in range(shape[0])]
    function, *states = zip(*map(take_apart, models), strict=True)
    return function[0], *map(_stacked, states)
