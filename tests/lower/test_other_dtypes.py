"""Where kernels replace NumPy's functions, dtypes without kernels still use NumPy."""

import operator
import types

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

import rushlight
from rushlight.core.policy import LARGE
from rushlight.lower import elementwise, llvm, ufunc
from rushlight.lower.install import negated_by_parts, sums, sums_into

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.gt, operator.ge, operator.lt, operator.le, operator.eq,
    operator.ne, rushlight.maximum, rushlight.minimum,
]  # fmt: skip
DTYPES = [rushlight.int64, rushlight.int32, rushlight.uint8, rushlight.complex64, rushlight.float16, rushlight.bfloat16]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_other_dtypes_give_numpys_results(function, dtype):
    floats = rushlight.linspace(-1, 1, LARGE)
    for _ in range(2):
        function(floats, floats)  # loads the kernel
    values = rushlight.arange(LARGE) % 7
    try:
        expected = function(values[:9].to(dtype), values[1:10].to(dtype))
    except (RuntimeError, NotImplementedError):
        return  # complex numbers have no order
    result = function(values.to(dtype), values.roll(-1).to(dtype))
    assert result.dtype is expected.dtype
    assert result[:9].tolist() == expected.tolist()


@pytest.mark.parametrize(
    "layout", [lambda x: x, lambda x: x.T, lambda x: x[:, ::2], lambda x: x[:1], lambda x: x[0, 0]]
)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers_are_negated_as_pairs(dtype, layout):
    array = np.random.default_rng(0).normal(size=(40, 60, 2)).view(np.complex128)[..., 0].astype(dtype)
    array[0, :3] = complex(0.0, -0.0), complex(np.inf, np.nan), complex(-0.0, -np.inf)
    x = layout(rushlight.tensor(array))
    expected = np.negative(x.numpy())
    result = (-x).numpy()
    assert result.dtype == dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result.real, expected.real)
    np.testing.assert_array_equal(np.signbit(result.imag), np.signbit(expected.imag))
    if x.is_contiguous() and x.numel() > 1000:
        dtypes = []
        xp = types.SimpleNamespace(negative=lambda value: dtypes.append(value.dtype) or np.negative(value))
        assert np.array_equal(negated_by_parts(refuse)(xp, x.numpy()), expected, equal_nan=True)
        assert dtypes == [array.real.dtype]


def test_large_integers_are_exact():
    values = rushlight.full((LARGE,), 2**60 + 1)
    for _ in range(2):
        rushlight.ones(LARGE) * rushlight.ones(LARGE)
    assert (values * 1)[0].item() == 2**60 + 1
    assert not (values == values + 1).any()


@pytest.fixture
def shared_product():
    """Returns NumPy's multiply split over threads, with the kernel for floats."""
    kernel = elementwise.Kernels("multiply", elementwise.function_of("multiply")).of_arrays(("a", "b"))
    return ufunc.shared(np.multiply, kernel), kernel


def test_a_shared_ufunc_has_loops_for_all_dtypes_of_numpys(shared_product):
    whole, kernel = shared_product
    assert kernel.types == ["ff->f", "dd->d"]
    assert whole.types == [type_ for type_ in np.multiply.types if not set("OMm") & set(type_)]
    own, kernels = ufunc.loops_of(whole), ufunc.loops_of(kernel)
    assert all(own[types] == kernels[types] for types in kernels)
    assert len({data for _, data in own.values()}) == len(own)
    assert whole(np.arange(4), 2).tolist() == [0, 2, 4, 6]


SHARED = {
    "alike": lambda a, b, room: ((a, b), {}),
    "a number": lambda a, b, room: ((a, a.dtype.type(3)), {}),
    "in place": lambda a, b, room: ((room[:-5], b), {"out": room[:-5]}),
    "onto what is still to be read": lambda a, b, room: ((room[:-5], room[5:]), {"out": room[5:]}),
    "with gaps": lambda a, b, room: ((a[::3], b[::-3]), {}),
}


WHOLE = [(name, dtype) for name in ("multiply", "bitwise_xor") for dtype in (np.int64, np.uint8, np.int16, np.bool_)]


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("how", SHARED)
@pytest.mark.parametrize(("name", "dtype"), [*WHOLE, ("subtract", np.complex64), ("multiply", np.complex64)])
def test_multithreaded_results_are_numpys(name, dtype, how):
    original = getattr(np, name)
    numbers = (np.random.default_rng(0).standard_normal((3, 7 * LARGE + 5)) * 50).astype(dtype)
    if dtype is np.complex64:
        numbers = numbers + numbers[::-1] * 1j
    result, expected = (
        function(*arguments, **named)
        for function in (ufunc.shared(original), original)
        for arguments, named in [SHARED[how](*numbers[:2, 5:], numbers[2].copy())]
    )
    np.testing.assert_array_equal(result, expected)


def test_a_multithreaded_sum_adds_in_order():
    numbers, add = np.arange(3 * LARGE), ufunc.shared(np.add)
    assert add.reduce(numbers) == numbers.sum()
    np.testing.assert_array_equal(add.accumulate(numbers), numbers.cumsum())


def refuse(*arrays, **named):
    raise AssertionError("NumPy was asked")


@pytest.mark.skipif(not llvm.host().fit, reason="there are no kernels for this machine")
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("apart", [1, 2])
def test_sums_of_one_dtype_use_the_kernel_for_any_out(dtype, apart):
    first, second = np.random.default_rng(0).standard_normal((2, 2 * LARGE)).astype(dtype)[:, ::apart]
    add, wide = sums(refuse), np.promote_types(dtype, np.float32)
    expected = (first.astype(wide) + second.astype(wide)).astype(dtype)
    result = add(first, second)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, expected)
    sums_into(refuse)(first, second)
    np.testing.assert_array_equal(first, expected)


def test_sums_of_two_dtypes_are_numpys():
    first, second = np.ones(LARGE, np.float16), np.ones(LARGE, np.float32)
    assert sums(np.add)(first, second).dtype == np.float32
    for function in (sums, sums_into):
        with pytest.raises(AssertionError, match="NumPy was asked"):
            function(refuse)(first, second)


HALVES = {
    "a product": lambda x, y: x * y,
    "a number beside": lambda x, y: x + 0.3,
    "a factor": lambda x, y: x * 0.3,
    "a power": lambda x, y: x**3,
    "one operand": lambda x, y: x.exp(),
    "a comparison": lambda x, y: x > y,
    "bounds": lambda x, y: x.clamp(-0.5, 0.7),
    "several orders": lambda x, y: x.t() - y.t(),
    "a row beside": lambda x, y: x - y[0],
    "a row before": lambda x, y: y[0] - x,
}


@pytest.mark.parametrize("dtype", [rushlight.float16, rushlight.bfloat16], ids=str)
@pytest.mark.parametrize("name", HALVES)
def test_half_precision_uses_kernels_without_the_general_path(name, dtype, monkeypatch):
    """Computed in float32 and rounded once; a Python number is rounded first unless it is a factor."""
    function = HALVES[name]
    x, y = (rushlight.linspace(*ends, 4096).view(64, 64).to(dtype) for ends in ((-2, 2), (1.5, -3)))
    rushlight.ones(LARGE)
    for _ in range(40):
        result = function(x, y)
    expected = (
        function(x.float(), y.float())
        if name != "a number beside"
        else x.float() + rushlight.tensor(0.3).to(dtype).float()
    )
    expected = expected.to(result.dtype)
    assert result.dtype is (rushlight.bool if name == "a comparison" else dtype)
    monkeypatch.setattr("rushlight.dispatch.general.Call", refuse)
    result = function(x, y)
    assert result.stride() == expected.stride() and result._edge is None
    near = 1 if name == "one operand" else 0  # unit in the last place, where float32 rounds the other way
    positions = (
        result.view(rushlight.int16) - expected.view(rushlight.int16) if result.dtype is dtype else result ^ expected
    )
    assert int(abs(positions.numpy().astype(int)).max()) <= near


def test_recorded_half_precision_takes_the_general_path():
    x = rushlight.linspace(-2, 2, 4096).bfloat16().requires_grad_()
    rushlight.ones(LARGE)
    for _ in range(40):
        y = x * x
    assert y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.equal(2 * x.detach())


def test_half_precision_returned_unchanged_is_a_copy():
    x = rushlight.linspace(-2, 2, 4096).bfloat16()
    rushlight.ones(LARGE)
    for _ in range(40):
        result = rushlight.clamp(x, max=1e30), rushlight.nan_to_num(x)
    x.zero_()
    assert all(x.any() for x in result)


MIXED = [
    (rushlight.bfloat16, rushlight.float32, rushlight.float32),
    (rushlight.float16, rushlight.bfloat16, rushlight.float32),
    (rushlight.float32, rushlight.float64, rushlight.float64),
    (rushlight.float64, rushlight.float16, rushlight.float64),
]


@pytest.mark.parametrize(("first", "second", "common"), MIXED, ids=str)
def test_floats_of_two_dtypes_use_kernels_without_the_general_path(first, second, common, monkeypatch):
    x, y = rushlight.linspace(-2, 2, 4096).view(64, 64).to(first), rushlight.linspace(1.5, -3, 64).to(second)
    rushlight.ones(LARGE)
    for _ in range(40):
        result = x + y, y * x, x < y
    monkeypatch.setattr("rushlight.dispatch.general.Call", refuse)
    wide, other = x.to(common), y.to(common)
    expected = wide + other, other * wide, wide < other
    result = x + y, y * x, x < y
    assert [x.dtype for x in result] == [common, common, rushlight.bool]
    assert all(one.equal(other) for one, other in zip(result, expected, strict=True))


@pytest.mark.parametrize("dtype", [rushlight.float16, rushlight.bfloat16], ids=str)
def test_reductions_of_half_precision_take_the_fast_path(dtype, monkeypatch):
    x = (rushlight.arange(4096) % 7).view(64, 64).to(dtype)
    rushlight.ones(LARGE)
    for _ in range(40):
        result = x.sum(1), x.mean(), x.amax(0), x.sum()
    monkeypatch.setattr("rushlight.dispatch.general.Call", refuse)
    result = x.sum(1), x.mean(), x.amax(0), x.sum()
    numbers = np.arange(4096).reshape(64, 64) % 7
    expected = numbers.sum(1), numbers.mean(), numbers.max(0), numbers.sum()
    for one, exact in zip(result, expected, strict=True):
        assert one.dtype is dtype and one.shape == exact.shape
        assert one.equal(rushlight.tensor(exact).to(dtype))
