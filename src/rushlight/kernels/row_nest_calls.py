"""How Python calls a loop nest over rows: one builtin function for all of them."""

from rushlight.lower.language import local
from rushlight.lower.native import int64, native, pointer, void
from rushlight.lower.objects import (
    ADD_REFERENCE,
    DATA,
    NONE,
    NUMBER_OF,
    RESTORE_THREAD,
    SAVE_THREAD,
    Object,
)
from rushlight.lower.parallel import ENTRY
from rushlight.lower.pool import Body

HEAD = 4  # what comes before the arrays
MOST = 28  # arrays


@native(of_objects=True, light=True)
def run_nest(self: Object, given: pointer(Object), count: int64) -> Object:
    """`run_nest(address, rows, grain, length, *arrays)`: the nest's code, its rows, how many are worth a thread."""
    number_of, entry, nothing, add_reference = NUMBER_OF, ENTRY[0], NONE, ADD_REFERENCE
    save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
    words = local(int64, 32)
    for at in range(HEAD, min(count, HEAD + MOST)):
        array = given[at]
        words[at - HEAD] = array[DATA]
    words[count - HEAD] = number_of(given[3])
    body, size, grain = Body(number_of(given[0])), number_of(given[1]), number_of(given[2])
    if size <= grain:
        entry(body, pointer(void)(words), size, grain)
    else:
        thread = save_thread()
        entry(body, pointer(void)(words), size, grain)
        restore_thread(thread)
    add_reference(nothing)
    return nothing
