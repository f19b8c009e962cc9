"""Row kernels of GPUs, whose threads run in lockstep on the host, against NumPy in float64."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower.nvptx.lockstep import HostGpu, HostKernel
from rushlight.lower.nvptx.row_calls import rows_of
from rushlight.lower.nvptx.target import KernelText

GPU = HostGpu()
SIZES = (1, 31, 32, 33, 1023, 1024, 1025, 2500)
DTYPES = {np.float32: np.float32, np.float64: np.float64, np.float16: np.float32, ml_dtypes.bfloat16: np.float32}


def drawn(*shape, dtype=np.float32, seed=0):
    return (3 * np.random.default_rng(seed).normal(size=shape)).astype(dtype)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    return x - x.max(-1, keepdims=True) - np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True))


REFERENCES = {
    "softmax": softmax,
    "log_softmax": log_softmax,
    "logsumexp": lambda x: x.max(-1) + np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1)),
}


def run(name, values, dtype=np.float32, rounded=None, gpu=GPU):
    length = next(x for x in values.values() if getattr(x, "ndim", 0) == 2).shape[-1]
    rounded = None if rounded is None else [np.dtype(x) for x in rounded]
    return rows_of(gpu, name).run(length, values, np.dtype(dtype), rounded)


def close(got, expected):
    eps = float(ml_dtypes.finfo(got.dtype).eps)
    np.testing.assert_allclose(np.asarray(got, np.float64), expected, rtol=8 * eps, atol=8 * max(eps, 1e-7))


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_of_one_row_formula(name, dtype):
    rows = rows_of(GPU, name)
    for length in SIZES:
        x = drawn(5, length, dtype=dtype)
        (got,) = rows.run(length, {"x": x}, np.dtype(DTYPES[dtype]), (np.dtype(dtype),))
        assert got.dtype == dtype
        close(got, REFERENCES[name](x.astype(np.float64)))


@pytest.mark.parametrize("length", [33, 1025])
def test_infinities_and_nan_stay_in_their_row(length):
    x = drawn(6, length)
    x[0, 3], x[1, :5], x[2, 7] = np.nan, -np.inf, np.inf
    x[3], x[4, 0] = -np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        expected = softmax(x.astype(np.float64))
    (got,) = run("softmax", {"x": x})
    np.testing.assert_array_equal(np.isnan(got).any(1), np.isnan(expected).any(1))
    close(got[[1, 4, 5]], expected[[1, 4, 5]])


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("length", [32, 1024, 1500])
def test_derivatives_of_softmax(name, length):
    g, x = drawn(3, length), drawn(3, length, seed=1)
    out = REFERENCES[name](x.astype(np.float64))
    (got,) = run(f"{name}_backward", {"g": g, "out": out.astype(np.float32)})
    expected = out * (g - (g * out).sum(-1, keepdims=True))
    if name == "log_softmax":
        expected = g - np.exp(out) * g.sum(-1, keepdims=True)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [7, 33, 1024, 1300])
def test_layer_norm_and_its_gradient(dtype, length):
    work = np.dtype(DTYPES[dtype])
    x, g = (drawn(4, length, dtype=dtype, seed=seed) for seed in (0, 3))
    weight, bias = (drawn(length, dtype=dtype, seed=seed) for seed in (1, 2))
    values = {"x": x, "eps": 1e-5, "count": length, "weight": weight, "bias": bias}
    out, mean, scale = run("layer_normalized", values, work, (dtype, work, work))
    wide, factors = x.astype(np.float64), weight.astype(np.float64)
    center = wide.mean(-1, keepdims=True)
    by = 1 / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    close(out, (wide - center) * by * factors + bias.astype(np.float64))
    assert mean.shape == (4,) and mean.dtype == work
    close(mean.astype(np.float32), center[:, 0])
    close(scale.astype(np.float32), by[:, 0])
    values = {"g": g, "x": x, "mean": mean, "scale": scale, "count": length, "weight": weight}
    (got,) = run("normalized_gradient", values, work, (dtype,))
    h, weighted = (wide - center) * by, g.astype(np.float64) * factors
    expected = by * (weighted - weighted.mean(-1, keepdims=True) - h * (weighted * h).mean(-1, keepdims=True))
    error = max(1e-4, 8 * float(ml_dtypes.finfo(dtype).eps))
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=error, atol=error)


@pytest.mark.parametrize("length", [10, 1024, 3000])
def test_cross_entropy_and_its_gradient(length):
    x, target = drawn(9, length), np.random.default_rng(0).integers(0, length, 9)
    target[3], target[5] = -100, length + 1
    values = {"x": x, "target": target, "ignored": -100}
    (loss,) = run("cross_entropy", {**values, "classes": length})
    kept = [i for i in range(9) if i not in (3, 5)]
    close(loss[kept], -log_softmax(x.astype(np.float64))[kept, target[kept]])
    assert loss[3] == 0 and np.isnan(loss[5])
    g = drawn(9, seed=2)
    (slope,) = run("cross_entropy_gradient", {"g": g, **values})
    expected = softmax(x.astype(np.float64))
    expected[kept, target[kept]] -= 1
    expected *= g[:, None]
    close(slope[kept], expected[kept])
    assert not slope[3].any()


def test_no_rows_and_rows_that_are_not_contiguous():
    assert rows_of(GPU, "softmax").run(5, {"x": np.zeros((0, 5), np.float32)}, np.dtype(np.float32))[0].shape == (0, 5)
    assert rows_of(GPU, "softmax").run(5, {"x": np.zeros((5, 4), np.float32).T}, np.dtype(np.float32)) is None


def test_operands_that_do_not_belong_to_the_rows():
    x = drawn(4, 10)
    with pytest.raises(ValueError, match="weight has 9 elements, and 4 rows of 10 need 10"):
        run("layer_normalized", {"x": x, "eps": 1e-5, "count": 10, "weight": drawn(9)})
    assert run("cross_entropy", {"x": x, "target": np.zeros(4, np.int32), "ignored": -100, "classes": 10}) is None


@pytest.mark.parametrize("length", [33, 1300])
def test_the_order_of_threads_changes_no_bit(length):
    x, target = drawn(9, length), np.arange(9)
    numbers = {"eps": 1e-5, "count": length}
    for name, values in (
        ("softmax", {"x": x}),
        ("layer_normalized", {"x": x, **numbers}),
        ("cross_entropy", {"x": x, "target": target, "ignored": -100, "classes": length}),
    ):
        for one, other in zip(run(name, values), run(name, values, gpu=HostGpu(backwards=True)), strict=True):
            np.testing.assert_array_equal(one, other)


# ---- the proof itself: mistakes that a GPU would punish are noticed


def kernel_of(lines, backwards=False):
    def kernel(threads):
        return KernelText([("ptr", "%p0")], lines(threads), shared=256, waits=True)

    return HostKernel(kernel, backwards)


def test_lanes_exchange_their_values():
    def lines(threads):
        return [
            *threads.exchange("%other", "%tid", "i32", "3", ".a"),
            "%to.index = zext i32 %tid to i64",
            "%to = getelementptr i32, ptr %p0, i64 %to.index",
            "store i32 %other, ptr %to",
            "br label %done",
        ]

    out = np.zeros(64, np.int32)
    kernel_of(lines)(1, 64, [np.uint64(out.ctypes.data)])
    np.testing.assert_array_equal(out, np.arange(64) ^ 3)


def barrier_of_some(threads):
    return [
        "%some = icmp ult i32 %tid, 7",
        "br i1 %some, label %waits, label %done",
        "waits:",
        *threads.barrier(".a"),
        "br label %done",
    ]


def exchanges_in_branches(threads):
    return [
        "%odd = trunc i32 %tid to i1",
        "br i1 %odd, label %one, label %two",
        "one:",
        *threads.exchange("%a", "%tid", "i32", "1", ".a"),
        "br label %done",
        "two:",
        *threads.exchange("%b", "%tid", "i32", "1", ".b"),
        "br label %done",
    ]


@pytest.mark.parametrize("lines", [barrier_of_some, exchanges_in_branches])
def test_threads_that_wait_at_different_barriers_are_noticed(lines):
    kernel = kernel_of(lines)
    with pytest.raises(RuntimeError, match="wait for each other at different places"):
        kernel(1, 32, [np.uint64(0)])


def test_a_missing_barrier_shows_in_one_of_two_orders():
    def lines(threads, barriers):
        return [
            "%leads = icmp eq i32 %tid, 0",
            "br i1 %leads, label %write, label %written",
            "write:",
            "store i32 7, ptr %shared",
            "br label %written",
            "written:",
            *(threads.barrier(".a") if barriers else []),
            "%seen = load i32, ptr %shared",
            "%index = zext i32 %tid to i64",
            "%to = getelementptr i32, ptr %p0, i64 %index",
            "store i32 %seen, ptr %to",
            "br label %done",
        ]

    def numbers(barriers, backwards):
        out = np.zeros(64, np.int32)
        kernel_of(lambda threads: lines(threads, barriers), backwards)(1, 64, [np.uint64(out.ctypes.data)])
        return out.tolist()

    assert numbers(True, False) == numbers(True, True) == [7] * 64
    assert numbers(False, False) == [7] * 64 != numbers(False, True)


def test_a_block_of_a_size_that_its_kernel_is_not_made_for_is_refused():
    kernel = kernel_of(lambda threads: ["br label %done"])
    for threads in (33, 512):
        with pytest.raises(ValueError, match="a multiple of 32 up to 256"):
            kernel(1, threads, [np.uint64(0)])
