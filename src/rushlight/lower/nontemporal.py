"""Results that are too large for any cache are written past the caches, and what is read is asked for before.

A store into memory that is in no cache first fetches the line that it is about to overwrite: a third of the traffic of
an elementwise kernel. A store past the caches does not; but it must fill a whole line, and who reads the result next
has to wait for memory. So it is done with results that would not have stayed in a cache anyway. Kernels have both
stores, of vectors that they name (`inner_loop.py`, `row_nest_loop.py`).

Processors foresee what a loop reads next, but hardly while it writes past the caches: one of Intel's with AMX took 2.5
times as long for `gelu` of what lay in memory as for what lay in a cache. Who asks for it 2 kB ahead pays an
instruction for each vector, which loops do not notice. A Zen 4 foresees more, so that what is asked for far ahead is
asked for twice: sums of what lies in its last cache took a fifth longer. Asked for some lines ahead they are quickest.
"""

from __future__ import annotations

from rushlight.lower import llvm

LARGEST_KEPT = (1 << 22) - 1  # elements of a result that who reads it next may find in a cache
LINE = 64  # bytes
SOON, NEXT = 2048, 256  # bytes between what a loop reads and what it asks for; those where it is read ahead already
PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"


def ahead(far: int = SOON) -> int:
    """How many bytes ahead a loop asks for what it reads in order; `far`, unless that is read ahead already."""
    return NEXT if llvm.host().reads_ahead else far
