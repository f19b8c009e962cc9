"""What every test shares: a story runs under rushlight and, where it is installed, under PyTorch itself."""

import ctypes
import fcntl
import gc
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import ml_dtypes
import pytest

# Git does not have the generated code: what is missing or stale is written before the first import of the package.
if "PYTEST_XDIST_WORKER" not in os.environ:
    generator = Path(__file__).parents[1] / "scripts" / "generate"
    subprocess.run([sys.executable, generator, "--code"], check=True, stdout=subprocess.DEVNULL)

# The gate says the same of the same tree: the examples of a property follow from the test alone.
# `pytest --hypothesis-profile=explore` draws new ones at every run; what it finds becomes an `@example`.
hypothesis.settings.register_profile("gate", derandomize=True)
hypothesis.settings.register_profile("explore", print_blob=True)
hypothesis.settings.load_profile("gate")


PYTORCH_IS_INSTALLED = importlib.util.find_spec("torch") is not None


def pytest_addoption(parser):
    parser.addoption("--passed-to", type=Path, help="a file that gets the names of the tests that passed")
    parser.addoption("--passed-in", type=Path, help="such a file: its tests are left out")


def pytest_configure(config):
    file = config.getoption("--passed-to")
    if file and "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(PassedTests(file))


class Turns:
    """Which tests of the processes of `pytest -n` run at the same time: all but those marked `alone`."""

    def __init__(self, run):
        # Every test holds `running`: most share it, one marked `alone` has it to itself. A test that waits
        # for it holds `waiting` likewise, so that no other starts before one that wants to be alone.
        folder = Path(tempfile.gettempdir())
        self.waiting, self.running = (open(folder / f"tests-{run}.{name}", "w") for name in ("waiting", "running"))

    @contextmanager
    def taken(self, kind):
        fcntl.flock(self.waiting, kind)
        fcntl.flock(self.running, kind)
        fcntl.flock(self.waiting, fcntl.LOCK_UN)
        yield
        fcntl.flock(self.running, fcntl.LOCK_UN)

    def end(self):
        """Removes the files' names; processes that have not ended go on with what they have opened."""
        for file in (self.waiting, self.running):
            file.close()
            Path(file.name).unlink(missing_ok=True)


TURNS = Turns(os.environ["PYTEST_XDIST_TESTRUNUID"]) if "PYTEST_XDIST_WORKER" in os.environ else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    if TURNS is None:
        return (yield)
    with TURNS.taken(fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH):
        return (yield)


def pytest_sessionfinish():
    if TURNS is not None:
        TURNS.end()


class PassedTests:
    """Writes the names of the tests that pass to a file, one a line."""

    def __init__(self, file):
        self.file = file
        self.names = []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.names.append(report.nodeid)

    def pytest_sessionfinish(self):
        self.file.write_text("".join(f"{name!r}\n" for name in self.names))


@pytest.fixture(params=["rushlight", "torch"] if PYTORCH_IS_INSTALLED else ["rushlight"])
def torch(request):
    """The library under test. The run under PyTorch proves that the test tells the truth about PyTorch."""
    return pytest.importorskip(request.param) if request.param == "torch" else importlib.import_module(request.param)


@pytest.fixture(scope="session")
def pytorch():
    """PyTorch itself, for a test that compares with it: without PyTorch such a test is not collected."""
    return importlib.import_module("torch")


@pytest.fixture(autouse=True)
def distributions_check_their_arguments():
    """`torch.compile` switches that off for the whole process, here and in PyTorch: the next test has it again."""
    yield
    for name in ("torch", "rushlight"):
        if distributions := sys.modules.get(f"{name}.distributions"):
            distributions.Distribution.set_default_validate_args(True)


def pytest_collection_modifyitems(config, items):
    """Deselects what has passed already, and what this environment lacks a package for.

    Of PyTorch, thousands of tests would only be skipped.
    """
    file = config.getoption("--passed-in")
    passed = set(file.read_text().splitlines()) if file else ()
    gone = [item for item in items if repr(item.nodeid) in passed or lacks_a_package(item)]
    config.hook.pytest_deselected(items=gone)
    left = set(items).difference(gone)
    items[:] = [item for item in items if item in left]


def lacks_a_package(item):
    if item.get_closest_marker("complex32") and not hasattr(ml_dtypes, "complex32"):
        return True
    return "pytorch" in item.fixturenames and not PYTORCH_IS_INSTALLED


def pytest_collection_finish(session):
    """Hides from the garbage collector what collecting made: it would visit all tests at each `gc.collect()` of one."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def without_collector():
    """Garbage is collected by `gc.collect()` alone, and only what is made from now on.

    What was there before is much in a process that has run other tests; it stays hidden, so that hiding it is cheap.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


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
