"""Hooks of one module around its calls and its backward pass."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.core.handle import RemovableHandle

from .hooks import MIXED_HOOKS, add_hook


class Hookable:
    """The part of Module that registers hooks of calls; `call.py` runs them."""

    if TYPE_CHECKING:  # attributes of Module

        def __getattr__(self, name: str) -> Any: ...

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before every forward; it may return new arguments.

        With `with_kwargs` it is called as `hook(module, args, kwargs)` and may return both.
        """
        return add_hook(
            self._forward_pre_hooks, hook, prepend, marks=[(self._forward_pre_hooks_with_kwargs, with_kwargs)]
        )

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args, output)` after every forward; it may return another output.

        With `with_kwargs` it is called as `hook(module, args, kwargs, output)`, with `always_call` also after an error.

        >>> import rushlight as torch
        >>> layer = torch.nn.ReLU()
        >>> with layer.register_forward_hook(lambda module, args, output: output + 1):
        ...     layer(torch.tensor(-1.0)).item()
        1.0
        """
        marks = [(self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call)]
        return add_hook(self._forward_hooks, hook, prepend, marks=marks)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_output)` when gradients reach the outputs; it may return other gradients."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)` when gradients leave the inputs; may replace `grad_input`."""
        return self._register_backward_hook(hook, True, prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """Deprecated form of `register_full_backward_hook`: it sees only the last operation of the module."""
        return self._register_backward_hook(hook, False, False)

    def _register_backward_hook(self, hook, full, prepend):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(MIXED_HOOKS.format("on a single Module"))
        self._is_full_backward_hook = full
        return add_hook(self._backward_hooks, hook, prepend)
