"""Elementwise functions against PyTorch over the dtypes: the dtype and values of the result, or the error's first line.

The operands hold what is special to some function: zeros, halves, both signs, numbers outside of domains. They are
few, and then so many, over and over, that machine code takes them, where there is some.
"""

import importlib
import warnings
from itertools import product
from operator import attrgetter

import numpy as np
import pytest

oracle = pytest.importorskip("torch")
ours = importlib.import_module("rushlight")

DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
FEWER = "bool uint8 int64 bfloat16 float32 float64 complex64".split()
# Of what PyTorch's own float32 kernels differ from one another.
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "complex64": 2e-5}

LEFT = np.array([[-3.0, -2.5, -1.0], [-0.5, 0.0, 0.25], [1.0, 2.5, 7.0]])
RIGHT = np.array([[2.0, -1.0, 3.0], [0.5, -2.0, 1.0], [0.0, 1.5, -3.0]])
MANY = 1 << 12  # times so many elements
SEEN = 66, -2  # rows at the beginning and the end: all numbers, at all places in a vector

UNARY = """
    abs acos acosh angle asin asinh atan atanh bitwise_not ceil conj_physical cos cosh deg2rad digamma erf
    erfc erfinv exp exp2 expm1 floor frac frexp i0 isfinite isinf isnan isneginf isposinf isreal lgamma log
    log10 log1p log2 logical_not logit nan_to_num neg positive rad2deg reciprocal relu round rsqrt selu sgn
    sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc
""".split()
ACTIVATIONS = """
    celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 silu softplus
    softshrink softsign tanhshrink
""".split()
BINARY = """
    add sub mul div floor_divide remainder fmod pow float_power atan2 hypot copysign heaviside maximum minimum
    fmax fmin logaddexp logaddexp2 xlogy eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and
    bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm isclose igamma igammac clamp_min
    clamp_max
""".split()
WITH_NUMBER = """
    add sub mul div floor_divide remainder fmod pow float_power copysign xlogy eq ne lt le gt ge bitwise_and
    bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift clamp_min clamp_max
""".split()


def tensor(library, array, dtype):
    """The array as a tensor of that dtype; negative numbers lose their sign where there is none."""
    if dtype.startswith("complex"):
        array = array + 1j * np.flip(array)
    array = np.abs(array) if dtype == "uint8" else array
    return library.from_numpy(np.array(array, order="C")).to(getattr(library, dtype))


def seen(result):
    """The numbers of a result, the first and the last of many."""
    first, last = SEEN
    whole = len(result) <= first if result.ndim else True
    return np.array(result.tolist() if whole else result[:first].tolist() + result[last:].tolist())


def outcome(function, *operands):
    """What a call leaves: dtype and values of each result, or type and first line of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = function(*operands)
    except Exception as error:
        return [(type(error).__name__, str(error).splitlines()[0])]
    results = results if isinstance(results, tuple) else (results,)
    return [(str(each.dtype).removeprefix("torch."), seen(each)) for each in results]


def check_same(function_of, *operands_of):
    """Calls a function of both libraries with operands of both, each given by how it is made from the library."""
    result, expected = (
        outcome(function_of(library), *(make(library) for make in operands_of)) for library in (ours, oracle)
    )
    assert [kind for kind, _ in result] == [kind for kind, _ in expected], (result, expected)
    for (kind, ours_is), (_, torch_is) in zip(result, expected, strict=True):
        if isinstance(torch_is, str):
            assert ours_is == torch_is
        else:
            tolerance = TOLERANCE.get(kind, 1e-9)
            np.testing.assert_allclose(ours_is, torch_is, rtol=tolerance, atol=tolerance)


def tensor_of(array, dtype, times=1):
    return lambda library: tensor(library, np.tile(array, (times, 1)) if times > 1 else array, dtype)


few_and_many = pytest.mark.parametrize("times", [1, MANY], ids=["few", "many"])


@few_and_many
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, times):
    for dtype in DTYPES:
        check_same(attrgetter(name), tensor_of(LEFT, dtype, times))


@few_and_many
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name, times):
    for dtype in DTYPES:
        check_same(attrgetter(f"nn.functional.{name}"), tensor_of(LEFT, dtype, times))


@few_and_many
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, times):
    for left, right in product(FEWER, FEWER):
        check_same(attrgetter(name), tensor_of(LEFT, left, times), tensor_of(RIGHT, right, times))
        check_same(attrgetter(name), tensor_of(LEFT, left, times), tensor_of(np.array(2.0), right))


@few_and_many
@pytest.mark.parametrize("name", WITH_NUMBER)
@pytest.mark.parametrize("number", [True, 2, -1, 2.5])
def test_number_on_the_right(name, number, times):
    for dtype in FEWER:
        check_same(attrgetter(name), tensor_of(LEFT, dtype, times), lambda library: number)


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "div", "remainder", "pow", "float_power", "xlogy", "bitwise_and"]
)
@pytest.mark.parametrize("number", [True, 2, -1, 2.5])
def test_number_on_the_left(name, number):
    for dtype in FEWER:
        check_same(attrgetter(name), lambda library: number, tensor_of(LEFT, dtype))
