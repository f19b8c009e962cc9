"""What every test shares: a story runs under rushlight and, where it is installed, under PyTorch itself."""

import ctypes
import importlib
import sys

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


class Mallinfo(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


LEAST = 16  # bytes of an object that Python makes


@pytest.fixture
def memory_in_use():
    """A function: how many bytes the C library has handed out, and at least how many Python has.

    The resident memory of a process is no measure of what it keeps: Linux makes a huge page out of memory of which the
    process has only touched a part, up to 16 MB at once and whenever it gets round to it, and it takes pages of files
    away and brings them back.
    """
    count = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform.startswith("linux") else None
    if count is None:
        pytest.skip("the C library does not say how much it has handed out")
    count.restype = Mallinfo

    def in_use():
        handed_out = count()
        return handed_out.uordblks + handed_out.hblkhd + LEAST * sys.getallocatedblocks()

    return in_use
