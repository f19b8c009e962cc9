"""What a call of a compiled function goes through first: one program, in machine code where there is any.

The program that was replayed last is checked and replayed by one builtin function, without a frame of Python before
the replay. Everything else is decided `otherwise`, in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rushlight.capture.guard_machine import is_available
from rushlight.core.determinism import DETERMINISM
from rushlight.core.dtype import DEFAULTS
from rushlight.core.modes import MODE
from rushlight.core.traced import STACK
from rushlight.lower.builtin_calls import function
from rushlight.lower.python_layout import LENGTH, WORD, member_of
from rushlight.lower.replay_machine import addresses

REPLAYS = np.zeros(1, np.int64)  # of all fronts


class InFront(NamedTuple):
    """The program in front, and what a call must be like for a replay.

    It has the same mode, default dtype and wish for deterministic algorithms, as many arguments without a name and
    those of the same names in order, and `check` holds. `failed(args, kwargs, error)` gets what `replay` raises; it
    returns a result or raises.
    """

    check: Callable[[tuple, dict], list | None]
    replay: Callable
    failed: Callable[[tuple, dict, BaseException], Any]
    mode: Any
    names: tuple[str, ...]
    positional: int
    floating: Any
    deterministic: bool = False


class Front:
    """`front.call(args, kwargs)` returns the result of a call.

    `otherwise(args, kwargs)` gives it if there is no program in front, if that does not fit, if its replay returns
    `missed`, and as long as one of the lists `idle` has items. `replays` counts the others.
    """

    def __init__(
        self, otherwise: Callable[[tuple, dict], Any], missed: Any, *idle: list, replays: np.ndarray = REPLAYS
    ):
        self.otherwise, self.missed, self.idle, self.replays = otherwise, missed, idle, replays
        self.program: InFront | None = None
        self.state, self.words = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.call: Callable[[tuple, dict], Any] = self.in_python
        if is_available():
            self.call = function("call", addresses()[1], (self.state, otherwise, missed, replays))

    def use(self, program: InFront | None) -> None:
        """Has a program be in front, or none."""
        if program is None or self.call == self.in_python:
            self.state[0] = 0
            self.program = program
            return
        check: Any = program.check
        objects = program.replay, program.failed, program.mode, program.names
        unchanged = [slot_of(DEFAULTS, "floating"), id(program.floating)]
        unchanged += slot_of(DETERMINISM, "wanted"), id(program.deterministic)
        for items in self.idle:
            unchanged += id(items) + WORD * LENGTH, 0
        head = check.__self__[0].ctypes.data, *map(id, objects), program.positional, len(unchanged) // 2
        array = np.array([*head, *unchanged], np.int64)
        self.state[0] = array.ctypes.data
        self.words, self.program = array, program  # only now does nothing point to the old ones

    def in_python(self, args: tuple, kwargs: dict) -> Any:
        """Does what the builtin function does."""
        program = self.program
        if program is None or MODE.get() is not program.mode or STACK.get() or any(self.idle):
            return self.otherwise(args, kwargs)
        if len(args) != program.positional or tuple(kwargs) != program.names:
            return self.otherwise(args, kwargs)
        if DEFAULTS.floating is not program.floating or DETERMINISM.wanted is not program.deterministic:
            return self.otherwise(args, kwargs)
        if (values := program.check(args, kwargs)) is None:
            return self.otherwise(args, kwargs)
        try:
            result = program.replay(*values)
        except BaseException as error:  # noqa: BLE001  `failed` raises it, or says what is to be done
            result = program.failed(args, kwargs, error)
        if result is self.missed:
            return self.otherwise(args, kwargs)
        self.replays[0] += 1
        return result


def slot_of(owner: Any, name: str) -> int:
    """Returns the address of a slot of an object."""
    member: Any = member_of(vars(type(owner))[name])
    return id(owner) + member[0]
