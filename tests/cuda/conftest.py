"""Fixtures of the tests of the device `cuda`, which run without a GPU on the fake CuPy."""

import pytest

import rushlight as torch
from rushlight.arrays.cuda.cudnn.graphs import Graphs
from rushlight.arrays.cuda.fake.namespace import cupy
from rushlight.arrays.cuda.simulation import DEVICES
from rushlight.backends.cuda import allows_fused_attention
from rushlight.core.device import BACKENDS
from rushlight.lower.nvptx.formulas import BY_CUDNN

from . import fake_cudnn


@pytest.fixture
def device():
    """Makes one simulated GPU available, and returns its backend."""
    before = DEVICES.count
    DEVICES.set_count(1)
    yield DEVICES[0]
    DEVICES.set_count(before)


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
