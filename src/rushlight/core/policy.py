"""When a kernel runs: how large arrays have to be, how much work is counted first, and which dtypes fast paths take.

Everything that decides by size or by the amount of work so far is here. Two questions are separate:

- **When is the compiler loaded?** It takes 0.1 s. One array of LARGE elements loads it, or COMPILER_WORK elements in
  arrays of at least MEDIUM, each of which stands for a handful of operations. Smaller arrays are not counted.
- **When does an array take a kernel?** Calling one costs as much as calling a NumPy function; looking it up by dtypes
  and scalars takes half a microsecond, loading or compiling it 10 to 100 ms. So each kernel has a least size, and small
  arrays are counted by a `Warmup` before it is loaded. Last digits may change when a kernel takes over: what is below
  its least size always stays with NumPy, so that a small program that runs twice gives the same results.
"""

from __future__ import annotations

from collections.abc import Callable

LARGE = 1 << 15  # elements: one such array loads the compiler
MEDIUM = 1 << 10
COMPILER_WORK = 1 << 23  # elements in arrays of medium size

# The least sizes, in elements, with the reason.
FEW = 1 << 4
FORMULA = 1 << 9  # several steps: NumPy has begun its second pass by the time the kernel is looked up
REDUCED = 1 << 9  # one NumPy pass, which takes a microsecond to begin and then runs at half the speed
TURNED = 1 << 15  # operands in several layouts, one of which is copied first
LAID = 1 << 14  # reduced in another order of dimensions, which takes some microseconds to find
SPREAD = 1 << 9  # variances, and extremes with their positions: several passes
RUNNING = 1 << 9  # scans: NumPy's loop takes a dozen steps for each element, which waits for the one before
PICKED = 1 << 10  # gathers, for which NumPy makes arrays of positions and checks them first
PLACED = 1 << 9  # scatters: NumPy goes over the positions several times
OVERWRITTEN = 1 << 12  # scatters in place: 10 ns an element by NumPy, 10 us to call a kernel
POOLED = 1 << 8  # windows: NumPy looks at each tap separately
RUNS = 1 << 11  # copies of short runs: 6 ns a run by NumPy, a microsecond to plan a copy
JOINED = 1 << 12  # concatenation: NumPy asks an array as many questions as it copies elements meanwhile
COUNTED = 1 << 11  # counting results first: the kernel makes two passes
SORTED = 1 << 12  # NumPy sorts short rows as fast
LINES = FEW  # normalized rows: five to ten NumPy passes
HALVED = 1 << 10  # to or from half precision, which NumPy converts one by one; or written as another dtype
WRITTEN = 1 << 9  # in place: saving a copy takes as long as the checks
PREPARED = 1 << 17  # in place with several operands: 30 us of checks
LAYER = 1 << 9  # normalization layers: more than ten NumPy passes
STEPS = 1 << 13  # recurrent layers, whose kernels take lists of arguments
PRODUCTS = 1 << 18  # multiplications of a matrix product
GRAIN = 1 << 14  # the least a thread is given: waking one takes as long as some thousand elements
SHARED = LARGE  # shared among threads
SMALL_PROGRAM = 1 << 14  # elements of the largest tensor of a program that is one function of machine code

WARMUP = 1 << 20  # elements of smaller arrays until a kernel for them is loaded, which takes about as long
BEGUN = 1 << 8  # elements that NumPy processes in the time that it takes to begin
PROBED_CALLS = 32  # after which a function that returns small arrays is no longer counted

OFTEN = 64  # calls of a transformed function before one is watched, which takes as long as some tens of them
LONG_CALL = 10_000_000  # ns: of a call that takes longer Python is a small part, and memory may be scarce

WAITING: list[Callable[[], None]] = []  # called once when the compiler pays off


class Seen:
    """How many elements arrays of medium size have had while somebody waits."""

    def __init__(self):
        self.elements = 0


SEEN = Seen()


def notice(size: int = LARGE) -> None:
    """Counts an array of that size, at least MEDIUM; calls everything in WAITING when the work is enough."""
    if size < LARGE:
        SEEN.elements += size
        if SEEN.elements < COMPILER_WORK:
            return
    while WAITING:
        WAITING.pop()()


class Warmup:
    """Counts the elements processed until a kernel is worth loading; `passes` is the NumPy passes that it replaces."""

    def __init__(self, passes: int = 1):
        self.worked, self.passes, self.over = 0, passes, False

    def pays_off(self, size: int) -> bool:
        """Counts an array that is about to be processed; returns whether it should have a kernel."""
        self.worked += max(size, BEGUN) * self.passes if size < LARGE else WARMUP
        self.over = self.worked >= WARMUP
        return self.over
