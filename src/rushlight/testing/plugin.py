"""`pytest -p rushlight.testing.plugin`: runs the tests of a package that needs PyTorch with rushlight as `torch`."""

from rushlight._as_torch.finder import install


def pytest_load_initial_conftests() -> None:
    """Runs before the first `conftest.py`, which may import torch."""
    install()
