"""Functions that are compiled when machine code first calls them: rare paths cost no compile time.

They are called by an address in memory, which is 0 at first. Machine code that finds 0 asks Python to compile, and
retries until the address is there: machine code cannot be unwound, so an exception in Python meanwhile (an interrupt, a
signal handler's) is raised when machine code has returned. The calling thread needs the GIL, so machine code that runs
several threads must release it.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from rushlight.core.trace_pause import trace_paused
from rushlight.lower.language import Imported
from rushlight.lower.llvm import COMPILING
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import Type, function, int64, pointer
from rushlight.lower.native import Native, native

LATER = 0.01  # seconds after which interrupted machine code has usually returned
FAILURES = 3  # failures to compile after which the process aborts

ADDRESS, OWNER = 0, 1  # the words of a cell


class Cell:
    """The words that hold an address and the Python object that can provide it."""

    def __init__(self, make: Callable[[], int], *words: int):
        self.make = make
        self.words = (ctypes.c_int64 * (2 + len(words)))(0, id(self), *words)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)

    def fill(self) -> None:
        """Writes the address; one thread compiles, the others wait."""
        with COMPILING:
            self.words[ADDRESS] = self.words[ADDRESS] or self.make()


class Deferred:
    """A machine code function that is compiled at its first call; from Python it is `plain`."""

    def __init__(self, symbol: str, kind: Callable[[], Type], make: Callable[[], int], plain: Any = None):
        self.described, self.plain, self.cell = kind, plain, Cell(make)
        self.slot = Imported(f"rushlight_{symbol}", pointer(int64), lambda: self.cell.address)

    def __call__(self, *arguments):
        return self.plain(*arguments)

    @functools.cached_property
    def kind(self) -> Type:
        return self.described()

    # ---- inside functions of restricted Python

    def parts_of_key(self) -> tuple[str, tuple[str, ...], dict[str, Any]]:
        """Returns what its calls' text follows from (`source_keys.py`); not its own, which is another module's."""
        return f"deferred {self.kind}", ("address_in", "slot"), {"address_in": address_in, "slot": self.slot}

    def as_value(self, translation) -> Value:
        return called_by(translation, self.slot.as_value(translation), self.kind)

    def call(self, translation, nodes) -> Value:
        arguments = [translation.value(each) for each in nodes]
        return translation.called(self.as_value(translation), arguments)


def deferred(native: Native) -> Deferred:
    """Returns a lazily compiled function of restricted Python, in its own module."""

    def kind() -> Type:
        return function(*native.declared.values(), returns=native.returns)

    return Deferred(native.__name__, kind, native.address, native)


def called_by(translation, cell: Value, kind: Type) -> Value:
    """Returns the function of type `kind` from a cell, compiled if necessary."""
    symbol = translation.unit.define(address_in, {})
    address = translation.call_of(f"@{symbol}", [cell.type], int64, [cell])
    return translation.emit(kind, f"inttoptr i64 {address.text} to ptr")


# ---- compiling on demand


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
def ask(owner: int) -> int:
    """Fills a cell. Returns 1; ctypes returns 0 if an exception is raised first."""
    exception = fill(ctypes.cast(owner, ctypes.py_object).value)
    # Threads of the pool have no Python frame to raise it in.
    if exception is not None and sys._getframe().f_back is not None:
        threading.Timer(LATER, raise_in, (threading.get_ident(), exception)).start()
    return 1


@trace_paused()
def fill(cell: Cell) -> BaseException | None:
    """Fills a cell; returns the first exception raised meanwhile, to be raised later.

    Machine code cannot continue without the address: if it cannot be compiled, the process aborts.
    """
    first_exception, failures = None, 0
    while True:
        try:
            cell.fill()
            return first_exception
        except Exception as failure:
            first_exception, failures = failure if first_exception is None else first_exception, failures + 1
            if failures == FAILURES:
                traceback.print_exception(failure)
                os.abort()
        except BaseException as interruption:
            first_exception = interruption if first_exception is None else first_exception


def raise_in(thread: int, exception: BaseException) -> None:
    """Raises an exception in another thread; Python's API takes a class to instantiate."""
    exception_class = type(type(exception).__name__, (type(exception),), {"__new__": lambda cls, *given: exception})
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(exception_class))


ASK = Imported("rushlight_ask", function(int64, returns=int64), lambda: ctypes.cast(ask, ctypes.c_void_p).value)
INTERRUPT = Imported(
    "rushlight_interrupt", function(), lambda: ctypes.cast(ctypes.pythonapi.PyErr_SetInterrupt, ctypes.c_void_p).value
)


@native(alone=True)
def address_in(cell: pointer(int64)) -> int64:
    """Returns the address in a cell, compiled if necessary. An exception that ctypes swallowed becomes an interrupt."""
    ask, interrupt = ASK, INTERRUPT
    lost = False
    while cell[ADDRESS] == 0:
        lost = ask(cell[OWNER]) == 0 or lost
    if lost:
        interrupt()
    return cell[ADDRESS]
