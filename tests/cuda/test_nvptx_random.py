"""Random numbers of GPUs, drawn on the host: Philox against its authors' vectors, and PyTorch's order of elements."""

import ctypes

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower import llvm
from rushlight.lower.emit import Body
from rushlight.lower.ir import I32, Trace
from rushlight.lower.nvptx.draws import GpuDraws, grid, growth, philox
from rushlight.lower.nvptx.lockstep import HostGpu

GPU = HostGpu()
# Random123's known answers for philox4x32 with 10 rounds: counter, key, result.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def words(text):
    return np.array([int(word, 16) for word in text.split()], np.uint32)


def compiled():
    """Returns the function of the expressions: pointers to counter, key and result."""
    trace = Trace()
    operands = [trace.operand(number, I32) for number in range(6)]
    body = Body("v")
    lines = []
    for number, value in enumerate(operands):
        pointer, at = ("%c", number) if number < 4 else ("%k", number - 4)
        lines += [f"%a{number} = getelementptr i32, ptr {pointer}, i64 {at}", f"%g{number} = load i32, ptr %a{number}"]
        body.known(value, f"%g{number}")
    for number, name in enumerate(body.compute(philox(operands[:4], operands[4:]))):
        body.lines += [f"%to{number} = getelementptr i32, ptr %out, i64 {number}", f"store i32 {name}, ptr %to{number}"]
    text = "\n".join(["define void @f(ptr %c, ptr %k, ptr %out) {", *lines, *body.lines, "ret void", "}"])
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(llvm.build(text, "f")["f"])

    def run(counter, key):
        out = np.zeros(4, np.uint32)
        function(counter.ctypes.data, key.ctypes.data, out.ctypes.data)
        return out

    return run


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_answers(counter, key, expected):
    np.testing.assert_array_equal(compiled()(words(counter), words(key)), words(expected))


def sequence(count, seed, offset, per_step=4):
    """Returns the words of each element's place, by PyTorch's order written as plain loops: (elements, words)."""
    run, blocks = compiled(), grid(count, GPU.processors)
    threads = 256 * blocks
    key = np.array([seed & 0xFFFFFFFF, seed >> 32], np.uint32)
    drawn_at = {}
    for thread in range(min(threads, count)):
        step, first = 0, thread
        while first < count:
            counter = np.array([offset // 4 + step, 0, thread, 0], np.uint32)
            drawn = run(counter, key)
            for k in range(per_step):
                if first + k * threads < count:
                    drawn_at[first + k * threads] = drawn, k
            first, step = first + per_step * threads, step + 1
    return [drawn_at[i] for i in range(count)]


@pytest.mark.parametrize("count", [1, 255, 257, 1024, 5000, 20_000])
def test_uniform_numbers_follow_the_words_in_the_order_of_pytorch(count):
    seed, offset = 0x1234567_89ABCDEF, 40
    out = np.zeros(count, np.float32)
    after = GpuDraws(GPU).fill("uniform", out, seed, offset, 0.0, 1.0)
    expected = np.array([drawn[k] for drawn, k in sequence(count, seed, offset)]).astype(np.float32)
    expected = expected * np.float32(2**-32) + np.float32(2**-33)
    np.testing.assert_array_equal(out, np.where(expected == 1, 0, expected))
    assert after == offset + growth(count, grid(count, GPU.processors))


def test_float64_takes_two_words_for_a_number():
    out = np.zeros(700)
    GpuDraws(GPU).fill("uniform", out, 7, 0, -2.0, 6.0)
    pairs = [(int(drawn[2 * k]), int(drawn[2 * k + 1])) for drawn, k in sequence(700, 7, 0, per_step=2)]
    expected = np.array([(low ^ (high << 21)) * 2.0**-53 + 2.0**-54 for low, high in pairs]) * 8 - 2
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-15)


def test_a_call_goes_on_where_the_last_one_ended():
    draws, whole, parts = GpuDraws(GPU), np.zeros(64, np.float32), np.zeros(64, np.float32)
    assert draws.fill("uniform", whole, 3, 0, 0.0, 1.0) == 4
    draws.fill("uniform", parts, 3, 4, 0.0, 1.0)
    assert not (whole == parts).any()
    with pytest.raises(ValueError, match="a multiple of 4"):
        draws.fill("uniform", parts, 3, 2, 0.0, 1.0)


def test_the_offset_grows_with_the_steps_of_a_thread():
    """Counts from PyTorch's formula: 108 processors, 256 threads, 8 blocks on each."""
    assert [grid(count, 108) for count in (1, 256, 257, 10**9)] == [1, 1, 2, 864]
    assert [growth(count, grid(count, 108)) for count in (1, 864 * 1024, 864 * 1024 + 1, 10**9)] == [4, 4, 8, 4524]
    assert growth(10**6, grid(10**6, 108), per_step=2) == 12


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_distributions(dtype):
    draws, out = GpuDraws(GPU), np.zeros(200_000, dtype)
    draws.fill("normal", out, 11, 0, 2.0, 3.0)
    wide = out.astype(np.float64)
    assert abs(wide.mean() - 2) < 0.03 and abs(wide.std() - 3) < 0.03
    standard = np.sort((wide - 2) / 3)
    for quantile, expected in ((0.025, -1.959964), (0.25, -0.674490), (0.5, 0.0), (0.975, 1.959964)):
        assert abs(standard[int(quantile * standard.size)] - expected) < 0.03
    draws.fill("uniform", out, 11, 0, -1.0, 1.0)
    wide = out.astype(np.float64)
    assert wide.min() >= -1 and abs(wide.mean()) < 0.01 and abs(wide.var() - 1 / 3) < 0.01
    assert wide.max() < 1 or out.dtype.itemsize == 2  # rounded after the bound was left out, as in PyTorch


def test_normal_numbers_are_those_of_the_words():
    out = np.zeros(1000, np.float32)
    GpuDraws(GPU).fill("normal", out, 5, 0, 0.0, 1.0)
    for got, (drawn, k) in zip(out, sequence(1000, 5, 0), strict=True):
        u, v = (float(x) * 2.0**-32 + 2.0**-33 for x in drawn[k // 2 * 2 : k // 2 * 2 + 2])
        expected = np.sqrt(-2 * np.log(u)) * (np.cos(2 * np.pi * v) if k % 2 else np.sin(2 * np.pi * v))
        assert abs(got - expected) < 2e-5
