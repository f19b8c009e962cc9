"""The sums over rows that a layer norm's weight and bias have as gradients, against NumPy's in float64."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.compiler.kernels import features
from rushlight.compiler.native import OF_NUMPY

SHAPES = [(1, 3), (9, 15), (3, 16), (8, 41), (7, features.STRIP + 21), (6, 2 * features.STRIP)]
DTYPES = [("float32", "float32"), ("float64", "float64"), (ml_dtypes.bfloat16, "float32"), ("float16", "float32")]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("given", "computed"), DTYPES, ids=str)
@pytest.mark.parametrize("compiled", [True, False])
def test_sums_of_columns_of_any_width(shape, given, computed, compiled):
    rows, length = shape
    generator = np.random.default_rng(0)
    g, x = generator.standard_normal((2, rows, length)).astype(given)
    mean, scale = generator.standard_normal((2, rows)).astype(computed)
    weight, bias = np.full((2, length), np.nan)
    kernel = features.feature_sums
    run = kernel.machine(OF_NUMPY[g.dtype], OF_NUMPY[mean.dtype]) if compiled else kernel
    run(weight, bias, g.reshape(-1), x.reshape(-1), mean, scale, rows, length)
    slopes, change = g.astype("d"), x.astype("d") - mean[:, None].astype("d")
    tolerance = 64 * np.finfo(computed).eps
    np.testing.assert_allclose(weight, (slopes * change * scale[:, None]).sum(0), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(bias, slopes.sum(0), rtol=tolerance, atol=tolerance)
