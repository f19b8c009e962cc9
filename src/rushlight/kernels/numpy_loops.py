"""Splits NumPy's own ufunc loops over threads: integers, bools and complex numbers.

Where NumPy is vectorized and needs one pass, a kernel gains only threads. A loop is split at cache lines of elements,
so that each part is computed as on one thread. Loops with dependent elements, such as sums, are not split.
"""

from __future__ import annotations

from rushlight.core.policy import GRAIN, SHARED
from rushlight.kernels.loops import LINE, MOST
from rushlight.lower.language import local
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import boolean, function, int64, native, pointer
from rushlight.lower.parallel import parallel_for

# The words of a loop: its address, the data NumPy passes to it, the numbers of operands and of all arrays.
FUNCTION, PASSED, OPERANDS, ARRAYS = range(4)
Loop = function(pointer(int64), pointer(int64), pointer(int64), pointer(int64))
WORTH = GRAIN * 4  # bytes of the widest array per thread
MOST_BYTES = 16  # of an element


@native(light=True)
def share(args: pointer(int64), dims: pointer(int64), steps: pointer(int64), words: pointer(int64)):
    """The loop that NumPy calls, without the GIL."""
    if dims[0] < SHARED:
        loop = Loop(words[FUNCTION])
        loop(args, dims, steps, pointer(int64)(words[PASSED]))
    else:
        cut(args, dims[0], steps, words)


@deferred
@native(light=True)
def cut(args: pointer(int64), count: int64, steps: pointer(int64), words: pointer(int64)):
    """Runs a loop over many elements, split over threads if elements are independent."""
    lines, widest = (count + LINE - 1) // LINE, int64(1)
    for i in range(words[ARRAYS]):
        widest = max(widest, abs(steps[i]))
    if is_independent(args, steps, words, count):
        parallel_for(stretch, lines, max(1, WORTH // (LINE * widest)), args, steps, words, count)
    else:
        stretch(args, steps, words, count, 0, lines)


@native
def stretch(args: pointer(int64), steps: pointer(int64), words: pointer(int64), count: int64, begin: int64, end: int64):
    """Runs lines [begin, end) of `count` elements."""
    data, length, loop = local(int64, MOST), local(int64, 1), Loop(words[FUNCTION])
    for i in range(words[ARRAYS]):
        data[i] = args[i] + begin * LINE * steps[i]
    length[0] = min(count, end * LINE) - begin * LINE
    loop(data, length, steps, pointer(int64)(words[PASSED]))


@native
def is_independent(args: pointer(int64), steps: pointer(int64), words: pointer(int64), count: int64) -> boolean:
    """Returns whether results do not overlap each other or other elements' operands."""
    for i in range(words[OPERANDS], words[ARRAYS]):
        if steps[i] == 0:
            return False
        for j in range(words[OPERANDS]):
            if (args[i] != args[j] or steps[i] != steps[j]) and may_overlap(
                args[i], steps[i], args[j], steps[j], count
            ):
                return False
    return True


@native
def may_overlap(data: int64, step: int64, other: int64, other_step: int64, count: int64) -> boolean:
    """Returns whether two arrays of `count` elements may overlap; the first is no scalar."""
    there, other_there = data + (count - 1) * step, other + (count - 1) * other_step
    ends = max(data, there) + abs(step)  # an element is no wider than that
    other_ends = max(other, other_there) + (abs(other_step) if other_step != 0 else MOST_BYTES)
    return min(data, there) < other_ends and min(other, other_there) < ends
