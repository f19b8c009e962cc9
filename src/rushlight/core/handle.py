"""The handle that a hook's registration returns."""

from __future__ import annotations

import weakref
from itertools import count
from typing import Self

numbers = count()


class RemovableHandle:
    """Removes a hook again; removing twice does nothing. As a context it removes the hook on leaving.

    `hooks` is the dictionary that holds the hook under `id`; it is only weakly held where it can be.
    """

    __module__ = "torch.utils.hooks"

    def __init__(self, hooks: dict, *, extra: tuple = ()):
        # A dictionary from a pickle may hold numbers that this process has yet to give.
        self.id = next(number for number in numbers if number not in hooks)
        self.hooks_dict_ref, self.extra_dict_ref = _reference(hooks), tuple(map(_reference, extra))

    def remove(self) -> None:
        """Takes the hook out of every dictionary that it was put in."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __reduce__(self):
        return rebuilt, (self.id, tuple(each() for each in (self.hooks_dict_ref, *self.extra_dict_ref)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def rebuilt(number: int, dictionaries: tuple) -> RemovableHandle:
    """A handle from its pickle or of a copy: it removes the hook from the dictionaries that went with it."""
    hooks, *extra = [{} if each is None else each for each in dictionaries]
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
        for key in [each for each in hooks if each != handle.id]:
            hooks[key] = hooks.pop(key)
    return handle


def active(hooks: dict) -> list:
    """The hooks of one round: one that is removed during the round still runs, one that is added does not."""
    return list(hooks.values())
