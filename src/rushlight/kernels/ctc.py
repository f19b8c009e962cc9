"""The log-probabilities of paths of labels: what `arrays/ctc.py` adds up state by state, all at once."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.policy import GRAIN, LAYER
from rushlight.kernels.arguments import packed
from rushlight.kernels.elementary import decay, log
from rushlight.kernels.vectors import LANES, chosen, load, load_some, spread, store, store_some
from rushlight.lower.language import larger, offset
from rushlight.lower.native import float32, int64, native, pointer
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

NOTHING = -math.inf


@native
def some_beginnings(
    out: pointer(float32), scores: pointer(float32), steps: pointer(float32), lines: pointer(float32), time: int64,
    batch: int64, states: int64, wide: int64, begin: int64, end: int64,
):  # fmt: skip
    """Of some sequences; `lines` holds two times of each, with states before the first that nothing reaches."""
    nothing = spread(NOTHING)
    for row in range(begin, end):
        line, step = offset(lines, row * 2 * wide), offset(steps, row * states)
        for now in range(time):
            before, after, place = LANES + now % 2 * wide, LANES + (now + 1) % 2 * wide, (now * batch + row) * states
            for k in range(0, states, LANES):
                stay, go, pass_over = load(line, before + k), load(line, before + k - 1), load(line, before + k - 2)
                pass_over = pass_over + load_some(step, k, 0, states - k)
                most = larger(larger(stay, go), pass_over)
                reached = most + log(decay(stay - most) + decay(go - most) + decay(pass_over - most))
                found = chosen(most == nothing, nothing, reached) + load_some(scores, place + k, 0, states - k)
                store(line, after + k, found)
                store_some(out, place + k, found, states - k)
            if now == 0:
                line[before - 1] = float32(NOTHING)


@native(light=True)
def all_beginnings(
    out: pointer(float32), scores: pointer(float32), steps: pointer(float32), lines: pointer(float32), time: int64,
    batch: int64, states: int64, wide: int64, grain: int64,
):  # fmt: skip
    parallel_for(some_beginnings, batch, grain, out, scores, steps, lines, time, batch, states, wide)


@kernel_of("prefixes", least=LAYER)
def prefixes(scores, passes, lengths):
    if scores.dtype != np.float32:
        return None
    (time, batch, states), out = scores.shape, np.empty(scores.shape, np.float32)
    wide = LANES + -(-states // LANES) * LANES
    lines, steps = np.full((batch, 2 * wide), NOTHING, np.float32), np.full(passes.shape, NOTHING, np.float32)
    lines[:, LANES - 1], steps[passes], steps[:, :2] = 0, 0, 0  # paths come from before the first state
    all_beginnings.machine()(
        out, packed(scores), steps, lines, time, batch, states, wide, max(1, GRAIN // (16 * time * states))
    )
    return out
