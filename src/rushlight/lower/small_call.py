"""Builtin functions that run a small program: arrays in, a tuple of arrays out, and nothing else in between.

A program is machine code that takes a table of addresses: an arena for what is in between, inputs, constants, new
results. `caller` makes the function that Python calls. It reads the inputs' addresses, makes the result arrays,
provides the arena, runs the program and returns the tuple. The arena is the call's own: threads do not share it.

What it has to know is in words, which the function holds as its `self`, a tuple, with two functions of Python, and the
constants:

    words = [inputs, constants, results, bytes of the arena, address of the program, calls until it is improved,
             for each input: whether it is read, for each result: kind, ...]

A result is an input (KEPT, its number), None (NOTHING), or new (MADE, rank, NumPy's type number, sizes, strides in
bytes). A program may refuse its inputs, such as an index out of range, before it writes anything, and an input that is
read must be an array: otherwise the first of the two functions computes the results. The second one is called once,
after the number of calls; it may put another program's address into the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from rushlight.lower import builtin_calls
from rushlight.lower.language import Imported, local, offset
from rushlight.lower.machine_types import boolean, function, int32, int64, pointer, uint8
from rushlight.lower.native import native
from rushlight.lower.objects import (
    ADD_REFERENCE,
    ALLOCATE,
    ARRAY,
    CLASS,
    DATA,
    DROP_REFERENCE,
    MAKE_ARRAY,
    NONE,
    RELEASE,
    Object,
    address_of,
)
from rushlight.lower.python_layout import TUPLE_ITEMS

INPUTS, CONSTANTS, RESULTS, ARENA, PROGRAM, LEFT, FIRST = range(7)  # words
KEPT, MADE, NOTHING = 0, 1, 2  # kinds of results
MOST = 512  # addresses in the table
ON_STACK = 2048  # bytes of the largest arena that is on the stack: less than a guard page
LINE = 64  # bytes to which the arena is aligned
ITEMS = TUPLE_ITEMS  # of the function's tuple: the words, then the functions, then constants
OTHERWISE, IMPROVE, HELD = ITEMS + 1, ITEMS + 2, ITEMS + 3

MAKE_TUPLE = Imported("make_tuple", function(int64, returns=Object), address_of("PyTuple_New"))
SET_ITEM = Imported("set_item", function(Object, int64, Object, returns=int32), address_of("PyTuple_SetItem"))
CALL = Imported(
    "call", function(Object, pointer(Object), int64, Object, returns=Object), address_of("PyObject_Vectorcall")
)
OUT_OF_MEMORY = Imported("out_of_memory", function(returns=Object), address_of("PyErr_NoMemory"))
Program = function(pointer(int64), returns=int64)


@native(of_objects=True, light=True)
def run_small(self: Object, args: pointer(Object), count: int64) -> Object:
    """Runs a program on arrays; returns the tuple of its results."""
    words, table, here = pointer(int64)(Object(self[ITEMS])[DATA]), local(int64, MOST), local(uint8, ON_STACK)
    make_tuple, drop_reference, call, none = MAKE_TUPLE, DROP_REFERENCE, CALL, Object(0)
    inputs, constants = words[INPUTS], words[CONSTANTS]
    if count != inputs or not enter(table, words, args):
        return call(Object(self[OTHERWISE]), args, count, none)
    for at in range(constants):
        table[1 + inputs + at] = Object(self[HELD + at])[DATA]
    if words[LEFT] > 0:
        words[LEFT] -= 1
        if words[LEFT] == 0:
            answer = call(Object(self[IMPROVE]), args, int64(0), none)
            if int64(answer) == 0:
                return answer
            drop_reference(answer)
    results = make_tuple(words[RESULTS])
    if int64(results) == 0:
        return results
    if make_results(results, words, args, offset(table, 1 + inputs + constants)) == 0:
        drop_reference(results)
        return none
    refused, program = int64(0), Program(words[PROGRAM])
    if words[ARENA] <= ON_STACK:
        table[0] = int64(here)
        refused = program(table)
    else:
        allocate, release, out_of_memory = ALLOCATE, RELEASE, OUT_OF_MEMORY
        memory = allocate(words[ARENA] + LINE)
        if int64(memory) == 0:
            drop_reference(results)
            return out_of_memory()
        table[0] = int64(memory) + LINE - int64(memory) % LINE
        refused = program(table)
        release(memory)
    if refused != 0:
        drop_reference(results)
        return call(Object(self[OTHERWISE]), args, count, none)
    return results


@native(inlined=True)
def enter(table: pointer(int64), words: pointer(int64), args: pointer(Object)) -> boolean:
    """Enters the addresses of the inputs; returns whether all that are read are arrays."""
    array_type = int64(ARRAY)
    for at in range(words[INPUTS]):
        if args[at][CLASS] == array_type:
            table[1 + at] = args[at][DATA]
        elif words[FIRST + at] != 0:
            return False
        else:
            table[1 + at] = 0
    return True


@native
def make_results(results: Object, words: pointer(int64), args: pointer(Object), made_at: pointer(int64)) -> int64:
    """Fills the tuple, and the table with the addresses of new results; returns 0 if an exception is set."""
    at, made = FIRST + words[INPUTS], int64(0)
    array_type, make_array, add_reference, set_item, none = ARRAY, MAKE_ARRAY, ADD_REFERENCE, SET_ITEM, Object(0)
    nothing = NONE
    for number in range(words[RESULTS]):
        if words[at] == KEPT:
            array = args[words[at + 1]]
            add_reference(array)
            at += 2
        elif words[at] == NOTHING:
            array = nothing
            add_reference(array)
            at += 1
        else:
            rank, sizes = words[at + 1], offset(words, at + 3)
            strides = offset(sizes, rank)
            array = make_array(array_type, int32(rank), sizes, int32(words[at + 2]), strides, none, 0, 0, none)
            if int64(array) == 0:
                return 0
            made_at[made] = array[DATA]
            made += 1
            at += 3 + 2 * rank
        set_item(results, number, array)
    return 1


@cache
def entry() -> int:
    """Returns the address of `run_small`."""
    return run_small.address()


def caller(
    name: str,
    words: np.ndarray,
    otherwise: Callable[..., tuple],
    improve: Callable[[], None],
    constants: Sequence[np.ndarray],
) -> Callable[..., tuple]:
    """Returns the builtin function of a program, which holds all that it needs."""
    return builtin_calls.function(name, entry(), (words, otherwise, improve, *constants))
