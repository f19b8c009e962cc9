"""Fixtures of the tests of the device `cuda`, which run without a GPU on the fake CuPy."""

import pytest

from rushlight.arrays.cuda.simulation import DEVICES


@pytest.fixture
def device():
    """Makes one simulated GPU available, and returns its backend."""
    before = DEVICES.count
    DEVICES.set_count(1)
    yield DEVICES[0]
    DEVICES.set_count(before)
