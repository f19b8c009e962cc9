"""The loop that NumPy calls for ufuncs of formulas: any strides and lengths, overlapping results, rare elements."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower import elementwise, llvm, nontemporal

pytestmark = [
    pytest.mark.skipif(not llvm.host().fit, reason="there are no kernels for this machine"),
    pytest.mark.usefixtures("threads"),
]
LENGTHS = [0, 1, 7, 16, 31, 511, 512, 513, 1030, 40_003]


@pytest.fixture(params=["add", "fmod", "less"])
def functions(request, monkeypatch):
    """Returns a kernel (with non-temporal stores for large results) and NumPy's function."""
    monkeypatch.setattr(nontemporal, "LARGEST_KEPT", 1 << 12)
    kernels = elementwise.Kernels(request.param, elementwise.function_of(request.param))
    return kernels.of_arrays(("a", "b")), getattr(np, request.param)


def spread(numbers, length, step, shift, dtype):
    """Returns elements `step` apart, from an offset in a cache line on."""
    room = (numbers.standard_normal(length * abs(step) + shift + 1) * 10).astype(dtype)
    return room[shift : shift + length * abs(step)][::step]


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
@pytest.mark.parametrize("length", LENGTHS)
def test_any_layout(functions, length, dtype):
    kernel, expected = functions
    numbers = np.random.default_rng(length)
    for steps in ((1, 1, 1), (1, 1, 2), (2, 1, 1), (-1, 3, 1), (1, -2, -1)):
        a, b, out = (spread(numbers, length, step, numbers.integers(20), dtype) for step in steps)
        np.testing.assert_array_equal(kernel(a, b), expected(a, b))
        np.testing.assert_array_equal(kernel(a, dtype(3)), expected(a, dtype(3)))
        if kernel.types[0][-1] != "?":
            wanted = expected(a, b)
            np.testing.assert_array_equal(kernel(a, b, out=out), wanted)
            np.testing.assert_array_equal(kernel(a, b, out=a), wanted)


@pytest.mark.parametrize("length", [5, 64, 1000, 40_003])
@pytest.mark.parametrize("place", [0, 0.5, 1])
def test_rare_values_do_not_change_their_neighbours(length, place):
    """An angle for the C library: in the first vector, in the middle, and in the rest after the last."""
    kernel = elementwise.Kernels("sin", elementwise.function_of("sin")).of_arrays(("a",))
    usual = np.random.default_rng(0).standard_normal(length).astype(np.float32)
    angles, at = usual.copy(), int(place * (length - 1))
    angles[at] = 1e10
    result, alone = kernel(angles), kernel(usual)
    np.testing.assert_allclose(result[at], np.sin(1e10), rtol=1e-6)
    np.testing.assert_array_equal(np.delete(result, at), np.delete(alone, at))
    np.testing.assert_array_equal(kernel(angles, out=angles), result)
