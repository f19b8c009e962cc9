"""How many threads work: numbers that programs set and read back."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def restored(torch):
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("restored")
def test_the_number_is_read_back(torch):
    for count in (1, 3, np.int64(2)):
        torch.set_num_threads(count)
        assert torch.get_num_threads() == count


@pytest.mark.parametrize("name", ["set_num_threads", "set_num_interop_threads"])
@pytest.mark.parametrize("count", [0, -1, 1.5, "2", True, None], ids=repr)
def test_only_positive_integers(torch, name, count):
    with pytest.raises(RuntimeError, match=f"{name} expects a"):
        getattr(torch, name)(count)


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_the_number_at_the_start_is_no_more_than_there_are_cores(torch, count):
    code = f"import {torch.__name__} as torch; print(torch.get_num_threads())"
    command = ["env", f"OMP_NUM_THREADS={count}", sys.executable, "-c", code]
    result = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert result == min(count, cores())


def cores():
    """Cores of this machine, however many hyperthreads each has."""
    lists = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    return len({file.read_text() for file in lists}) or os.cpu_count()


def test_operators_at_once_are_said_once(torch):
    code = f"""
import {torch.__name__} as torch
torch.set_num_interop_threads(2)
assert torch.get_num_interop_threads() == 2
try:
    torch.set_num_interop_threads(3)
except RuntimeError as error:
    print(str(error).splitlines()[0])
"""
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.startswith("Error: cannot set number of interop threads after parallel work has started")


LATE = """
import rushlight as torch
torch.set_num_threads(3)
import {first}
a = torch.eye(4)
{call}
import ctypes, scipy
from rushlight.arrays.threads import bundled_blas
for file in bundled_blas(scipy):
    library = ctypes.CDLL(file)
    for name in ("scipy_openblas_get_num_threads", "scipy_openblas_get_num_threads64_", "openblas_get_num_threads"):
        if hasattr(library, name):
            print(getattr(library, name)())
            torch.set_num_threads(2)
            print(getattr(library, name)())
            break
"""
CALLS = {
    "solve_triangular": "torch.linalg.solve_triangular(a, a, upper=True)",
    "lstsq": "torch.linalg.lstsq(a, a, driver='gelsd')",
    "lobpcg": "torch.lobpcg(torch.eye(9), 2)",
}


@pytest.mark.parametrize("first", ["os", "scipy.linalg"])
@pytest.mark.parametrize("name", CALLS)
def test_the_blas_of_a_package_that_comes_later_has_as_many_threads(name, first):
    """SciPy brings its own, and is imported when it is first needed, by us or by the program."""
    code = LATE.format(call=CALLS[name], first=first)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    if not said:
        pytest.skip("SciPy has no OpenBLAS of its own here")
    assert said == ["3", "2"]
