"""Results that are too large for any cache are written past the caches.

A store into memory that is in no cache first fetches the line that it is about to overwrite: a third of the traffic of
an elementwise kernel. A store past the caches does not; but it must fill a whole line, and who reads the result next
has to wait for memory. So it is done with results that would not have stayed in a cache anyway.

Hearts have both stores (`hearts.py`), kernels over rows are compiled twice. LLVM makes vectors of plain stores, of
marked ones it does not. Therefore the mark is put on afterwards: in functions whose name ends in PAST, on every store
of a vector that LLVM itself has found to be aligned.
"""

from __future__ import annotations

import re

PAST = ".past"
LARGEST_KEPT = (1 << 22) - 1  # elements of a result that who reads it next may find in a cache
LINE = 64  # bytes
SIZES = {"float": 4, "double": 8}
STORE = re.compile(r"store <(\d+) x (float|double)> \S+, ptr \S+, align (\d+)")


def marked(text: str) -> str:
    """The text of an optimised module with its marks."""
    found = []
    inside = False
    for line in text.splitlines():
        if line.startswith("define "):
            inside = line.partition("(")[0].rstrip('"').endswith(PAST)
        found.append(STORE.sub(mark, line) if inside else line)
    return "\n".join((*found, f"!{len(found)} = !{{i32 1}}")).replace(MARK, f", !nontemporal !{len(found)}")


MARK = ", !past"


def mark(store: re.Match) -> str:
    count, type, alignment = store.groups()
    size = int(count) * SIZES[type]
    return store[0] + MARK if LINE // 2 <= size <= int(alignment) else store[0]
