"""What GPUs have in place of the C library, against the C library: at large angles, far quotients, and extremes."""

import ctypes
import math

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower import llvm
from rushlight.lower.nvptx.library import OWN, provided, two_over_pi

# The float64 that is nearest to a multiple of pi / 2, and its cosine (Muller et al., Handbook of Floating-Point
# Arithmetic, section 11.4): C libraries may lose digits there.
NEAREST, ITS_COSINE = 6381956970095103 * 2.0**797, -4.68716592425462761112e-19
EXTREMES = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1.0, -1.0]


def function(name, arguments=1):
    declared, text = provided({f"{OWN}{name}": ""})
    parameters = ", ".join(["double %a", "double %b"][:arguments])
    text = (
        f"{text}\ndefine double @f({parameters}) {{\n %r = call double @{OWN}{name}({parameters})\n ret double %r\n}}"
    )
    address = llvm.build("\n".join([*declared, text]), "f")["f"]
    return ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * arguments)(address)


def drawn(count, low, high, seed=0):
    """Returns numbers of both signs with exponents in a range."""
    generator = np.random.default_rng(seed)
    sizes = np.ldexp(generator.uniform(1, 2, count), generator.integers(low, high, count))
    return (sizes * generator.choice([-1, 1], count)).tolist()


def units(got, expected):
    if got == expected or (math.isnan(got) and math.isnan(expected)):
        return 0
    return abs(got - expected) / math.ulp(expected)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_large_angles_are_right_to_one_unit(name):
    ours, theirs = function(name), getattr(math, name)
    for x in drawn(20_000, 22, 1023):
        assert units(ours(x), theirs(x)) <= 1, x
    assert all(math.isnan(ours(x)) for x in EXTREMES[:3])


def test_the_angle_that_is_hardest_to_reduce():
    assert units(function("cos")(NEAREST), ITS_COSINE) <= 1
    assert function("sin")(-NEAREST) == -1.0
    assert units(function("tan")(NEAREST), 1 / ITS_COSINE) <= 1


@pytest.mark.parametrize("x", [0.0, 1e-300, 1.0, 5e-324])
def test_a_small_angle_reads_nothing_beyond_the_table(x):
    assert math.isfinite(function("sin")(x))


def test_two_over_pi_has_the_digits_of_pi():
    """Its product with the known digits of pi is 2, to the last digit parameters."""
    digits = 31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679
    words = two_over_pi()
    assert words[0] == 0
    number = sum(word << (64 * (len(words) - 1 - k)) for k, word in enumerate(words))
    product = number * digits * 10**20 // (10**100 << (64 * (len(words) - 1)))
    assert product in (2 * 10**20 - 1, 2 * 10**20)


def test_remainders_are_exact():
    ours = function("fmod", 2)
    for x, y in zip(drawn(20_000, -1074, 1024), drawn(20_000, -1074, 1024, seed=1), strict=True):
        if y:  # may have been rounded to zero
            assert ours(x, y) == math.fmod(x, y), (x, y)
    assert ours(1e300, 3.0) == math.fmod(1e300, 3.0)


@pytest.mark.parametrize("x", EXTREMES)
@pytest.mark.parametrize("y", EXTREMES)
def test_remainders_of_extremes(x, y):
    with np.errstate(invalid="ignore"):
        expected = float(np.fmod(x, y))
    got = function("fmod", 2)(x, y)
    assert units(got, expected) == 0
    assert math.isnan(got) or math.copysign(1, got) == math.copysign(1, expected)


def test_log_gamma_where_its_kernel_has_no_formula():
    ours = function("lgamma")
    for x in [*np.linspace(-170.3, -1.5, 5000).tolist(), *drawn(2000, -1074, -1000), 1e305]:
        expected = math.lgamma(x)
        assert abs(ours(x) - expected) <= 2e-15 * max(1, abs(expected)), x
    assert [ours(x) for x in (-3.0, 0.0, -0.0, math.inf, -math.inf, 1.7e308, -1e300)] == [math.inf] * 7
    assert math.isnan(ours(math.nan))
