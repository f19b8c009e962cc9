"""class Optimizer: parameter groups, state, hooks and `state_dict`; methods add their defaults and formula.

https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from copy import deepcopy
from itertools import chain
from types import SimpleNamespace
from typing import Any, TypeAlias, TypeVar

from rushlight.autograd.accumulate import clear
from rushlight.autograd.grad_mode import enable_grad
from rushlight.core.annotations import Params
from rushlight.core.device import CAPTURING
from rushlight.core.dtype import DEFAULTS, dtype, float32, float64
from rushlight.core.handle import Hooks, RemovableHandle, active, register
from rushlight.core.modes import MODE, change
from rushlight.core.numbers import python_number
from rushlight.core.source_lines import ENTRY, NOTING, enter
from rushlight.core.tensor import Tensor
from rushlight.core.traced import STACK
from rushlight.create.filled import scalar_tensor
from rushlight.optim import helpers
from rushlight.optim.captured import captured_step
from rushlight.optim.helpers import capturable_devices as _get_capturable_supported_devices  # noqa: F401
from rushlight.optim.helpers import default_to_fused_or_foreach as _default_to_fused_or_foreach  # noqa: F401
from rushlight.optim.helpers import foreach_devices as _get_foreach_kernels_supported_devices  # noqa: F401
from rushlight.optim.helpers import fused_devices as _get_fused_kernels_supported_devices  # noqa: F401

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

F = TypeVar("F", bound=Callable[..., Any])


class Required:
    """The default of an option that every group must set."""

    def __repr__(self):
        return "<required parameter>"


required = Required()

# Hooks of all optimizers at once.
BEFORE_EVERY_STEP, AFTER_EVERY_STEP = Hooks(), Hooks()
LISTENERS: list[Callable[[Any], None]] = []  # called with the `step` of a class of which the first object is made


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` before every step of every optimizer; it may return new arguments."""
    return register(BEFORE_EVERY_STEP, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` after every step of every optimizer."""
    return register(AFTER_EVERY_STEP, hook)


def use_grad_for_differentiable(step: F) -> F:
    """Runs `step` without recording, unless the optimizer is `differentiable`."""

    @functools.wraps(step)
    def wrapped(self, *arguments, **keywords):
        token = change(grad=bool(self.defaults["differentiable"]))
        try:
            return step(self, *arguments, **keywords)
        finally:
            MODE.reset(token)

    return wrapped  # type: ignore[return-value]


_use_grad_for_differentiable = use_grad_for_differentiable  # PyTorch's names, for third-party optimizers
_params_t = ParamsT


class Optimizer:
    """Base of all optimizers.

    `params` are tensors, (name, tensor) pairs, or dictionaries with a list of them under "params" and their own
    options. Raises TypeError or ValueError for anything else.
    """

    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._prepare_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params.type()
            )
        self.state: defaultdict = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    _group_tensors_by_device_and_dtype = staticmethod(helpers.grouped_by_device_and_dtype)

    def _prepare_hooks(self) -> None:
        for name in HOOKS:
            self.__dict__.setdefault(name, Hooks())
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)  # type: ignore[method-assign]
            for listen in LISTENERS:
                listen(cls.step)

    # ---- groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with their own options; missing options take the defaults.

        Raises TypeError or ValueError for what cannot be optimized, and for a parameter that is already in a group.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [entry[0] for entry in params if isinstance(entry, tuple)]
        params = [entry[1] if isinstance(entry, tuple) else entry for entry in params]
        param_group["params"] = params
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        self._check(params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        self._refuse_repeated(params)
        self._refuse_mixed_names(param_group)
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

    def _refuse_mixed_names(self, param_group) -> None:
        named = "param_names" in param_group
        if any(named != ("param_names" in group) for group in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if named else 'without'} names to the optimizer"
            )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients of all parameters to None, or to zero."""
        for group in self.param_groups:
            clear(group["params"], set_to_none)

    # ---- steps

    def step(self, closure: Callable | None = None) -> Any:
        """Updates the parameters; `closure`, if given, computes the loss again and returns it."""
        raise NotImplementedError

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]):
        """Wraps `func`, a `step`, in the hooks of all optimizers and of this one."""

        @functools.wraps(func)
        def hooked(*args, **kwargs):
            self = args[0]
            for level in STACK.get():
                if level.records:
                    level.check_step(self, hooked=bool(BEFORE_EVERY_STEP or AFTER_EVERY_STEP))  # type: ignore[attr-defined]
            for hook in [*BEFORE_EVERY_STEP.values(), *self._optimizer_step_pre_hooks.values()]:  # as `active`
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not (isinstance(changed, tuple) and len(changed) == 2):
                        raise RuntimeError(
                            f"{func} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                        )
                    args, kwargs = changed
            if NOTING and ENTRY.place is None and len(args) + len(kwargs) == 1:  # a closure has its own lines
                enter(1)
            try:
                if CAPTURING:
                    result = captured_step(self, lambda: func(*args, **kwargs), len(args) + len(kwargs) > 1)
                else:
                    result = func(*args, **kwargs)
            except KeyError as error:
                note_missing_option(self, error)
                raise
            finally:
                ENTRY.place = None
            for hook in [*self._optimizer_step_post_hooks.values(), *AFTER_EVERY_STEP.values()]:
                hook(self, args, kwargs)
            return result

        hooked.hooked = True  # type: ignore[attr-defined]
        return hooked

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before every step; it may return new arguments."""
        return register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after every step."""
        return register(self._optimizer_step_post_hooks, hook)

    # ---- state_dict

    def state_dict(self) -> dict[str, Any]:
        """Returns the state and the groups, with parameters numbered in order."""
        for hook in active(self._optimizer_state_dict_pre_hooks):
            hook(self)
        indices: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                indices.setdefault(id(param), len(indices))
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append({**packed, "params": [indices[id(param)] for param in group["params"]]})
        state = {indices[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in active(self._optimizer_state_dict_post_hooks):
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads the state and the groups' options from a `state_dict`.

        Tensors of the state are converted to the dtype and the device of their parameter, and shared if these match.
        Raises ValueError if the number or sizes of the groups differ.
        """
        state_dict = state_dict.copy()
        for hook in active(self._optimizer_load_state_dict_pre_hooks):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        saved = deepcopy(state_dict["param_groups"])
        params = self._matched(saved)
        state: defaultdict = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = _fitted(value, params[key], _keeps_steps_on_device(saved, key))
            else:
                state[key] = value
        for own, loaded in zip(self.param_groups, saved, strict=True):
            loaded["params"] = own["params"]
            if "param_names" in own:
                loaded.setdefault("param_names", own["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in active(self._optimizer_load_state_dict_post_hooks):
            hook(self)

    def _matched(self, saved: list[dict]) -> dict[int, Tensor]:
        """Returns the parameters by their numbers in saved groups."""
        groups = self.param_groups
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(mine["params"]) != len(other["params"]) for mine, other in zip(groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        indices = chain.from_iterable(group["params"] for group in saved)
        return dict(zip(indices, chain.from_iterable(group["params"] for group in groups), strict=True))

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` before `state_dict`."""
        return register(self._optimizer_state_dict_pre_hooks, hook, prepend=prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` after `state_dict`; it may return another dict."""
        return register(self._optimizer_state_dict_post_hooks, hook, prepend=prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` before loading; it may return another dict."""
        return register(self._optimizer_load_state_dict_pre_hooks, hook, prepend=prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` after loading."""
        return register(self._optimizer_load_state_dict_post_hooks, hook, prepend=prepend)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        lines: list[str | None] = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += ["" if number else None, f"Parameter Group {number}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join(line for line in lines if line is not None) + "\n)"


HOOKS = (
    "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
)  # fmt: skip


def call_closure(closure):
    """Calls a closure with gradients enabled and returns its loss; returns None without a closure."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def number(value):
    """Returns an option as a Python number; it may be a NumPy scalar or a tensor of one element."""
    return value.item() if isinstance(value, Tensor) else python_number(value)


def rounded(value, kind: type):
    """Returns a number rounded to a NumPy type, as a Python number, or as a number of a recording."""
    return kind(value).item() if type(value) in PLAIN else value.rounded(kind)


PLAIN = frozenset((float, int, bool, type(None), str))


class Options(SimpleNamespace):
    """The options of a group as attributes. Raises KeyError for a missing one, as the group does."""

    def __getattr__(self, name: str):
        raise KeyError(name)


def options(group: dict[str, Any], known: Container[str], recorded: bool = False) -> Options:
    """Returns the known options of a group as Python numbers, and `beta1` and `beta2` separately.

    Formulas need Python numbers: a NumPy scalar would promote float32 operands to float64. An option that requires grad
    stays a tensor if the step is recorded.
    """
    o = Options()
    values = vars(o)
    for name, value in group.items():
        if name in known:
            values[name] = value if type(value) in PLAIN else plain_option(value, recorded)
    if "betas" in known:
        o.beta1, o.beta2 = o.betas
    return o


def plain_option(value, recorded: bool):
    """Converts an option for formulas; a list to a tuple, since options are part of a kernel's key."""
    if isinstance(value, (tuple, list)):
        return tuple([item if type(item) in PLAIN else plain_option(item, recorded) for item in value])
    if recorded and isinstance(value, Tensor) and value.requires_grad:
        return value.squeeze()
    return number(value)


def counter_dtype(fused: bool = False) -> dtype:
    """Returns the dtype of the step count, which is a tensor, and of other scalars of a parameter."""
    return float64 if DEFAULTS.floating is float64 and not fused else float32


def counter(value: float, param: Tensor, *, on_device: bool = False, fused: bool = False) -> Tensor:
    """Returns a scalar of the state as a tensor: on the CPU, unless `on_device` or `fused`, then with the parameter."""
    return scalar_tensor(value, dtype=counter_dtype(fused), device=param.device if on_device or fused else "cpu")


def note_missing_option(optimizer: Optimizer, error: KeyError) -> None:
    """Adds a note to the error of a step: which option a group lacks, or which value a state, and why."""
    name, own = error.args[0] if error.args else None, type(optimizer).__name__
    lacking = [group for group in optimizer.param_groups if name not in group]
    states = [state for state in optimizer.state.values() if state and name not in state]
    if name in getattr(optimizer, "_state_names", ()) and states:
        error.add_note(
            f"The state of a parameter of this {own} has no {name!r}, only {', '.join(states[0])}. load_state_dict() "
            f"took over the state of another kind, or an option was switched on later: load what {own} has "
            f"saved, or write optimizer = torch.optim.{own}(...) anew."
        )
    elif lacking and name in optimizer.defaults:
        options = ", ".join(option for option in lacking[0] if option != "params")
        error.add_note(
            f"A group of this {own} has no option {name!r}, only {options}. load_state_dict() took over the groups of "
            f"another kind of optimizer: load what {own} has saved, or write optimizer = torch.optim.{own}(...) anew."
        )


def _type_name(value) -> str:
    return f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")


def _keeps_steps_on_device(groups: list[dict], key) -> bool:
    group = next((saved for saved in groups if key in saved["params"]), {})
    return bool(group.get("capturable") or group.get("fused"))


def _fitted(state: Any, param: Tensor, on_device: bool, key: str | None = None):
    """Converts loaded state to the dtype and the device of its parameter; step counts on the CPU stay as they are."""
    if isinstance(state, Tensor):
        if key == "step":
            return state.to(dtype=float32, device=param.device) if on_device else state
        return state.to(dtype=param.dtype, device=param.device) if param.is_floating_point() else state.to(param.device)
    if isinstance(state, dict):
        return {name: _fitted(value, param, on_device, name) for name, value in state.items()}
    if isinstance(state, Iterable) and not isinstance(state, str):
        return type(state)(_fitted(item, param, on_device) for item in state)  # type: ignore[call-arg]
    return state
