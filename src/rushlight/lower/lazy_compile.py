"""Functions that are compiled when machine code first calls them: what a program never comes to is not waited for.

They are called by an address in memory, which is 0 at first. Machine code that finds it so asks Python for it, and asks
again until it is there: machine code cannot be left half-way, so an exception that comes to Python meanwhile, that of
a user who interrupts or of a signal's handler, is raised when machine code is back. Whichever thread asks needs the
interpreter: machine code that lets several threads work must not keep it to itself meanwhile.
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

from rushlight.lower.language import Imported
from rushlight.lower.llvm import COMPILING
from rushlight.lower.machine_text import Value
from rushlight.lower.machine_types import Type, function, int64, pointer
from rushlight.lower.native import Native, native

LATER = 0.01  # seconds after which machine code that was interrupted is back, mostly
FAILURES = 3  # to compile a function, after which it will not be compiled

ADDRESS, OWNER = 0, 1  # the words of a cell


class Cell:
    """Where machine code finds an address, and whom it asks for that: the first of several words."""

    def __init__(self, make: Callable[[], int], *words: int):
        self.make = make
        self.words = (ctypes.c_int64 * (2 + len(words)))(0, id(self), *words)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.words)

    def fill(self) -> None:
        """Writes down the address, which one thread makes and all others wait for."""
        with COMPILING:
            self.words[ADDRESS] = self.words[ADDRESS] or self.make()


class Deferred:
    """A function of machine code whose address is found out by its first call; from Python it is `plain`."""

    def __init__(self, symbol: str, kind: Callable[[], Type], make: Callable[[], int], plain: Any = None):
        self.described, self.plain, self.cell = kind, plain, Cell(make)
        self.slot = Imported(f"rushlight_{symbol}", pointer(int64), lambda: self.cell.address)

    def __call__(self, *arguments):
        return self.plain(*arguments)

    @functools.cached_property
    def kind(self) -> Type:
        return self.described()

    # ---- inside functions of restricted Python

    def as_value(self, translation) -> Value:
        return called_by(translation, self.slot.as_value(translation), self.kind)

    def call(self, translation, nodes) -> Value:
        arguments = [translation.value(each) for each in nodes]
        return translation.called(self.as_value(translation), arguments)


def deferred(native: Native) -> Deferred:
    """A function of restricted Python, in a module of its own."""

    def kind() -> Type:
        return function(*native.declared.values(), returns=native.returns)

    return Deferred(native.__name__, kind, native.address, native)


def called_by(translation, cell: Value, kind: Type) -> Value:
    """The function of that kind whose address is in a cell, or shall be."""
    symbol = translation.unit.define(address_in, {})
    address = translation.call_of(f"@{symbol}", [cell.type], int64, [cell])
    return translation.emit(kind, f"inttoptr i64 {address.text} to ptr")


# ---- asking


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
def ask(owner: int) -> int:
    """Asks a cell to fill itself. Gives 0, as ctypes does, where an exception came before all else."""
    came = filled(ctypes.cast(owner, ctypes.py_object).value)
    # Below a thread of the pool there is nobody to raise it for.
    if came is not None and sys._getframe().f_back is not None:
        threading.Timer(LATER, raise_in, (threading.get_ident(), came)).start()
    return 1


def filled(cell: Cell) -> BaseException | None:
    """Fills a cell, and gives the first exception that came to it: to be raised, but not here.

    Without the address machine code cannot go on: where it cannot be made, the process ends.
    """
    came, failures = None, 0
    while True:
        try:
            cell.fill()
            return came
        except Exception as failure:
            came, failures = failure if came is None else came, failures + 1
            if failures == FAILURES:
                traceback.print_exception(failure)
                os.abort()
        except BaseException as interruption:
            came = interruption if came is None else came


def raise_in(thread: int, exception: BaseException) -> None:
    """Raises an exception in another thread; Python's interface wants a class to make it of."""
    made = type(type(exception).__name__, (type(exception),), {"__new__": lambda cls, *given: exception})
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(made))


ASK = Imported("rushlight_ask", function(int64, returns=int64), lambda: ctypes.cast(ask, ctypes.c_void_p).value)
INTERRUPT = Imported(
    "rushlight_interrupt", function(), lambda: ctypes.cast(ctypes.pythonapi.PyErr_SetInterrupt, ctypes.c_void_p).value
)


@native(alone=True)
def address_in(cell: pointer(int64)) -> int64:
    """The address in a cell, when it is there. An exception that ctypes has let go of is an interruption again."""
    ask, interrupt = ASK, INTERRUPT
    lost = False
    while cell[ADDRESS] == 0:
        lost = ask(cell[OWNER]) == 0 or lost
    if lost:
        interrupt()
    return cell[ADDRESS]
