"""Fixtures of the tests of the device `cuda`, which run without a GPU on the fake CuPy."""

import importlib
import sys

import pytest

import rushlight as torch
from rushlight import cuda
from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.arrays.cuda.fake import namespace, runtime
from rushlight.arrays.cuda.fake.namespace import cupy
from rushlight.arrays.cuda.simulation import DEVICES
from rushlight.backends.cuda import allows_fused_attention
from rushlight.core.device import BACKENDS
from rushlight.lower.nvptx import formulas
from rushlight.lower.nvptx.fake_gpu import FakeGpu
from rushlight.lower.nvptx.formulas import BY_CUDNN

from . import fake_cudnn

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


class ByCudnn:
    """What computes an operator: cuDNN, or its own formula."""

    def __init__(self, graphs):
        self.graphs = graphs

    def of(self, op):
        return BY_CUDNN[op.name](op, self.graphs) if op.name in BY_CUDNN else op.forward


@pytest.fixture
def graphs(monkeypatch):
    """Gives the simulated GPU the stand-in for cuDNN; returns its graphs."""
    fake_cudnn.COUNTS.reset()
    with torch.cuda.simulate():
        backend = BACKENDS.by_kind["cuda"].at(0)
        graphs = Graphs(fake_cudnn, cupy, torch.backends.cudnn, allows_fused_attention)
        monkeypatch.setattr(backend, "formulas", ByCudnn(graphs))
        yield graphs


@pytest.fixture
def counts(graphs):
    """What the stand-in for cuDNN counts, which the simulated GPU has."""
    return fake_cudnn.COUNTS
