"""class Optimizer: parameter groups, state, hooks and `state_dict`; a method adds its defaults and its formula.

https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from collections.abc import Callable
from copy import deepcopy
from itertools import chain
from typing import Any

import rushlight._generated.functions as functions
import rushlight._generated.raw as raw
from rushlight.autograd.grad_mode import enable_grad, restore
from rushlight.core.handle import Hooks, RemovableHandle, active, register
from rushlight.core.modes import change, current
from rushlight.core.tensor import Tensor
from rushlight.dispatch.errors_of_numpy import IGNORED, reset_errors, set_errors


class Required:
    """The default of an option that every group must give."""

    def __repr__(self):
        return "<required parameter>"


required = Required()


def use_grad_for_differentiable(step):
    """Runs `step` under the grad mode that the optimizer's `differentiable` asks for."""

    @functools.wraps(step)
    def wrapped(self, *arguments, **keywords):
        before = current()
        change(grad=bool(self.defaults.get("differentiable")) and before.grad)
        try:
            return step(self, *arguments, **keywords)
        finally:
            restore(before)

    return wrapped


class Optimizer:
    """Base of all optimizers.

    `params` are tensors, (name, tensor) pairs, or dictionaries with a list of them under "params" and options of their
    own. Raises TypeError or ValueError for anything else.
    """

    __module__ = "torch.optim.optimizer"

    def __init__(self, params, defaults: dict[str, Any]):
        self.defaults = defaults
        self._pre_hooks, self._post_hooks = Hooks(), Hooks()
        self._state_dict_pre_hooks, self._state_dict_post_hooks = Hooks(), Hooks()
        self._load_pre_hooks, self._load_post_hooks = Hooks(), Hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params.type()
            )
        self.state: defaultdict = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)

    # ---- groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own; options that are missing take the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        if params and isinstance(params[0], tuple):
            param_group["param_names"] = [name for name, _ in params]
            params = [param for _, param in params]
        param_group["params"] = params
        self._check(params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        self._refuse_repeated(params)
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            with_names = "with" if "param_names" in param_group else "without"
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{with_names} names to the optimizer"
            )
        self.param_groups.append(param_group)

    def _check(self, params) -> None:
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {_type_name(param)}")
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")

    def _refuse_repeated(self, params) -> None:
        if len(params) != len({id(param) for param in params}):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                UserWarning,
                stacklevel=4,
            )
        known = {id(param) for group in self.param_groups for param in group["params"]}
        if not known.isdisjoint(id(param) for param in params):
            raise ValueError("some parameters appear in more than one parameter group")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or makes them zero."""
        for param in chain.from_iterable(group["params"] for group in self.param_groups):
            gradient = param.grad
            if gradient is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                gradient._edge = None
                gradient.zero_()

    # ---- steps

    def step(self, closure: Callable | None = None):
        """Updates the parameters; `closure`, if given, computes the loss again and returns it."""
        raise NotImplementedError

    def _evaluated(self, closure):
        """The loss that a closure returns, recorded."""
        if closure is None:
            return None
        with enable_grad():
            return closure()

    def _update(self, group: dict, update: Callable, names: tuple[str, ...]) -> None:
        """Applies `update(F, group, param, gradient, *state) -> (param, *state)` to every parameter with a gradient.

        The formula is written once. It runs on raw arrays, unless the step itself is to be differentiated.
        """
        recorded = current().grad
        errors = set_errors(IGNORED)
        try:
            for param in group["params"]:
                gradient = param.grad
                if gradient is None:
                    continue
                state = self._state_of(param, group)
                (_update_recorded if recorded else _update_raw)(update, group, param, gradient, state, names)
        finally:
            reset_errors(errors)

    def _state_of(self, param: Tensor, group: dict) -> dict:
        state = self.state.get(param)
        if not state:
            state = {}
            self.begin(state, param, group)
            if state:
                self.state[param] = state
        return state

    def begin(self, state: dict, param: Tensor, group: dict) -> None:
        """Fills the state of a parameter before its first step."""

    def register_step_pre_hook(self, hook) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before every step; it may return new arguments."""
        return register(self._pre_hooks, hook)

    def register_step_post_hook(self, hook) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after every step."""
        return register(self._post_hooks, hook)

    # ---- state_dict

    def state_dict(self) -> dict[str, Any]:
        """The state and the groups, with parameters numbered in order."""
        for hook in active(self._state_dict_pre_hooks):
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append({**packed, "params": [numbers[id(param)] for param in group["params"]]})
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        found: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in active(self._state_dict_post_hooks):
            found = hook(self, found) or found
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the state and the groups' options from what `state_dict` gave.

        Raises ValueError if the groups are not of the same number and sizes.
        """
        state_dict = dict(state_dict)
        for hook in active(self._load_pre_hooks):
            state_dict = hook(self, state_dict) or state_dict
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(mine["params"]) != len(other["params"]) for mine, other in zip(groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = chain.from_iterable(group["params"] for group in saved)
        params = dict(zip(numbers, chain.from_iterable(group["params"] for group in groups), strict=True))
        state: defaultdict = defaultdict(dict)
        for key, value in state_dict["state"].items():
            param = params.get(key)
            state[key if param is None else param] = value if param is None else _fitted(value, param)
        for mine, other in zip(groups, saved, strict=True):
            other["params"] = mine["params"]
            if "param_names" in mine and "param_names" not in other:
                other["param_names"] = mine["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in active(self._load_post_hooks):
            hook(self)

    def register_state_dict_pre_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` before `state_dict`."""
        return register(self._state_dict_pre_hooks, hook, prepend=prepend)

    def register_state_dict_post_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` after `state_dict`; it may return another."""
        return register(self._state_dict_post_hooks, hook, prepend=prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` before loading; it may return another."""
        return register(self._load_pre_hooks, hook, prepend=prepend)

    def register_load_state_dict_post_hook(self, hook, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` after loading."""
        return register(self._load_post_hooks, hook, prepend=prepend)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in HOOKS:
            self.__dict__.setdefault(name, Hooks())

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += ["" if number else None, f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join(each for each in lines if each is not None) + "\n)"


HOOKS = (
    "_pre_hooks", "_post_hooks", "_state_dict_pre_hooks", "_state_dict_post_hooks", "_load_pre_hooks",
    "_load_post_hooks",
)  # fmt: skip


def _type_name(value) -> str:
    return f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")


def _with_hooks(step):
    """Runs the step hooks around a `step`, and `step` itself without recording."""
    step = use_grad_for_differentiable(step)

    @functools.wraps(step)
    def hooked(self, *arguments, **keywords):
        for hook in active(self._pre_hooks):
            changed = hook(self, (self, *arguments), keywords)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{hook} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                (_, *arguments), keywords = changed
        result = step(self, *arguments, **keywords)
        for hook in active(self._post_hooks):
            hook(self, (self, *arguments), keywords)
        return result

    return hooked


def _update_raw(update, group, param, gradient, state, names) -> None:
    arrays = [None if state.get(name) is None else state[name]._array for name in names]
    changed, *states = update(raw, group, state, param._array, gradient._array, *arrays)
    param._array[...] = changed
    param._storage.written()
    for name, array in zip(names, states, strict=True):
        if array is not None:
            _keep(state, name, array, param)


def _keep(state, name, array, param) -> None:
    tensor = state.get(name)
    if tensor is None:
        state[name] = functions.zeros_of(param.detach())
        tensor = state[name]
    tensor._array[...] = array
    tensor._storage.written()


def _update_recorded(update, group, param, gradient, state, names) -> None:
    changed, *states = update(functions, group, state, param, gradient, *(state.get(name) for name in names))
    param.copy_(changed)
    state.update({name: value for name, value in zip(names, states, strict=True) if value is not None})


def _fitted(state: Any, param: Tensor, key: str | None = None):
    """Loaded state in the dtype and on the device of its parameter; step counts stay as they are."""
    if isinstance(state, Tensor):
        if key == "step":
            return state
        return state.to(dtype=param.dtype, device=param.device) if param.is_floating_point() else state.to(param.device)
    if isinstance(state, dict):
        return {name: _fitted(value, param, name) for name, value in state.items()}
    if isinstance(state, (list, tuple)):
        return type(state)(_fitted(each, param) for each in state)
    return state


def check_rate(lr) -> None:
    """Raises ValueError for a learning rate that is negative, or a tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not number(lr) >= 0.0:
        raise ValueError(f"Invalid learning rate: {lr}")


def number(value) -> float:
    """An option that may be a number or a tensor, as a number."""
    return value.item() if isinstance(value, Tensor) else value
