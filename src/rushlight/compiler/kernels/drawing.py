"""Random numbers: the words of the Mersenne Twister, and what is made of them in one pass.

Formulas, constants and the order of roundings are those of `arrays/mt19937`, where NumPy takes a step at a time for all
numbers: every word, and every number, is the same. LLVM may fuse a product and a sum where it finds them side by side;
here that changes nothing, for those products are exact, and where it would change something `fused` stands.
"""

from __future__ import annotations

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
from rushlight.compiler.kernels.replacing import replaces
from rushlight.compiler.kernels.vectors import LANES, load, store
from rushlight.compiler.language import bits, compiled_as, copy, float32_of, local, offset, sqrt
from rushlight.compiler.native import Element, float32, int32, int64, native, pointer, uint32
from rushlight.compiler.parallel import parallel_for
from rushlight.compiler.sizes import GRAIN, Patience
from rushlight.core.generator import BLOCK

V = Element("V")  # a vector of words

PATIENCE = Patience(passes=8)
PIECE = 1 << 17  # words that are made at a time
MIDDLE = 397  # how far ahead of a word stands the one that it is combined with


# ---- words


@native(inlined=True)
def tempered(word: V) -> V:
    y = word ^ (word >> uint32(11))
    y = y ^ ((y << uint32(7)) & uint32(0x9D2C5680))
    y = y ^ ((y << uint32(15)) & uint32(0xEFC60000))
    return y ^ (y >> uint32(18))


@native(inlined=True)
def untempered(word: V) -> V:
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
    words = local(uint32, 3120)  # a block, and the four that follow it
    for i in range(0, BLOCK, LANES):
        store(words, i, untempered(load(before, i)))
    for block in range(0, count, 4):
        many = BLOCK * min(4, count - block)
        for i in range(0, many, LANES):
            mixed = (load(words, i) & uint32(0x80000000)) | (load(words, i + 1) & uint32(0x7FFFFFFF))
            found = load(words, i + MIDDLE) ^ (mixed >> uint32(1)) ^ ((mixed & uint32(1)) * uint32(0x9908B0DF))
            store(words, BLOCK + i, found)
            store(out, block * BLOCK + i, tempered(found))
        copy(words, offset(words, many), BLOCK)


@replaces("core.generator", "following", sized=None)
def following(source, words, blocks):
    if len(words) < BLOCK or not (PATIENCE.over or PATIENCE.ends(blocks * BLOCK)):
        return None
    out = np.empty(blocks * BLOCK, np.uint32)
    blocks_after.machine()(out, words[-BLOCK:], blocks)
    return out


# ---- normal numbers


def _fused(translation, factor, other, term):
    symbol = "@llvm.fma.f32"
    translation.unit.declare(symbol, f"declare float {symbol}(float, float, float)")
    return translation.call_of(symbol, (float32, float32, float32), float32, (factor, other, term))


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


@native
def unit(word: uint32) -> float32:
    """The number in [0, 1) that a word gives."""
    return float32(int32(word & uint32(0xFFFFFF))) * float32(UNIT)


@native
def radius(u: float32) -> float32:
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


@native(separate=True)
def group_of_normals(out: pointer(float32), words: pointer(uint32), std: float32, mean: float32, many: int64):
    """`many` pairs, which is 8, but LLVM shall not know it: it would write them out one by one."""
    for k in range(many):
        r, angle = radius(unit(words[k])), unit(words[k + 8]) * float32(TURN)
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
        out[k] = fused(r * float32_of(c), std, mean)
        out[k + 8] = fused(r * float32_of(s), std, mean)


@native
def some_groups(out: pointer(float32), words: pointer(uint32), std: float32, mean: float32, many: int64, begin: int64,
                end: int64):  # fmt: skip
    for group in range(begin, end):
        group_of_normals(offset(out, 16 * group), offset(words, 16 * group), std, mean, many)


@native
def all_groups(out: pointer(float32), words: pointer(uint32), std: float32, mean: float32, groups: int64, many: int64,
               grain: int64):  # fmt: skip
    parallel_for(some_groups, groups, grain, out, words, std, mean, many)


@replaces("arrays.mt19937.normals", "normals_32", sized=None)
def normals_32(generator, count, std, mean, skips):
    if not (PATIENCE.over or PATIENCE.ends(count)):
        return None
    out, whole, kernel = np.empty(count, np.float32), count // 16 * 16, all_groups.machine()
    with generator.lock:
        for start in range(0, whole, PIECE):
            stop = min(start + PIECE, whole)
            kernel(out[start:stop], generator.words32(stop - start), std, mean, (stop - start) // 16, 8, GRAIN // 64)
        if whole < count:
            if skips:
                generator.words32(count - whole)
            kernel(out[-16:], generator.words32(16), std, mean, 1, 8, 1)
    return out


# ---- uniform numbers


@native
def some_uniforms(out: pointer(float32), words: pointer(uint32), low: float32, span: float32, high: float32,
                  begin: int64, end: int64):  # fmt: skip
    for i in range(begin, end):
        number = fused(unit(words[i]), span, low)
        out[i] = low if number == high else number


@native
def all_uniforms(out: pointer(float32), words: pointer(uint32), low: float32, span: float32, high: float32,
                 count: int64, grain: int64):  # fmt: skip
    parallel_for(some_uniforms, count, grain, out, words, low, span, high)


@replaces("arrays.mt19937.uniforms", "uniforms_32", sized=None)
def uniforms_32(generator, count, low, high):
    if not (PATIENCE.over or PATIENCE.ends(count)):
        return None
    out, kernel = np.empty(count, np.float32), all_uniforms.machine()
    low, high = np.float32(low), np.float32(high)
    with generator.lock:
        for start in range(0, count, PIECE):
            stop = min(start + PIECE, count)
            kernel(out[start:stop], generator.words32(stop - start), low, high - low, high, stop - start, GRAIN)
    return out


# ---- permutations


@native(one_at_a_time=True)
def shuffle(places: pointer(int64), words: pointer(uint32), count: int64):
    for i in range(count):
        places[i] = i
    for i in range(count - 1):
        other = i + int64(words[i] % uint32(count - i))
        held = places[i]
        places[i] = places[other]
        places[other] = held


@replaces("arrays.mt19937.uniforms", "shuffled", sized=None)
def shuffled(generator, count):
    if not (PATIENCE.over or PATIENCE.ends(count)):
        return None
    places = np.empty(count, np.int64)
    shuffle.machine()(places, generator.words32(max(count - 1, 0)), count)
    return places
