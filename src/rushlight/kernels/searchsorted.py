"""`searchsorted`: branchless binary search, several values at a time.

The number of halvings depends on the length only, and the chosen half is computed instead of branched to: there are no
mispredictions, and loads of several values overlap. Parallel over values.
"""

from __future__ import annotations

import numpy as np

from rushlight.core.policy import GRAIN, SORTED
from rushlight.kernels.arguments import number_of, packed
from rushlight.lower.language import local, offset
from rushlight.lower.native import OF_NUMPY, Element, boolean, float32, float64, int32, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

T = Element("T")
R = Element("R")  # dtype of the result

KINDS = (float32, float64, int64, int32)
PLACES = {np.dtype(np.int64), np.dtype(np.int32)}
AT_ONCE = 8


@native(inlined=True)
def is_not_before(number: T, value: T) -> boolean:
    return number >= value


@native(inlined=True)
def is_behind(number: T, value: T) -> boolean:
    return number > value


def searching(stops):
    """Returns the kernel that counts sorted elements before the first one for which `stops` holds; NaN never stops."""

    @native(one_at_a_time=True)
    def search_some(out: pointer(R), numbers: pointer(T), values: pointer(T), length: int64, many: int64, begin: int64,
                    end: int64):  # fmt: skip
        counts, i = local(int64, 8), begin
        while i < end:  # values of one row
            row = offset(numbers, i // many * length)
            last = min(end, (i // many + 1) * many)
            for first in range(i, last, AT_ONCE):
                for lane in range(AT_ONCE):
                    counts[lane] = 0
                left = length
                while left > 1:
                    half = left // 2
                    for lane in range(AT_ONCE):
                        value = values[min(first + lane, last - 1)]
                        counts[lane] += half * (1 - int64(stops(row[counts[lane] + half - 1], value)))
                    left -= half
                for lane in range(min(AT_ONCE, last - first)):
                    position = counts[lane]
                    out[first + lane] = R(position + 1 - int64(stops(row[position], values[first + lane])))
            i = last

    @native(light=True)
    def search_all(out: pointer(R), numbers: pointer(T), values: pointer(T), length: int64, many: int64, count: int64,
                   grain: int64):  # fmt: skip
        parallel_for(search_some, count, grain, out, numbers, values, length, many)

    return search_all


BEFORE, BEHIND = searching(is_not_before), searching(is_behind)


@kernel_of("search", sized=1, least=SORTED)
def search(sorted_sequence, values, right, dtype):
    element, length = number_of(values), sorted_sequence.shape[-1]
    if element not in KINDS or sorted_sequence.dtype != values.dtype or np.dtype(dtype) not in PLACES or not length:
        return None
    if any([type(x) is not np.ndarray for x in (sorted_sequence, values)]):
        return None
    many = values.size if sorted_sequence.ndim == 1 else values.shape[-1]
    last = sorted_sequence[..., -1]
    if (last != last).any():  # with NaN at the end, results depend on the steps
        return None
    out = np.empty(values.shape, dtype)
    kernel = (BEHIND if right else BEFORE).machine(OF_NUMPY[out.dtype], element)
    grain = max(64, GRAIN // (4 * length.bit_length()))
    kernel(out, packed(sorted_sequence), packed(values), length, many, values.size, grain)
    return out
