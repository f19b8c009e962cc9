"""Forward log-probabilities of CTC label paths (`arrays/ctc.py`): vectorized over states, parallel over sequences,
float32.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.policy import GRAIN, LAYER
from rushlight.kernels.arguments import packed
from rushlight.kernels.elementary import decay, log
from rushlight.kernels.vectors import LANES, load, load_some, select, splat, store, store_some
from rushlight.lower.language import larger, offset
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

NOTHING = -math.inf


@native
def some_prefixes(
    out: pointer(float32), scores: pointer(float32), steps: pointer(float32), lines: pointer(float32), time: int64,
    batch: int64, states: int64, wide: int64, begin: int64, end: int64,
):  # fmt: skip
    """Computes sequences [begin, end); `lines` holds two time steps per sequence, with unreachable states before the
    first.
    """
    nothing = splat(NOTHING)
    for row in range(begin, end):
        line, skips = offset(lines, row * 2 * wide), offset(steps, row * states)
        for t in range(time):
            before, after, index = LANES + t % 2 * wide, LANES + (t + 1) % 2 * wide, (t * batch + row) * states
            for k in range(0, states, LANES):
                stay, go, skip = load(line, before + k), load(line, before + k - 1), load(line, before + k - 2)
                skip = skip + load_some(skips, k, 0, states - k)
                largest = larger(larger(stay, go), skip)
                total = largest + log(decay(stay - largest) + decay(go - largest) + decay(skip - largest))
                value = select(largest == nothing, nothing, total) + load_some(scores, index + k, 0, states - k)
                store(line, after + k, value)
                store_some(out, index + k, value, states - k)
            if t == 0:
                line[before - 1] = float32(NOTHING)


@native(light=True)
def all_prefixes(
    out: pointer(float32), scores: pointer(float32), steps: pointer(float32), lines: pointer(float32), time: int64,
    batch: int64, states: int64, wide: int64, grain: int64,
):  # fmt: skip
    parallel_for(some_prefixes, batch, grain, out, scores, steps, lines, time, batch, states, wide)


@kernel_of("prefixes", least=LAYER)
def prefixes(scores, passes, lengths):
    if scores.dtype != np.float32:
        return None
    (time, batch, states), out = scores.shape, np.empty(scores.shape, np.float32)
    wide = LANES + -(-states // LANES) * LANES
    lines, steps = np.full((batch, 2 * wide), NOTHING, np.float32), np.full(passes.shape, NOTHING, np.float32)
    lines[:, LANES - 1], steps[passes], steps[:, :2] = 0, 0, 0  # paths start before the first state
    all_prefixes.machine()(
        out, packed(scores), steps, lines, time, batch, states, wide, max(1, GRAIN // (16 * time * states))
    )
    return out
