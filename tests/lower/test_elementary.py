"""Elementary functions against a longer format: all exponents, near changes of formula, and at the extremes."""

import timeit

import mpmath
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower import bessel_functions, elementwise, gamma_functions, ir, special_functions, trace, trigonometry
from rushlight.lower import elementary as m

ULPS = 2.0
NAMES = (
    "exp exp2 expm1 log log1p log2 log10 tanh sigmoid erf erfc sin cos tan sinh cosh asin acos atan asinh acosh atanh"
)
NUMPY = {x: f"arc{x[1:]}" for x in ("asin", "acos", "atan", "asinh", "acosh", "atanh")}
ENDS = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    -1.0,
    2.0,
    0.5,
    -0.5,
    88.7,
    -87.5,
    -103.9,
    709.7,
    -745.1,
    1e-40,
    -1e-40,
]


def named(name):
    positions = m, trigonometry, special_functions, gamma_functions
    return next(getattr(position, name) for position in positions if hasattr(position, name))


def kernel(function, operands=1):
    names = [f"x{number}" for number in range(operands)]
    made = elementwise.Kernels(function.__name__, lambda args: [function(*args.values())])
    return made.of_arrays(tuple(names))


def points(dtype):
    """Returns numbers of every exponent and sign, and many where functions change their formula."""
    random = np.random.default_rng(0)
    whole = np.uint32 if dtype == np.float32 else np.uint64
    spread = random.integers(0, np.iinfo(whole).max, 60_000, whole).view(dtype)
    near = [random.uniform(-size, size, 20_000) for size in (1e-4, 0.1, 0.7, 1.2, 4, 20, 110, 750)]
    return np.concatenate([spread, *(x.astype(dtype) for x in near), np.array(ENDS, dtype)])


def reference(name, x):
    """Returns the function with 64 bits of mantissa, or float64 for float32."""
    wide = x.astype(np.longdouble)
    if name == "sigmoid":
        small = np.exp(-np.abs(wide))
        return np.where(wide < 0, small, 1) / (1 + small)
    return getattr(np, NUMPY.get(name, name))(wide)


def units(result, expected, least=0):
    """Errors in units in the last place; infinite where infinities, NaN or zeros do not agree.

    Results smaller than `least` may have its absolute error.
    """
    dtype = result.dtype
    rounded = expected.astype(dtype)
    with np.errstate(all="ignore"):
        step = np.spacing(np.maximum(np.abs(rounded), dtype.type(least)))
        apart = np.abs(result.astype(expected.dtype) - expected) / step.astype(expected.dtype)
    special = ~np.isfinite(rounded) | ~np.isfinite(result)
    edge = np.abs(expected) >= np.finfo(dtype).max  # a rounding away from infinity
    alike = (result == rounded) | (np.isnan(result) & np.isnan(rounded)) | (edge & np.isinf(result))
    apart = np.where(special, np.where(alike, 0, np.inf), apart)
    return np.where((expected == 0) & (np.signbit(result) != np.signbit(expected)), np.inf, apart)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", [part for part in NAMES.split() if part not in ("erf", "erfc")])
def test_within_two_units_over_the_whole_range(name, dtype):
    x = points(dtype)
    with np.errstate(all="ignore"):
        expected = reference(name, x)
        off = units(kernel(named(name))(x), expected)
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"{name}({x[worst]!r}) is {off[worst]} units off"


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", ["erf", "erfc"])
def test_the_error_function(name, dtype):
    x = np.concatenate([points(dtype)[::97], np.linspace(-6, 6, 2001).astype(dtype), np.array(ENDS, dtype)])
    x = x[np.isnan(x) | (np.abs(x) < 26) | (np.abs(x) == np.inf)]
    with mpmath.workdps(30):
        function = getattr(mpmath, name)
        expected = np.array([np.longdouble(mpmath.nstr(function(mpmath.mpf(float(array))), 25)) for array in x])
    expected = np.where(x == 0, x if name == "erf" else 1, expected)
    off = units(kernel(named(name))(x), expected)
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"{name}({x[worst]!r}) is {off[worst]} units off"


# Inputs with the largest errors if the formulas left out their last correction terms: among all float32, and among
# some ten million float64 of each function.
HARD = [
    ("sigmoid", np.float32, (-16.635704, -0.0016553402, -1.0995050)),
    ("sigmoid", np.float64, (-36.736935481687034, -0.00012523701628923412, 16.81164519563174)),
    ("erfc", np.float32, (0.50298256, 0.5423383, 0.58594745, 1.5562686)),
    ("asin", np.float32, (0.8378011, 0.83521914)),
    ("tan", np.float64, (3121.95969014267,)),
    ("acosh", np.float64, (1.0019456422287243, 1.0293049207804723)),
    ("expm1", np.float64, (0.3465973004797234,)),
]


@pytest.mark.parametrize(("name", "dtype", "numbers"), HARD, ids=lambda value: getattr(value, "__name__", None))
def test_inputs_with_the_largest_errors(name, dtype, numbers):
    x = np.array(numbers, dtype)
    with mpmath.workdps(40):
        function = getattr(mpmath, name, lambda x: 1 / (1 + mpmath.exp(-x)))
        expected = np.array([np.longdouble(mpmath.nstr(function(mpmath.mpf(float(array))), 25)) for array in x])
    assert units(kernel(named(name))(x), expected).max() <= ULPS


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_the_normal_distribution(dtype):
    """With the spacing of numbers below 1, and for small float32 to a thousandth."""
    x = np.linspace(-5.5, 5.5, 2001).astype(dtype)
    with mpmath.workdps(30):
        expected = np.array([float(mpmath.ncdf(mpmath.mpf(float(array)))) for array in x])
    result = kernel(named("normal_distribution"))(x)
    assert np.abs(result - expected).max() <= np.finfo(dtype).eps
    if dtype == np.float32:
        assert np.abs(result / expected - 1).max() < 1e-3
    ends = kernel(named("normal_distribution"))(np.array([0, np.inf, -np.inf, np.nan, 40, -40], dtype))
    np.testing.assert_array_equal(ends, np.array([0.5, 1, 0, np.nan, 1, 0], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_the_derivative_of_gelu(dtype):
    """With the spacing of numbers around 1; for tiny float32 with the accuracy of the square."""
    x = np.linspace(-12.5, 12.5, 2001).astype(dtype)
    with mpmath.workdps(30):
        numbers = [mpmath.mpf(float(array)) for array in x]
        expected = np.array([float(mpmath.ncdf(number) + number * mpmath.npdf(number)) for number in numbers])
    result = kernel(trace.FUNCTIONS["gelu_derivative"])(x)
    assert np.abs(result - expected).max() <= 2 * np.finfo(dtype).eps
    if dtype == np.float32:
        low = x < -1.5
        assert np.abs(result[low] / expected[low] - 1).max() < 1e-5
    ends = kernel(trace.FUNCTIONS["gelu_derivative"])(
        np.array([0, np.inf, -np.inf, np.nan, 40, -40, 1e18, -1e18], dtype)
    )
    np.testing.assert_array_equal(ends, np.array([0.5, np.nan, np.nan, np.nan, 1, 0, 1, 0], dtype))


def gammas(dtype):
    """Returns numbers above zero: any, small, large, and around 1 and 2, where the logarithm of gamma is 0."""
    random = np.random.default_rng(3)
    around = [centre + random.uniform(-width, width, 200) for centre in (1, 2) for width in (1e-3, 0.1)]
    x = np.concatenate([random.uniform(0.01, 20, 1000), 10.0 ** random.uniform(-18, 30, 400), *around]).astype(dtype)
    return x[(x != 1) & (x != 2)]


def shares(dtype):
    """Returns numbers in (-1, 1), many close to the ends."""
    random, most = np.random.default_rng(4), 7 if dtype == np.float32 else 16
    near = 1 - 10.0 ** random.uniform(-most, -1, 800)
    x = np.concatenate([random.uniform(-1, 1, 1500), near, -near, 10.0 ** random.uniform(-30, -1, 200)]).astype(dtype)
    return x[np.abs(x) < 1]


def below_zero(dtype):
    """Returns negative numbers, also near poles; float64 above -1.5, since others use the C library."""
    random, least = np.random.default_rng(9), -30 if dtype == np.float32 else -1.5
    beside = random.choice([-1, 1], 400) * 10.0 ** random.uniform(-12, -1, 400)
    poles = beside - random.integers(0, 1 - int(least), 400)
    x = np.concatenate([random.uniform(least, 0, 1500), -(10.0 ** random.uniform(-30, 0, 300)), poles]).astype(dtype)
    return x[(x < 0) & (x > least) & (x != np.round(x))]


def roots_of_digamma(dtype):
    """Returns numbers around both roots of digamma above -1, many close to them."""
    random, most = np.random.default_rng(7), 7 if dtype == np.float32 else 16
    near = np.concatenate([10.0 ** random.uniform(-most, -1, 300), [0]])
    around = [root + sign * near for root in (1.4616321449683623, -0.5040830082644554) for sign in (1, -1)]
    return np.concatenate([*around, random.uniform(-0.999, -0.001, 1000), random.uniform(1, 2, 500)]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "points", "function"),
    [
        ("erfinv", shares, mpmath.erfinv),
        ("lgamma", gammas, lambda x: mpmath.loggamma(x).real),
        ("trigamma", gammas, lambda x: mpmath.psi(1, x)),
        ("lgamma", below_zero, lambda x: mpmath.loggamma(x).real),
        ("digamma", gammas, mpmath.digamma),
        ("digamma", roots_of_digamma, mpmath.digamma),
    ],
)
def test_special_functions(name, points, function, dtype):
    x = points(dtype)
    with mpmath.workdps(40):
        expected = np.array([np.longdouble(mpmath.nstr(function(mpmath.mpf(float(array))), 25)) for array in x])
    with np.errstate(all="ignore"):
        off = units(kernel(named(name))(x), expected)
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"{name}({x[worst]!r}) is {off[worst]} units off"


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_special_functions_at_their_limits(dtype):
    x = np.array([0.0, -0.0, 1.0, -1.0, 2.0, np.inf, -np.inf, np.nan], dtype)
    expected = {
        "erfinv": [0.0, -0.0, np.inf, -np.inf, np.nan, np.nan, np.nan, np.nan],
        "lgamma": [np.inf, np.inf, 0.0, np.inf, 0.0, np.inf, np.inf, np.nan],
        "digamma": [-np.inf, np.inf, -np.euler_gamma, np.nan, 1 - np.euler_gamma, np.inf, np.nan, np.nan],
    }
    with np.errstate(all="ignore"):
        for name, numbers in expected.items():
            result = kernel(named(name))(x)
            np.testing.assert_array_equal(result, np.array(numbers, dtype))
            np.testing.assert_array_equal(np.signbit(result[:2]), np.signbit(numbers[:2]))


def sizes(dtype):
    """Returns numbers of both signs, from those with a square of 0 to those with an infinite exponential."""
    random, most = np.random.default_rng(6), 80 if dtype == np.float32 else 700
    spread = [random.uniform(-size, size, 150) for size in (1e-8, 0.01, 0.6, 1, 4, 8, 9, 30, most)]
    return np.concatenate([*spread, 10.0 ** random.uniform(-30, 1.8, 300)]).astype(dtype)


def of_a_size(function):
    """Returns the function without its exponential growth, with the digits that the growth needs."""
    return lambda x: function(x) * mpmath.exp(-abs(x))


def log_ndtr(x):
    half = mpmath.erfc(abs(x) / mpmath.sqrt(2)) / 2
    return mpmath.log(half) if x < 0 else mpmath.log1p(-half)


def i0(x):
    return mpmath.besseli(0, x)


def i1(x):
    return mpmath.besseli(1, x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "function", "within"),
    [
        ("i0", i0, 700),
        ("i1", i1, 700),
        ("i0e", of_a_size(i0), 700),
        ("i1e", of_a_size(i1), 700),
        ("erfcx", lambda x: mpmath.exp(x * x) * mpmath.erfc(x), 26),
        ("log_ndtr", log_ndtr, 37),
    ],
)
def test_functions_that_grow_exponentially(name, function, within, dtype):
    x = sizes(dtype)
    x = x[np.abs(x) < (within if dtype == np.float64 else min(within, 9 if name == "erfcx" else 13))]
    with mpmath.workdps(60):
        expected = np.array([np.longdouble(mpmath.nstr(function(mpmath.mpf(float(array))), 25)) for array in x])
    with np.errstate(all="ignore"):
        off = units(kernel(trace.FUNCTIONS[name])(x), expected)
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"{name}({x[worst]!r}) is {off[worst]} units off"


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_functions_that_grow_exponentially_at_their_limits(dtype):
    """Functions without growth end in NaN, like PyTorch's; i1(-0.0) is 0.0."""
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30], dtype)
    far, half = np.sqrt(dtype(1e-30) / dtype(2 * np.pi)), -np.log(dtype(2))
    expected = {
        "i0": [1, 1, np.nan, np.nan, np.nan, np.inf, np.inf],
        "i1": [0, 0, np.nan, np.nan, np.nan, np.inf, -np.inf],
        "i0e": [1, 1, 0, 0, np.nan, far, far],
        "i1e": [0, 0, 0, 0, np.nan, far, -far],
        "erfcx": [1, 1, 0, np.inf, np.nan, dtype(1e-30) / dtype(np.sqrt(np.pi)), np.inf],
        "log_ndtr": [half, half, 0, -np.inf, np.nan, 0, -np.inf if dtype == np.float32 else -5e59],
    }
    with np.errstate(all="ignore"):
        for name, numbers in expected.items():
            result = kernel(trace.FUNCTIONS[name])(x)
            np.testing.assert_allclose(result, np.array(numbers, dtype), rtol=1e-6, err_msg=name)
        signs = np.signbit(kernel(trace.FUNCTIONS["log_ndtr"])(x[2:3])), np.signbit(kernel(bessel_functions.i1)(x[1:2]))
    assert signs == (True, False)


def test_gamma_below_zero_uses_the_reflection_formula():
    x = np.random.default_rng(5).uniform(-20, 0, 4000)
    x = x[np.abs(x - np.round(x)) > 0.01]
    expected = [float(mpmath.psi(1, array)) for array in x]
    np.testing.assert_allclose(kernel(gamma_functions.trigamma)(x), expected, rtol=1e-12)
    expected = [float(mpmath.loggamma(array).real) for array in x]
    np.testing.assert_allclose(kernel(gamma_functions.lgamma)(x), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_digamma_below_zero(dtype):
    """Near roots other than the first, float64 results closer to 0 than 1/32 have its absolute error."""
    random = np.random.default_rng(8)
    poles = -random.integers(1, 30, 300) + random.choice([-1, 1], 300) * 10.0 ** random.uniform(-12, -1, 300)
    x = np.concatenate([-random.uniform(0, 20, 2000), -(10.0 ** random.uniform(-18, 5, 500)), poles]).astype(dtype)
    x = x[x != np.round(x)]
    with mpmath.workdps(50):
        expected = np.array([np.longdouble(mpmath.nstr(mpmath.digamma(mpmath.mpf(float(array))), 25)) for array in x])
    off = units(kernel(gamma_functions.digamma)(x), expected, least=1 / 32 if dtype == np.float64 else 0)
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"digamma({x[worst]!r}) is {off[worst]} units off"


def test_trigonometric_functions_of_the_largest_numbers():
    """Multiples of pi / 2 closest to a float32: the remainder needs all digits of 2 / pi."""
    x = np.array([16367173.0 * 2.0**72, 2.0**127, 3.4028235e38, 1e22, 5.4210109e-20, 1.5707964, 3.1415927], np.float32)
    with mpmath.workdps(80):
        expected = np.array([np.longdouble(mpmath.nstr(mpmath.cos(mpmath.mpf(float(array))), 25)) for array in x])
    assert units(kernel(trigonometry.cos)(x), expected).max() <= ULPS


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_powers(dtype):
    random = np.random.default_rng(1)
    x = np.concatenate(
        [random.uniform(0, 10, 5000), random.uniform(-4, 4, 5000), 10.0 ** random.uniform(-30, 30, 5000),
         random.uniform(0.7, 1.42, 5000), 1 + random.normal(0, 1e-6, 5000), 10.0 ** random.uniform(-323, -300, 5000)]
    )  # fmt: skip
    y = np.concatenate(
        [random.uniform(-30, 30, 5000), random.integers(-9, 9, 5000), random.uniform(-1.2, 1.2, 5000),
         random.uniform(-1900, 1900, 5000), random.uniform(-7e8, 7e8, 5000), random.uniform(-0.9, 0.9, 5000)]
    )  # fmt: skip
    x, y = (np.concatenate([array.astype(dtype), grid.ravel()]) for array, grid in zip((x, y), np.meshgrid(
        np.array(ENDS, dtype), np.array([*ENDS, 3.0, -3.0, 2.5], dtype)), strict=True))  # fmt: skip
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
        off = units(kernel(m.power, 2)(x, y), expected)
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"{x[worst]!r} ** {y[worst]!r} is {off[worst]} units off"


def pairs(dtype):
    """Returns two arrays: any numbers, integers, and all pairs of extremes."""
    random = np.random.default_rng(2)
    x = np.concatenate(
        [random.normal(0, 1, 5000) * 10.0 ** random.uniform(-20, 20, 5000), random.integers(-99, 99, 5000)]
    )
    y = np.concatenate(
        [random.normal(0, 1, 5000) * 10.0 ** random.uniform(-20, 20, 5000), random.integers(-9, 9, 5000)]
    )
    ends = np.array([*ENDS, 3.0, -3.0, 2.5, np.finfo(dtype).max, np.finfo(dtype).tiny, -np.finfo(dtype).max], dtype)
    return tuple(np.concatenate([array.astype(dtype), grid.ravel()])
                 for array, grid in zip((x, y), np.meshgrid(ends, ends), strict=True))  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
def test_remainders_are_exact(name, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        result, expected = kernel(named(name), 2)(x, y), getattr(np, name)(x, y)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result[result == 0]), np.signbit(expected[result == 0]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", ["atan2", "hypot"])
def test_atan2_and_hypot(name, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        function = np.arctan2 if name == "atan2" else np.hypot
        off = units(kernel(named(name), 2)(x, y), function(x.astype(np.longdouble), y.astype(np.longdouble)))
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"{name}({x[worst]!r}, {y[worst]!r}) is {off[worst]} units off"


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_trigonometric_functions_up_to_where_the_c_library_takes_over(name, dtype):
    """Numbers closest to multiples of pi / 2, where most digits cancel."""
    edge = trigonometry.ANGLES[ir.TYPES[np.dtype(dtype)]]
    x = np.concatenate([(np.arange(1, 30_000) * (np.pi / 2) * step).astype(dtype) for step in (1, 17, 80)])
    x = np.concatenate([x[x < edge], np.random.default_rng(0).uniform(-edge, edge, 50_000).astype(dtype)])
    off = units(kernel(named(name))(x), getattr(np, name)(x.astype(np.longdouble)))
    worst = np.argmax(off)
    assert off[worst] <= ULPS, f"{name}({x[worst]!r}) is {off[worst]} units off"


def test_a_rare_value_changes_no_other_result():
    x = np.random.default_rng(0).uniform(-9, 9, 50_000)
    few = x.copy()
    few[[5, 20_000, 49_999]] = 1e300, np.inf, np.nan
    sine = kernel(trigonometry.sin)
    with np.errstate(invalid="ignore"):
        result, expected = sine(few), np.sin(few)
    np.testing.assert_allclose(result, expected, rtol=1e-15)
    rest = np.delete(np.arange(x.size), [5, 20_000, 49_999])
    np.testing.assert_array_equal(result[rest], sine(x)[rest])
    np.testing.assert_array_equal(sine(few, out=few), result)


def test_no_floating_point_flag_is_raised():
    """NumPy would warn about the side of a select that is not taken."""
    x = np.array([1.0, 1e30, -1e30, 0.0, np.inf, np.nan], np.float32)
    with np.errstate(all="raise"):
        for name in NAMES.split():
            kernel(named(name))(x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["exp", "exp2", "sigmoid"])
def test_results_that_underflow_to_zero_take_no_longer(name, dtype):
    """Processors take a hundred times as long to underflow; half of a masked row does."""
    function = kernel(named(name))
    ordinary, gone = np.full(20_000, -1, dtype), np.full(20_000, -np.inf, dtype)
    assert not function(gone).any() and not function(np.full(9, -1e9, dtype)).any()

    def fastest(x):
        return min(timeit.repeat(lambda: function(x), number=5, repeat=20))

    assert fastest(gone) < 5 * fastest(ordinary)


def test_a_formula_that_branches_on_a_value_is_refused():
    value = ir.Trace().operand(0, ir.F32)
    with pytest.raises(ir.Untraceable, match="whether an element is true"):
        bool(value)
