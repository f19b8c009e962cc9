"""The thread pool: every piece is processed once, by any thread, and nothing leaks."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.arrays import threads
from rushlight.arrays.threads import BUSY, LIVE, WANTED
from rushlight.lower import llvm, pool
from rushlight.lower.language import offset
from rushlight.lower.native import int64, native, pointer
from rushlight.lower.parallel import parallel_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the pool has threads on Linux only")


@native
def counted(out: pointer(int64), begin: int64, end: int64):
    for i in range(begin, end):
        out[i] += 1


@native
def count_once(out: pointer(int64), size: int64, grain: int64):
    parallel_for(counted, size, grain, out)


@native
def count_often(out: pointer(int64), size: int64, grain: int64, times: int64):
    for _i in range(times):
        parallel_for(counted, size, grain, out)


@native
def count_changing(out: pointer(int64), sizes: pointer(int64), times: int64):
    for i in range(times):
        parallel_for(counted, sizes[i], 1, out)


@native
def rows_counted(out: pointer(int64), width: int64, begin: int64, end: int64):
    for i in range(begin, end):
        count_once(offset(out, i * width), width, 1)


@native
def count_rows(out: pointer(int64), rows: int64, width: int64):
    parallel_for(rows_counted, rows, 1, out, width)


@pytest.fixture(autouse=True)
def four_threads():
    before = threads.get_num_threads()
    threads.set_num_threads(4)
    yield
    threads.set_num_threads(before)


def live():
    return int(threads.pool().memory[LIVE])


def wait_until(condition, seconds=10.0):
    latest = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < latest
        time.sleep(0.001)


@pytest.mark.parametrize("size", [0, 1, 7, 63, 64, 65, 1000, 4099])
@pytest.mark.parametrize("grain", [1, 16, 5000])
def test_every_piece_is_done_once(size, grain):
    out = np.zeros(size, np.int64)
    for _ in range(20):
        count_once.machine()(out, size, grain)
    assert (out == 20).all()


def test_a_loop_after_one_of_fewer_pieces():
    """A late thread must not take a piece that only the next loop has."""
    sizes = np.random.default_rng(0).integers(2, 64, 400_000)
    out = np.zeros(64, np.int64)
    count_changing.machine()(out, sizes, len(sizes))
    np.testing.assert_array_equal(out, (sizes[:, None] > np.arange(64)).sum(0))


def time_of(looks):
    start = time.thread_time()
    pool.wait.machine()(looks)
    return time.thread_time() - start


def test_waiting_is_measured_in_time():
    looks = pool.polls_within(1e-3)
    assert min(time_of(looks) for _ in range(5)) < 5e-3
    assert pool.polls_within(1e-2) > looks


def test_waiting_is_measured_while_another_program_has_the_core():
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    other = subprocess.Popen([sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE)
    try:
        other.stdout.readline()
        looks = pool.polls_within(1e-3)
    finally:
        other.kill()
        other.communicate()
        os.sched_setaffinity(0, usable)
    assert max(time_of(looks) for _ in range(5)) > 2e-4


def test_ten_thousand_loops_leave_nothing_behind(memory_in_use):
    out = np.zeros(64, np.int64)
    count_often.machine()(out, 64, 1, 100)
    before = memory_in_use()
    count_often.machine()(out, 64, 1, 10_000)
    assert memory_in_use() - before < 10_000  # less than a byte per loop
    assert (out == 10_100).all()
    assert live() == 3
    assert threads.pool().memory[BUSY] == 0


def test_the_number_of_threads_grows_and_shrinks():
    out = np.zeros(64, np.int64)
    for count in (4, 2, 1, 3, 4):
        threads.set_num_threads(count)
        count_once.machine()(out, 64, 1)
        wait_until(lambda count=count: live() <= count - 1)
        assert count == 1 or live() == count - 1
    assert (out == 5).all()


def test_concurrent_callers():
    outs = np.zeros((8, 1000), np.int64)

    def run(out):
        for _ in range(200):
            count_once.machine()(out, 1000, 10)

    callers = [threading.Thread(target=run, args=(out,)) for out in outs]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert (outs == 200).all()


def test_a_loop_inside_a_loop():
    out = np.zeros((20, 30), np.int64)
    count_rows.machine()(out, 20, 30)
    assert (out == 1).all()


def test_idle_threads_cost_nothing():
    out = np.zeros(64, np.int64)
    count_once.machine()(out, 64, 1)
    time.sleep(0.2)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.03


def test_python_does_not_see_the_threads_of_the_pool():
    out = np.zeros(64, np.int64)
    count_once.machine()(out, 64, 1)
    assert live() == 3
    assert threading.active_count() == len(threading.enumerate())
    assert not [x for x in threading.enumerate() if "Dummy" in x.name]


def test_a_forked_child_starts_threads_of_its_own():
    out = np.zeros(64, np.int64)
    count_once.machine()(out, 64, 1)
    child = os.fork()
    if child == 0:
        fresh = live() == 0
        count_often.machine()(out, 64, 1, 100)
        os._exit(0 if fresh and live() == 3 and (out == 101).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    count_once.machine()(out, 64, 1)
    assert (out == 2).all()


def test_a_fork_while_another_thread_is_in_a_loop():
    outs = np.zeros((2, 1000), np.int64)
    stop = threading.Event()

    def run():
        while not stop.is_set():
            count_often.machine()(outs[0], 1000, 1, 100)

    other = threading.Thread(target=run)
    other.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                count_often.machine()(outs[1], 1000, 1, 10)
                os._exit(0 if (outs[1] == 10).all() else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        other.join()


def test_a_fork_while_another_thread_compiles():
    """The compile lock is free in the child, and LLVM is idle during the fork."""
    compiling, forked = threading.Event(), threading.Event()

    def run():
        with llvm.COMPILING:
            compiling.set()
            forked.wait(0.2)

    other = threading.Thread(target=run)
    other.start()
    compiling.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if llvm.COMPILING.lock.acquire(timeout=5) else 1)
    forked.set()
    other.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


PROGRAM = """
import sys, threading, time
import numpy as np
sys.path.insert(0, {folder!r})
from test_thread_pool import count_often, count_once
from rushlight.arrays import threads
threads.set_num_threads(4)
out = np.zeros(64, np.int64)
count_once.machine()(out, 64, 1)
print("ready", flush=True)
"""


ONE_THREAD = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
from test_thread_pool import count_once, live
from rushlight.arrays import threads
from rushlight.lower import pool
out = np.zeros(64, np.int64)
count_once.machine()(out, 64, 1)
assert not pool.parallel_for.addresses
threads.set_num_threads(3)
count_once.machine()(out, 64, 1)
assert pool.parallel_for.addresses and live() == 2 and (out == 2).all()
"""


def test_one_thread_needs_no_pool_and_compiled_loops_use_it_later():
    code = ONE_THREAD.format(folder=os.path.dirname(__file__))
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


def program(ending):
    code = PROGRAM.format(folder=os.path.dirname(__file__)) + textwrap.dedent(ending)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise SystemExit(4)", 4),
        ("import os; os._exit(5)", 5),
        ("import atexit; atexit.register(lambda: count_often.machine()(out, 64, 1, 1000))", 0),
        # A daemon thread runs a loop when the interpreter exits.
        ("threading.Thread(target=lambda: count_often.machine()(out, 64, 1, 10**9), daemon=True).start()", 0),
    ],
)
def test_programs_end_as_without_a_pool(ending, status):
    running = program(ending)
    output, errors = running.communicate(timeout=60)
    assert (running.returncode, output, errors) == (status, "ready\n", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_programs_can_be_killed(number):
    running = program("while True: count_often.machine()(out, 64, 1, 10)")
    assert running.stdout.readline() == "ready\n"
    running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == -number
    assert ("KeyboardInterrupt" in errors) == (number == signal.SIGINT)


def test_the_pool_shrinks_where_the_system_has_no_more_threads(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    threads.set_num_threads(1)
    wait_until(lambda: live() == 0)
    monkeypatch.setattr(threads._thread, "start_new_thread", refuse)
    threads.set_num_threads(4)
    out = np.zeros(64, np.int64)
    count_once.machine()(out, 64, 1)
    assert (out == 1).all()
    assert threads.pool().memory[WANTED] == 1


@pytest.mark.parametrize(("named", "count"), [("3", 3), ("2,4", 2), ("0", None), ("many", None), ("", None)], ids=repr)
def test_the_initial_number_of_threads(monkeypatch, named, count):
    monkeypatch.setenv("OMP_NUM_THREADS", named)
    monkeypatch.setattr(threads, "cores", lambda processors: min(len(processors), 4))
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    result = threads.default_count()
    assert result == count if count else 1 <= result <= len(os.sched_getaffinity(0))


def test_the_affinity_is_respected(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usable)})
    try:
        assert threads.default_count() == 1
    finally:
        os.sched_setaffinity(0, usable)


def test_the_blas_has_the_same_number_of_threads():
    folder = os.path.join(os.path.dirname(np.__path__[0]), "numpy.libs")
    files = [file for file in os.listdir(folder) if "openblas" in file] if os.path.isdir(folder) else []
    if not files:
        pytest.skip("NumPy has no OpenBLAS of its own here")
    count = ctypes.CDLL(os.path.join(folder, files[0])).scipy_openblas_get_num_threads64_
    for wanted in (1, 3, 2):
        threads.set_num_threads(wanted)
        assert count() == wanted


def seats(*cores):
    """Returns the pool's memory with these threads on these cores; in plain Python the caller is on core 0."""
    state = np.zeros(threads.SEATS + 64 * threads.LINE, np.int64)
    state[WANTED] = len(cores)
    for place, x in enumerate(cores):
        state[threads.SEATS + place * threads.LINE] = x + 1
    return state


def test_threads_that_share_a_core_are_detected():
    assert not pool.is_crowded.plain(seats(1, 2, 3), 1)
    assert pool.is_crowded.plain(seats(1, 2, 0), 1) and pool.is_crowded.plain(seats(0, 2, 3), 1)
    state = seats(1, 2, 3)
    assert pool.seat.plain(state, 2) == 1 and state[threads.SEATS + 2 * threads.LINE] == 1


# not every system has functions for affinity
needs_two_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="there is one core"
)


def core_of_this_thread():
    with open("/proc/thread-self/stat") as stat:
        return int(stat.read().rpartition(")")[2].split()[36])


@needs_two_cores
def test_a_thread_that_shares_a_core_moves_and_may_use_any_core_again():
    mine, left = os.sched_getaffinity(0), 0
    for _ in range(20):
        before = core_of_this_thread()
        pool.move.machine()(seats(before))
        left += core_of_this_thread() != before
        assert os.sched_getaffinity(0) == mine
    assert left > 10


@needs_two_cores
def test_threads_stay_if_all_cores_are_taken():
    mine = os.sched_getaffinity(0)
    pool.move.machine()(seats(*mine))
    assert os.sched_getaffinity(0) == mine
