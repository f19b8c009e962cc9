"""Non-temporal stores of results too large for the caches, and software prefetching.

A store to memory that is not cached first fetches the cache line: a third of the traffic of an elementwise kernel. A
non-temporal store does not, but must fill a whole line, and a later read goes to memory. So it is used for results that
would not stay in a cache anyway. Kernels contain both stores, of explicit vectors (`inner_loop.py`,
`row_nest_loop.py`).

Hardware prefetchers are less effective during non-temporal stores: an Intel processor with AMX took 2.5 times as long
for `gelu` from memory as from cache. Prefetching 2 kB ahead costs one instruction per vector, which loops do not
notice. Zen 4 prefetches further itself, so that far prefetches load lines twice: sums from its last cache took a fifth
longer. A few lines ahead are best there.
"""

from __future__ import annotations

from rushlight.lower import llvm

LARGEST_KEPT = (1 << 22) - 1  # elements of the largest result that may stay in a cache
LINE = 64  # bytes
SOON, NEXT = 2048, 256  # bytes from what is read to what is prefetched; the latter for good hardware prefetchers
PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"


def ahead(far: int = SOON) -> int:
    """Returns the prefetch distance of sequential loads in bytes: `far`, unless the hardware prefetches well."""
    return NEXT if llvm.host().reads_ahead else far
