"""Results that are too large for any cache are written past the caches.

A store into memory that is in no cache first fetches the line that it is about to overwrite: a third of the traffic of
an elementwise kernel. A store past the caches does not; but it must fill a whole line, and who reads the result next
has to wait for memory. So it is done with results that would not have stayed in a cache anyway. Kernels have both
stores, of vectors that they name (`hearts.py`, `row_loops.py`).
"""

from __future__ import annotations

LARGEST_KEPT = (1 << 22) - 1  # elements of a result that who reads it next may find in a cache
LINE = 64  # bytes
