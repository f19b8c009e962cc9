"""`pytest -p rushlight.testing.plugin`: the tests of a package that needs PyTorch find rushlight as `torch`."""

from rushlight._as_torch.finder import install


def pytest_load_initial_conftests() -> None:
    """Called before the first `conftest.py` is read, which may import torch."""
    install()
