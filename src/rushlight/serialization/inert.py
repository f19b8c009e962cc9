"""An unpickler that creates inert objects instead of objects that are not allowed.

All contents of a checkpoint can be listed, and no code of the file runs.
"""

from __future__ import annotations

import pickle
from pickle import UnpicklingError
from typing import Any

from rushlight.serialization import restricted
from rushlight.serialization.rebuild import NoTensor


class InertClass:
    """Replaces a class or function that the restricted unpickler does not allow."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"<{self.name}>"


class Inert:
    """Replaces an object of such a class or function; holds its arguments."""

    def __init__(self, name: str, arguments: Any, kind: str | None = None):
        self.name, self.arguments = name, arguments
        self.kind = kind  # of a tensor kind that rushlight lacks: "quantized"
        self.state: Any = None
        self.items: dict = {}
        self.elements: list = []

    def __repr__(self):
        return f"<an object of {self.name}>" if self.kind is None else f"<a {self.kind} tensor>"


class Reader(restricted.Unpickler):
    """The restricted unpickler, with inert objects where it would raise."""

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
        """Calls the object below its arguments on the stack."""
        if len(self.stack) < 2:
            raise UnpicklingError("unexpected MARK found or stack underflow")
        function, arguments = self.stack[-2:]
        height, tensor_kind = len(self.stack), None
        if not isinstance(function, InertClass):
            try:
                return allowed()
            except UnpicklingError as error:  # most likely for an inert argument
                tensor_kind = error.kind if isinstance(error, NoTensor) else None
                del self.stack[height - 2 :]
        else:
            del self.stack[-2:]
        name = function.name if isinstance(function, InertClass) else getattr(function, "__name__", str(function))
        self.push(Inert(name, arguments, tensor_kind))

    def load_build(self) -> None:
        if len(self.stack) > 1 and isinstance(self.stack[-2], Inert):
            state = self.pop()
            self.top().state = state
        else:
            super().load_build()

    def a_list(self, verb: str) -> list:
        top = self.top()
        return top.elements if isinstance(top, Inert) else super().a_list(verb)

    def set_items(self, code: str, items: list) -> None:
        top = self.top()
        if isinstance(top, Inert):
            top.items.update({repr(key): value for key, value in zip(items[::2], items[1::2], strict=False)})
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
