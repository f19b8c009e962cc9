"""A reader of pickles that makes nothing of what is not allowed: an inert object stands in its place.

So everything in a checkpoint can be looked at, and no code of the file runs.
"""

from __future__ import annotations

import pickle
from pickle import UnpicklingError
from typing import Any

from rushlight.serialization import restricted
from rushlight.serialization.rebuild import NoTensor


class InertClass:
    """Stands for a class or function that the careful reader does not allow."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"<{self.name}>"


class Inert:
    """Stands for what such a class or function would have made: what the file gave it."""

    def __init__(self, name: str, arguments: Any, kind: str | None = None):
        self.name, self.arguments = name, arguments
        self.kind = kind  # of a tensor that there is not here: "quantized"
        self.state: Any = None
        self.items: dict = {}
        self.elements: list = []

    def __repr__(self):
        return f"<an object of {self.name}>" if self.kind is None else f"<a {self.kind} tensor>"


class Reader(restricted.Unpickler):
    """The careful reader, with inert objects where it would raise."""

    def load_global(self) -> None:
        before = self.file.tell()
        try:
            super().load_global()
        except UnpicklingError:
            self.file.seek(before)
            self.push(InertClass(f"{self.line()}.{self.line()}"))

    def load_reduce(self) -> None:
        self._make(super().load_reduce)

    def load_newobj(self) -> None:
        self._make(super().load_newobj)

    def _make(self, allowed) -> None:
        """What is called stands below its arguments on the stack."""
        if len(self.stack) < 2:
            raise UnpicklingError("unexpected MARK found or stack underflow")
        function, arguments = self.stack[-2:]
        height, kind = len(self.stack), None
        if not isinstance(function, InertClass):
            try:
                return allowed()
            except UnpicklingError as error:  # most likely for an inert argument
                kind = error.kind if isinstance(error, NoTensor) else None
                del self.stack[height - 2 :]
        else:
            del self.stack[-2:]
        name = function.name if isinstance(function, InertClass) else getattr(function, "__name__", str(function))
        self.push(Inert(name, arguments, kind))

    def load_build(self) -> None:
        if len(self.stack) > 1 and isinstance(self.stack[-2], Inert):
            state = self.pop()
            self.top().state = state
        else:
            super().load_build()

    def a_list(self, verb: str) -> list:
        found = self.top()
        return found.elements if isinstance(found, Inert) else super().a_list(verb)

    def set_items(self, code: str, items: list) -> None:
        found = self.top()
        if isinstance(found, Inert):
            found.items.update({repr(key): value for key, value in zip(items[::2], items[1::2], strict=False)})
        else:
            super().set_items(code, items)


Reader.steps = restricted.STEPS | {
    pickle.GLOBAL: Reader.load_global,
    pickle.REDUCE: Reader.load_reduce,
    pickle.NEWOBJ: Reader.load_newobj,
    pickle.BUILD: Reader.load_build,
    pickle.APPEND: Reader.load_append,
    pickle.APPENDS: Reader.load_appends,
    pickle.SETITEM: Reader.load_setitem,
    pickle.SETITEMS: Reader.load_setitems,
}
