"""Functions that are compiled when machine code first calls them."""

import _thread
import ctypes
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays.threads import get_num_threads, set_num_threads
from rushlight.kernels import gemm, gemm_tile, matmul
from rushlight.lower import lazy_compile as deferring
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import int64, native, pointer
from rushlight.lower.parallel import parallel_for


def doubling():
    """Returns a function that is not compiled yet, and one that calls it for all elements, on all threads."""

    @deferred
    @native
    def doubled(out: pointer(int64), at: int64) -> int64:
        return 2 * out[at]

    @native
    def double_some(out: pointer(int64), begin: int64, end: int64):
        for i in range(begin, end):
            if out[i] > 0:
                out[i] = doubled(out, i)

    @native
    def double(out: pointer(int64), size: int64):
        parallel_for(double_some, size, 1, out)

    return doubled, double


def test_a_function_is_compiled_on_first_call(threads):
    doubled, double = doubling()
    numbers = np.zeros(64, np.int64)
    double.machine()(numbers, 64)
    assert not doubled.plain.addresses and not numbers.any()
    numbers += np.arange(64)
    double.machine()(numbers, 64)
    assert len(doubled.plain.addresses) == 1
    double.machine()(numbers, 64)
    np.testing.assert_array_equal(numbers, 4 * np.arange(64))


def test_plain_python_calls_the_plain_function():
    doubled, double = doubling()
    numbers = np.arange(8)
    double(numbers, 8)
    np.testing.assert_array_equal(numbers, 2 * np.arange(8))
    assert doubled(numbers, 1) == 4 and not doubled.plain.addresses


@pytest.fixture
def one_thread():
    before = get_num_threads()
    set_num_threads(1)
    yield
    set_num_threads(before)


@pytest.mark.parametrize("exception", [KeyboardInterrupt(), TimeoutError("of a signal's handler"), SystemExit(3)])
def test_an_exception_is_raised_when_machine_code_returns(monkeypatch, one_thread, exception):
    """It is raised while a function is compiled; the computation finishes, then Python raises it."""
    doubled, double = doubling()
    make, calls = doubled.cell.make, []

    def interrupted():
        calls.append(make)
        if len(calls) == 1:
            raise exception
        return make()

    monkeypatch.setattr(doubled.cell, "make", interrupted)
    monkeypatch.setattr(deferring, "LATER", 0.05)
    numbers, kernel = np.ones(3, np.int64), double.machine()
    with pytest.raises(type(exception)) as raised:
        kernel(numbers, 3)
        assert numbers.tolist() == [2, 2, 2] and len(calls) == 2
        for _ in range(500):
            time.sleep(0.01)
    assert raised.value is exception


def test_an_exception_in_a_pool_thread_is_dropped(monkeypatch, one_thread):
    """Pool threads have no Python frame: a failure that is followed by success is dropped."""
    doubled, double = doubling()
    make, failures, timers = doubled.cell.make, [MemoryError()], []
    monkeypatch.setattr(doubled.cell, "make", lambda: failures and raised(failures.pop()) or make())
    monkeypatch.setattr(threading, "Timer", lambda *args: timers.append(args))
    numbers = np.ones(3, np.int64)
    _thread.start_new_thread(double.machine(), (numbers, 3))
    for _ in range(1000):
        if not numbers.tolist() == [2, 2, 2]:
            time.sleep(0.01)
    assert numbers.tolist() == [2, 2, 2] and not failures and not timers


def raised(exception):
    raise exception


def test_an_exception_before_compilation_starts_is_an_interruption(monkeypatch, one_thread):
    answers = [0]

    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    def ask(owner):
        return answers.pop() if answers else deferring.ask(owner)

    monkeypatch.setattr(deferring.ASK, "provide", lambda: ctypes.cast(ask, ctypes.c_void_p).value)
    doubled, double = doubling()
    numbers, kernel = np.ones(3, np.int64), double.machine()
    with pytest.raises(KeyboardInterrupt):
        kernel(numbers, 3)
        time.sleep(5)
    assert numbers.tolist() == [2, 2, 2] and not answers


IMPOSSIBLE = """
import numpy as np
from rushlight.lower.lazy_compile import deferred
from rushlight.lower.native import int64, native, pointer

@deferred
@native
def strange(out: pointer(int64)) -> int64:
    return out.nothing

@native
def call(out: pointer(int64)):
    out[0] = strange(out)

call.machine()(np.zeros(1, np.int64))
print("computed")
"""


def test_a_failed_compilation_ends_the_process(tmp_path):
    """No result is made up: the process prints why it cannot continue."""
    program = tmp_path / "program.py"
    program.write_text(IMPOSSIBLE)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode != 0 and "computed" not in done.stdout
    assert "program.py:9, in strange" in done.stderr


def test_the_process_ends_although_an_earlier_exception_is_raised_at_the_same_time(tmp_path):
    """The second failure's exception reaches the calling thread 10 ms later, while the third is printed."""
    program = tmp_path / "program.py"
    slow = """
import time
import traceback
at_once = traceback.print_exception

def slowly(failure):
    time.sleep(0.2)
    at_once(failure)

traceback.print_exception = slowly
"""
    program.write_text(slow + IMPOSSIBLE)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and "computed" not in done.stdout
    assert "in strange" in done.stderr


def test_a_product_does_not_compile_what_it_does_not_need():
    """Dot products, transposed matrices, packing and edge tiles are separate modules."""
    text = matmul.multiply.written(()).text
    rare = [gemm.few_rows, gemm.pack_turned, gemm.pack_strips, gemm.pack_rows]
    names = [x.plain.__name__ for x in rare]
    assert not [name for name in names if f"products.{name}" in text]
    assert not [symbol for symbol in gemm_tile.TILES_BY_NAME if f"@{symbol}(" in text]
