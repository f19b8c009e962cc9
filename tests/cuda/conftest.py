"""Fixtures of the tests of the device `cuda`, which run without a GPU on the fake CuPy."""

import pytest

from rushlight.arrays.cuda.simulation import over_fake
from rushlight.core.device import BACKENDS


@pytest.fixture
def device():
    """Registers the backend over the fake CuPy as the device `cuda`."""
    before = BACKENDS.by_kind.get("cuda")
    BACKENDS.register(over_fake())
    yield over_fake()
    BACKENDS.unregister("cuda")
    if before is not None:
        BACKENDS.register(before)
