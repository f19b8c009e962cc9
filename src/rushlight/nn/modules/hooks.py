"""Hooks of all modules, and how a hook of any kind is added and removed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from rushlight.core.handle import RemovableHandle


class Hooks(OrderedDict):
    """Global hooks by handle id. Adding one sets `flag`, which all kinds of global hooks share."""

    def __init__(self, flag):
        super().__init__()
        self.flag = flag

    def __setitem__(self, key, hook):
        super().__setitem__(key, hook)
        if not self.flag:
            self.flag.append(True)


global_flag: list[bool] = []
_global_forward_pre_hooks = Hooks(global_flag)
_global_forward_hooks = Hooks(global_flag)
_global_forward_hooks_with_kwargs: dict[int, bool] = OrderedDict()
_global_forward_hooks_always_called: dict[int, bool] = OrderedDict()
_global_backward_pre_hooks = Hooks(global_flag)
_global_full_backward_hooks = Hooks(global_flag)
_global_backward_hooks = Hooks(global_flag)
GLOBAL_CALL_HOOKS = (
    _global_forward_pre_hooks,
    _global_forward_hooks,
    _global_backward_pre_hooks,
    _global_full_backward_hooks,
    _global_backward_hooks,
)
_global_parameter_registration_hooks: dict[int, object] = OrderedDict()
_global_buffer_registration_hooks: dict[int, object] = OrderedDict()
_global_module_registration_hooks: dict[int, object] = OrderedDict()

MIXED_HOOKS = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."


def lower_global_flag():
    """Clears the flag once all global hooks are removed, so that calls take the fast path again."""
    if not any(GLOBAL_CALL_HOOKS):
        global_flag.clear()


def add_hook(hooks, hook, prepend=False, marks=()):
    """Adds `hook` to `hooks`, and its id to each of `marks` that is true; returns the handle that removes it."""
    tables = [table for table, _ in marks]
    handle = RemovableHandle(hooks, extra=tables)
    hooks[handle.id] = hook
    for table, marked in marks:
        if marked:
            table[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def changed_by_hooks(hooks, module, name, member):
    """Returns `member`, about to be registered as `name` in `module`, as changed by registration hooks."""
    for hook in hooks.values():
        changed = hook(module, name, member)
        member = member if changed is None else changed
    return member


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, parameter)` whenever a parameter is registered; it may return another parameter."""
    return add_hook(_global_parameter_registration_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, buffer)` whenever a buffer is registered; it may return another buffer."""
    return add_hook(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, name, submodule)` whenever a submodule is registered; it may return another submodule."""
    return add_hook(_global_module_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, args)` before every forward of every module; it may return new arguments."""
    return add_hook(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls `hook(module, args, output)` after every forward of every module; it may return another output."""
    marks = (_global_forward_hooks_with_kwargs, with_kwargs), (_global_forward_hooks_always_called, always_call)
    return add_hook(_global_forward_hooks, hook, marks=marks)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_output)` before the backward of every module; it may return other gradients."""
    return add_hook(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook(module, grad_input, grad_output)` after every module's backward; it may replace `grad_input`."""
    if _global_backward_hooks:
        raise RuntimeError(MIXED_HOOKS.format("as a global Module hook"))
    return add_hook(_global_full_backward_hooks, hook)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Deprecated form of `register_module_full_backward_hook`: it sees only the last operation of a module."""
    if _global_full_backward_hooks:
        raise RuntimeError(MIXED_HOOKS.format("as a global Module hook"))
    return add_hook(_global_backward_hooks, hook)
