"""Saves and loads the state dictionary of a module, and the hooks of both."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rushlight.core.errors import noted
from rushlight.core.handle import RemovableHandle

from . import state
from .backward_hook import _WrappedHook
from .hooks import add_hook

POSITIONAL_STATE_DICT = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)


def never_called(module, name: str) -> Exception:
    """PyTorch's error for extra state that a module does not define."""
    return noted(
        RuntimeError(
            f"Reached a code path in Module.{name}() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        ),
        f"{type(module).__name__} has no extra state: it does not define {name}.",
    )


class Stateful:
    """The part of Module that is saved and loaded; `state.py` walks the tree."""

    if TYPE_CHECKING:  # attributes of Module

        def __getattr__(self, name: str) -> Any: ...

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, prefix, keep_vars)` before the state of the module is collected."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata)`, which may change `state_dict` in place."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return add_hook(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`.

        It runs before the state of the module itself is loaded and may change its arguments in place.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return add_hook(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, incompatible_keys)` after loading; it may change the two lists of keys in place."""
        return add_hook(self._load_state_dict_post_hooks, hook)

    def get_extra_state(self) -> Any:
        """Returns state in addition to parameters and buffers; a module that defines it also defines the setter."""
        raise never_called(self, "get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Restores the state that `get_extra_state` returned."""
        raise never_called(self, "set_extra_state")

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Returns all parameters and persistent buffers of the module and its children, by dotted name.

        The tensors share memory with the module's and do not require grad; with `keep_vars` they are the module's own.

        >>> import rushlight as torch
        >>> list(torch.nn.Sequential(torch.nn.Linear(2, 3)).state_dict())
        ['0.weight', '0.bias']
        """
        if args:
            warnings.warn(POSITIONAL_STATE_DICT, FutureWarning, stacklevel=2)
            destination, prefix, keep_vars = (*args, destination, prefix, keep_vars)[:3]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return state.changed_by_post_hooks(self, destination, prefix, local_metadata)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, tensor in state.own_state(self).items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + state.EXTRA_STATE] = self.get_extra_state()

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> state._IncompatibleKeys:
        """Copies `state_dict` into the module's parameters and buffers; with `assign` its tensors replace them.

        Returns the missing and the unexpected keys. Raises RuntimeError for shapes that differ and, with `strict`,
        for keys that do not match.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        loader = state.StateLoader(state_dict, assign)
        loader.load(self, loader.state_dict)
        return loader.report(self, strict)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        members = state.own_state(self)
        missing, errors = state.load_own_state(self, members, state_dict, prefix, local_metadata)
        error_msgs += errors
        extra = prefix + state.EXTRA_STATE
        takes_extra_state = type(self).set_extra_state is not Stateful.set_extra_state
        if takes_extra_state and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        if strict:
            missing_keys += missing + [extra] * (takes_extra_state and extra not in state_dict)
            unexpected_keys += [extra] * (not takes_extra_state and extra in state_dict)
            unexpected_keys += state.unexpected_keys(self, members, state_dict, prefix)
