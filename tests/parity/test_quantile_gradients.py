"""How gamma and Dirichlet draws move with their shapes, against differences of SciPy's quantiles."""

import numpy as np
import pytest

from rushlight.arrays.quantile_backward import dirichlet_grad, gamma_grad

special = pytest.importorskip("scipy.special")

CHANCES = np.array([0.001, 0.1, 0.5, 0.9, 0.999])


@pytest.mark.parametrize("shape", [0.3, 1.0, 3.0, 50.0, 1900.0, 2100.0, 1e5])
def test_gamma_derivatives(shape):
    step = 1e-4 * shape
    values = special.gammaincinv(shape, CHANCES)
    moved = special.gammaincinv(shape + step, CHANCES) - special.gammaincinv(shape - step, CHANCES)
    result = gamma_grad(values, np.full(values.shape, shape))
    np.testing.assert_allclose(result, moved / (2 * step), rtol=3e-6 if shape >= 2000 else 1e-6)


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.4), (1.0, 1.0), (5.0, 0.5), (0.5, 5.0), (30.0, 80.0), (900.0, 20.0)])
def test_dirichlet_derivatives(a, b):
    step = 1e-4 * a
    shares = special.betaincinv(a, b, CHANCES)
    moved = special.betaincinv(a + step, b, CHANCES) - special.betaincinv(a - step, b, CHANCES)
    shapes = np.full(shares.shape, a)
    result = dirichlet_grad(shares, shapes, shapes + b)
    np.testing.assert_allclose(result, moved / (2 * step) / (1 - shares), rtol=3e-6)
