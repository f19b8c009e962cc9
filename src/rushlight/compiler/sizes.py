"""From how many elements on machine code is worth its way, kind by kind: every threshold stands here, with its reason.

A kernel is called as quickly as a function of NumPy's. What differs is the way there: finding the kernel for these
dtypes and numbers takes half a microsecond where it is looked up, and as long as NumPy needs for a pass over some
hundred elements. Before it can be looked up it has to be loaded or compiled, which is done for work that repays it.
"""

from rushlight.core.large import LARGE

FORMULA = 1 << 9  # of several steps: NumPy has begun its second pass by the time that the kernel is found
REDUCED = 1 << 11  # in one pass of NumPy's, which begins sooner and goes half as fast
RUNNING = 1 << 9  # each element waits for the one before it, in NumPy's loop for a dozen steps
PICKED = 1 << 10  # at positions that have to be looked at first, for which NumPy makes arrays of positions
COUNTED = 1 << 11  # to know how many there are, a kernel goes over them twice
SORTED = 1 << 12  # NumPy sorts short lines as well as anybody
LINES = 1 << 7  # rows that are normalized: five to ten passes of NumPy's, each with its own beginning
WRITTEN = 1 << 9  # in place: the copy that is saved takes as long as the questions that have to be asked first
POOLED = 1 << 8  # in windows, of which NumPy looks at each place by itself
LAYER = 1 << 13  # numbers of a layer, which arrive by a way of their own
GRAIN = 1 << 14  # what a thread is given at least: to wake one takes as long as some thousand elements
SHARED = LARGE  # what is shared among threads: two of them have enough to do

PATIENCE = 1 << 20  # elements of smaller arrays until a kernel for them is loaded, which takes about as long


class Patience:
    """Waits until arrays that are not large have been worked on for so long that a kernel is worth its loading."""

    def __init__(self):
        self.worked = 0

    def ends(self, size: int) -> bool:
        """Whether an array of so many elements, which is about to be worked on, shall have a kernel."""
        self.worked += size if size < LARGE else PATIENCE
        return self.worked >= PATIENCE
