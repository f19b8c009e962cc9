"""The builtin function that calls a loop nest over rows from Python."""

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

HEAD = 4  # arguments before the arrays
MOST = 28  # arrays


@native(of_objects=True, light=True)
def run_nest(self: Object, args: pointer(Object), count: int64) -> Object:
    """`run_nest(address, rows, grain, length, *arrays)`: runs a nest's machine code; `grain` is rows per thread."""
    number_of, entry, nothing, add_reference = NUMBER_OF, ENTRY[0], NONE, ADD_REFERENCE
    save_thread, restore_thread = SAVE_THREAD, RESTORE_THREAD
    words = local(int64, 32)
    for i in range(HEAD, min(count, HEAD + MOST)):
        array = args[i]
        words[i - HEAD] = array[DATA]
    words[count - HEAD] = number_of(args[3])
    body, size, grain = Body(number_of(args[0])), number_of(args[1]), number_of(args[2])
    if size <= grain:
        entry(body, pointer(void)(words), size, grain)
    else:
        thread = save_thread()
        entry(body, pointer(void)(words), size, grain)
        restore_thread(thread)
    add_reference(nothing)
    return nothing
