"""Where values would go among sorted ones: several are looked for at the same time, each by halves.

How often what is left is halved depends on the length alone, and which half it is, is added up and not jumped to: a
processor foresees nothing of it, but reads for the next values meanwhile.
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
R = Element("R")  # of the places

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
    """The kernel that counts the sorted numbers up to the first at which a value stops; nan stops nowhere."""

    @native(one_at_a_time=True)
    def search_some(out: pointer(R), numbers: pointer(T), values: pointer(T), length: int64, many: int64, begin: int64,
                    end: int64):  # fmt: skip
        places, i = local(int64, 8), begin
        while i < end:  # values of one row
            row = offset(numbers, i // many * length)
            last = min(end, (i // many + 1) * many)
            for first in range(i, last, AT_ONCE):
                for lane in range(AT_ONCE):
                    places[lane] = 0
                left = length
                while left > 1:
                    half = left // 2
                    for lane in range(AT_ONCE):
                        value = values[min(first + lane, last - 1)]
                        places[lane] += half * (1 - int64(stops(row[places[lane] + half - 1], value)))
                    left -= half
                for lane in range(min(AT_ONCE, last - first)):
                    place = places[lane]
                    out[first + lane] = R(place + 1 - int64(stops(row[place], values[first + lane])))
            i = last

    @native(light=True)
    def search_all(out: pointer(R), numbers: pointer(T), values: pointer(T), length: int64, many: int64, count: int64,
                   grain: int64):  # fmt: skip
        parallel_for(search_some, count, grain, out, numbers, values, length, many)

    return search_all


BEFORE, BEHIND = searching(is_not_before), searching(is_behind)


@kernel_of("search", sized=1, least=SORTED)
def search(sorted_sequence, values, right, dtype):
    kind, length = number_of(values), sorted_sequence.shape[-1]
    if kind not in KINDS or sorted_sequence.dtype != values.dtype or np.dtype(dtype) not in PLACES or not length:
        return None
    if any([type(each) is not np.ndarray for each in (sorted_sequence, values)]):
        return None
    many = values.size if sorted_sequence.ndim == 1 else values.shape[-1]
    last = sorted_sequence[..., -1]
    if (last != last).any():  # among what ends in nan, places depend on the steps
        return None
    out = np.empty(values.shape, dtype)
    kernel = (BEHIND if right else BEFORE).machine(OF_NUMPY[out.dtype], kind)
    grain = max(64, GRAIN // (4 * length.bit_length()))
    kernel(out, packed(sorted_sequence), packed(values), length, many, values.size, grain)
    return out
