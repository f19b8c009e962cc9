"""The handle that a hook's registration returns."""

from __future__ import annotations

import weakref
from itertools import count
from typing import Self

numbers = count()


class RemovableHandle:
    """Removes a hook; removing it twice does nothing. As a context manager it removes the hook on exit.

    `hooks` is the dictionary that holds the hook under `id`; the reference to it is weak where possible.
    """

    __module__ = "torch.utils.hooks"

    def __init__(self, hooks: dict, *, extra: tuple = ()):
        # A dictionary from a pickle may contain ids that this process has not assigned yet.
        self.id = next(number for number in numbers if number not in hooks)
        self.hooks_dict_ref, self.extra_dict_ref = _reference(hooks), tuple(map(_reference, extra))

    def remove(self) -> None:
        """Removes the hook from every dictionary it was added to."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __reduce__(self):
        return rebuilt, (self.id, tuple(reference() for reference in (self.hooks_dict_ref, *self.extra_dict_ref)))

    def __setstate__(self, state: tuple) -> None:
        """Restores a handle from a pickle of PyTorch: (hooks, id, other dictionaries), the last since PyTorch 2.0."""
        hooks, self.id, *extra = state
        self.hooks_dict_ref = _reference(Hooks() if hooks is None else hooks)
        self.extra_dict_ref = tuple([_reference(each) for each in (extra[0] if extra else ()) if each is not None])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def rebuilt(number: int, dictionaries: tuple) -> RemovableHandle:
    """Restores a handle from its pickle or copy; it removes the hook from the dictionaries copied with it."""
    hooks, *extra = [{} if hooks_ is None else hooks_ for hooks_ in dictionaries]
    handle = RemovableHandle(hooks, extra=tuple(extra))
    handle.id = number
    return handle


class Hooks(dict):
    """An ordered dictionary of hooks that can be weakly referenced."""

    __slots__ = ("__weakref__",)


def _reference(hooks):
    try:
        return weakref.ref(hooks)
    except TypeError:
        return lambda: hooks


def register(hooks: dict, hook, *, prepend: bool = False) -> RemovableHandle:
    """Adds a hook, first or last, and returns its handle."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        for key in [id for id in hooks if id != handle.id]:
            hooks[key] = hooks.pop(key)
    return handle


def active(hooks: dict) -> list:
    """Returns a snapshot of the hooks: one removed during the calls still runs, one added does not."""
    return list(hooks.values())
