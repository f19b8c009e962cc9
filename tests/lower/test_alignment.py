"""Large arrays are aligned to cache lines, and are NumPy's in every other respect."""

import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import memory

pytestmark = pytest.mark.skipif(not memory.reuse(), reason="the C library has no mallopt")

BEGINNING = """
import numpy as np
import rushlight as torch
torch.ones(1 << 16)  # the first large array
"""


def run(program):
    return subprocess.run(
        [sys.executable, "-c", BEGINNING + program], capture_output=True, text=True, check=True
    ).stdout


def test_all_large_arrays_of_a_program_are_aligned():
    program = """
sizes = np.random.default_rng(0).integers(1 << 15, 1 << 21, 200)
kept = [np.empty(size, np.float32) for size in sizes]
kept = kept[::2] + [torch.randn(int(size)).exp().numpy() for size in sizes[::2]]
print({each.ctypes.data % 64 for each in kept})
"""
    assert run(program) == "{0}\n"


def test_an_array_that_grows_and_is_freed():
    program = """
array = np.arange(100_000)
array.resize(1_000_000, refcheck=False)
print(array[:100_000].sum(), array[100_000:].any(), np.zeros(1_000_000).any())
"""
    assert run(program) == "4999950000 False False\n"


def test_tracemalloc_counts_it():
    program = """
import tracemalloc
tracemalloc.start()
array = np.empty(1_000_000)
print(tracemalloc.get_traced_memory()[0] // 1_000_000)
del array
print(tracemalloc.get_traced_memory()[0] // 1_000_000)
"""
    assert run(program) == "8\n0\n"


def test_a_handler_of_the_program_stays():
    program = """
from numpy._core.multiarray import get_handler_name
from rushlight.lower import alignment
alignment.align.cache_clear()
print(get_handler_name(), alignment.align())  # a second handler finds one that is not NumPy's
"""
    assert run(program) == "rushlight False\n"
