"""Code that notes when a function began and ended, and calls the function.

A function of the library is known to many modules by its name, so a wrapper in one of them would miss calls. Its
`__code__` is in one place: `dispatch/plan.py` has it as an entry. The code here takes any arguments and calls a copy of
the function, which has the original code. While nothing is profiled, functions have their own code and no call pays.
"""

from __future__ import annotations

import inspect
import sys
from _thread import get_ident
from collections.abc import Callable
from functools import cache
from time import perf_counter_ns
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from rushlight.core.origin import PACKAGE

# `calling` replaces the constant by what a call is noted with.
GIVEN = "GIVEN"
FILE = f"{PACKAGE}profiler/<timed>"  # no frame of a program
PLAIN = """
def outer({cells}):
    def timed(*arguments, **keywords):
        function, note, kind, clock, thread = "GIVEN"
        start = clock()
        try:
            return function(*arguments, **keywords)
        finally:
            note((kind, start, clock(), thread(), None))
        {cells}
"""
# Of a function with the same arguments, which is called without a tuple and a dict for them.
DIRECT = """
def outer({cells}):
    def timed({parameters}):
        _function, _note, _kind, _clock, _thread = "GIVEN"
        _start = _clock()
        try:
            return _function({arguments})
        finally:
            _note((_kind, _start, _clock(), _thread(), None))
        {cells}
"""
DETAILED = """
def outer({cells}):
    def timed(*arguments, **keywords):
        function, note, kind, clock, thread, details, frame = "GIVEN"
        result = None
        start = clock()
        try:
            result = function(*arguments, **keywords)
            return result
        finally:
            end = clock()
            note((kind, start, end, thread(), details(frame(1), arguments, keywords, result)))
        {cells}
"""
# The kind is a function of the arguments: calls of methods are named after the class of the object.
NAMED = """
def outer({cells}):
    def timed(*arguments, **keywords):
        function, note, kind, clock, thread, details, frame = "GIVEN"
        start = clock()
        try:
            return function(*arguments, **keywords)
        finally:
            end = clock()
            note((kind(*arguments), start, end, thread(), details and details(frame(1), (), {{}}, None)))
        {cells}
"""


class Kind(NamedTuple):
    """What a noted call is: its name in tables and traces, and its category there."""

    name: str
    category: str = "cpu_op"


Note = Callable[[tuple], None]  # given (kind, start, end, thread, details), with times in nanoseconds
NoteDetails = Callable[[Any, tuple, dict, Any], Any]  # given the frame of the caller, the arguments and the result


@cache
def template(text: str, cells: int, positional: int = 0, named: int = 0) -> CodeType:
    """Returns the code of the inner function of a text, with as many free variables as the function that it is for.

    The arguments of DIRECT are `positional` ones and `named` ones that are given by name only.
    """
    # The last line is never run: it makes the names free variables.
    names = ", ".join([f"cell_{number}" for number in range(cells)])
    first, last = [f"first_{number}" for number in range(positional)], last_names(named)
    parameters = ", ".join([*first, *(["*", *last] if last else ())])
    arguments = ", ".join([*first, *[f"{name}={name}" for name in last]])
    source = text.format(cells=names, parameters=parameters, arguments=arguments)
    outer = compile(source, FILE, "exec").co_consts[0]
    return next(each for each in outer.co_consts if isinstance(each, CodeType))


def last_names(named: int) -> tuple[str, ...]:
    """Returns the names that arguments given by name only have in a template."""
    return tuple([f"last_{number}" for number in range(named)])


def direct(code: CodeType) -> CodeType | None:
    """Returns the template for a function with the arguments of a code; None if it takes any number of arguments."""
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return None
    positional, named = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[: positional + named]
    result = template(DIRECT, len(code.co_freevars), positional, named)
    known = last_names(named)
    return result.replace(
        co_varnames=(*names, *result.co_varnames[len(names) :]),
        co_consts=tuple([names[positional:] if named and each == known else each for each in result.co_consts]),
        co_posonlyargcount=code.co_posonlyargcount,
    )


def timed_code(
    function: FunctionType, kind: Kind | Callable[..., tuple], note: Note, details: NoteDetails | None
) -> CodeType:
    """Returns code that calls `function` and notes the call, for the function of which this is a copy."""
    code = function.__code__
    same = direct(code) if isinstance(kind, Kind) and details is None else None
    return calling(function, kind, note, details, code.co_name, len(code.co_freevars), same).replace(
        co_qualname=code.co_qualname
    )


def timed(function: Callable, kind: Kind, note: Note, details: NoteDetails | None) -> Callable:
    """Returns a function that calls another and notes the call: for entries of tables and methods of classes.

    It has the name of the other, which readers of tables and of frames look up.
    """
    return FunctionType(calling(function, kind, note, details, getattr(function, "__name__", "timed")), globals())


def calling(
    function: Callable,
    kind: Kind | Callable[..., tuple],
    note: Note,
    details: NoteDetails | None,
    name: str,
    cells: int = 0,
    same: CodeType | None = None,
) -> CodeType:
    """Returns code that calls `function` and notes the call; `same` is a template with the function's arguments."""
    constant: tuple = (function, note, kind, perf_counter_ns, get_ident)
    text = NAMED if not isinstance(kind, Kind) else PLAIN if details is None else DETAILED
    if text is not PLAIN:
        constant = (*constant, details, sys._getframe)
    code = template(text, cells) if same is None else same
    return code.replace(co_consts=tuple([constant if each == GIVEN else each for each in code.co_consts]), co_name=name)
