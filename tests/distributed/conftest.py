"""Runs a small program in several processes, as users start them."""

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from rushlight.distributed import mpi

PREAMBLE = """
import atexit, os, sys, time, signal
from datetime import timedelta
import rushlight as torch
import rushlight.distributed as dist

rank, world, port = (int(each) for each in sys.argv[1:4])

def start(**options):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world, **options)

def of(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

if os.environ.get("LIBRARY") == "torch":  # one time in a hundred it aborts, or hangs, while its threads end
    codes = [0]
    atexit.register(lambda: os._exit(codes[-1]))
    sys.excepthook = lambda *error: (codes.append(1), sys.__excepthook__(*error))

"""
SECONDS = 60.0
BY_TCP = {
    "UCX_TLS": "tcp,self"
}  # what UCX, by which MPICH sends between machines, uses: it finds shared memory otherwise


class Ended(NamedTuple):
    """How one process has ended."""

    code: int
    output: str


FIRST_PORT = 20_000 + 1000 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
PORTS = itertools.cycle(range(FIRST_PORT, FIRST_PORT + 1000))


def free_port():
    """Returns a port for a server that starts later: one that the system gives no connection, nor another worker."""
    for port in PORTS:
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def environment():
    """The environment without what a launcher may have put there."""
    launchers = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "PMI_RANK", "PMI_SIZE", "PMI_FD")
    return {k: v for k, v in os.environ.items() if k not in launchers} | {
        "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONFAULTHANDLER": "1",
    }


def printed(processes, seconds):
    """Reads what processes print until all have ended: at once, as a pipe that is not read stops who writes to it."""
    with ThreadPoolExecutor(len(processes)) as threads:
        return list(threads.map(lambda process: process.communicate(timeout=seconds)[0], processes))


def waited_for(processes, seconds=SECONDS):
    """What became of processes; if one hangs, all are ended, and the test fails with what they print and where
    they are.
    """
    try:
        texts = printed(processes, seconds)
    except subprocess.TimeoutExpired:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGABRT)
        pytest.fail("a process hangs:\n" + "\n".join(printed(processes, 5)))
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
            process.stdout.close()
    return [Ended(process.returncode, text) for process, text in zip(processes, texts, strict=True)]


def started(command, before=(), **options):
    """Starts Python; `before` is a command that runs another."""
    return subprocess.Popen(
        [*before, sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


@pytest.fixture
def mpi_is_there():
    if not mpi.installed():
        pytest.skip("mpi4py or an MPI is not installed: the extra `distributed`")


@pytest.fixture
def ranks(tmp_path, mpi_is_there):
    """Runs a program in processes that know their `rank`, `world` and `port`; returns how each has ended."""

    def run(program, size=2, seconds=SECONDS, **more):
        path = tmp_path / "program.py"
        path.write_text(PREAMBLE + textwrap.dedent(program))
        port = free_port()
        env = environment() | more
        return waited_for([started([path, rank, size, port], env=env) for rank in range(size)], seconds)

    return run


@pytest.fixture
def outputs(ranks):
    """Runs a program as `ranks` does; all must end well. Returns what each has printed."""

    def run(program, size=2, seconds=SECONDS, **more):
        ended = ranks(program, size, seconds, **more)
        assert [each.code for each in ended] == [0] * size, "\n".join(each.output for each in ended)
        return [each.output for each in ended]

    return run
