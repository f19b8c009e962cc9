"""What tests of commands share: environments that have the libraries which rushlight needs, and nothing else."""

import importlib.util
from pathlib import Path

import pytest

LIBRARIES = Path(importlib.util.find_spec("numpy").submodule_search_locations[0]).parent


@pytest.fixture(scope="session")
def link_libraries():
    """A function that lets a folder of packages have NumPy and its like, but no PyTorch that lies beside them here."""

    def link(site):
        for name in ("numpy", "numpy.libs", "ml_dtypes", "scipy", "scipy.libs"):
            if (LIBRARIES / name).exists():
                Path(site, name).symlink_to(LIBRARIES / name)

    return link
