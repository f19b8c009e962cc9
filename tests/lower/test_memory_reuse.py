"""Memory of large arrays is reused: a program that computes at one size gets no new pages."""

import subprocess
import sys

import pytest

from rushlight.arrays import memory

PROGRAM = """
import resource
import numpy as np
from rushlight.arrays.memory import reuse
assert reuse()
array = np.ones(12_000_000, np.float32)
def step():
    return (array * 2 + array).sum()
for _ in range(5):
    step()
before = resource.getrusage(resource.RUSAGE_SELF)
for _ in range(20):
    step()
after = resource.getrusage(resource.RUSAGE_SELF)
print(after.ru_minflt - before.ru_minflt, after.ru_maxrss - before.ru_maxrss)
"""


@pytest.mark.skipif(not memory.reuse(), reason="the C library has no mallopt")
def test_large_temporaries_reuse_memory():
    output = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    faults, growth = map(int, output.split())
    assert faults < 200  # of 23,000 pages in every step
    assert growth < 20_000  # KiB: less than one more array, more than the rounding to huge pages
