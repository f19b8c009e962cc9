"""Machine code in front of a compiled function: it checks a call, as `guard_machine` does, and calls the replay.

What a replay depends on besides its guards is compared first: the modes of the thread, and words of memory. If anything
is not so, `otherwise` decides, a function in Python. So is what a replay raises: `failed` gets the error.
"""

from __future__ import annotations

from rushlight.core.modes import MODE
from rushlight.core.traced import STACK
from rushlight.lower.guard_machine import (
    BLOCK,
    CALL,
    CLEAR_ERROR,
    COUNT,
    HOLDS,
    NEW_LIST,
    RAISE,
    REST,
    TYPE_ERROR,
    check,
    has_keys,
    run,
)
from rushlight.lower.language import Imported, local
from rushlight.lower.llvm import LIGHT
from rushlight.lower.machine_types import boolean, function, int32, int64, pointer
from rushlight.lower.native import compile_together, native
from rushlight.lower.objects import ADD_REFERENCE, CLASS, DATA, DROP_REFERENCE, NONE, Object, address_of
from rushlight.lower.python_layout import LENGTH, LIST_ITEMS, TUPLE_ITEMS

# Words of the program in front: its checker's handle, the replay, what gets an error, the mode, the names of arguments,
# how many have none, how many words of memory are compared, and each with its address.
HANDLE, REPLAY, FAILED, WANTED_MODE, NAMES, POSITIONAL, COMPARED, FIRST = range(8)
# The items of the builtin function's tuple: an array with the address of these words, the function that decides
# otherwise, what a replay returns if the program would have gone on otherwise, an array with the count of replays.
STATE, OTHERWISE, MISSED, REPLAYS = (TUPLE_ITEMS + at for at in range(4))

EMPTY = ()
TUPLE = Imported("tuple", Object, lambda: id(tuple))
DICT = Imported("dict", Object, lambda: id(dict))
GET_CONTEXT = Imported(
    "get_context", function(Object, Object, pointer(Object), returns=int32), address_of("PyContextVar_Get")
)
FETCH = Imported("fetch", function(pointer(Object), pointer(Object), pointer(Object)), address_of("PyErr_Fetch"))
NORMALIZE = Imported(
    "normalize", function(pointer(Object), pointer(Object), pointer(Object)), address_of("PyErr_NormalizeException")
)
SET_TRACEBACK = Imported(
    "set_traceback", function(Object, Object, returns=int32), address_of("PyException_SetTraceback")
)
MODE_VARIABLE = Imported("mode_variable", Object, lambda: id(MODE))
LEVELS_VARIABLE = Imported("levels_variable", Object, lambda: id(STACK))
NO_LEVELS = Imported("no_levels", Object, lambda: id(EMPTY))


@native(alone=True)
def context_is(variable: Object, wanted: int64) -> boolean:
    """Returns whether a context variable has this object."""
    get_context, drop_reference, clear_error, value = GET_CONTEXT, DROP_REFERENCE, CLEAR_ERROR, local(Object, 1)
    value[0] = Object(0)
    if get_context(variable, Object(0), value) < 0 or int64(value[0]) == 0:
        clear_error()
        return False
    drop_reference(value[0])
    return int64(value[0]) == wanted


@native
def surrounded(program: Object, args: pointer(Object)) -> boolean:
    """Returns whether the modes, the words of memory, and number and names of arguments are those of the program."""
    mode, levels, no_levels, tuple_type, dict_type = MODE_VARIABLE, LEVELS_VARIABLE, NO_LEVELS, TUPLE, DICT
    if args[0][CLASS] != int64(tuple_type) or args[1][CLASS] != int64(dict_type):
        return False
    names = Object(program[NAMES])
    if args[0][LENGTH] != program[POSITIONAL] or args[1][LENGTH] != names[LENGTH]:
        return False
    if names[LENGTH] != 0 and not has_keys(args[1], names):
        return False
    for at in range(program[COMPARED]):
        if Object(program[FIRST + 2 * at])[0] != program[FIRST + 2 * at + 1]:
            return False
    return context_is(mode, program[WANTED_MODE]) and context_is(levels, int64(no_levels))


@native(alone=True)
def answered(failed: Object, args: pointer(Object)) -> Object:
    """Returns what `failed(args, kwargs, error)` makes of the error that is set."""
    fetch, normalize, set_traceback, call, drop_reference = FETCH, NORMALIZE, SET_TRACEBACK, CALL, DROP_REFERENCE
    kind, error, trace, all_three = local(Object, 1), local(Object, 1), local(Object, 1), local(Object, 3)
    kind[0], error[0], trace[0] = Object(0), Object(0), Object(0)
    fetch(kind, error, trace)
    normalize(kind, error, trace)
    if int64(trace[0]) != 0:
        set_traceback(error[0], trace[0])
        drop_reference(trace[0])
    all_three[0], all_three[1], all_three[2] = args[0], args[1], error[0]
    answer = call(failed, all_three, 3, Object(0))
    drop_reference(kind[0])
    drop_reference(error[0])
    return answer


@native
def replayed(program: Object, missed: Object, args: pointer(Object), values: Object) -> Object:
    """Returns what the replay or, for its error, `failed` returns; 0 if one raises, `missed` if there is no replay."""
    call, none, add_reference, drop_reference = CALL, NONE, ADD_REFERENCE, DROP_REFERENCE
    replay, failed, handle, all_three = (
        Object(program[REPLAY]),
        Object(program[FAILED]),
        Object(program[HANDLE]),
        local(Object, 3),
    )
    count, rest = handle[COUNT], Object(Object(handle[BLOCK])[REST])
    add_reference(replay)
    add_reference(failed)
    answer = Object(0)
    if int64(rest) != 0:
        all_three[0], all_three[1], all_three[2] = args[0], args[1], values
        add_reference(rest)
        answer = call(rest, all_three, 3, Object(0))
        drop_reference(rest)
    if int64(answer) == int64(none):
        add_reference(missed)
        drop_reference(answer)
        answer = missed
    elif int64(rest) == 0 or int64(answer) != 0:
        if int64(answer) != 0:
            drop_reference(answer)  # the list
        answer = call(replay, pointer(Object)(values[LIST_ITEMS]), count, Object(0))
        if int64(answer) == 0:
            answer = answered(failed, args)
    drop_reference(replay)
    drop_reference(failed)
    return answer


@native(of_objects=True, light=True)
def front(self: pointer(Object), args: pointer(Object), count: int64) -> Object:
    """`front(args, kwargs)`: the result of a call, by the program in front or by `otherwise`."""
    type_error, call, refuse, new_list, drop_reference = TYPE_ERROR, CALL, RAISE, NEW_LIST, DROP_REFERENCE
    if count != 2:
        refuse(type_error)
        return Object(0)
    state, missed, replays = Object(self[STATE][DATA]), self[MISSED], Object(self[REPLAYS][DATA])
    if state[0] != 0:
        wanted = Object(Object(state[0])[HANDLE])[COUNT]
        values = new_list(wanted)  # before anything is read: it may collect garbage
        if int64(values) == 0:
            return Object(0)
        program = Object(state[0])
        if state[0] != 0 and Object(program[HANDLE])[COUNT] == wanted and surrounded(program, args):
            if run(Object(Object(program[HANDLE])[BLOCK]), args, values) == HOLDS:
                answer = replayed(program, missed, args, values)
                drop_reference(values)
                if int64(answer) != int64(missed):
                    replays[0] += 1
                    return answer
                drop_reference(answer)
                return call(self[OTHERWISE], args, 2, Object(0))
        drop_reference(values)
    return call(self[OTHERWISE], args, 2, Object(0))


def addresses() -> tuple[int, int]:
    """Returns the addresses of `check` and `front`, which are compiled together."""
    if () not in front.addresses:
        compile_together(check, front, passes=LIGHT, called=False)
    return check.address(), front.address()
