"""Random numbers: the words of the Mersenne Twister, and what is made of them in one pass.

Formulas, constants and the order of roundings are those of `arrays/mt19937`, where NumPy takes a step at a time for all
numbers: every word, and every number, is the same. LLVM may fuse a product and a sum where it finds them side by side;
here that changes nothing, for those products are exact, and where it would change something `fused` stands.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.mt19937.normals import (
    COSINE,
    FOUR_OVER_PI,
    LOG,
    LOG_2,
    QUARTER_PI,
    SINE,
    SQRT_HALF_BITS,
    TWO_PI,
)
from rushlight.core.generator import BLOCK
from rushlight.core.policy import GRAIN, Warmup
from rushlight.kernels.library import cos, log, log1p, sin
from rushlight.kernels.vectors import (
    LANES,
    chosen,
    first_halves,
    load,
    load_some,
    multiply_add,
    second_halves,
    spread,
    store,
    store_some,
    vector,
)
from rushlight.lower.language import bits, compiled_as, copy, float32_of, local, offset, sqrt
from rushlight.lower.machine_types import vector_of
from rushlight.lower.native import float32, float64, int32, int64, native, pointer, uint32
from rushlight.lower.parallel import parallel_for
from rushlight.lower.registry import kernel_of

vector_of_words = vector_of(uint32, LANES)

WARMUP = Warmup(passes=8)
PIECE = 1 << 17  # words that are made at a time
MIDDLE = 397  # how far ahead of a word stands the one that it is combined with


# ---- words


@native(inlined=True)
def tempered(word: vector_of_words) -> vector_of_words:
    y = word ^ (word >> uint32(11))
    y = y ^ ((y << uint32(7)) & uint32(0x9D2C5680))
    y = y ^ ((y << uint32(15)) & uint32(0xEFC60000))
    return y ^ (y >> uint32(18))


@native(inlined=True)
def untempered(word: vector_of_words) -> vector_of_words:
    y = word ^ (word >> uint32(18))
    y = y ^ ((y << uint32(15)) & uint32(0xEFC60000))
    z = y ^ ((y << uint32(7)) & uint32(0x9D2C5680))
    z = y ^ ((z << uint32(7)) & uint32(0x9D2C5680))
    z = y ^ ((z << uint32(7)) & uint32(0x9D2C5680))
    z = y ^ ((z << uint32(7)) & uint32(0x9D2C5680))
    y = z ^ (z >> uint32(11))
    return z ^ (y >> uint32(11))


@native(light=True)
def blocks_after(out: pointer(uint32), before: pointer(uint32), count: int64):
    """The blocks of words that follow one, whose tempering is undone first.

    A word is made of the one that is a block before it, the next one and the one `MIDDLE` further on: so far ahead that
    a vector of words never asks for one of its own.
    """
    stream = local(uint32, 3120)  # a block, and the four that follow it
    for i in range(0, BLOCK, LANES):
        store(stream, i, untempered(load(before, i)))
    for block in range(0, count, 4):
        many = BLOCK * min(4, count - block)
        for i in range(0, many, LANES):
            mixed = (load(stream, i) & uint32(0x80000000)) | (load(stream, i + 1) & uint32(0x7FFFFFFF))
            found = load(stream, i + MIDDLE) ^ (mixed >> uint32(1)) ^ ((mixed & uint32(1)) * uint32(0x9908B0DF))
            store(stream, BLOCK + i, found)
            store(out, block * BLOCK + i, tempered(found))
        copy(stream, offset(stream, many), BLOCK)


@kernel_of("following", sized=None)
def following(source, words, blocks):
    if len(words) < BLOCK or not (WARMUP.over or WARMUP.pays_off(blocks * BLOCK)):
        return None
    out = np.empty(blocks * BLOCK, np.uint32)
    blocks_after.machine()(out, words[-BLOCK:], blocks)
    return out


# ---- normal numbers


def _fused(translation, *given):
    kind = next(each.type for each in given if each.literal is None)
    return multiply_add.emit(translation, *(translation.converted(each, kind) for each in given))


@compiled_as(_fused)
def fused(factor, other, term):
    """`factor * other + term`, rounded once."""
    return np.float32(np.float64(factor) * np.float64(other) + np.float64(term))


L0, L1, L2, L3, L4, L5, L6, L7, L8 = map(float, LOG)
C0, C1, C2 = map(float, COSINE)
S0, S1, S2 = map(float, SINE)
LOG_HIGH, LOG_LOW = map(float, LOG_2)
Q0, Q1, Q2 = map(float, QUARTER_PI)
TURN, OCTANTS = float(TWO_PI), float(FOUR_OVER_PI)
ROOT_BITS = int(SQRT_HALF_BITS)
UNIT = 2.0**-24
TWICE_PI = 2.0 * math.pi
TOGETHER, STEP = max(1, LANES // 8), min(LANES, 8)  # groups of 16, and lanes of one half
SECOND = 8 if LANES <= 8 else 0  # where the other vector of a group begins: long ones have a group each


@native(inlined=True)
def unit(word: vector_of_words) -> vector:
    """The numbers in [0, 1) that words give."""
    return float32(int32(word & uint32(0xFFFFFF))) * float32(UNIT)


@native(inlined=True)
def radius(u: vector) -> vector:
    """sqrt(-2 log(1 - u))."""
    whole = int32(bits(float32(1) - u))
    exponent = (whole - int32(ROOT_BITS)) >> int32(23)
    x = float32_of(uint32(whole - exponent * int32(8388608))) - float32(1)
    e, square = float32(exponent), x * x
    y = fused(float32(L0), x, float32(L1))
    y = fused(y, x, float32(L2))
    y = fused(y, x, float32(L3))
    y = fused(y, x, float32(L4))
    y = fused(y, x, float32(L5))
    y = fused(y, x, float32(L6))
    y = fused(y, x, float32(L7))
    y = fused(y, x, float32(L8))
    y = fused(y * x, square, e * float32(LOG_LOW)) - square * float32(0.5)
    return sqrt((x + y + e * float32(LOG_HIGH)) * float32(-2))


@native
def some_groups(out: pointer(float32), words: pointer(uint32), std: float32, mean: float32, begin: int64, end: int64):
    """Groups of 16 words, of which each in the first half makes a pair of normals with one in the second.

    Vectors that are longer than half of a group take two at a time, and the last of an odd number with itself.
    """
    for group in range(begin, end, TOGETHER):
        here, there = 16 * group, 16 * min(group + TOGETHER - 1, end - 1)
        for k in range(0, 8, STEP):
            one, other = load(words, here + k), load(words, there + k + SECOND)
            if TOGETHER == 2:
                one, other = first_halves(one, other), second_halves(one, other)
            r, angle = radius(unit(one)), unit(other) * float32(TURN)
            octant = (int32(angle * float32(OCTANTS)) + int32(1)) & int32(-2)
            o = float32(octant)
            x = fused(o, float32(-Q2), angle - o * float32(Q0) - o * float32(Q1))
            square = x * x
            sine = fused(fused(fused(float32(S0), square, float32(S1)), square, float32(S2)) * square, x, x)
            cosine = fused(fused(float32(C0), square, float32(C1)), square, float32(C2)) * square
            cosine = fused(cosine, square, -(square * float32(0.5))) + float32(1)
            s, c = bits(sine), bits(cosine)
            change = (s ^ c) * (uint32(octant >> int32(1)) & uint32(1))
            s = s ^ change ^ ((uint32(octant) & uint32(4)) << uint32(29))
            c = c ^ change ^ ((uint32(octant + int32(2)) & uint32(4)) << uint32(29))
            left = fused(r * float32_of(c), spread(std), spread(mean))
            right = fused(r * float32_of(s), spread(std), spread(mean))
            if TOGETHER == 2:
                left, right = first_halves(left, right), second_halves(left, right)
            store(out, here + k, left)
            store(out, there + k + SECOND, right)


@native(light=True)
def all_groups(out: pointer(float32), words: pointer(uint32), std: float32, mean: float32, groups: int64, grain: int64):
    parallel_for(some_groups, groups, grain, out, words, std, mean)


@kernel_of("normals_32", sized=None)
def normals_32(generator, count, std, mean, skips):
    if not (WARMUP.over or WARMUP.pays_off(count)):
        return None
    out, whole, kernel = np.empty(count, np.float32), count // 16 * 16, all_groups.machine()
    std, mean = np.float32(std), np.float32(mean)
    with generator.lock:
        for start in range(0, whole, PIECE):
            stop = min(start + PIECE, whole)
            groups = (stop - start) // 16
            kernel(out[start:stop], generator.words32(stop - start), std, mean, groups, GRAIN // 64)
        if whole < count:
            if skips:
                generator.words32(count - whole)
            kernel(out[-16:], generator.words32(16), std, mean, 1, 1)
    return out


@native(rounded=True)
def some_wide_groups(out: pointer(float64), uniforms: pointer(float64), begin: int64, end: int64):
    """The same in float64, of uniform numbers, by the C library's functions."""
    for group in range(begin, end):
        for k in range(16 * group, 16 * group + 8):
            r, angle = sqrt(-2.0 * log(1.0 - uniforms[k])), TWICE_PI * uniforms[k + 8]
            out[k], out[k + 8] = r * cos(angle) + 0.0, r * sin(angle) + 0.0


@native(rounded=True)
def some_pairs(out: pointer(float64), uniforms: pointer(float64), begin: int64, end: int64):
    """Pairs of normals that stand side by side."""
    for pair in range(begin, end):
        r, angle = sqrt(-2.0 * log1p(-uniforms[2 * pair + 1])), TWICE_PI * uniforms[2 * pair]
        out[2 * pair], out[2 * pair + 1] = r * cos(angle) + 0.0, r * sin(angle) + 0.0


@native(light=True)
def all_wide_groups(out: pointer(float64), uniforms: pointer(float64), groups: int64, grain: int64):
    parallel_for(some_wide_groups, groups, grain, out, uniforms)


@native(light=True)
def all_pairs(out: pointer(float64), uniforms: pointer(float64), pairs: int64, grain: int64):
    parallel_for(some_pairs, pairs, grain, out, uniforms)


@kernel_of("wide_groups", sized=None)
def wide_groups(uniforms):
    if not (WARMUP.over or WARMUP.pays_off(uniforms.size)):
        return None
    out = np.empty(uniforms.shape)
    all_wide_groups.machine()(out, uniforms, uniforms.size // 16, GRAIN // 256)
    return out


@kernel_of("wide_pairs", sized=None)
def wide_pairs(uniforms):
    if not (WARMUP.over or WARMUP.pays_off(uniforms.size)):
        return None
    out = np.empty(uniforms.shape)
    all_pairs.machine()(out, uniforms, uniforms.size // 2, GRAIN // 32)
    return out


# ---- uniform numbers


@native(inlined=True)
def uniform(word: vector_of_words, low: float32, span: float32, high: float32) -> vector:
    """Uniform numbers in [low, high)."""
    number = fused(unit(word), spread(span), spread(low))
    return chosen(number == spread(high), spread(low), number)


@native
def some_uniforms(out: pointer(float32), words: pointer(uint32), low: float32, span: float32, high: float32,
                  begin: int64, end: int64):  # fmt: skip
    whole = end - (end - begin) % LANES
    for i in range(begin, whole, LANES):
        store(out, i, uniform(load(words, i), low, span, high))
    if whole < end:
        some = end - whole
        store_some(out, whole, uniform(load_some(words, whole, 0, some), low, span, high), some)


@native(light=True)
def all_uniforms(out: pointer(float32), words: pointer(uint32), low: float32, span: float32, high: float32,
                 count: int64, grain: int64):  # fmt: skip
    parallel_for(some_uniforms, count, grain, out, words, low, span, high)


@kernel_of("uniforms_32", sized=None)
def uniforms_32(generator, count, low, high):
    if not (WARMUP.over or WARMUP.pays_off(count)):
        return None
    out, kernel = np.empty(count, np.float32), all_uniforms.machine()
    low, high = np.float32(low), np.float32(high)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            kernel(out[start:stop], generator.words32(stop - start), low, high - low, high, stop - start, GRAIN)
    return out


# ---- permutations


@native(light=True)
def shuffle(places: pointer(int64), words: pointer(uint32), count: int64):
    for i in range(count):
        places[i] = i
    for i in range(count - 1):
        other = i + int64(words[i] % uint32(count - i))
        held = places[i]
        places[i] = places[other]
        places[other] = held


@kernel_of("shuffled", sized=None)
def shuffled(generator, count):
    if not (WARMUP.over or WARMUP.pays_off(count)):
        return None
    places = np.empty(count, np.int64)
    shuffle.machine()(places, generator.words32(max(count - 1, 0)), count)
    return places
