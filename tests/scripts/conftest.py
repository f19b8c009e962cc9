"""What tests of commands share: environments that have the libraries which rushlight needs, and nothing else."""

import importlib.util
import os
import subprocess
import venv
from pathlib import Path

import pytest

LIBRARIES = Path(importlib.util.find_spec("numpy").submodule_search_locations[0]).parent
SOURCE = Path(importlib.util.find_spec("rushlight").submodule_search_locations[0]).parent


def site_of(python):
    """The folder of packages of an environment."""
    command = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.check_output(command, text=True).strip())


@pytest.fixture(scope="session")
def make_environment():
    """A function that makes an environment in a folder, with NumPy and similar but no PyTorch; returns its Python.

    They lie where this Python has them: a PyTorch beside them is not seen.
    """

    def make(folder, with_pip=False):
        venv.create(folder, with_pip=with_pip)
        python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        site = site_of(python)
        for name in ("numpy", "numpy.libs", "ml_dtypes", "scipy", "scipy.libs"):
            if (LIBRARIES / name).exists():
                (site / name).symlink_to(LIBRARIES / name)
        return python

    return make


@pytest.fixture
def python(tmp_path, make_environment):
    """The Python of a fresh environment, in which `rushlight` is on the path."""
    result = make_environment(tmp_path / "environment")
    (site_of(result) / "source.pth").write_text(str(SOURCE))
    return result
