"""What several files of stories share."""

import numpy as np
import pytest

from rushlight.core.tables import fast
from rushlight.dispatch import plan


@pytest.fixture
def functions_of_numpy():
    """NumPy's own functions behind the operators, whatever large arrays other tests of this process have worked on.

    The watch notices by NumPy's flags where a number that is not finite is born, and kernels raise none.
    """
    assigned = []
    for name, value in [(name, value) for name, value in vars(fast).items() if isinstance(value, np.ufunc)]:
        plain = plan.plain(fast, name)
        if isinstance(plain, np.ufunc) and value is not plain:
            plan.assign(fast, name, plain)
            assigned.append((name, value))
    yield
    for name, value in assigned:
        plan.assign(fast, name, value)


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
