"""Kernels of random numbers, run on the host: Philox against its authors' vectors, draws against those of the CPU."""

import ctypes

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import philox as philox_on_cpu
from rushlight.arrays.philox.generator import PhiloxGenerator
from rushlight.lower import llvm
from rushlight.lower.emit import Body
from rushlight.lower.ir import I32, Trace
from rushlight.lower.nvptx.draws import GpuDraws, philox
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


class OfTwoProcessors(PhiloxGenerator):
    """The generator of the GPU on the host, without a backend."""

    __slots__ = ()

    def __new__(cls):
        return object.__new__(cls)

    def most_threads(self):
        return GPU.most_threads


@pytest.fixture
def stream(monkeypatch):
    monkeypatch.setattr(philox_on_cpu.distributions, "by_kernel", lambda *arguments: None)
    return OfTwoProcessors().manual_seed(0x1234567_89ABCDEF).set_offset(40)


COUNTS = [1, 255, 257, 1024, 5000, 20_000]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize(("distribution", "parameters"), [("uniform", (-2.0, 6.0)), ("normal", (2.0, 3.0))])
def test_kernels_draw_what_the_cpu_computes(stream, count, dtype, distribution, parameters):
    out = np.zeros(count, dtype)
    after = GpuDraws(GPU).fill(distribution, out, stream.initial_seed(), stream.get_offset(), *parameters)
    expected = getattr(philox_on_cpu, distribution)(stream, (count,), np.dtype(dtype), *parameters)
    wide = [each.astype(np.float64) for each in (out, expected)]
    if distribution == "uniform":
        np.testing.assert_allclose(*wide, rtol=0, atol=1e-15 if dtype is np.float64 else 0)
    else:
        error = {4: 2e-5, 8: 1e-13, 2: 0.02}[out.itemsize]
        np.testing.assert_allclose(*wide, rtol=error, atol=error)
    assert after == stream.get_offset()


@pytest.mark.parametrize("count", [1, 6, 12, 255, 256, 1024, 5000, 20_001, 20_008])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("distribution", ["bernoulli", "dropout"])
def test_masks_are_those_of_the_cpu(stream, count, dtype, distribution):
    """A thread of dropout takes 1, 2, 4 or 8 neighbours at once."""
    out, share = np.full(count, 9, dtype), 0.25
    after = GpuDraws(GPU).fill(distribution, out, stream.initial_seed(), stream.get_offset(), share, 0.0)
    if distribution == "dropout":
        expected = philox_on_cpu.dropout_mask(stream, (count,), np.dtype(dtype), 1 - share)
    else:
        expected = philox_on_cpu.bernoulli(stream, (count,), np.dtype(dtype), share)
    np.testing.assert_array_equal(out, expected)
    assert after == stream.get_offset()
    assert count < 1000 or abs((out != 0).mean() - share) < 0.05


def test_a_call_goes_on_where_the_last_one_ended():
    draws, whole, parts = GpuDraws(GPU), np.zeros(64, np.float32), np.zeros(64, np.float32)
    assert draws.fill("uniform", whole, 3, 0, 0.0, 1.0) == 4
    draws.fill("uniform", parts, 3, 4, 0.0, 1.0)
    assert not (whole == parts).any()
    with pytest.raises(ValueError, match="a multiple of 4"):
        draws.fill("uniform", parts, 3, 2, 0.0, 1.0)


def test_tensors_of_a_gpu_are_filled_by_kernels(monkeypatch):
    import rushlight as torch
    from rushlight.core.device import BACKENDS
    from rushlight.lower.nvptx.fake_gpu import FakeGpu

    def drawn():
        torch.manual_seed(5)
        flat = torch.empty(4, 6, device="cuda").t().normal_()
        return [
            torch.rand(3, 4, device="cuda"), torch.randn(300, device="cuda", dtype=torch.float64), flat,
            torch.rand_like(flat), torch.normal(torch.ones(5, device="cuda"), 2.0), torch.rand(0, device="cuda"),
            torch.rand(2, device="cuda", requires_grad=True), torch.randn(3, device="cuda", dtype=torch.complex64),
            torch.nn.functional.dropout(torch.ones(6, 8, device="cuda"), 0.25),
            torch.empty(7, device="cuda").bernoulli_(0.4),
            torch.nn.functional.dropout(torch.ones(5, 3, device="cuda").t().half()),
            torch.nn.functional.alpha_dropout(torch.ones(9, device="cuda"), 0.5, True),
            torch.nn.functional.dropout2d(torch.ones(2, 3, 2, 2, device="cuda"), 0.5),
        ]  # fmt: skip

    with torch.cuda.simulate():
        expected = drawn()
        backend, calls = BACKENDS.by_kind["cuda"].at(0), []
        gpu = FakeGpu()
        monkeypatch.setattr(type(gpu), "most_threads", 132 * 2048)
        draws = GpuDraws(gpu)
        monkeypatch.setattr(backend, "draws", draws)
        fill = draws.fill
        monkeypatch.setattr(draws, "fill", lambda name, *state: calls.append(name) or fill(name, *state))
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        got = drawn()
        assert torch.cuda.memory_allocated() >= before + sum(each.nbytes for each in got)
        assert calls.count("uniform") >= 3 and calls.count("normal") >= 4
        assert calls.count("dropout") == calls.count("bernoulli") == 2
        for one, other in zip(got, expected, strict=True):
            assert (one.stride(), one.requires_grad, one.device) == (other.stride(), other.requires_grad, other.device)
            assert torch.allclose(one, other, atol=2e-5)
