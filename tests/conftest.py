"""What every test shares: a story runs under rushlight and, where it is installed, under PyTorch itself."""

import importlib

import hypothesis
import pytest

# The gate says the same of the same tree: the examples of a property follow from the test alone.
# `pytest --hypothesis-profile=explore` draws new ones at every run; what it finds becomes an `@example`.
hypothesis.settings.register_profile("gate", derandomize=True)
hypothesis.settings.register_profile("explore", print_blob=True)
hypothesis.settings.load_profile("gate")


@pytest.fixture(params=["rushlight", "torch"])
def torch(request):
    """The library under test. The run under PyTorch proves that the test tells the truth about PyTorch."""
    return pytest.importorskip(request.param) if request.param == "torch" else importlib.import_module(request.param)
