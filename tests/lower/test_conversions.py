"""Arrays of dtypes that kernels do not compute in: converted on load, rounded once on store."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight
from rushlight.core import policy
from rushlight.core.policy import HALVED, LARGE, notice
from rushlight.dispatch.plan import CONVERTING
from rushlight.lower import elementwise, inner_loop
from rushlight.lower.elementwise import Kernels

BFLOAT16, FLOAT16, FLOAT32 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)
WHOLE = [np.dtype(x) for x in (np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64)]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, for values out of range


def unchanged(array, dtype, kind=FLOAT32):
    """Returns an array converted by a kernel that only multiplies by one."""
    kernels = Kernels("same", lambda args: [args["a"] * args["one"]])
    return kernels.run({"a": array, "one": np.ones((), kind)}, kind, (dtype,))[0]


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
def test_every_half_precision_value_is_loaded_exactly(dtype):
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    np.testing.assert_array_equal(unchanged(every, FLOAT32), every.astype(np.float32))
    np.testing.assert_array_equal(unchanged(every, dtype).astype(np.float32), every.astype(np.float32))


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
def test_rounding_is_to_nearest_even_and_nan_stays_nan(dtype):
    random = np.random.default_rng(0)
    spread = random.integers(0, 1 << 32, 200_000, np.uint32).view(np.float32)
    ties = (np.arange(1 << 16, dtype=np.uint32) << 16 | 0x8000).view(np.float32)  # between two bfloat16
    float16_values = np.arange(1 << 15, dtype=np.uint16).view(np.float16).astype(np.float32)
    between = (float16_values[:-1] + float16_values[1:]) / 2
    payloads = np.array([0x7F800001, 0x7FBFFFFF, 0x7FFFFFFF, 0xFF80FFFF], np.uint32).view(np.float32)
    numbers = np.concatenate([spread, ties, between, payloads])
    result = unchanged(numbers, dtype)
    np.testing.assert_array_equal(result.astype(np.float32), numbers.astype(dtype).astype(np.float32))


KEPT = {
    "neg": lambda x, y: -x,
    "abs": lambda x, y: x.abs(),
    "floor": lambda x, y: x.floor(),
    "round": lambda x, y: x.round(),
    "relu": lambda x, y: rushlight.relu(x),
    "maximum": lambda x, y: rushlight.maximum(x, y),
    "where": lambda x, y: rushlight.where(x > 0, -x, y.abs()),
    "clamp": lambda x, y: x.clamp(-0.3, 1.7),
    "threshold": lambda x, y: rushlight.nn.functional.threshold(x, 0.1, 0.1),
}


@pytest.mark.parametrize("name", KEPT)
def test_moving_bfloat16_without_rounding_gives_the_same_as_with_rounding(name):
    every = np.arange(1 << 16, dtype=np.uint16).view(BFLOAT16)
    x, y = rushlight.tensor(every.astype(np.float32)), rushlight.tensor(every[::-1].astype(np.float32))
    result, expected = KEPT[name](x.bfloat16(), y.bfloat16()), KEPT[name](x, y).bfloat16()
    assert result.dtype is rushlight.bfloat16
    rushlight.testing.assert_close(result, expected, rtol=0, atol=0, equal_nan=True)


def test_bfloat16_results_that_are_exact_are_not_rounded():
    """The code of such a kernel shows it: nothing is added before the lower half is dropped."""
    text = {}
    for name in ("negative", "sqrt"):
        made = elementwise.planned(
            elementwise.function_of(name), [elementwise.Argument("a", "bfloat16")], "float", ("bfloat16",)
        )[0]
        text[name] = inner_loop.module(made.operands, made.computed, set())
    assert " add " in text["sqrt"] and "32767" in text["sqrt"]
    assert "32767" not in text["negative"]


@pytest.mark.parametrize("dtype", WHOLE, ids=str)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_integers_are_loaded_as_floats(dtype, kind):
    numbers = np.random.default_rng(0).integers(0, 256, LARGE).astype(dtype)
    if dtype.itemsize == 8:
        numbers[:3] = 2**62 + 1, -(2**63), 16_777_217
    result = Kernels("same", lambda args: [args["a"] * args["b"]]).run(
        {"a": numbers, "b": np.ones(LARGE, kind)}, np.dtype(kind), (np.dtype(kind),)
    )[0]
    np.testing.assert_array_equal(result, numbers.astype(kind))


def test_strides_and_broadcasting():
    left = np.arange(400 * 300).reshape(400, 300).astype(BFLOAT16).T
    right = np.arange(400).astype(np.int64)
    result = Kernels("add", elementwise.function_of("add")).run({"a": left, "b": right}, FLOAT32, (FLOAT16,))[0]
    expected = (left.astype(np.float32) + right.astype(np.float32)).astype(np.float16)
    assert result.dtype == FLOAT16
    np.testing.assert_array_equal(result, expected)


FUNCTIONS = {
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / (y + 2),
    "less": lambda x, y: x < y,
    "where": lambda x, y: rushlight.where(x > 0, x, y),
    "gelu": lambda x, y: rushlight.nn.functional.gelu(x),
    "number": lambda x, y: x * 2.5,
    "power": lambda x, y: x**2,
    "row": lambda x, y: x * y[0],
}


@pytest.mark.parametrize("second", ["float16", "bfloat16", "float32", "float64", "int64", "uint8", "bool"])
@pytest.mark.parametrize("first", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_large_arrays_give_the_results_of_small_ones(name, first, second):
    """Results and gradients, also of mixed dtypes: those of small arrays are NumPy's."""
    random = np.random.default_rng(0)
    numbers = random.uniform(-3, 3, (8, 8192)).astype(np.float32), random.integers(0, 3, (8, 8192))

    def run(part):
        x, y = (rushlight.tensor(x[:, part]).to(getattr(rushlight, dtype))
                for x, dtype in zip(numbers, (first, second), strict=True))  # fmt: skip
        leaves = [array.requires_grad_() for array in (x, y) if array.is_floating_point()]
        out = FUNCTIONS[name](x, y)
        if out.dtype is not rushlight.bool:
            (out.float() * 0.5).sum().backward()
        return [out.detach(), *(leaf.grad for leaf in leaves if leaf.grad is not None and leaf.grad.shape == out.shape)]

    part = slice(100, 140)
    rows = [x[:, part] for x in run(slice(None))]
    few = run(part)
    if name == "row":
        rows, few = rows[:1], few[:1]
    assert len(rows) == len(few)
    for large, small in zip(rows, few, strict=True):
        assert large.dtype is small.dtype
        if large.dtype is rushlight.bool:
            assert (large == small).all()
        else:
            step = {"float16": 1e-3, "bfloat16": 8e-3}.get(large.dtype.name, 1e-6)
            rushlight.testing.assert_close(large, small, rtol=step, atol=step / 10)


CASTS = ["float32", "float64", "int64", "int32", "uint8", "bool", "float16", "bfloat16"]
FITTING = [0, 1, 2.5, -0.5, 3.99, 100, 127, 1 + 2**-11 + 2**-30, 1 + 2**-8 + 2**-30, 2**-25, 1e-8]


@pytest.mark.parametrize("target", CASTS)
@pytest.mark.parametrize("source", CASTS)
def test_casts_of_large_arrays_equal_those_of_small_ones(source, target):
    numbers = [*FITTING]
    if "float" in target:
        numbers += [1e30, 65519.0, 65520.0, -7.25, float("inf"), float("-inf"), float("nan")]
    kind = rushlight.float64 if "float" in source else rushlight.int64
    few = rushlight.tensor([number for number in numbers if "float" in source or abs(number) < 2**62], dtype=kind)
    few = few.to(getattr(rushlight, source))
    many = few.repeat(LARGE // len(few) + 1)
    expected = few.to(getattr(rushlight, target))
    result = many.to(getattr(rushlight, target))
    assert result.dtype is expected.dtype
    rushlight.testing.assert_close(result[: len(few)], expected, rtol=0, atol=0, equal_nan=True)
    grid = many[:LARGE].reshape(256, -1)
    assert grid.t().to(getattr(rushlight, target)).stride() == grid.t().stride()
    turned = grid.t().to(getattr(rushlight, target)).t()
    rushlight.testing.assert_close(turned, result[:LARGE].reshape(256, -1), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("target", ["int64", "int32", "uint8"])
@pytest.mark.parametrize("source", ["float32", "float64", "float16", "bfloat16"])
def test_casts_of_negative_and_too_large_floats_are_numpys(source, target):
    few = rushlight.tensor([-1.0, -200.0, 300.0, 65000.0]).to(getattr(rushlight, source))
    result = few.repeat(LARGE).to(getattr(rushlight, target))
    assert result[:4].tolist() == few.to(getattr(rushlight, target)).tolist()


SMALL = [rushlight.float16, rushlight.bfloat16]
ROWS = {
    "softmax": lambda x, w, b: x.softmax(-1),
    "log_softmax": lambda x, w, b: x.log_softmax(1),
    "log_softmax in float32": lambda x, w, b: x.log_softmax(1, dtype=rushlight.float32),
    "layer_norm": lambda x, w, b: rushlight.nn.functional.layer_norm(x, (512,)),
    "affine": lambda x, w, b: rushlight.nn.functional.layer_norm(x, (512,), w, b),
    "mixed": lambda x, w, b: rushlight.nn.functional.layer_norm(x, (512,), w.float(), b.float()),
}


@pytest.mark.parametrize("dtype", SMALL, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_rows_are_computed_in_float32_and_rounded_once(name, dtype):
    """Against the same rows in float32; also weights, whose gradients are sums over rows."""
    random = np.random.default_rng(0)
    numbers = [random.normal(0, 2, shape).astype(np.float32) for shape in ((128, 512), (512,), (512,), (128, 512))]
    small = [rushlight.tensor(number).to(dtype).requires_grad_() for number in numbers[:3]]
    wide = [x.detach().float().requires_grad_() for x in small]
    pull = rushlight.tensor(numbers[3]).to(dtype)
    result, expected = ROWS[name](*small), ROWS[name](*wide)
    assert result.dtype is (rushlight.float32 if name.endswith("float32") else dtype)
    step = {rushlight.float16: 1e-3, rushlight.bfloat16: 8e-3}[dtype]

    def close(a, b):
        rushlight.testing.assert_close(a.float(), b, rtol=step, atol=step)

    close(result, expected)
    result.backward(pull.to(result.dtype))
    expected.backward(pull.float())
    for mine, other in zip(small, wide, strict=True):
        assert (mine.grad is None) == (other.grad is None)
        if mine.grad is not None:
            assert mine.grad.dtype is dtype
            scale = other.grad.abs().max()
            close(mine.grad / scale, other.grad / scale)


REDUCTIONS = {
    "mean": lambda x: x.mean(),
    "mean of rows": lambda x: x.mean(-1, keepdim=True),
    "mean of columns": lambda x: x.mean(0),
    "amax": lambda x: x.amax(1),
    "amin of columns": lambda x: x.amin((0,)),
    "max": lambda x: x.max(),
    "min": lambda x: x.min(),
}


@pytest.mark.parametrize("dtype", SMALL, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_are_rounded_once(name, dtype):
    numbers = np.random.default_rng(0).uniform(-1, 2, (96, 512)).astype(np.float32)
    x = rushlight.tensor(numbers).to(dtype)
    result, expected = REDUCTIONS[name](x), REDUCTIONS[name](x.float()).to(dtype)
    assert result.dtype is dtype
    assert result.shape == expected.shape
    rushlight.testing.assert_close(result, expected, rtol=0, atol=0)


def test_errors_are_those_of_small_arrays():
    x = rushlight.ones(200, 200).half()
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.mean(2)
    with pytest.raises(RuntimeError, match="must match the size"):
        x * rushlight.ones(200, 300).half()


def test_converting_kernels_are_tried_from_a_thousand_elements(monkeypatch):
    """By operators, and by their derivatives."""
    asked = []
    monkeypatch.setitem(CONVERTING, "mul", lambda values, *rest: asked.append(values["input"].size))
    for size in (HALVED - 1, HALVED):
        x = rushlight.rand(size).half()
        assert (x * x).dtype is rushlight.float16
    assert set(asked) == {HALVED}  # by the fast path, and by the general path where there is none


@pytest.mark.parametrize("dtype", [FLOAT16, BFLOAT16], ids=str)
def test_a_thousand_half_precision_values_use_kernels_after_warmup(dtype):
    notice()
    x = np.random.default_rng(0).normal(size=HALVED).astype(dtype)
    values = {"input": x, "other": x[::-1].copy()}
    converting, result = CONVERTING["mul"], None
    for _ in range(2 * policy.WARMUP // HALVED):
        result = converting(values, FLOAT32, dtype) if result is None else result
    expected = (x.astype(np.float32) * values["other"].astype(np.float32)).astype(dtype)
    np.testing.assert_array_equal(result.astype(np.float32), expected.astype(np.float32))

    tensor = rushlight.from_numpy(x.astype(np.float32)).to(getattr(rushlight, dtype.name)).requires_grad_()
    node, g = (tensor * tensor)._edge, np.ones(HALVED, dtype)
    result = None
    for _ in range(2 * policy.WARMUP // HALVED):
        result = node.converting(node, node.saved, g, node.edges) if result is None else result
    for array in result:
        np.testing.assert_array_equal(array.astype(np.float32), x.astype(np.float32))
