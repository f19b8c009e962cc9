"""From how many elements on machine code is worth its way, kind by kind, with the reason.

Only convolutions and attention, whose work is no number of elements, say it where their kernels are chosen.

A kernel is called as quickly as a function of NumPy's. What differs is the way there: finding the kernel for these
dtypes and numbers takes half a microsecond where it is looked up, which is less than NumPy's second function takes to
begin with the first number. Before it can be looked up it has to be loaded or compiled, which is done for work that
repays it. When that happens, last digits change: so what waits for it leaves arrays of few elements to NumPy, although
a kernel would be quicker from the first element on, lest a small program that is run twice should give two results.
"""

from rushlight.core.large import LARGE

FEW = 1 << 4  # elements
FORMULA = 1 << 9  # of several steps: NumPy has begun its second pass by the time that the kernel is found
REDUCED = 1 << 9  # one pass of NumPy's, which takes a microsecond to begin and then goes half as fast
TURNED = 1 << 15  # operands in several orders, one of which is copied first
LAID = 1 << 14  # reduced in another order of dimensions, which takes some microseconds to find
SPREAD = 1 << 9  # variances and extremes with their places: several passes
RUNNING = 1 << 9  # each element waits for the one before it, in NumPy's loop for a dozen steps
PICKED = 1 << 10  # at positions that have to be looked at first, for which NumPy makes arrays of positions
PLACED = 1 << 9  # the same, and written there, for which it looks at all of them several times
OVERWRITTEN = 1 << 12  # in place, where an index says: NumPy takes 10 ns each, a kernel 10 us to be called
POOLED = 1 << 8  # in windows, of which NumPy looks at each place by itself
RUNS = 1 << 11  # copied in short runs, of which NumPy takes 6 ns for each and a plan of a copy a microsecond in all
JOINED = 1 << 12  # one behind the other: NumPy asks as many questions of an array as it copies numbers meanwhile
COUNTED = 1 << 11  # to know how many there are, a kernel goes over them twice
SORTED = 1 << 12  # NumPy sorts short lines as well as anybody
LINES = FEW  # rows that are normalized: five to ten passes of NumPy's, and nothing is waited for
HALVED = 1 << 10  # to or from float16 and bfloat16, which NumPy does number by number; or written as another dtype
WRITTEN = 1 << 9  # in place: the copy that is saved takes as long as the questions that have to be asked first
PREPARED = 1 << 17  # in place, of several operands: 30 microseconds of such questions
LAYER = 1 << 9  # normalized: ten passes of NumPy's and more
STEPS = 1 << 13  # of a recurrent layer, whose kernel takes its arguments in lists
GRAIN = 1 << 14  # what a thread is given at least: to wake one takes as long as some thousand elements
SHARED = LARGE  # what is shared among threads: two of them have enough to do

PATIENCE = 1 << 20  # elements of smaller arrays until a kernel for them is loaded, which takes about as long
BEGUN = 1 << 8  # elements that NumPy would have done in the time that it takes to begin


class Patience:
    """Waits until arrays that are not large have been worked on for so long that a kernel is worth its loading."""

    def __init__(self, passes: int = 1):
        self.worked, self.passes, self.over = 0, passes, False  # the passes that NumPy needs for the work

    def ends(self, size: int) -> bool:
        """Whether an array of so many elements, which is about to be worked on, shall have a kernel."""
        self.worked += max(size, BEGUN) * self.passes if size < LARGE else PATIENCE
        self.over = self.worked >= PATIENCE
        return self.over
