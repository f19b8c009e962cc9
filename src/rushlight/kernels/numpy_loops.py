"""NumPy's own loops shared among the threads: of whole numbers, truth values and complex numbers.

What NumPy does in one pass and in whole vectors a kernel would do no better, but for the threads. Such a loop is cut at
whole lines of elements, so that each is computed as it would be by one thread. One whose elements wait for each other,
as those of a sum do, is not cut.
"""

from __future__ import annotations

from rushlight.core.policy import GRAIN, SHARED
from rushlight.kernels.loops import LINE, MOST
from rushlight.lower.language import local
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import boolean, function, int64, native, pointer
from rushlight.lower.parallel import parallel_for

# What a loop of ours is told of one of NumPy's: where it is, what NumPy hands to it, its operands and all its arrays.
FUNCTION, PASSED, OPERANDS, ARRAYS = range(4)
Loop = function(pointer(int64), pointer(int64), pointer(int64), pointer(int64))
WORTH = GRAIN * 4  # bytes of the widest array that are worth a thread
MOST_BYTES = 16  # of an element


@native(light=True)
def share(args: pointer(int64), dims: pointer(int64), steps: pointer(int64), words: pointer(int64)):
    """What NumPy calls, without the GIL."""
    if dims[0] < SHARED:
        loop = Loop(words[FUNCTION])
        loop(args, dims, steps, pointer(int64)(words[PASSED]))
    else:
        cut(args, dims[0], steps, words)


@deferred
@native(light=True)
def cut(args: pointer(int64), count: int64, steps: pointer(int64), words: pointer(int64)):
    """A loop of many elements, whose lines are shared where they wait for nothing."""
    lines, widest = (count + LINE - 1) // LINE, int64(1)
    for i in range(words[ARRAYS]):
        widest = max(widest, abs(steps[i]))
    if is_independent(args, steps, words, count):
        parallel_for(stretch, lines, max(1, WORTH // (LINE * widest)), args, steps, words, count)
    else:
        stretch(args, steps, words, count, 0, lines)


@native
def stretch(args: pointer(int64), steps: pointer(int64), words: pointer(int64), count: int64, begin: int64, end: int64):
    """The lines from `begin` to `end`, of so many elements in all."""
    places, some, loop = local(int64, MOST), local(int64, 1), Loop(words[FUNCTION])
    for i in range(words[ARRAYS]):
        places[i] = args[i] + begin * LINE * steps[i]
    some[0] = min(count, end * LINE) - begin * LINE
    loop(places, some, steps, pointer(int64)(words[PASSED]))


@native
def is_independent(args: pointer(int64), steps: pointer(int64), words: pointer(int64), count: int64) -> boolean:
    """Whether each result has a place of its own, where no operand lies but what it is computed of."""
    for i in range(words[OPERANDS], words[ARRAYS]):
        if steps[i] == 0:
            return False
        for j in range(words[OPERANDS]):
            if (args[i] != args[j] or steps[i] != steps[j]) and meet(args[i], steps[i], args[j], steps[j], count):
                return False
    return True


@native
def meet(place: int64, step: int64, other: int64, other_step: int64, count: int64) -> boolean:
    """Whether two arrays of so many elements, the first of which is no single one, may have memory in common."""
    there, other_there = place + (count - 1) * step, other + (count - 1) * other_step
    ends = max(place, there) + abs(step)  # an element is no wider than that
    other_ends = max(other, other_there) + (abs(other_step) if other_step != 0 else MOST_BYTES)
    return min(place, there) < other_ends and min(other, other_there) < ends
