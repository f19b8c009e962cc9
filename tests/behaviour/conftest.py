"""What several files of stories share."""

import numpy as np
import pytest

from rushlight._generated import functions
from rushlight.arrays import cpu


@pytest.fixture
def functions_of_numpy(monkeypatch):
    """NumPy's own functions behind the operators, whatever large arrays other tests of this process have worked on.

    The watch notices by NumPy's flags where a number that is not finite is born, and kernels raise none.
    """
    for name, value in list(vars(functions).items()):
        plain = getattr(cpu, name.removeprefix("xp_"), None) if name.startswith("xp_") else None
        if isinstance(plain, np.ufunc) and value is not plain:
            monkeypatch.setattr(functions, name, plain)


@pytest.fixture
def leaf(torch):
    """A function: a tensor of these values that requires grad."""
    return lambda values: torch.tensor(values, requires_grad=True)


@pytest.fixture
def result(leaf):
    """A function: a leaf and a copy of it that may be written to."""

    def made(values):
        x = leaf(values)
        return x, x.clone()

    return made
