"""Fixtures of the tests of the device `cuda`, which run without a GPU on the fake CuPy."""

import importlib
import sys

import pytest

from rushlight import cuda
from rushlight.arrays.cuda.fake import namespace, runtime
from rushlight.arrays.cuda.simulation import DEVICES
from rushlight.lower.nvptx import formulas
from rushlight.lower.nvptx.fake_gpu import FakeGpu

DRIVER = "rushlight.arrays.cuda.driver"


@pytest.fixture
def device():
    """Makes one simulated GPU available, and returns its backend."""
    before = DEVICES.count
    DEVICES.set_count(1)
    yield DEVICES[0]
    DEVICES.set_count(before)


@pytest.fixture
def machine(monkeypatch):
    """Puts the fake CuPy in CuPy's place, with two GPUs, and begins again."""
    monkeypatch.delenv("RUSHLIGHT_SIMULATE_CUDA", raising=False)
    for name, module in (("cupy", namespace.cupy), ("cupyx", namespace.cupyx)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "cupyx.scipy", namespace.cupyx.scipy)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.special", namespace.cupyx.scipy.special)
    monkeypatch.setattr(formulas, "CudaGpu", lambda cupy, index: FakeGpu())
    monkeypatch.setattr(cuda, "has_driver", lambda: True)
    monkeypatch.setattr(runtime, "getDeviceCount", lambda: 2)
    cuda.begin()
    driver = importlib.import_module(DRIVER)
    yield driver
    driver.DEVICES.set_count(0)
    cuda._set_generators()
    monkeypatch.delitem(sys.modules, DRIVER)
