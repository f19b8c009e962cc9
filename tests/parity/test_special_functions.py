"""`torch.special` against PyTorch where the samples of the declarations do not go: far out, at poles and ends, and in
every dtype; and the Bessel functions against their own formulas, for PyTorch's lose digits beyond 3.
"""

import importlib

import numpy as np
import pytest

oracle = pytest.importorskip("torch")
ours = importlib.import_module("rushlight")

INF, NAN = float("inf"), float("nan")
# Between the digits of the one and of the other in each dtype.
TOLERANCE = {"float32": 2e-5, "float64": 1e-9}

POINTS = [0.0, -0.0, 1e-300, 1e-8, 0.3, 1.0, -1.0, 2.0, -2.0, 4.5, -4.5, 30.0, -30.0, 700.0, 720.0, INF, -INF, NAN]
UNARY = """
    entr erfcx log_ndtr modified_bessel_i0 modified_bessel_i1
    modified_bessel_k0 modified_bessel_k1 ndtr ndtri scaled_modified_bessel_k0 scaled_modified_bessel_k1
    spherical_bessel_j0 i0e i1 i1e gammaln expit
""".split()
WAVES = "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1".split()
POLYNOMIALS = [
    *(f"{prefix}chebyshev_polynomial_{kind}" for prefix in ("", "shifted_") for kind in "tuvw"),
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
]  # fmt: skip
WITHOUT_DERIVATIVE = [*POLYNOMIALS, *WAVES, *(name for name in UNARY if "bessel" in name)]
OF_TWO = [*POLYNOMIALS, "zeta", "xlog1py"]
GAMMAS = ("gammainc", "gammaincc")


def of(library, name):
    # Its complaints name the function of the root, which it is.
    return getattr(library if name == "polygamma" else library.special, name)


def outcome(library, name, *operands):
    """The dtype and values of a result, or the type and first line of its error."""
    try:
        result = of(library, name)(*(each(library) if callable(each) else each for each in operands))
    except (RuntimeError, TypeError) as error:
        return type(error).__name__, str(error).splitlines()[0]
    return str(result.dtype), result.tolist()


def array_of(values, dtype):
    return lambda library: library.tensor(values, dtype=getattr(library, dtype))


def check_same(name, *operands, tolerance=1e-9):
    (kind, result), (expected_kind, expected) = (outcome(library, name, *operands) for library in (ours, oracle))
    assert kind == expected_kind, (result, expected)
    if isinstance(expected, str):
        assert result == expected
    else:
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance * 1e-3)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", UNARY)
def test_far_out_and_at_poles(name, dtype):
    check_same(name, array_of(POINTS, dtype), tolerance=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", WAVES)
def test_waves_near_0_and_at_poles(name, dtype):
    near = [each for each in POINTS if not 2 < abs(each) < INF]
    check_same(name, array_of(near, dtype), tolerance=TOLERANCE[dtype])


@pytest.mark.parametrize("name", [*UNARY, *WAVES, *OF_TWO, *GAMMAS, "psi", "multigammaln", "polygamma"])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "complex64"])
def test_dtypes(name, dtype):
    values = array_of([1, 1], "bool") if dtype == "bool" else array_of([2, 3], dtype)
    second = values if name in (*OF_TWO, *GAMMAS) else 1
    operands = (
        (1, values) if name == "polygamma" else (values,) if name in (*UNARY, *WAVES, "psi") else (values, second)
    )
    check_same(name, *operands, tolerance=2e-2 if dtype in ("float16", "bfloat16") else 2e-6)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_of_every_sort_of_degree(name):
    x = array_of([-2.0, -1.0, -0.9, -0.3, 0.0, 0.2, 0.5, 1.0, 1.5, INF, -INF], "float64")
    for degree in (-3, -1, -0.5, 0, 0.9, 1, 2.7, 6, 7, 8, 9, 50, 600, NAN, INF):
        check_same(name, x, degree, tolerance=1e-7)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_broadcast_point_and_degree(name):
    degrees = array_of([0, 1, 2, 3, 12, -1], "int64")
    check_same(name, array_of([[0.25], [-1.5]], "float64"), degrees)
    check_same(name, array_of([[0.25], [-1.5]], "float32"), degrees, tolerance=2e-5)
    check_same(name, 0.25, degrees, tolerance=2e-5)
    check_same(name, array_of([[], []], "float32"), 3)


@pytest.mark.parametrize("name", [name for name in POLYNOMIALS if "chebyshev" in name])
def test_a_high_degree_costs_nothing_where_there_is_a_closed_form(name):
    check_same(name, array_of([0.0, 0.25, 1.0], "float64"), 10.0**15, tolerance=1e-2)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_polynomial_at_what_is_not_a_number_is_not_a_number(name):
    """PyTorch returns what happens to lie on the stack here, from degree 2 on."""
    result = of(ours, name)(ours.full((3,), NAN), ours.tensor([0, 1, 5]))
    np.testing.assert_array_equal(result.numpy(), [1, NAN, NAN])


def test_zeta_at_its_poles_and_outside_of_its_domain():
    first = [0.0, 1.0, 1.0, 2.0, -1.0, 0.5, 3.5, 2.0, 2.0, 3.0, 1.5, 1.5, NAN]
    second = [1.0, 1.0, -1.0, 0.0, 1.0, 1.0, 2.0, -2.0, -1.5, -1.5, -1.5, -2.0, 1.0]
    check_same("zeta", array_of(first, "float64"), array_of(second, "float64"))


@pytest.mark.parametrize("operands", [(), (3,), (3, 4), ("a",)])
@pytest.mark.parametrize("name", ["bessel_j0", "airy_ai", "entr"])
def test_what_is_no_tensor(name, operands):
    (kind, _), (expected, _) = (outcome(library, name, *operands) for library in (ours, oracle))
    assert kind == expected == "TypeError"


@pytest.mark.parametrize("number", [-1, 0, 1, 1.5, True, "a", None])
def test_orders_and_dimensions_are_integers(number):
    numbers = array_of([3.0, 4.0], "float64")
    check_same("polygamma", number, numbers)
    check_same("multigammaln", numbers, number)


def test_an_order_may_be_a_tensor_without_dimensions():
    numbers = array_of([3.0, 4.0], "float64")
    for order in (1, [1]):
        check_same("polygamma", array_of(order, "int64"), numbers)
        check_same("multigammaln", numbers, array_of(order, "int64"))


@pytest.mark.parametrize("name", WITHOUT_DERIVATIVE)
@pytest.mark.parametrize("library", [ours, oracle], ids=["rushlight", "torch"])
def test_what_has_no_derivative_does_not_require_grad(library, name):
    x = library.full((2,), 0.5, requires_grad=True)
    operands = (x, 3) if name in POLYNOMIALS else (x,)
    assert not of(library, name)(*operands).requires_grad


@pytest.mark.parametrize("library", [ours, oracle], ids=["rushlight", "torch"])
@pytest.mark.parametrize("name", ["gammainc", "gammaincc", "zeta"])
def test_a_derivative_that_nobody_knows_raises_in_backward(library, name):
    order = library.full((2,), 2.0, requires_grad=True)
    result = of(library, name)(order, library.full((2,), 0.5))
    with pytest.raises(NotImplementedError, match=r"the derivative for '.*' is not implemented"):
        result.sum().backward()


NODES = [
    ("entr", (), "SpecialEntrBackward0"),
    ("erfcx", (), "SpecialErfcxBackward0"),
    ("log_ndtr", (), "SpecialLogNdtrBackward0"),
    ("ndtri", (), "SpecialNdtriBackward0"),
    ("i0e", (), "SpecialI0EBackward0"),
    ("i1", (), "SpecialI1Backward0"),
    ("xlog1py", (2.0,), "SpecialXlog1PyBackward2"),
    ("psi", (), "DigammaBackward0"),
    ("expit", (), "SigmoidBackward0"),
    ("gammaln", (), "LgammaBackward0"),
    ("multigammaln", (1,), None),
]


@pytest.mark.parametrize(("name", "rest", "node"), NODES)
@pytest.mark.parametrize("library", [ours, oracle], ids=["rushlight", "torch"])
def test_nodes_have_pytorchs_names(library, name, rest, node):
    result = of(library, name)(library.full((2,), 0.5, requires_grad=True), *rest)
    assert result.requires_grad
    assert node is None or type(result.grad_fn).__name__ == node


# ---- Bessel functions beyond 3, where PyTorch 2.13 has five to seven digits in float64

FAR = np.array([3.5, 5.0, 8.0, 10.0, 25.0, 50.0, 100.0])


def bessel_of_integral(order, x):
    """https://dlmf.nist.gov/10.9.E2; of a periodic function the trapezoidal rule is exact to all digits."""
    angles = np.arange(1024) * (2 * np.pi / 1024)
    return np.cos(order * angles - np.outer(x, np.sin(angles))).mean(1)


def test_bessel_functions_of_the_first_kind_are_their_integrals():
    for order in (0, 1):
        result = of(ours, f"bessel_j{order}")(ours.from_numpy(FAR)).numpy()
        np.testing.assert_allclose(result, bessel_of_integral(order, FAR), rtol=1e-12, atol=1e-14)


def test_bessel_functions_of_both_kinds_have_the_wronskian():
    """https://dlmf.nist.gov/10.5.E2."""
    j0, j1, y0, y1 = (of(ours, f"bessel_{name}")(ours.from_numpy(FAR)).numpy() for name in ("j0", "j1", "y0", "y1"))
    np.testing.assert_allclose(j1 * y0 - j0 * y1, 2 / (np.pi * FAR), rtol=1e-12)


@pytest.mark.parametrize("name", ["bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"])
def test_bessel_functions_are_pytorchs_as_far_as_those_go(name):
    check_same(name, array_of(FAR.tolist(), "float64"), tolerance=1e-5)


def test_airy_waves_far_out():
    """Where the phase is known to some digits only; PyTorch has as many."""
    check_same("airy_ai", array_of([-1e5, -1e6, 104.0, 1e10, 1e300], "float64"), tolerance=1e-3)
    assert ours.isfinite(ours.special.airy_ai(ours.tensor(-1e10, dtype=ours.float64)))
