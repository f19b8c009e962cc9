"""Bins whose numbers are so far apart that their product with the number of bins is beyond the dtype."""

import numpy as np
import pytest

import rushlight
from rushlight.core.large import LARGE

BINS, MANY = 100, 400
FARTHEST = {rushlight.float32: 3e38, rushlight.float64: 1.7e308}


@pytest.mark.parametrize("count", ["histc", "by range", "by edges"])
@pytest.mark.parametrize("dtype", FARTHEST, ids=str)
def test_numbers_in_the_middle_of_wide_bins(dtype, count):
    rushlight.ones(LARGE)  # from now on there are kernels
    high = FARTHEST[dtype]
    x = (rushlight.arange(BINS, dtype=dtype) + 0.5).mul_(high / BINS).repeat(MANY)
    if count == "histc":
        found = rushlight.histc(x, BINS, 0.0, high)
    elif count == "by range":
        found = rushlight.histogram(x, BINS, range=(0.0, high)).hist
    else:
        edges = rushlight.arange(BINS + 1, dtype=dtype) * (high / BINS)
        found = rushlight.histogram(x, edges).hist
    np.testing.assert_array_equal(found.numpy(), np.full(BINS, MANY))
