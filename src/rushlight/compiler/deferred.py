"""Functions that are compiled when machine code first calls them: what a program never comes to is not waited for.

They are called through a cell of memory, which at first has the address of a function of Python's. That compiles them,
puts their own address into the cell and calls them. Whichever thread comes to it first needs the interpreter: machine
code that lets several threads work must not keep it to itself meanwhile.
"""

from __future__ import annotations

import _thread
import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any

from rushlight.compiler.language import Imported
from rushlight.compiler.machine_text import Value
from rushlight.compiler.machine_types import Type, function, pointer, void
from rushlight.compiler.native import Native

LATER = 0.01  # seconds after which machine code that was interrupted is back, mostly


class Deferred:
    """A function of machine code whose address is found out by its first call; from Python it is `plain`."""

    def __init__(self, symbol: str, kind: Callable[[], Type], address: Callable[[], int], plain: Any = None):
        self.described, self.address, self.plain = kind, address, plain
        self.slot = Imported(f"rushlight_{symbol}", pointer(void), lambda: ctypes.addressof(self.cell))

    def __call__(self, *arguments):
        return self.plain(*arguments)

    @functools.cached_property
    def kind(self) -> Type:
        return self.described()

    @functools.cached_property
    def prototype(self) -> Any:
        """Its kind, as ctypes has it."""
        return ctypes.CFUNCTYPE(self.kind.returns.ctypes, *(each.ctypes for each in self.kind.parameters))

    @functools.cached_property
    def begin(self) -> Any:
        """What is called at first, which must live as long as anybody may call it."""
        return self.prototype(self.first)

    @functools.cached_property
    def cell(self) -> ctypes.c_void_p:
        """Where callers find its address."""
        return ctypes.c_void_p(ctypes.cast(self.begin, ctypes.c_void_p).value)

    def first(self, *given):
        self.cell.value = uninterrupted(self.address)
        return self.prototype(self.cell.value)(*given)

    # ---- inside functions of restricted Python

    def as_value(self, translation) -> Value:
        return translation.emit(self.kind, f"load ptr, ptr {self.slot.as_value(translation).text}")

    def call(self, translation, nodes) -> Value:
        arguments = [translation.value(each) for each in nodes]
        return translation.called(self.as_value(translation), arguments)


def deferred(native: Native) -> Deferred:
    """A function of restricted Python, in a module of its own."""

    def kind() -> Type:
        return function(*native.declared.values(), returns=native.returns)

    return Deferred(native.__name__, kind, native.address, native)


def uninterrupted(make: Callable[[], int]) -> int:
    """What `make` gives. Machine code cannot be left half-way: that a user interrupts it is heard when it is back."""
    try:
        return make()
    except KeyboardInterrupt:
        threading.Timer(LATER, _thread.interrupt_main).start()
        return make()
