"""From how many elements on machine code is worth its way, kind by kind, with the reason.

Only convolutions and attention, whose work is no number of elements, say it where their kernels are chosen.

A kernel is called as quickly as a function of NumPy's. What differs is the way there: finding the kernel for these
dtypes and numbers takes half a microsecond where it is looked up, and as long as NumPy needs for a pass over some
hundred elements. Before it can be looked up it has to be loaded or compiled, which is done for work that repays it.
"""

from rushlight.core.large import LARGE

FORMULA = 1 << 9  # of several steps: NumPy has begun its second pass by the time that the kernel is found
REDUCED = 1 << 9  # one pass of NumPy's, which takes a microsecond to begin and then goes half as fast
RUNNING = 1 << 9  # each element waits for the one before it, in NumPy's loop for a dozen steps
PICKED = 1 << 10  # at positions that have to be looked at first, for which NumPy makes arrays of positions
POOLED = 1 << 8  # in windows, of which NumPy looks at each place by itself
COUNTED = 1 << 11  # to know how many there are, a kernel goes over them twice
SORTED = 1 << 12  # NumPy sorts short lines as well as anybody
LINES = 1 << 7  # rows that are normalized: five to ten passes of NumPy's, each with its own beginning
WRITTEN = 1 << 9  # in place: the copy that is saved takes as long as the questions that have to be asked first
LAYER = 1 << 9  # normalized: ten passes of NumPy's and more
STEPS = 1 << 13  # of a recurrent layer, whose kernel takes its arguments in lists
GRAIN = 1 << 14  # what a thread is given at least: to wake one takes as long as some thousand elements
SHARED = LARGE  # what is shared among threads: two of them have enough to do

PATIENCE = 1 << 20  # elements of smaller arrays until a kernel for them is loaded, which takes about as long


class Patience:
    """Waits until arrays that are not large have been worked on for so long that a kernel is worth its loading."""

    def __init__(self, passes: int = 1):
        self.worked, self.passes, self.over = 0, passes, False  # the passes that NumPy needs for the work

    def ends(self, size: int) -> bool:
        """Whether an array of so many elements, which is about to be worked on, shall have a kernel."""
        self.worked += size * self.passes if size < LARGE else PATIENCE
        self.over = self.worked >= PATIENCE
        return self.over
