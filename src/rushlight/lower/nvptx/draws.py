"""Random numbers on GPUs: Philox4x32-10 (Salmon et al., 2011) as expressions, and kernels that fill arrays.

Seed, offset and elements are mapped as `arrays.philox` maps them, which computes the same numbers on the CPU; of normal
ones the last digits differ. No draw was compared with PyTorch's on a GPU so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.arrays.philox.distributions import vector_for
from rushlight.arrays.philox.words import BLOCK, MULTIPLIERS, ROUNDS, STEPS, WORDS, steps_for, threads_for
from rushlight.lower import conversions
from rushlight.lower import elementary as m
from rushlight.lower import trigonometry as t
from rushlight.lower.emit import SIZES, Body
from rushlight.lower.ir import F32, F64, I32, I64, Trace, Value, fma, integer, unary, where
from rushlight.lower.nvptx.elementwise import WHERE, stored
from rushlight.lower.nvptx.target import KernelText, Threads


def philox(counter: Sequence[Value], key: Sequence[Value]) -> list[Value]:
    """Returns the four words for a counter of four words and a key of two."""
    a, b, c, d = counter
    first, second = key
    for number in range(ROUNDS):
        if number:
            first, second = integer("add", first, STEPS[0]), integer("add", second, STEPS[1])
        (high, low), (other_high, other_low) = (
            wide_product(a, int(MULTIPLIERS[0])),
            wide_product(c, int(MULTIPLIERS[1])),
        )
        a, b = integer("xor", integer("xor", other_high, b), first), other_low
        c, d = integer("xor", integer("xor", high, d), second), low
    return [a, b, c, d]


def wide_product(word: Value, factor: int) -> tuple[Value, Value]:
    """Returns the upper and the lower word of a product."""
    product = integer("mul", zext(word), factor)
    return trunc(integer("lshr", product, 32)), trunc(product)


def zext(word: Value) -> Value:
    return word.trace.value("zext", I64, word)


def trunc(value: Value) -> Value:
    return value.trace.value("trunc", I32, value)


# ---- from words to numbers


def uniform_words(words: Sequence[Value], type: str) -> list[Value]:
    """Returns numbers in (0, 1] as cuRAND makes them: four of float32, two of float64."""
    if type == F32:
        return [words[0].trace.value("uitofp", F32, x) * 2.0**-32 + 2.0**-33 for x in words]
    return [x.trace.value("uitofp", F64, x) * 2.0**-53 + 2.0**-54 for x in long_words(words)]


def long_words(words: Sequence[Value]) -> list[Value]:
    """Returns two integers of 53 bits."""
    return [integer("xor", zext(words[i]), integer("shl", zext(words[i + 1]), 21)) for i in (0, 2)]


def uniform(words: Sequence[Value], name: str, low: Value, high: Value, spread: Value) -> list[Value]:
    """Returns numbers in [low, high), of a dtype: what would be the upper bound is the lower one."""
    scaled = [fma(x, spread, low) for x in uniform_words(words, low.type)]
    rounded = [conversions.loaded(conversions.stored(x, name), name, low.type) for x in scaled]
    return [where(x == high, low, x) for x in rounded]


def normal(words: Sequence[Value], name: str, mean: Value, deviation: Value, _: Value) -> list[Value]:
    """Returns normal numbers by the method of Box and Muller: of two words, sine first."""
    numbers = uniform_words(words, mean.type)
    values = []
    for u, v in zip(numbers[::2], numbers[1::2], strict=True):
        size = unary("sqrt", m.log(u) * -2.0)
        angle = v * (2 * math.pi)
        values += [fma(t.sin(angle) * size, deviation, mean), fma(t.cos(angle) * size, deviation, mean)]
    return values


def bernoulli(words: Sequence[Value], name: str, probability: Value, _: Value, __: Value) -> list[Value]:
    """Returns 1 with a probability, else 0."""
    return [where(x < probability, 1.0, 0.0, probability.type) for x in uniform_words(words, probability.type)]


def dropout(words: Sequence[Value], name: str, keep: Value, factor: Value, _: Value) -> list[Value]:
    """Returns a factor with the probability `keep`, else 0; each number takes one word, those of float64 too."""
    units = uniform_words(words, F32)
    wide = units if keep.type == F32 else [x.trace.value("fpext", F64, x) for x in units]
    return [where(x < keep, factor, 0.0) for x in wide]


DISTRIBUTIONS: dict[str, Callable] = {"uniform": uniform, "normal": normal, "bernoulli": bernoulli, "dropout": dropout}


# ---- kernels


class Draws:
    """The kernel that fills a contiguous array of a dtype from one distribution.

    Its parameters: the array, the number of elements, seed, offset (a multiple of 4), and the distribution's three.
    The numbers of one turn of a thread lie a grid apart; with `width`, so many lie next to each other.
    """

    def __init__(self, distribution: str, name: str, width: int = 1):
        self.name, self.width = name, width
        self.type = F64 if name == "float64" else F32
        trace = Trace(scales=False)
        self.step, self.thread, self.seed, self.offset = (trace.operand(number, I64) for number in range(4))
        self.parameters = [trace.operand(number, self.type) for number in (4, 5, 6)]
        counters = -(-width // WORDS)  # of a turn
        words: list[Value] = []
        for number in range(counters):
            turn = integer("add", integer("mul", self.step, counters), number)
            place = integer("add", integer("lshr", self.offset, 2), turn)
            counter = [part for x in (place, self.thread) for part in two_words(x)]
            words += philox(counter, two_words(self.seed))
        values = DISTRIBUTIONS[distribution](words[: width if width > 1 else WORDS], name, *self.parameters)
        self.values = [conversions.stored(x, name) for x in values]

    def __call__(self, threads: Threads) -> KernelText:
        body = Body("v", usual=True)  # no angle is large, no logarithm is of a denormal number
        operands = ("%number", "%first", "%seed", "%offset", "%a", "%b", "%c")
        for value, name in zip(
            (self.step, self.thread, self.seed, self.offset, *self.parameters), operands, strict=True
        ):
            body.known(value, name)
        names = body.compute(self.values)
        apart = "%step" if self.width == 1 else "1"
        lines = [
            *WHERE,
            f"%begin = mul i64 %first, {self.width}",
            f"%ahead = mul i64 %step, {len(names) if self.width == 1 else self.width}",
            "br label %test",
            "test:",
            "%number = phi i64 [0, %entry], [%number.next, %next]",
            "%i = phi i64 [%begin, %entry], [%i.next, %next]",
            "%more = icmp ult i64 %i, %count",
            "br i1 %more, label %draw, label %done",
            "draw:",
            *body.lines,
            *[line for k, name in enumerate(names) for line in self._put(k, name, apart)],
            "br label %next",
            "next:",
            "%number.next = add i64 %number, 1",
            "%i.next = add i64 %i, %ahead",
            "br label %test",
        ]
        parameters = [("ptr", "%p"), *[("i64", name) for name in ("%count", "%seed", "%offset")]]
        return KernelText(
            [*parameters, *[(self.type, name) for name in ("%a", "%b", "%c")]],
            lines,
            declared=list(body.declared.values()),
        )

    def _put(self, k: int, name: str, apart: str) -> list[str]:
        """Returns the store of the number that is k places on, if there is such an element."""
        before, type = f"%i{k}" if k else "%i", self.values[k].type
        return [
            f"%fits{k} = icmp ult i64 {before}, %count",
            f"br i1 %fits{k}, label %put{k}, label %put{k}.done",
            f"put{k}:",
            f"%to{k} = getelementptr {stored(type)}, ptr %p, i64 {before}",
            f"store {stored(type)} {name}, ptr %to{k}, align {SIZES[stored(type)]}",
            f"br label %put{k}.done",
            f"put{k}.done:",
            f"%i{k + 1} = add i64 {before}, {apart}",
        ]


def two_words(value: Value) -> list[Value]:
    """Returns the words of a 64-bit integer, the lower one first."""
    return [trunc(value), trunc(integer("lshr", value, 32))]


class GpuDraws:
    """Fills arrays of one GPU with random numbers; kernels by distribution and dtype."""

    def __init__(self, gpu):
        self.gpu, self.kernels = gpu, {}

    def fill(self, distribution: str, array, seed: int, offset: int, a: float, b: float, stream=None) -> int:
        """Fills a contiguous array and returns the generator's next offset. `offset` is a multiple of 4.

        The array is filled by numbers that are "uniform" between a and b, "normal" with mean a and deviation b, 1 with
        the probability a ("bernoulli"), or 1 / a with the probability a ("dropout").
        """
        if not array.flags.c_contiguous or offset % WORDS:
            raise ValueError("random numbers fill contiguous arrays, from an offset that is a multiple of 4")
        if not array.size:
            return offset
        name = conversions.NAMES[array.dtype]
        width = vector_for(array.size, array.itemsize) if distribution == "dropout" else 1
        key = distribution, name, width
        if key not in self.kernels:
            self.kernels[key] = self.gpu.loaded(Draws(*key))
        work = np.float64 if name == "float64" else np.float32
        if distribution == "uniform":
            low, high = array.dtype.type(a), array.dtype.type(b)
            numbers = work(low), work(high), work(high - low)
        elif distribution == "dropout":
            numbers = work(a), work(1) / work(a), work(0)
        else:
            numbers = work(a), work(b), work(0)
        threads = threads_for(array.size, self.gpu.most_threads)
        parameters = [np.uint64(self.gpu.address(array)), np.int64(array.size), np.uint64(seed), np.uint64(offset)]
        self.kernels[key](threads // BLOCK, BLOCK, [*parameters, *numbers], stream)
        two = work is np.float64 and distribution != "dropout"  # words of a number
        return offset + WORDS * steps_for(array.size, threads, WORDS // 2 if two else WORDS)

    def drawn(self, distribution: str, shape: tuple[int, ...], dtype: np.dtype, *state: Any) -> tuple[Any, int]:
        """Returns a new array that is filled, and the generator's next offset."""
        array = self.gpu.empty(shape, dtype)
        return array, self.fill(distribution, array, *state)
