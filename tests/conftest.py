"""What every test shares: a story runs under rushlight and, where it is installed, under PyTorch itself."""

import importlib

import pytest


@pytest.fixture(params=["rushlight", "torch"])
def torch(request):
    """The library under test. The run under PyTorch proves that the test tells the truth about PyTorch."""
    return pytest.importorskip(request.param) if request.param == "torch" else importlib.import_module(request.param)
