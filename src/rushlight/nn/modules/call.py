"""A module's call with hooks: their order, their arguments, and what they replace."""

import warnings

from . import hooks as common
from .backward_hook import BackwardHook, attach_partial_hooks

SILENCED = (
    "module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised "
    "in forward: "
)


class HookedCall:
    """One call of a module: its arguments and result so far, as changed by hooks."""

    def __init__(self, module, args, kwargs):
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result = None
        self.called = set()

    def run(self):
        try:
            self.call_pre_hooks()
            backward_hook = self.watch_inputs()
            self.result = self.module.forward(*self.args, **self.kwargs)
            self.call_forward_hooks()
        except Exception:
            self.call_remaining_hooks()
            raise
        return self.watch_outputs(backward_hook)

    def call_pre_hooks(self):
        module = self.module
        for hook_id, hook in (*common._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            if hook_id in module._forward_pre_hooks_with_kwargs:
                self.replace_arguments(hook(module, self.args, self.kwargs))
            elif (answer := hook(module, self.args)) is not None:
                self.args = answer if isinstance(answer, tuple) else (answer,)

    def replace_arguments(self, answer):
        if answer is None:
            return
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
            )
        self.args, self.kwargs = answer

    def forward_hooks(self):
        """Yields each forward hook: its id, the hook, its keyword arguments, and whether it is always called."""
        module = self.module
        for hook_id, hook in (*common._global_forward_hooks.items(), *module._forward_hooks.items()):
            with_kwargs = (
                hook_id in module._forward_hooks_with_kwargs or hook_id in common._global_forward_hooks_with_kwargs
            )
            always = (
                hook_id in module._forward_hooks_always_called or hook_id in common._global_forward_hooks_always_called
            )
            yield hook_id, hook, (self.kwargs,) if with_kwargs else (), always

    def call_forward_hooks(self):
        for hook_id, hook, keywords, _ in self.forward_hooks():
            self.called.add(hook_id)
            self.replace_result(hook(self.module, self.args, *keywords, self.result))

    def replace_result(self, answer):
        if answer is not None:
            self.result = answer

    def call_remaining_hooks(self):
        """Calls the always-call hooks that have not run after an error. Their own errors become warnings."""
        for hook_id, hook, keywords, always in self.forward_hooks():
            if always and hook_id not in self.called:
                try:
                    self.replace_result(hook(self.module, self.args, *keywords, self.result))
                except Exception as error:
                    scope = "global " if hook_id in common._global_forward_hooks else ""
                    warnings.warn(scope + SILENCED + str(error), stacklevel=4)

    def watch_inputs(self):
        module = self.module
        if not (module._backward_hooks or module._backward_pre_hooks or common._global_full_backward_hooks):
            if not common._global_backward_pre_hooks:
                return None
        hooks = list(common._global_full_backward_hooks.values())
        if module._is_full_backward_hook is True:
            hooks += module._backward_hooks.values()
        pre_hooks = [*common._global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
        if not (hooks or pre_hooks):
            return None
        backward_hook = BackwardHook(module, hooks, pre_hooks)
        self.args = backward_hook.watch_inputs(self.args)
        return backward_hook

    def watch_outputs(self, backward_hook):
        module = self.module
        result = self.result if backward_hook is None else backward_hook.watch_outputs(self.result)
        if not (module._backward_hooks or common._global_backward_hooks):
            return result
        hooks = list(common._global_backward_hooks.values())
        if module._is_full_backward_hook is False:
            hooks += module._backward_hooks.values()
        if hooks:
            attach_partial_hooks(module, hooks, self.args, result)
        return result
